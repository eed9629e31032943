"""Rows of what is legal inside strings of any characters, and of what differs from them little.

How many characters tokens write depends on the tokenizer alone, so rows of any strings are shared
by all artifacts. What is free in another string (:mod:`maskc.runtime.schema.scans.searching`) is
mostly nearly all or nearly nothing, so its row is that of any string with few bits changed, or few
bits.

Example: with two characters left ``ab`` stays inside, ``ab"`` closes the string, ``abc`` is gone.
Of the keys ``id`` and any other one the free tokens are all but ``i"`` and its like.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.character_trie import CLOSES, CharacterTrie
from maskc.runtime.schema.scans.class_tries import ClosingTokens, items_of
from maskc.runtime.schema.scans.scanned import Scanned
from maskc.runtime.schema.scans.searching import Searched, free_items
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints

_FEW: Final = 48
_CLOSING_BYTES: Final = 400  # of tokens that close a string, before their numbers
_MOST_CHANGED = 2_000  # items that are looked at one by one


class StringRow(NamedTuple):
    """The tokens that stay inside a string, and those that close it, by the label that it gets."""

    inside: Part
    closing_tokens: tuple[tuple[int, ClosingTokens], ...]

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes, its rows included."""
        return self.inside.n_bytes + closing_bytes(self.closing_tokens)


def closing_bytes(labelled: tuple[tuple[int, ClosingTokens], ...]) -> int:
    return sum(_CLOSING_BYTES + 8 * len(tokens.text_indices) for _, tokens in labelled)


def part_of(index: TokenIndex, ids: list[int] | NDArray[Any]) -> Part:
    if len(ids) <= _FEW:
        return Part(few=tuple(ids if isinstance(ids, list) else ids.tolist()))
    return Part(rows=(index.pack(ids),))


def part_of_scan(index: TokenIndex, scanned: Scanned, kept: NDArray[np.bool_]) -> Part:
    """Return the part of the tokens that lead to what is kept of what they can lead to."""
    ids = scanned.tokens_of(kept)
    return Part((scanned.pack_ends(kept),)) if ids is None else part_of(index, ids)


class FreeRows:
    """Rows of strings of any characters, from between two characters or the beginning of one."""

    def __init__(self, index: TokenIndex, character_trie: CharacterTrie) -> None:
        self._index, self._trie = index, character_trie
        self._items = items = items_of(index, character_trie)
        self.words = index.pack(items.ids[items.ids >= 0])
        self.closing_tokens = items.closing_tokens
        self._largest = int(items.sizes.max(initial=0))
        self._sorted: tuple[Ints, list[int]] | None = None

    @property
    def n_bytes(self) -> int:
        return 4 * self._index.n_words + 4 * len(self._items.ids) + 1000

    def of_size(self, least: int, most: int | None) -> StringRow:
        """Return the row of strings of which so many more characters must come, and may."""
        most = None if most is None or most >= self._largest else most
        least, shared = min(least, self._largest + 1), self._index.shared
        key = (StringRow, self._trie.escapes, self._trie.like.before, least, most)
        found: StringRow | None = shared.get(key)
        if found is None:
            closing_tokens, sizes = self.closing_tokens, self._items.sizes[self._items.quotes]
            if least or most is not None:
                kept = (sizes >= least) & (sizes <= (self._largest if most is None else most))
                closing_tokens = closing_tokens.chosen(kept)
                closing_tokens.is_shared = True
            found = StringRow(self._up_to(most), ((0, closing_tokens),))
            shared.put(key, found, 500 + 8 * len(closing_tokens.text_indices))
        return found

    def _up_to(self, most: int | None) -> Part:
        """Return the tokens that stay inside with at most so many characters."""
        index = self._index
        key = (Part, self._trie.escapes, self._trie.like.before, most)
        found: Part | None = index.shared.get(key)
        if found is None:
            if most is None:
                found = Part((self.words,))
            else:
                ids, n_up_to = self._sort()
                n = n_up_to[most]
                if 2 * n <= len(ids):
                    found = part_of(index, ids[:n])
                else:
                    found = Part((index.clear_bits(self.words, ids[n:]),))
            index.shared.put(key, found, 500 + 4 * len(found.rows) * index.n_words)
        return found

    def _sort(self) -> tuple[Ints, list[int]]:
        """Return the tokens that stay inside by their sizes, and how many have up to each."""
        if self._sorted is None:
            inside = np.flatnonzero(self._items.ids >= 0)
            sizes = self._items.sizes[inside]
            counts = np.bincount(sizes, minlength=self._largest + 1)
            # Sorting narrow numbers takes a fifth of the time.
            narrow = sizes.astype(np.min_scalar_type(self._largest))
            ids = self._items.ids[inside[np.argsort(narrow, kind="stable")]]
            self._sorted = ids, np.cumsum(counts).tolist()
        return self._sorted

    def of(self, found: Searched) -> tuple[Words, ClosingTokens]:
        """Return the tokens that are free, and those of them that close the string."""
        (low, high, is_free), *others = found.runs
        is_all = is_free and low == 0 and high == self._trie.n_items
        n_changed = sum(last - first for first, last, _ in others)
        if is_all and n_changed <= _MOST_CHANGED:
            changed: dict[int, bool] = {}
            for first, last, now in others:
                changed.update(dict.fromkeys(range(first, last), now))
            return self._without([item for item, now in changed.items() if not now])
        items = free_items(self._trie, found)
        ids = self._items.ids[items]
        is_in = np.zeros(self._trie.n_items, dtype=np.bool_)
        is_in[items] = True
        closing_tokens = self.closing_tokens.chosen(is_in[self._items.quotes])
        return self._index.pack(ids[ids >= 0]), closing_tokens

    def _without(self, removed: list[int]) -> tuple[Words, ClosingTokens]:
        index, kinds = self._index, self._trie.kinds
        inside = [index.ids[self._trie.origins[i]] for i in removed if kinds[i] != CLOSES]
        words = index.clear_bits(self.words, inside) if inside else self.words
        closing = [item for item in removed if kinds[item] == CLOSES]
        if not closing:
            return words, self.closing_tokens
        return words, self.closing_tokens.chosen(~np.isin(self._items.quotes, closing))


def free_rows_of(index: TokenIndex, character_trie: CharacterTrie) -> FreeRows:
    key = (FreeRows, character_trie.escapes, character_trie.like.before)
    found: FreeRows | None = index.shared.get(key)
    if found is None:
        found = FreeRows(index, character_trie)
        index.shared.put(key, found, found.n_bytes)
    return found
