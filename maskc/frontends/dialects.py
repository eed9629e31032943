"""Which notation is a grammar written in, and what is it in Lark's?

A file's suffix says it: ``.gbnf``, ``.ebnf``, anything else is Lark. A regular expression comes
from an argument. All that is behind this module reads Lark's notation.
"""

from __future__ import annotations

from maskc.errors import GrammarError
from maskc.frontends.characters.lowering import lower_grammar
from maskc.frontends.ebnf import read_ebnf
from maskc.frontends.gbnf import read_gbnf
from maskc.frontends.regex import translate_regex

LARK, GBNF, EBNF, REGEX = "lark", "gbnf", "ebnf", "regex"
DIALECTS = (LARK, GBNF, EBNF, REGEX)


def dialect_of(suffix: str) -> str:
    """Return the notation of files with a suffix.

    >>> dialect_of(".gbnf"), dialect_of(".lark"), dialect_of(".txt")
    ('gbnf', 'lark', 'lark')
    """
    return {".gbnf": GBNF, ".ebnf": EBNF}.get(suffix.lower(), LARK)


def translate(dialect: str, name: str, text: str, *, start: str | None) -> str:
    """Return a grammar of another notation as a Lark grammar that carries its settings.

    Raises:
        GrammarError: the text is not of this notation.
        LimitError: it has counts or brackets beyond a bound.
    """
    if dialect == GBNF:
        return lower_grammar(read_gbnf(name, text, start=start))
    if dialect == EBNF:
        return lower_grammar(read_ebnf(name, text, start=start))
    if start is not None:
        raise GrammarError(name, "a regular expression has no start symbol; leave it out")
    return translate_regex(text)
