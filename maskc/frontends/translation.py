"""A grammar over terminals, as other notations become one, and the numbers of its symbols.

The compiler reads these values as they are. Written in Lark's notation they are the same grammar:
that text goes into the artifact, for those who show it and for ``maskc verify``, whose judge is
Lark's own parser. ``[0-9]+ root | ";"`` has the sides ``(("ROOT", "root"), ("ROOT_2",))``, and the
terminals ROOT and ROOT_2, which are both part of the rule ``root``.

Numbers depend on the names only, so that equal grammars have equal numbers: terminals in the order
of their names after ``$END``, nonterminals in the order of their names, productions in the order of
their sides. With the terminals B and A and the nonterminal x, A is 1, B is 2 and x is -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from maskc.grammar import Bnf, Production
from maskc.ids import TerminalId

END_NAME = "$END"


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of names."""

    terminals: tuple[str, ...]
    nonterminals: tuple[str, ...]
    terminal_id: Mapping[str, TerminalId]
    nonterminal_id: Mapping[str, int]

    def produce(self, lhs: str, rhs: Iterable[tuple[str, bool]]) -> Production:
        side = tuple(
            self.terminal_id[name] if is_terminal else -1 - self.nonterminal_id[name]
            for name, is_terminal in rhs
        )
        return Production(self.nonterminal_id[lhs], side)

    def make_bnf(self, start: str, productions: Iterable[Production]) -> Bnf:
        """Return the productions, each once and in order."""
        in_order = sorted(set(productions), key=lambda p: (p.lhs, [(s < 0, abs(s)) for s in p.rhs]))
        return Bnf(self.terminals, self.nonterminals, self.nonterminal_id[start], tuple(in_order))


def number_names(terminals: Iterable[str], nonterminals: Iterable[str]) -> Numbering:
    of_terminals = (END_NAME, *sorted({*terminals} - {END_NAME}))
    of_nonterminals = tuple(sorted(set(nonterminals)))
    return Numbering(
        of_terminals,
        of_nonterminals,
        MappingProxyType({name: TerminalId(i) for i, name in enumerate(of_terminals)}),
        MappingProxyType({name: i for i, name in enumerate(of_nonterminals)}),
    )


MAX_LINE = 100

_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_EVALUATED = frozenset("Uuxnftr\"'")  # after a backslash, in Lark or by Lark

Side = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Translation:
    """A grammar over terminals."""

    # parser, lexer: those of Lark's that read it
    parser: str
    lexer: str
    start: str  # the start symbol
    # name → right sides; a symbol is a name of terminals or of rules
    rules: Mapping[str, tuple[Side, ...]]
    terminals: Mapping[str, str]  # name → pattern of re
    # name of any symbol → the rule that it is part of, as its author calls it
    rule_of: Mapping[str, str]

    def format_lark(self) -> str:
        """Return the grammar in Lark's notation, with its settings."""
        lines = [f"// maskc: start={self.start} parser={self.parser} lexer={self.lexer}\n"]
        lines += [_format_rule(name, sides) for name, sides in self.rules.items()]
        lines += [
            f"{name}: /{write_literal(pattern)}/\n" for name, pattern in self.terminals.items()
        ]
        return "".join(lines)


def _format_rule(name: str, sides: tuple[Side, ...]) -> str:
    alternatives = [" ".join(side) for side in sides]
    line = f"{name}: {' | '.join(alternatives).lstrip()}"
    if len(line) > MAX_LINE:
        line = f"{name}: " + "\n    | ".join(alternatives)
    return f"{line.rstrip()}\n"


def write_literal(pattern: str) -> str:
    r"""Return what stands between slashes so that Lark reads exactly this pattern.

    Lark evaluates escapes before ``re`` does, and loses a backslash before a quotation mark. Where
    that could change what ``re`` reads, the backslash itself is written as an escape.

    >>> print(write_literal(r"\d+\n/"))
    \d+\x5cn\x2f
    """
    written = []
    at = 0
    while at < len(pattern):
        character, following = pattern[at], pattern[at + 1 : at + 2]
        if character != "\\":
            written.append(_write_character(character))
        elif following and following.isprintable() and following not in _EVALUATED:
            written.append(character + following)
            at += 1
        else:
            written.append(r"\x5c")
        at += 1
    return "".join(written)


def _write_character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if character.isprintable() and character not in '/"':
        return character
    code_point = ord(character)
    if code_point < 0x100:
        return f"\\x{code_point:02x}"
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"
