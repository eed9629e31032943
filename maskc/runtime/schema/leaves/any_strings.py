"""Which tokens are legal inside a string of any characters, of which so many must and may follow?

That depends on the tokenizer and the two numbers alone, so rows are shared by all artifacts. The
tokens are sorted by how many characters they write, once for each state inside a character; then
those of at most so many are the first of them, and mostly all but a few.

Example: with two characters left ``ab`` stays inside, ``ab"`` closes the string, ``abc`` is gone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskc.runtime.cache.budget import ENTRY_BYTES
from maskc.runtime.schema.leaves.rows import Leaf, part_of
from maskc.runtime.schema.scans.scans import Closers, Scan, Scanner
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints


class Sized(NamedTuple):
    """The tokens that stay inside a string of any characters, by their sizes.

    Attributes:
        words: all of them.
        ids: the same, those of fewer characters first, one left open included.
        n_up_to: how many of them have at most so many characters.
    """

    words: Words
    ids: Ints
    n_up_to: list[int]


class AnyStrings:
    """Rows of strings of any characters.

    Args:
        index: the vocabulary.
        scanner: of it.
        minimal: whether strings are written with no more escapes than they need.
    """

    def __init__(self, index: TokenIndex, scanner: Scanner, *, minimal: bool) -> None:
        self._index, self._scanner, self._minimal = index, scanner, minimal

    def leaf(self, key: tuple[Any, ...], least: int, most: int | None) -> Leaf:
        """Return the row of a string.

        Args:
            key: the state of its body.
            least: so many more characters must come.
            most: so many may; ``None``: any number.
        """
        if least or most is not None:
            largest = self._largest(key)
            least = min(least, largest + 1)
            most = None if most is None or most >= largest else most
        name = (Leaf, self._minimal, key, least, most)
        found: Leaf | None = self._index.shared.get(name)
        if found is None:
            closers = _close(self._scanner.scan_free(key), least, most)
            found = Leaf(self._inside(key, most), ((0, closers),))
            self._index.shared.put(name, found, 500 + 8 * len(closers.places))
        return found

    def _largest(self, key: tuple[Any, ...]) -> int:
        """Return the most characters that a token writes, one left open included."""
        name = ("most characters", self._minimal, key)
        found: int | None = self._index.shared.get(name)
        if found is None:
            most_closed: int = int(self._scanner.scan_free(key).quote_sizes.max(initial=0))
            found = max(most_closed, len(self._sized(key).n_up_to) - 1)
            self._index.shared.put(name, found, ENTRY_BYTES)
        return found

    def _inside(self, key: tuple[Any, ...], most: int | None) -> Part:
        """Return the tokens that stay inside."""
        name = (Part, self._minimal, key, most)
        found: Part | None = self._index.shared.get(name)
        if found is None:
            index, sized = self._index, self._sized(key)
            n_all = len(sized.ids)
            n = n_all if most is None else sized.n_up_to[min(most, len(sized.n_up_to) - 1)]
            if 2 * n <= n_all:
                found = part_of(index, sized.ids[:n])
            elif n < n_all:
                found = Part((index.clear_bits(sized.words, sized.ids[n:]),))
            else:
                found = Part((sized.words,))
            index.shared.put(name, found, 500 + 4 * len(found.rows) * index.n_words)
        return found

    def _sized(self, key: tuple[Any, ...]) -> Sized:
        name = (Sized, self._minimal, key)
        found: Sized | None = self._index.shared.get(name)
        if found is None:
            scan = self._scanner.scan_free(key)
            is_open = np.array(scan.body.characters, dtype=np.int32)[scan.states] < 0
            sizes = scan.sizes.astype(np.int32) + is_open
            ids = self._index.order[scan.places]
            n_up_to = np.cumsum(np.bincount(sizes, minlength=1)).tolist()
            ordered = ids[np.argsort(sizes, kind="stable")]
            found = Sized(self._index.pack(ids), ordered, n_up_to)
            self._index.shared.put(name, found, found.words.nbytes + ordered.nbytes + 1_000)
        return found


def _close(scan: Scan, least: int, most: int | None) -> Closers:
    """Return the tokens that close a string after at least and at most so many characters."""
    sizes = scan.quote_sizes
    closes = sizes >= least if most is None else (sizes >= least) & (sizes <= most)
    return Closers(scan.quote_places[closes], scan.quote_rests[closes], is_shared=True)
