"""The row of what an automaton does to a whole vocabulary, and the tokens that close its strings.

A search (:mod:`maskc.runtime.schema.scans.searching`) says which tokens are free, as in a string of
any characters, and which others stay. Mostly nearly all are free or nearly none, so the row is that
of any string with few bits changed, or few bits.

Example: of the keys ``id`` and any other one the free tokens are all but ``i"`` and its like.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.inside import free_items
from maskc.runtime.schema.scans.scans import Closers
from maskc.runtime.schema.scans.searching import Searched
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints

_FEW = 48
_MOST_CHANGED = 2_000  # items that are looked at one by one


class Leaf(NamedTuple):
    """What is legal inside a string.

    Attributes:
        inside: tokens that stay inside.
        closers: the tokens that close it, by the label that it then has.
    """

    inside: Part
    closers: tuple[tuple[int, Closers], ...]


def part_of(index: TokenIndex, ids: list[int] | NDArray[Any]) -> Part:
    """Return the part with some tokens, by id."""
    if len(ids) <= _FEW:
        return Part(few=tuple(ids if isinstance(ids, list) else ids.tolist()))
    return Part(rows=(index.pack(ids),))


class FreeRows:
    """Rows of what is free.

    Args:
        index: the vocabulary.
        spelled: its characters.

    Attributes:
        words: the tokens that stay in a string of any characters.
        closers: the tokens that close one.
    """

    def __init__(self, index: TokenIndex, spelled: Spelled) -> None:
        self._index, self._spelled = index, spelled
        kinds, places = spelled.tables.kinds, spelled.tables.places
        self._is_closing, self._places = kinds == CLOSES, places
        self.words = index.pack(index.order[places[~self._is_closing]])
        items = np.flatnonzero(self._is_closing)
        run, rows = index.quotes_below(places[items])
        self.closers = Closers(index.quote_places[rows], index.quote_rests[rows], is_shared=True)
        # Of each token that closes, the item.
        self._items: Ints = items[run].astype(np.int32)

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        return 4 * self._index.n_words + len(self._is_closing) + 12 * len(self._items) + 1000

    def of(self, found: Searched) -> tuple[Words, Closers]:
        """Return the tokens that are free, and those of them that close the string."""
        (low, high, is_free), *others = found.runs
        is_all = is_free and low == 0 and high == self._spelled.n_items
        n_changed = sum(last - first for first, last, _ in others)
        if is_all and n_changed <= _MOST_CHANGED:
            changed: dict[int, bool] = {}
            for first, last, now in others:
                changed.update(dict.fromkeys(range(first, last), now))
            return self._without([item for item, now in changed.items() if not now])
        items = free_items(self._spelled, found)
        words = self._index.pack(self._index.order[self._places[items[~self._is_closing[items]]]])
        return words, self.closers_of(items)

    def closers_of(self, items: list[int] | NDArray[Any]) -> Closers:
        """Return the tokens of some items that close a string."""
        is_in = np.zeros(self._spelled.n_items, dtype=np.bool_)
        is_in[items] = True
        return self._choose(is_in[self._items])

    def _without(self, gone: list[int]) -> tuple[Words, Closers]:
        """Return all tokens but some."""
        index, kinds = self._index, self._spelled.kinds
        inside = [index.ids[self._spelled.places[i]] for i in gone if kinds[i] != CLOSES]
        words = index.clear_bits(self.words, inside) if inside else self.words
        closing = [item for item in gone if kinds[item] == CLOSES]
        if not closing:
            return words, self.closers
        kept = np.ones(len(self._items), dtype=np.bool_)
        lows = np.searchsorted(self._items, closing)
        highs = np.searchsorted(self._items, closing, side="right")
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
            kept[low:high] = False
        return words, self._choose(kept)

    def _choose(self, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Closers:
        return Closers(self.closers.places[kept], self.closers.rests[kept])
