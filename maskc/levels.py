"""The nodes of a trie, level by level, as arrays; and where each node's children are.

Nodes are numbered breadth first: the root is 0, and the children of a node are consecutive.

Example: of ``a``, ``ab`` and ``b`` the nodes are the root, ``a``, ``b`` and ``ab``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


def build_levels(
    flat: NDArray[Any], lengths: NDArray[np.int64]
) -> tuple[tuple[NDArray[np.int64], ...], list[int]]:
    """Return the nodes of a trie level by level, and where each level begins.

    Args:
        flat: the texts' characters, one text after the other; the texts in ascending order.
        lengths: of the texts.

    Returns:
        Of each node its last character, the node above, the first of its texts, one past the last,
        and how many end in it; then the levels, with one past the last.
    """
    n = len(lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if n else lengths
    alive = np.arange(n, dtype=np.int64)
    node_of = np.zeros(n, dtype=np.int64)
    n_nodes = 1
    parts: list[tuple[NDArray[np.int64], ...]] = [
        tuple(np.array([k], dtype=np.int64) for k in (0, 0, 0, n, int((lengths == 0).sum())))
    ]
    levels = [0, 1]
    for depth in range(int(lengths.max(initial=0))):
        alive = alive[lengths[alive] > depth]
        character = flat[starts[alive] + depth]
        above = node_of[alive]
        new = np.ones(len(alive), dtype=np.bool_)
        new[1:] = (above[1:] != above[:-1]) | (character[1:] != character[:-1])
        node = np.cumsum(new) - 1
        indices = np.flatnonzero(new)
        lasts = np.append(indices[1:], len(alive)) - 1
        ends = np.bincount(node[lengths[alive] == depth + 1], minlength=len(indices))
        own = character[indices].astype(np.int64)
        parts.append((own, above[indices], alive[indices], alive[lasts] + 1, ends))
        node_of[alive] = node + n_nodes
        n_nodes += len(indices)
        levels.append(n_nodes)
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(5)), levels


def first_children(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return int32[n + 1]: the children of a node are those from its own number to the next one's.

    Args:
        parents: int32[n], ascending, the node above each; 0 of the root.
    """
    # The root is no child of its own.
    n_children = np.bincount(parents[1:], minlength=len(parents))
    return np.concatenate([[1], 1 + np.cumsum(n_children)]).astype(np.int32)


def spread(first: NDArray[Any], last: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the numbers ``first … last - 1`` of each range in turn.

    Returns:
        int32[n], the index of the range of each number; int32[n], the numbers.

    >>> spread(np.array([10, 20]), np.array([12, 21]))
    (array([0, 0, 1], dtype=int32), array([10, 11, 20], dtype=int32))
    """
    counts = last - first
    run = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    numbers = (last - np.cumsum(counts)).astype(np.int32).repeat(counts)
    numbers += np.arange(len(numbers), dtype=np.int32)
    return run, numbers


def sort_pairs(keys: Longs, values: NDArray[Any], n_keys: int) -> tuple[Longs, Ints]:
    """Return pairs in order, keys first; a key and a token are one number, if 64 bits hold it."""
    shift = int(values.max(initial=0)).bit_length()
    if n_keys >> (63 - shift):
        order = np.lexsort((values, keys))
        return keys[order], values[order]
    pairs = keys << shift
    pairs |= values
    pairs.sort()
    return pairs >> shift, (pairs & ((1 << shift) - 1)).astype(np.int32)
