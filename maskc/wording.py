"""The words of refusals: what the parts of a grammar are called, and what their author should do.

The passes of the compiler know terminals, rules and a lexer. Who wrote GBNF knows rules only, and
who gave a regular expression knows a pattern only. So what a pass says about terminals is a
:class:`Phrase`, a text in the words of Lark's users, and each notation has a :class:`Wording` that
says some phrases otherwise (:mod:`maskc.frontends.texts` holds them all). The budget of a
compilation knows the wording, and an error is reworded where it leaves the compilation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Phrase(StrEnum):
    """What errors say in other words to those who did not write for Lark."""

    # What is too large.
    CHARACTERS = "characters of grammar"
    ONE_TERMINAL = "states in the automaton of one terminal"
    WITH_THE_LEXER = "productions of the grammar together with what its lexer forbids"
    CUTS = "ways to cut tokens into terminals"
    # What to do.
    SIMPLER_TERMINALS = "simplify the terminals"
    SIMPLER_TERMINAL = "simplify its pattern"
    SIMPLER_RULES = "simplify the grammar's rules"
    SIMPLER_NESTING = "simplify the grammar's nesting or split it"
    SMALLER_GRAMMAR = "lower its counts, and join words with the same contexts to one terminal"
    COUNT_LESS = "count less in it, or use rules in its place"
    FEWER_MATCHES = "let fewer terminals match the same texts"
    FEWER_CUTS = 'let one of them end only where the other cannot go on, as /-(?!-)/ beside "--"'
    IGNORE_BLANKS = "let blanks be ignored between terminals, or simplify the terminals"
    NEST_LESS = "nest less: give inner parts rules of their own; shorten chains of rules"
    WRITE_WITHOUT = "write the terminal without it"
    NAME_THE_GROUP = "name the group, as in (?P<q>a)?(?(q)b|c)"
    # What is wrong.
    NO_TEXT = (
        "no text at all can be parsed: every start runs into terminals that cannot be lexed "
        "apart, or into a conflict that Lark resolved by shifting"
    )
    NO_GENERAL_TEXT = (
        "no text at all can be parsed: no rule comes to an end, or every start runs into "
        "terminals that cannot be lexed apart"
    )


_NAMELESS = ('"', "/")  # begin the text of a terminal that the author gave no name
# Where a name comes from that no text defines.
_STATEMENT = r"^%(?:import|declare)\b[^\n]*(?<!\w)NAME\b"


@dataclass(frozen=True, slots=True)
class Wording:
    """How a notation's users call what their grammar is made of."""

    # what is said in other words than Lark's
    phrases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    whole: str = ""  # what a part is called in a notation whose parts have no names; else empty
    terminal: str = "terminal"  # what one terminal is called, if parts have names
    # a pattern of re for where a name is defined, with NAME
    definition: str = r"^(?:%(?:override|extend)[ \t]+)?[?!]*NAME\b[^:\n]*:"

    def quote(
        self, kind: str, name: str, text: str, imports: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """Return what a terminal or rule is called: with its line, if a text defines it.

        Args:
            kind: terminal or rule.
            name: Lark's, so that of an imported one tells the file; a template's may have
                arguments, and what has no name is called by its text.
            text: the grammar's.
            imports: path → text of what it imports.
        """
        if self.whole:
            return self.whole
        kind = self.terminal if kind == "terminal" else kind
        if name.startswith(_NAMELESS):
            return f"{kind} {name}{_show_line(text.find(name), text)}"
        name = name.partition("{")[0]
        at = self._find(name, text)
        if at >= 0:
            return f"{kind} {name}{_show_line(at, text)}"
        for path, imported in sorted(imports.items()):
            stem = re.escape(path.rpartition("/")[2].removesuffix(".lark"))
            found = re.fullmatch(rf"(?P<hidden>_?)(?:\w+__)?{stem}__(?P<own>\w+)", name)
            own = f"{found['hidden']}{found['own']}" if found else name
            at = self._find(own, imported) if found else -1
            if at >= 0:
                return f"{kind} {own}{_show_line(at, imported, f' of {path}')}"
        named = re.search(_STATEMENT.replace("NAME", re.escape(name)), text, re.MULTILINE)
        return f"{kind} {name}{_show_line(named.start() if named else -1, text)}"

    def _find(self, name: str, text: str) -> int:
        """Return where a text defines a name, -1 if it does not."""
        definition = self.definition.replace("NAME", re.escape(name))
        found = re.search(definition, text, re.MULTILINE)
        return found.start() if found else -1


def _show_line(at: int, text: str, of: str = "") -> str:
    return f" (line {text.count(chr(10), 0, at) + 1}{of})" if at >= 0 else ""


LARK_WORDING = Wording()
