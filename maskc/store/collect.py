"""Puts the tokens that a walk finds into rows, and the rows of starts into those of states.

A row is (path, what stays open) → tokens. Token sets are interned as they come, so that a union of
the same sets is made once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DROPPED
from maskc.store.token_sets import sort_pairs, unite

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class RowCollector:
    """Rows by origin: where the walk started from.

    Attributes:
        sets: the distinct token sets, ascending ids.
    """

    def __init__(self) -> None:
        self.sets: list[Ints] = []
        self._number: dict[bytes, int] = {}
        self._unions: dict[bytes, int] = {}
        # Per origin: path, open, token set of each of its rows, in order of path and open.
        self._rows: list[tuple[Ints, Ints, Ints]] = []

    def add(self, n_origins: int, origin: Ints, path: Ints, opened: Ints, tokens: Ints) -> None:
        """Add the rows of the next origins.

        Args:
            n_origins: how many there are.
            origin: int32[n], counted from the first of them.
            path: int32[n].
            opened: int32[n].
            tokens: int32[n].
        """
        n_paths, n_opens = int(path.max(initial=0)) + 1, int(opened.max(initial=0)) + 1
        key = (origin.astype(np.int64) * n_paths + path) * n_opens + opened
        key, tokens = sort_pairs(key, tokens, n_origins * n_paths * n_opens)
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        numbers = self._intern_all(tokens, begin)
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

        No two origins that come after equal paths have a token in common.

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
            united[place] = self._unite(sets[bounds[place] : bounds[place + 1]])
        return path[first], opened[first], united

    def _unite(self, numbers: Ints) -> int:
        key = numbers.tobytes()
        found = self._unions.get(key)
        if found is None:
            union = unite([self.sets[number] for number in numbers.tolist()])
            found = self._unions[key] = self._intern(union)
        return found

    def _intern_all(self, tokens: Ints, begin: Longs) -> Ints:
        bounds = np.append(begin, len(tokens)).tolist()
        return np.array(
            [self._intern(tokens[low:high]) for low, high in pairwise(bounds)],
            dtype=np.int32,
        )

    def _intern(self, tokens: Ints) -> int:
        number = self._number.setdefault(tokens.tobytes(), len(self.sets))
        if number == len(self.sets):
            self.sets.append(tokens.copy())
        return number
