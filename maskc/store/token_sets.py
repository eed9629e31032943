"""What is the union of some sets of tokens?

A set is an array of ids, ascending, or a bit for each, where that is less: of llama3's vocabulary
16 KB at most, and the tokens of names and of strings are in thousands of sets. Small arrays are
sorted to unite them; large ones are marked in one array of flags, which is read in order.

Example: ``[1, 5]`` and ``[2, 5]`` give ``[1, 2, 5]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bits = NDArray[np.uint8]

_NOTHING = np.zeros(0, dtype=np.int32)
_NO_BITS = np.zeros(0, dtype=np.uint8)
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
        places = np.concatenate([_NOTHING, *sets]).astype(np.intp)
        n_flags = int(places.max(initial=-1)) + 1
        if n_flags > len(self._flags):
            self._flags = np.zeros(2 * n_flags, dtype=np.uint8)
        self._flags[places] = 1
        packed = np.packbits(self._flags[:n_flags], bitorder="little")
        self._flags[places] = 0
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
