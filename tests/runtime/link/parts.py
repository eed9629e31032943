"""Boundaries of a few tokens, and the tokens of a part."""

from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import Words
from maskc.runtime.link.joining import PieceBoundaries
from tests.runtime.schema.vocabularies import build_index

TOKENS = (b"a", b"b", b"c", b"ab", b"bc", b"abc", b"!", b"c!")


def make_boundaries():
    return PieceBoundaries(build_index(TOKENS), Budget(1 << 20))


def make_leaf(boundaries, *words):
    return boundaries.as_expression(boundaries.regular(Words(sorted(words))))


def tokens_of(boundaries, part):
    words = boundaries.scanner.words(part)
    return {t for n, t in enumerate(TOKENS) if words[n // 32] >> (n % 32) & 1}


def legal(boundaries, links):
    """Return the tokens that are legal in some hypotheses."""
    return set().union(*(tokens_of(boundaries, h.piece.legal(h.inner, h.rest)) for h in links))
