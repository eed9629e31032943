"""What is the union of some sets of tokens?

A set is an array of ids, ascending. Small ones are sorted; large ones are marked in one array of
flags, which is read in order.

Example: ``[1, 5]`` and ``[2, 5]`` give ``[1, 2, 5]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_MANY = 20_000  # ids that are sorted in the time that 128,000 flags take


class TokenSets:
    """Interned sets of tokens.

    Attributes:
        sets: number → int32[n], token ids in ascending order, read-only.
    """

    def __init__(self, sets: Iterable[Ints] = ()) -> None:
        self.sets: list[Ints] = []
        self._number: dict[bytes, int] = {}
        self._unions: dict[tuple[int, ...], int] = {}
        for tokens in sets:
            self.intern(tokens)

    def unite(self, numbers: tuple[int, ...]) -> int:
        """Return the number of a union; ``numbers`` ascend."""
        if len(numbers) == 1:
            return numbers[0]
        found = self._unions.get(numbers)
        if found is None:
            union = unite([self.sets[number] for number in numbers])
            found = self._unions[numbers] = self.intern(union)
        return found

    def intern(self, tokens: Ints) -> int:
        """Return the number of a set."""
        content = tokens.tobytes()
        number = self._number.setdefault(content, len(self.sets))
        if number == len(self.sets):
            # Its content is there already, as what it is found by.
            self.sets.append(np.frombuffer(content, dtype=np.int32))
        return number


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


def sort_pairs(keys: Longs, values: Ints, n_keys: int) -> tuple[Longs, Ints]:
    """Return pairs in order, keys first; a key and a token are one number, if 64 bits hold it."""
    shift = int(values.max(initial=0)).bit_length()
    if n_keys >> (63 - shift):
        order = np.lexsort((values, keys))
        return keys[order], values[order]
    pairs = keys << shift
    pairs |= values
    pairs.sort()
    return pairs >> shift, (pairs & ((1 << shift) - 1)).astype(np.int32)
