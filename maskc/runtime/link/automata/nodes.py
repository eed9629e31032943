"""Sets of nodes of a trie, as ascending arrays: united, one without another; what ends in them.

Mostly they are a few nodes; where a text is free they are most of the trie, and are then marked in
an array of all nodes, which is ten times as fast as to sort them.

Example: of 1, 3 and 3, 5 the union is 1, 3, 5, and the first without the second is 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tries.trie import Ints, Trie

_FEW = 2_000


def united(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes that are in either of two arrays: int32, ascending.

    Args:
        left: some nodes, ascending, each once.
        right: others, likewise.
        n_nodes: how many there are in the trie.
    """
    if len(left) + len(right) <= _FEW:
        return np.union1d(left, right)
    is_there = np.zeros(n_nodes, dtype=np.bool_)
    is_there[left] = True
    is_there[right] = True
    return np.flatnonzero(is_there).astype(np.int32)


def mark_texts(trie: Trie, nodes: Iterable[int]) -> NDArray[np.bool_]:
    """Return of each text of a trie whether it is below one of some nodes, and False at the end."""
    is_below = np.zeros(len(trie.texts) + 1, dtype=np.bool_)
    for node in nodes:
        is_below[trie.low[node] : trie.high[node]] = True
    return is_below


def without(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes of the first array that are not in the second: int32, ascending.

    Args:
        left: some nodes, ascending, each once.
        right: others, likewise.
        n_nodes: how many there are in the trie.
    """
    if len(left) + len(right) <= _FEW:
        return np.setdiff1d(left, right, assume_unique=True)
    is_gone = np.zeros(n_nodes, dtype=np.bool_)
    is_gone[right] = True
    return left[~is_gone[left]]


def places_ending(trie: Trie, nodes: Ints) -> Ints:
    """Return the texts that end in some nodes of a trie, by place."""
    return list_ending(trie, nodes)[0]


def list_ending(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """Return the texts that end in some nodes of a trie, by place, and at which of the nodes.

    Returns:
        int32[n], places; int32[n], indices of ``nodes``.
    """
    n_ending = trie.ending_array[nodes]
    places: list[Ints] = [np.zeros(0, dtype=np.int32)]
    found: list[Ints] = [np.zeros(0, dtype=np.int32)]
    for n in range(int(n_ending.max(initial=0))):
        at = np.flatnonzero(n_ending > n).astype(np.int32)
        places.append(trie.low_array[nodes[at]] + n)
        found.append(at)
    return np.concatenate(places).astype(np.int32), np.concatenate(found)
