"""Puts what a walk finds into rows, and the rows of starts into those of states.

A row is (path, what stays open) → *items*, which stand for tokens
(:mod:`maskc.compiler.rows.seeds`). Sets of items are interned as they come, so that a union of the
same sets is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DROPPED
from maskc.levels import sort_pairs, spread

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bits = NDArray[np.uint8]

_NOTHING = np.zeros(0, dtype=np.int32)
_NO_BITS = np.zeros(0, dtype=np.uint8)
_AT_ONCE = 1 << 20  # rows, which are joined
_MANY = 20_000  # ids that are sorted in the time that 128,000 flags take


class TokenSets:
    """Interned sets of tokens: of few their ids, of many a bit for each."""

    def __init__(self, sets: Iterable[Ints] = ()) -> None:
        # By number, one of both: int32[n], or bits up to the last token; the other is empty.
        self._ids: list[Ints] = []
        self._bits: list[Bits] = []
        self._number: dict[tuple[bool, bytes], int] = {}
        self._unions: dict[tuple[int, ...], int] = {}
        self._flags = np.zeros(0, dtype=np.uint8)  # all 0 between two calls
        for tokens in sets:
            self.intern(tokens)

    def __len__(self) -> int:
        return len(self._ids)

    def intern(self, tokens: Ints) -> int:
        """Return the number of a set, given as int32[n], ascending."""
        # Ids take more memory than bits up to the last of them.
        if len(tokens) and 4 * len(tokens) > int(tokens[-1]) // 8 + 1:
            return self._keep_bits(self._pack([tokens]))
        content = tokens.tobytes()
        number = self._number.setdefault((False, content), len(self))
        if number == len(self):
            # The content is there already, as what it is found by.
            self._ids.append(np.frombuffer(content, dtype=np.int32))
            self._bits.append(_NO_BITS)
        return number

    def read(self, number: int) -> Ints:
        """Return int32[n], the tokens of a set, ascending."""
        bits = self._bits[number]
        return _list_bits(bits) if len(bits) else self._ids[number]

    def unite(self, numbers: tuple[int, ...]) -> int:
        """Return the number of a union; ``numbers`` ascend."""
        if len(numbers) == 1:
            return numbers[0]
        found = self._unions.get(numbers)
        if found is None:
            found = self._unions[numbers] = self._unite(numbers)
        return found

    def mark(self, numbers: Iterable[int], n_words: int) -> Ints:
        """Return a new int32[n_words], the tokens of any of some sets as bits."""
        small, large = self._split(numbers)
        found = np.zeros(4 * n_words, dtype=np.uint8)
        if small:
            packed = self._pack(small)
            found[: len(packed)] = packed
        for bits in large:
            np.bitwise_or(found[: len(bits)], bits, out=found[: len(bits)])
        return found.view("<i4").astype(np.int32, copy=False)

    def list_words(self, numbers: Sequence[int], most: int) -> dict[int, int] | None:
        """Return the words of a mask with one of the tokens, ascending, and their bits.

        ``None``: it is no single set, or not one of few ids; there may be few words all the same.
        """
        tokens = self._ids[numbers[0]] if len(numbers) == 1 else _NOTHING
        if not 0 < len(tokens) <= most:
            return None
        found: dict[int, int] = {}
        for token in tokens.tolist():
            found[token >> 5] = found.get(token >> 5, 0) | 1 << (token & 31)
        return found

    def _unite(self, numbers: tuple[int, ...]) -> int:
        small, large = self._split(numbers)
        if not large and sum(map(len, small)) <= _MANY:
            return self.intern(unite(small))
        packed = self._pack(small)
        size = max(map(len, [packed, *large]))
        found = np.zeros(size, dtype=np.uint8)
        for bits in [packed, *large]:
            np.bitwise_or(found[: len(bits)], bits, out=found[: len(bits)])
        # Who is large with so many bits stays so; a far larger id may come with few.
        if any(len(bits) == size for bits in large):
            return self._keep_bits(found)
        return self.intern(_list_bits(found))

    def _split(self, numbers: Iterable[int]) -> tuple[list[Ints], list[Bits]]:
        """Return those of some sets that are kept as ids, and those that are kept as bits."""
        small: list[Ints] = []
        large: list[Bits] = []
        for number in numbers:
            bits = self._bits[number]
            if len(bits):
                large.append(bits)
            else:
                small.append(self._ids[number])
        return small, large

    def _keep_bits(self, bits: Bits) -> int:
        content = bits.tobytes()
        number = self._number.setdefault((True, content), len(self))
        if number == len(self):
            self._ids.append(_NOTHING)
            self._bits.append(np.frombuffer(content, dtype=np.uint8))
        return number

    def _pack(self, sets: Sequence[Ints]) -> Bits:
        """Return the tokens of some sets as bits, up to the last one that is set."""
        tokens = np.concatenate([_NOTHING, *sets]).astype(np.intp)
        n_flags = int(tokens.max(initial=-1)) + 1
        if n_flags > len(self._flags):
            self._flags = np.zeros(2 * n_flags, dtype=np.uint8)
        self._flags[tokens] = 1
        packed = np.packbits(self._flags[:n_flags], bitorder="little")
        self._flags[tokens] = 0
        return packed


def _list_bits(bits: Bits) -> Ints:
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.int32)


def unite(sets: Sequence[Ints]) -> Ints:
    """Return int32[n], the tokens of any of some arrays, each once, ascending.

    >>> unite([np.array([1, 5], np.int32), np.array([2, 5], np.int32)])
    array([1, 2, 5], dtype=int32)
    """
    if sum(map(len, sets)) > _MANY:
        flags = np.zeros(max(int(tokens.max()) for tokens in sets if len(tokens)) + 1, np.bool_)
        for tokens in sets:
            flags[tokens] = True
        return np.flatnonzero(flags).astype(np.int32)
    joined = np.concatenate(sets)
    joined.sort()
    first = np.ones(len(joined), np.bool_)
    np.not_equal(joined[1:], joined[:-1], out=first[1:])
    return joined[first]


class RowCollector:
    """Rows by origin: where the walk started from."""

    def __init__(self) -> None:
        self.items = TokenSets()  # the sets of items
        # In order of origin, path and open: path, open and set of items; and each origin's number.
        self._rows: list[tuple[Ints, Ints, Ints]] = []
        self._n_rows: list[Longs] = []

    def add(self, n_origins: int, origin: Ints, path: Ints, opened: Ints, items: Ints) -> None:
        """Add the rows of the next origins.

        Args:
            origin: int32[n], counted from the first of them.
            path: int32[n].
            opened: int32[n].
            items: int32[n]; one may come twice.
        """
        n_paths, n_opens = int(path.max(initial=0)) + 1, int(opened.max(initial=0)) + 1
        key = (origin.astype(np.int64) * n_paths + path) * n_opens + opened
        key, items = sort_pairs(key, items, n_origins * n_paths * n_opens)
        is_new = np.ones(len(key), np.bool_)  # several scanner states may say the same
        is_new[1:] = (key[1:] != key[:-1]) | (items[1:] != items[:-1])
        key, items = key[is_new], items[is_new]
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        pieces = pairwise(np.append(begin, len(items)).tolist())
        numbers = np.array([self.items.intern(items[low:high]) for low, high in pieces], np.int32)
        distinct = key[begin]
        path = (distinct // n_opens % n_paths).astype(np.int32)
        opened = (distinct % n_opens).astype(np.int32)
        self._rows.append((path, opened, numbers))
        self._n_rows.append(np.bincount(distinct // n_opens // n_paths, minlength=n_origins))

    def join(
        self, first: Longs, origins: Ints, before: Ints, extend: Callable[[Ints, Ints], Ints]
    ) -> tuple[Longs, Ints, Ints, Ints]:
        """Return the rows of groups of origins, each origin's after a path.

        No two origins of a group that come after equal paths have an item in common.

        Args:
            first: int64[n_groups + 1], the origins of a group are ``origins[first[g] : …]``.
            origins: int32[n].
            before: int32[n], the path before the rows of each.
            extend: returns each path after another one, or ``DROPPED``.

        Returns:
            How many rows each group has, and their paths, opens and sets, by path and open.
        """
        n_rows = np.concatenate([*self._n_rows, np.zeros(0, np.int64)])
        self._rows = [_join_columns(self._rows)]
        end = np.cumsum(n_rows)
        begin = end - n_rows
        n_taken = np.append(0, np.cumsum(n_rows[origins]))[first]
        counts, found, low = list[Longs](), list[tuple[Ints, Ints, Ints]](), 0
        while low < len(first) - 1:
            # As many groups at once as have a million rows together, and at least one.
            upto = int(np.searchsorted(n_taken, n_taken[low] + _AT_ONCE, side="right")) - 1
            high = max(low + 1, upto)
            here = slice(int(first[low]), int(first[high]))
            index, row = spread(begin[origins[here]], end[origins[here]])
            path, opened, sets = (column[row] for column in self._rows[0])
            group = np.repeat(np.arange(high - low), np.diff(n_taken[low : high + 1]))
            if before[here].any():
                path = extend(before[here][index], path)
                kept = np.flatnonzero(path != DROPPED)
                group, path, opened, sets = group[kept], path[kept], opened[kept], sets[kept]
            group, *rows = self._unite_equal(group, path, opened, sets)
            counts.append(np.bincount(group, minlength=high - low))
            found.append((rows[0], rows[1], rows[2]))
            low = high
        return np.concatenate([*counts, np.zeros(0, np.int64)]), *_join_columns(found)

    def _unite_equal(
        self, group: Longs, path: Ints, opened: Ints, sets: Ints
    ) -> tuple[Longs, Ints, Ints, Ints]:
        """Return rows in order, those of equal groups, paths and opens united."""
        n_paths, n_opens = int(path.max(initial=0)) + 1, int(opened.max(initial=0)) + 1
        n_groups = int(group.max(initial=0)) + 1
        key = (group * n_paths + path) * n_opens + opened
        key, sets = sort_pairs(key, sets, n_groups * n_paths * n_opens)
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        bounds = np.append(begin, len(key)).tolist()
        united = sets[begin]
        for index in np.flatnonzero(np.diff(bounds) > 1).tolist():
            united[index] = self.items.unite(
                tuple(sets[bounds[index] : bounds[index + 1]].tolist())
            )
        key = key[begin]
        path = (key // n_opens % n_paths).astype(np.int32)
        opened = (key % n_opens).astype(np.int32)
        return key // n_opens // n_paths, path, opened, united


def _join_columns(parts: list[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    nothing = np.zeros(0, np.int32)
    path, opened, sets = zip((nothing, nothing, nothing), *parts, strict=True)
    return np.concatenate(path), np.concatenate(opened), np.concatenate(sets)
