"""Sets of a trie's nodes, as ascending arrays, and those from which texts go on.

Where a piece may end, what follows it mostly begins with one of few bytes: of 275,000 nodes, from
150 a ``<`` goes on. So only these nodes are kept where that is known.

Example: of the tokens ``a``, ``a<`` and ``ab``, by ``<`` a text goes on from the node ``a`` alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tries.trie import Ints, Trie

_FEW = 48  # nodes that are not looked up first
_MANY = 4_000  # nodes that take longer to sort than it takes to look at some nodes' children
_FEW_SORTED = 2_000  # nodes that are sorted; more are marked in an array of all nodes
_NO_NODES: Ints = np.zeros(0, dtype=np.int32)


class Onward:
    """The nodes of a trie from which texts go on by one of some bytes; ``None``: by any.

    ``parents`` remembers of each byte the nodes that have a child by it.
    """

    def __init__(self, trie: Trie, bytes_: frozenset[int] | None, parents: dict[int, Ints]) -> None:
        self._trie, self.bytes, self._parents = trie, bytes_, parents

    def of(self, nodes: Ints) -> Ints:
        """Return those of some ascending nodes from which texts go on; few may be too many."""
        trie, bytes_ = self._trie, self.bytes
        if bytes_ is None or len(nodes) <= _FEW:
            return nodes[going_on(trie, nodes)]
        parents = [self._parents_by(byte) for byte in sorted(bytes_)]
        if max(len(nodes), _MANY) < sum(map(len, parents)):
            return nodes[_have_child(trie, nodes, bytes_)]
        if not parents:
            return nodes[:0]
        # There are mostly fewer that have such a child.
        wanted = parents[0] if len(parents) == 1 else ascending(np.concatenate(parents))
        places = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
        found: Ints = wanted[nodes[places] == wanted]
        return found

    def are(self, nodes: Ints) -> NDArray[np.bool_]:
        """Return bool[n], whether a text goes on from each of some nodes, in any order."""
        if self.bytes is None or len(nodes) <= _FEW:
            return going_on(self._trie, nodes)
        return _have_child(self._trie, nodes, self.bytes)

    def _parents_by(self, byte: int) -> Ints:
        found = self._parents.get(byte)
        if found is None:
            # The root is no child, and has byte 0.
            found = self._trie.parent_array[1:][self._trie.byte_array[1:] == byte]
            self._parents[byte] = found
        return found


def going_on(trie: Trie, nodes: Ints) -> NDArray[np.bool_]:
    first = trie.first_array
    is_inner: NDArray[np.bool_] = first[nodes] < first[nodes + 1]
    return is_inner


def _have_child(trie: Trie, nodes: Ints, bytes_: frozenset[int]) -> NDArray[np.bool_]:
    is_read = np.zeros(256, dtype=np.bool_)
    is_read[list(bytes_)] = True
    above, children = trie.children_of(nodes)
    goes_on = np.zeros(len(nodes), dtype=np.bool_)
    goes_on[above[is_read[trie.byte_array[children]]]] = True
    return goes_on


def list_ending(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """Return the texts that end in some nodes, by place, and the index of each one's node."""
    n_ending = trie.ending_array[nodes]
    places, found = [_NO_NODES], [_NO_NODES]
    for n in range(int(n_ending.max(initial=0))):
        at = np.flatnonzero(n_ending > n).astype(np.int32)
        places.append(trie.low_array[nodes[at]] + n)
        found.append(at)
    return np.concatenate(places).astype(np.int32), np.concatenate(found)


def ascending(nodes: Ints) -> Ints:
    """Return the different ones of some nodes, ascending; NumPy's ``unique`` takes longer."""
    if (nodes[1:] > nodes[:-1]).all():
        return nodes
    found = np.sort(nodes)
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[1:] = found[1:] != found[:-1]
    distinct: Ints = found[is_new]
    return distinct


def united(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes of a trie of so many that are in either of two ascending arrays."""
    if len(left) + len(right) <= _FEW_SORTED:
        return np.union1d(left, right)
    is_there = np.zeros(n_nodes, dtype=np.bool_)
    is_there[left] = True
    is_there[right] = True
    return np.flatnonzero(is_there).astype(np.int32)


def without(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes of the first of two ascending arrays that are not in the second."""
    if len(left) + len(right) <= _FEW_SORTED:
        return np.setdiff1d(left, right, assume_unique=True)
    is_gone = np.zeros(n_nodes, dtype=np.bool_)
    is_gone[right] = True
    return left[~is_gone[left]]
