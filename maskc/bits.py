"""Sets of small numbers as the bits of one integer: bit ``n`` is set iff ``n`` is in the set.

Python's integers have no fixed width, so a set of terminals, lookaheads, contexts or states is one
number; union, intersection and difference are ``|``, ``&`` and ``& ~``, each one step in C.

Example: ``{0, 2, 3}`` is ``0b1101``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Bits = int


def from_members(members: Iterable[int]) -> Bits:
    """Return the set of some numbers; a number may come twice.

    >>> bin(from_members([0, 2, 3, 2]))
    '0b1101'
    """
    found = 0
    for member in members:
        found |= 1 << member
    return found


def iterate(bits: Bits) -> Iterator[int]:
    """Yield the members of a set, ascending.

    >>> list(iterate(0b1101))
    [0, 2, 3]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def unite(sets: Iterable[Bits]) -> Bits:
    """Return the union of some sets.

    >>> bin(unite([0b0101, 0b1001]))
    '0b1101'
    """
    found = 0
    for bits in sets:
        found |= bits
    return found


def pack(sets: Sequence[Bits], n_bits: int) -> NDArray[np.uint64]:
    """Return uint64[len(sets), words]: the sets as rows of 64-bit words, lowest bits first.

    Args:
        sets: of numbers below ``n_bits``.
        n_bits: how many numbers there are; a row has one word at least.

    >>> pack([0b1101, 1 << 64], 65)
    array([[13,  0],
           [ 0,  1]], dtype=uint64)
    """
    n_words = max(1, -(-n_bits // 64))
    flat = b"".join(bits.to_bytes(n_words * 8, "little") for bits in sets)
    return np.frombuffer(flat, dtype="<u8").reshape(len(sets), n_words).astype(np.uint64)
