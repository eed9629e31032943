"""What is the union of some sets of tokens?

A set is an array of ids, ascending. Small ones are sorted; large ones are marked in one array of
flags, which is read in order.

Example: ``[1, 5]`` and ``[2, 5]`` give ``[1, 2, 5]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_MANY = 20_000  # ids that are sorted in the time that 128,000 flags take


def unite(sets: Sequence[Ints]) -> Ints:
    """Return int32[n], the tokens of any of some sets, each once, ascending.

    >>> unite([np.array([1, 5], np.int32), np.array([2, 5], np.int32)])
    array([1, 2, 5], dtype=int32)
    """
    if sum(map(len, sets)) > _MANY:
        flags = np.zeros(max(int(tokens[-1]) for tokens in sets if len(tokens)) + 1, np.bool_)
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
