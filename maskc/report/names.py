"""The grammar that an artifact was made from, built again, and what its terminals are called.

Lark names the terminals that a grammar writes as strings: ``__ANON_2`` is called ``"+="`` here. In
the terminal sequences of a header the last entry is what stays open: ``open: NAME | NUMBER``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from maskc.errors import GrammarError, LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.postlex import build_indentation, build_rules, format_indentation, format_rules
from maskc.frontends.source import source_from_header
from maskc.grammar.model import Grammar, string_of
from maskc.report.model import Chip, Chips

OPEN, OR = "open: ", " | "
UNNAMED = "__ANON_"

Texts = Mapping[str, str]


def rebuild_grammar(header: Mapping[str, Any]) -> Grammar | None:
    """Return the grammar of a header; ``None`` if this Lark, or a default limit, refuses it.

    Productions and terminals do not need the postlex, of which an older version wrote a name only.
    """
    try:
        return load_grammar(source_from_header({**header["grammar"], "postlex": None}))[0]
    except (GrammarError, LimitError):
        return None


def format_postlex(value: Any) -> str:
    """Return what a header's ``postlex`` is called: an older version wrote a class's name.

    >>> format_postlex(None), format_postlex("lark.indenter:PythonIndenter")
    ('none', 'lark.indenter:PythonIndenter')
    """
    if not isinstance(value, dict):
        return str(value or "none")
    try:
        if "rules" in value:
            return format_rules(build_rules(value))
        return format_indentation(build_indentation(value))
    except ValueError as error:
        return f"none that is known: {error}"


def list_texts(grammar: Grammar | None) -> dict[str, str]:
    """Return terminal → its text in quotes, of the terminals that are one string."""
    if grammar is None:
        return {}
    pairs = zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    return {name: f'"{text}"' for name, p in pairs if (text := string_of(p)) is not None}


def format_terminal(name: str, texts: Texts) -> str:
    """Return what a terminal is called, by its text if Lark had to name it.

    >>> format_terminal("__ANON_2", {"__ANON_2": '"+="'}), format_terminal("PLUS", {"PLUS": '"+"'})
    ('"+="', 'PLUS')
    """
    return texts.get(name, name) if name.startswith(UNNAMED) else name


def format_entry(entry: str, texts: Texts) -> str:
    """Return an entry of a terminal sequence, which may be what stays open.

    >>> format_entry("open: __ANON_2 | NAME", {"__ANON_2": '"+="'})
    'open: "+=" | NAME'
    """
    if not entry.startswith(OPEN):
        return format_terminal(entry, texts)
    return OPEN + OR.join(format_terminal(n, texts) for n in entry.removeprefix(OPEN).split(OR))


def name_unnamed(sentence: str, texts: Texts) -> str:
    """Return a sentence with the texts of the terminals in it that Lark had to name."""
    return re.sub(rf"{UNNAMED}\d+", lambda match: format_terminal(match[0], texts), sentence)


def make_chips(entries: Iterable[str], texts: Texts, separator: str = " ") -> Chips:
    """Return a cell of terminals, as a terminal sequence has them."""
    found = (Chip(entry, format_entry(entry, texts), texts.get(entry, "")) for entry in entries)
    return Chips(tuple(found), separator)
