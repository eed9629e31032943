"""A grammar as the compiler sees it: productions, and what the lexer and the parser look at.

A grammar is three things, each of which stands alone: its productions (:class:`Bnf`), what its
lexer looks for (:class:`LexerSpec`), and, if Lark's LALR parser reads it, Lark's own table
(:class:`~maskc.grammar.LalrTable`). A general grammar has no table.

Everything is numbered canonically, so that equal grammar texts give equal numbers whatever
the hash seed was when Lark built its tables:

- terminal 0 is ``$END``; the others follow in the order of their names;
- nonterminals in the order of their names; productions in the order of (left, right) names;
- LALR states breadth first from the start state, over symbol names in order.

Lark names what it makes of a rule after the rule: ``__list_star_0`` is the first starred part of
``list``, ``__list_repeat_a2_b0_4`` a part of a counted repetition, and ``_sep{value,COMMA}`` a
template with its arguments. Messages name the author's rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar, overload

from maskc import budget
from maskc.ids import ContextId, LalrStateId, ProductionId, TerminalId

T = TypeVar("T")

_MADE = re.compile(r"^__(?P<rule>.+)_(?P<how>star|plus|repeat_a\d+_b\d+(?:_opt)?)_\d+$")
_SIGN = {"star": "*", "plus": "+"}
_LONGEST = 60


class Reduction(Mapping[int, ProductionId]):
    """One production that a state reduces on terminals which many states have in common.

    Attributes:
        production: its id.
        terminals: as keys, ascending.
    """

    __slots__ = ("production", "terminals")

    def __init__(self, production: ProductionId, terminals: Mapping[int, None]) -> None:
        self.production, self.terminals = production, terminals

    def __getitem__(self, terminal: int) -> ProductionId:
        if terminal in self.terminals:
            return self.production
        raise KeyError(terminal)

    def __contains__(self, terminal: object) -> bool:
        return terminal in self.terminals

    @overload
    def get(self, terminal: int, /) -> ProductionId | None: ...

    @overload
    def get(self, terminal: int, default: T, /) -> ProductionId | T: ...

    def get(self, terminal: int, default: T | None = None, /) -> ProductionId | T | None:
        """Return the production, or what is given; a mapping's own asks and catches."""
        return self.production if terminal in self.terminals else default

    def __iter__(self) -> Iterator[int]:
        return iter(self.terminals)

    def __len__(self) -> int:
        return len(self.terminals)


def list_reductions(
    reduces: Mapping[int, ProductionId],
) -> list[tuple[ProductionId, tuple[int, ...]]]:
    """Return (production, its terminals) for what a state reduces, in order of first terminals."""
    if isinstance(reduces, Reduction):
        return [(reduces.production, tuple(reduces.terminals))] if reduces.terminals else []
    found: dict[ProductionId, list[int]] = {}
    for terminal, production in reduces.items():
        found.setdefault(production, []).append(terminal)
    return [(production, tuple(terminals)) for production, terminals in found.items()]


@dataclass(frozen=True, slots=True)
class LalrState:
    """One row of the table."""

    shifts: Mapping[int, LalrStateId]  # terminal id → state
    reduces: Mapping[int, ProductionId]  # terminal id → production id
    gotos: Mapping[int, LalrStateId]  # nonterminal id → state

    def __post_init__(self) -> None:
        """Keep the mappings from being written; a :class:`Reduction` is shared, and cannot be."""
        object.__setattr__(self, "shifts", MappingProxyType(dict(self.shifts)))
        object.__setattr__(self, "gotos", MappingProxyType(dict(self.gotos)))
        if not isinstance(self.reduces, Reduction):
            object.__setattr__(self, "reduces", MappingProxyType(dict(self.reduces)))


@dataclass(frozen=True, slots=True)
class LalrTable:
    """The table, and what the lexer looks for in each of its states."""

    states: tuple[LalrState, ...]  # its rows; state 0 is the start state
    # the state that the start symbol's goto leads to, where the text may end
    end_state: LalrStateId
    context_of: tuple[ContextId, ...]  # state → context

    def target(self, state: int, symbol: int) -> LalrStateId:
        """Return the state that a state shifts or goes to on a symbol of a right side."""
        row = self.states[state]
        return row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]


@dataclass(frozen=True, slots=True)
class Production:
    """``lhs -> rhs``."""

    lhs: int  # a nonterminal's id
    rhs: tuple[int, ...]  # symbols; terminal t is t, nonterminal n is `-1 - n`


@dataclass(frozen=True)
class Bnf:
    """Productions over named symbols."""

    terminals: tuple[str, ...]  # names, `$END` first
    nonterminals: tuple[str, ...]  # names
    start: int  # the start nonterminal
    productions: tuple[Production, ...]  # in canonical order

    def symbol_name(self, symbol: int) -> str:
        """Return the name of a symbol as it stands in a production's right side."""
        return self.terminals[symbol] if symbol >= 0 else self.nonterminals[-1 - symbol]

    @cached_property
    def used_terminals(self) -> frozenset[TerminalId]:
        """Terminals that a production holds."""
        return frozenset(TerminalId(s) for p in self.productions for s in p.rhs if s >= 0)

    @cached_property
    def used_nonterminals(self) -> frozenset[int]:
        """Nonterminals that have a production."""
        return frozenset(p.lhs for p in self.productions)

    def format(self) -> str:
        """Return the productions, one a line.

        >>> print(Bnf(("$END", "A"), ("x",), 0, (Production(0, (1, -1)),)).format())
        x -> A x
        """
        return "\n".join(
            " ".join([self.nonterminals[p.lhs], "->", *map(self.symbol_name, p.rhs)]).rstrip()
            for p in self.productions
        )


@dataclass(frozen=True, slots=True)
class Context:
    """What the lexer looks for in some parser states: Lark's alternation, in Lark's order."""

    alternatives: tuple[TerminalId, ...]  # terminal ids in the order re tries them
    # for a terminal of alternatives, the string terminals it is renamed to when its whole lexeme
    # equals one, in the order they are tried, and then its roles
    keywords: tuple[tuple[TerminalId, tuple[TerminalId, ...]], ...]


@dataclass(frozen=True, slots=True)
class IndenterLayout:
    """An ``Indenter``'s attributes, as terminal ids."""

    # newline, indent, dedent: NL_type, INDENT_type, DEDENT_type
    newline: TerminalId
    indent: TerminalId
    dedent: TerminalId
    # opens, closes: terminals between which newlines do not count
    opens: frozenset[TerminalId]
    closes: frozenset[TerminalId]
    tab_len: int  # columns a tab is worth


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a postlex makes of the lexemes of one terminal; its conditions must all hold."""

    terminal: TerminalId  # the lexeme's
    becomes: TerminalId | None  # what the parser gets; None if it gets nothing
    # terminals of the next lexeme, `$END` among them; None: any
    before: frozenset[TerminalId] | None
    # terminals of the lexeme before it, `$END` for the text's beginning; None: any
    after: frozenset[TerminalId] | None
    # brackets of which one must be the innermost that is open; None: any
    between: frozenset[TerminalId] | None


@dataclass(frozen=True, slots=True)
class LexerSpec:
    """What the lexer looks for, and where."""

    terminals: tuple[str, ...]  # names, `$END` first: those of the productions
    # re source of each terminal; None for `$END` and `%declare`d ones
    patterns: tuple[str | None, ...]
    re_flags: int  # flags that apply to every pattern
    ranks: tuple[int, ...]  # position of each terminal in the order in which Lark tries all of them
    ignored: frozenset[TerminalId]  # terminals that the lexer drops
    contexts: tuple[Context, ...]  # distinct contexts
    first_context: ContextId  # the context in which the first lexeme of a text is read
    # terminal → the contexts that the parser can name once it has shifted it; none for a terminal
    # that is never shifted
    contexts_after: Mapping[int, frozenset[ContextId]]
    layout: IndenterLayout | None  # indentation, if the postlex is an Indenter
    # re source of what a lexeme may have after a string terminal and still be renamed to it; mostly
    # nothing, see maskc.frontends.lark.build
    keyword_tail: str = ""
    # terminals to which lexemes are renamed as to keywords, by a pattern
    roles: frozenset[TerminalId] = frozenset()
    # what a postlex drops and renames, in the order in which it is tried
    rewrites: tuple[Rewrite, ...] = ()
    # context → the innermost open bracket wherever the parser names it, if it is one that rewrites
    # ask for; empty if they ask for none
    innermost: tuple[TerminalId | None, ...] = ()
    # whether texts are bytes: a character of a pattern is the byte of its number
    use_bytes: bool = False

    def __post_init__(self) -> None:
        """Keep the mapping from being written."""
        object.__setattr__(self, "contexts_after", MappingProxyType(dict(self.contexts_after)))


@dataclass(frozen=True, slots=True)
class Grammar:
    """Productions and a lexer, whatever parser reads them."""

    bnf: Bnf
    lexer: LexerSpec


@dataclass(frozen=True, slots=True)
class LalrGrammar(Grammar):
    """A grammar that Lark's LALR parser reads, with its table."""

    lalr: LalrTable


def rule_of(nonterminal: str) -> str:
    """Return the rule that Lark made a nonterminal from.

    >>> rule_of("__list_star_0"), rule_of("_sep{value,COMMA}"), rule_of("value")
    ('list', '_sep', 'value')
    """
    while made := _MADE.match(nonterminal):
        nonterminal = made["rule"]
    return nonterminal.partition("{")[0]


def string_of(pattern: str | None) -> str | None:
    r"""Return the text of a terminal that is one string, ``None`` for another pattern.

    >>> string_of(r"\+="), string_of("a+"), string_of("")
    ('+=', None, None)
    """
    text = re.sub(r"\\(.)", r"\1", pattern or "", flags=re.DOTALL)
    return text if text and re.escape(text) == pattern else None


def is_written(name: str, texts: Iterable[str]) -> bool:
    """Return whether an author wrote a terminal's name; else Lark named a string after its text.

    >>> is_written("LSQB", ['start: "[" A']), is_written("A", ['start: "[" A'])
    (False, True)
    """
    written = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return "__" in name[1:] or any(written.search(text) for text in texts)


def name_part(nonterminal: str) -> str:
    """Return a rule's name; ``(list…)`` for what Lark made of a part that repeats."""
    rule = rule_of(nonterminal)
    return rule if rule == nonterminal else f"({rule}…)"


def write_production(left: str, right_side: Iterable[str], dot: int | None = None) -> str:
    """Return a production, or an item of it, on one line.

    >>> write_production("x", ["A", "b"]), write_production("x", ["A", "b"], 1)
    ('x -> A b', 'x -> A . b')
    """
    names = list(right_side)
    if dot is not None:
        names.insert(dot, ".")
    return " ".join([left, "->", *names])


def is_made(nonterminal: str) -> bool:
    return _MADE.match(nonterminal) is not None


def quote_rule(bnf: Bnf, nonterminal: int) -> str:
    """Return what the author of a grammar calls a nonterminal: a rule, or a part of one.

    Example: ``__start_star_0 -> _DEDENT | __start_star_0 _DEDENT`` is "rule start (line 3), in its
    _DEDENT*".
    """
    name = bnf.nonterminals[nonterminal]
    rule = budget.quote_symbol("rule", rule_of(name))
    if not is_made(name):
        return rule
    return f"{rule}, in its {quote_symbol(bnf, -1 - nonterminal)}"


def quote_symbol(bnf: Bnf, symbol: int) -> str:
    """Return a symbol as the author wrote it; what Lark made, as what it repeats."""
    name = bnf.symbol_name(symbol)
    made = _MADE.match(name) if symbol < 0 else None
    if made is None:
        return budget.own_name(name) if symbol >= 0 else rule_of(name)
    if made["how"] not in _SIGN:
        return "counted repetition"
    items = [
        " ".join(quote_symbol(bnf, s) for s in p.rhs)
        for p in bnf.productions
        if p.lhs == -1 - symbol and symbol not in p.rhs
    ]
    text = " | ".join(items)
    if len(items) > 1 or " " in text:
        text = f"({text})"
    return f"{text}{_SIGN[made['how']]}" if len(text) <= _LONGEST else "repetition"
