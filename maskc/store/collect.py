"""Puts what a walk finds into rows, and the rows of starts into those of states.

A row is (path, what stays open) → *items*, which stand for tokens (:mod:`maskc.store.folding`).
Sets of items are interned as they come, so that a union of the same sets is made once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DROPPED
from maskc.store.token_sets import TokenSets, sort_pairs

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class RowCollector:
    """Rows by origin: where the walk started from.

    Attributes:
        items: the sets of items.
    """

    def __init__(self) -> None:
        self.items = TokenSets()
        # Per origin: path, open, set of items of each of its rows, in order of path and open.
        self._rows: list[tuple[Ints, Ints, Ints]] = []

    def add(self, n_origins: int, origin: Ints, path: Ints, opened: Ints, items: Ints) -> None:
        """Add the rows of the next origins.

        Args:
            n_origins: how many there are.
            origin: int32[n], counted from the first of them.
            path: int32[n].
            opened: int32[n].
            items: int32[n].
        """
        n_paths, n_opens = int(path.max(initial=0)) + 1, int(opened.max(initial=0)) + 1
        key = (origin.astype(np.int64) * n_paths + path) * n_opens + opened
        key, items = sort_pairs(key, items, n_origins * n_paths * n_opens)
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        pieces = pairwise(np.append(begin, len(items)).tolist())
        numbers = np.array([self.items.intern(items[low:high]) for low, high in pieces], np.int32)
        distinct = key[begin]
        path = (distinct // n_opens % n_paths).astype(np.int32)
        opened = (distinct % n_opens).astype(np.int32)
        bounds = np.searchsorted(distinct // n_opens // n_paths, np.arange(n_origins + 1)).tolist()
        for low, high in pairwise(bounds):
            self._rows.append((path[low:high], opened[low:high], numbers[low:high]))

    def join(
        self, origins: list[int], before: list[int], extend: Callable[[Ints, Ints], Ints]
    ) -> tuple[Ints, Ints, Ints]:
        """Return the rows of several origins, each after a path.

        No two origins that come after equal paths have an item in common.

        Args:
            origins: the origins.
            before: the path before each of them.
            extend: two paths, int32[n] each → int32[n], one after the other, or ``DROPPED``.
        """
        if not origins:
            return (np.zeros(0, np.int32),) * 3
        parts = [self._rows[origin] for origin in origins]
        path, opened, sets = (np.concatenate(column) for column in zip(*parts, strict=True))
        if any(before):
            path = extend(
                np.repeat(np.array(before, np.int32), [len(p) for p, _, _ in parts]), path
            )
            kept = np.flatnonzero(path != DROPPED)
            path, opened, sets = path[kept], opened[kept], sets[kept]
        order = np.lexsort((sets, opened, path))
        path, opened, sets = path[order], opened[order], sets[order]
        first = np.flatnonzero(
            (np.diff(path, prepend=-1) != 0) | (np.diff(opened, prepend=-1) != 0)
        )
        bounds = np.append(first, len(path)).tolist()
        united = sets[first]
        for place in np.flatnonzero(np.diff(bounds) > 1).tolist():
            united[place] = self.items.unite(
                tuple(sets[bounds[place] : bounds[place + 1]].tolist())
            )
        return path[first], opened[first], united
