"""The notations that a grammar can be written in, one entry each.

An entry says how a grammar in the notation is recognised, who reads it, whether it takes a start
symbol, and in which words its author is told what is wrong. Who adds a notation adds an entry here
and nothing elsewhere, but its name in the format's check of headers
(:mod:`maskc.artifact.header`, which knows no front end).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from maskc.errors import GrammarError
from maskc.frontends.characters.lowering import lower_grammar
from maskc.frontends.notations import read_ebnf, read_gbnf, translate_regex
from maskc.frontends.translation import Translation
from maskc.wording import LARK_WORDING, Phrase, Wording

Translate = Callable[[str, str, str | None], Translation]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A notation."""

    name: str  # what artifacts and `dialect=` call it
    title: str  # what people call it
    suffixes: tuple[str, ...]  # of its files; none if a grammar in it is no file but an argument
    # name and text of a grammar, and its start symbol or None → the same grammar over terminals;
    # None for Lark's own notation
    translate: Translate | None
    takes_start: bool  # whether a grammar in it has several symbols that a text can start with
    wording: Wording  # how errors speak to its authors


# GBNF and EBNF have rules and neither terminals nor a lexer.
_RULES = {
    Phrase.ONE_TERMINAL: "states in the automaton of one rule",
    Phrase.WITH_THE_LEXER: "rules when they are written out for the parser",
    Phrase.CUTS: "ways to cut tokens into parts of rules",
    Phrase.SIMPLER_TERMINALS: "simplify the rules: lower their counts, or name fewer alternatives",
    Phrase.SIMPLER_TERMINAL: "lower its counts, or split it into rules that name each other",
    Phrase.SIMPLER_RULES: "simplify the rules",
    Phrase.COUNT_LESS: "lower the counts in the rules",
    Phrase.FEWER_MATCHES: "let fewer rules match the same texts",
    Phrase.FEWER_CUTS: "let fewer rules match the same texts",
    Phrase.SMALLER_GRAMMAR: "lower its counts, and list fewer words",
    Phrase.IGNORE_BLANKS: "simplify the rules",
    Phrase.NEST_LESS: "nest less: give inner parts rules of their own; shorten chains of rules",
    Phrase.WRITE_WITHOUT: "write the rule without it",
    Phrase.NO_TEXT: "no text at all is in the language: no rule comes to an end",
    Phrase.NO_GENERAL_TEXT: "no text at all is in the language: no rule comes to an end",
}
_LOWER_COUNTS = "simplify the pattern: lower its counts, or name fewer alternatives"
_NO_MATCH = "it matches no text at all; look for parts that contradict each other"
_PATTERN = {
    Phrase.CHARACTERS: "characters of pattern",
    Phrase.ONE_TERMINAL: "states in its automaton",
    Phrase.WITH_THE_LEXER: "lines when it is written out for the parser",
    Phrase.CUTS: "ways to cut tokens into parts of it",
    Phrase.SIMPLER_TERMINALS: _LOWER_COUNTS,
    Phrase.SIMPLER_TERMINAL: _LOWER_COUNTS,
    Phrase.SIMPLER_RULES: _LOWER_COUNTS,
    Phrase.SIMPLER_NESTING: _LOWER_COUNTS,
    Phrase.SMALLER_GRAMMAR: _LOWER_COUNTS,
    Phrase.COUNT_LESS: "lower the counts in it",
    Phrase.FEWER_MATCHES: _LOWER_COUNTS,
    Phrase.FEWER_CUTS: _LOWER_COUNTS,
    Phrase.IGNORE_BLANKS: _LOWER_COUNTS,
    Phrase.NEST_LESS: "open fewer groups inside each other",
    Phrase.WRITE_WITHOUT: "write the pattern without it",
    Phrase.NO_TEXT: _NO_MATCH,
    Phrase.NO_GENERAL_TEXT: _NO_MATCH,
}


def _wording(phrases: Mapping[Phrase, str], **named: str) -> Wording:
    return Wording(MappingProxyType({str(p): text for p, text in phrases.items()}), **named)


LARK = Dialect("lark", "Lark", (".lark",), None, takes_start=True, wording=LARK_WORDING)
GBNF = Dialect(
    name="gbnf",
    title="llama.cpp's GBNF",
    suffixes=(".gbnf",),
    translate=lambda name, text, start: lower_grammar(read_gbnf(name, text, start=start)),
    takes_start=True,
    wording=_wording(_RULES, terminal="rule", definition=r"^[ \t]*NAME[ \t]*::="),
)
EBNF = Dialect(
    name="ebnf",
    title="the W3C's EBNF",
    suffixes=(".ebnf",),
    translate=lambda name, text, start: lower_grammar(read_ebnf(name, text, start=start)),
    takes_start=True,
    wording=_wording(
        _RULES, terminal="rule", definition=r"^\s*(?:\[\s*\d+[a-z]?\s*\]\s*)?NAME\s*::="
    ),
)
REGEX = Dialect(
    name="regex",
    title="a regular expression",
    suffixes=(),
    translate=lambda _name, text, _start: translate_regex(text),
    takes_start=False,
    wording=_wording(_PATTERN, whole="the pattern"),
)
DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (LARK, GBNF, EBNF, REGEX)}
)


def find_dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        known = ", ".join(DIALECTS)
        raise GrammarError("<text>", f"unknown dialect {name!r}; choose one of {known}")
    return DIALECTS[name]


def dialect_of(suffix: str) -> Dialect:
    """Return the notation of files with a suffix; of files with an unknown one it is Lark's.

    >>> dialect_of(".gbnf").name, dialect_of(".lark").name, dialect_of(".txt").name
    ('gbnf', 'lark', 'lark')
    """
    for dialect in DIALECTS.values():
        if suffix.lower() in dialect.suffixes:
            return dialect
    return LARK
