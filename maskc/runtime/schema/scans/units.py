"""The items of a vocabulary's characters as tokens, and the tokens that close a string."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.spelled import CLOSES, Spelled, owners_of
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

Places = NDArray[np.intp]


class Closers:
    """Tokens that close a string.

    Attributes:
        places: of the tokens.
        rests: of what comes after their quotes.
        is_shared: whether all artifacts have them.
    """

    __slots__ = ("is_shared", "places", "rests")

    def __init__(self, places: Ints, rests: Ints, *, is_shared: bool = False) -> None:
        self.places, self.rests, self.is_shared = places, rests, is_shared

    def chosen(self, kept: NDArray[np.bool_]) -> Closers:
        """Return some of them."""
        return Closers(self.places[kept], self.rests[kept])

    def of_rests(self, index: TokenIndex, bits: int) -> Ints:
        """Return the tokens whose rests are in a bit set, by place."""
        raw = bits.to_bytes(-(-index.n_rests // 8), "little")
        allowed = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
        found: Ints = self.places[np.flatnonzero(allowed[self.rests])]
        return found


class Units(NamedTuple):
    """What tokens write: unit n + 1 is item n of a :class:`Spelled`, 0 that of no string.

    Attributes:
        ids: int32[n_units], the token, -1 of one that closes a string and of 0.
        sizes: int32[n_units], the characters, one left open included.
        unit_of: intp[vocab_size], of each token that closes no string its unit.
        closers: the tokens that close a string, ascending by their units.
        quotes: intp[n_closers], their units.
    """

    ids: Ints
    sizes: Ints
    unit_of: Places
    closers: Closers
    quotes: Places


def units_of(index: TokenIndex, spelled: Spelled) -> Units:
    """Return the units of what a whole vocabulary writes."""
    key = (Units, spelled.minimal, spelled.before)
    found: Units | None = index.shared.get(key)
    if found is None:
        kinds, places, levels = spelled.tables.kinds, spelled.tables.places, spelled.levels
        closing = np.flatnonzero(kinds == CLOSES)
        inside = np.flatnonzero(kinds != CLOSES)
        ids = np.full(1 + len(kinds), -1, dtype=np.int32)
        ids[1 + inside] = index.order[places[inside]]
        lengths = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
        sizes = np.zeros(1 + len(kinds), dtype=np.int32)
        sizes[1:] = lengths[owners_of(spelled.tables)] + (spelled.tables.begun > 0)
        unit_of = np.zeros(index.n_words * 32, dtype=np.intp)
        unit_of[ids[1 + inside]] = 1 + inside
        run, rows = index.quotes_below(places[closing])
        closers = Closers(index.quote_places[rows], index.quote_rests[rows], is_shared=True)
        found = Units(ids, sizes, unit_of, closers, 1 + closing[run])
        n_bytes = ids.nbytes + sizes.nbytes + unit_of.nbytes + 16 * len(found.quotes)
        index.shared.put(key, found, n_bytes)
    return found
