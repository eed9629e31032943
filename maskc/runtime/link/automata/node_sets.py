"""Sets of a trie's nodes, as ascending arrays, and those from which texts go on.

Where a piece may end, what follows it mostly begins with one of few bytes: of 275,000 nodes, from
150 a ``<`` goes on. So only these nodes are kept where that is known.

Example: of the tokens ``a``, ``a<`` and ``ab``, by ``<`` a text goes on from the node ``a`` alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tries import Ints, Trie

_FEW = 48  # nodes whose children are not looked at
_NO_NODES: Ints = np.zeros(0, dtype=np.int32)


class Onward:
    """The nodes of a trie from which texts go on by one of some bytes; ``None``: by any.

    ``parents`` remembers of each byte the nodes that have a child by it.
    """

    def __init__(self, trie: Trie, bytes_: frozenset[int] | None, parents: dict[int, Ints]) -> None:
        self._trie, self.bytes, self._parents = trie, bytes_, parents

    def of(self, nodes: Ints) -> Ints:
        """Return those of some nodes from which texts go on; few may be too many."""
        return nodes[self.are(nodes)]

    def are(self, nodes: Ints) -> NDArray[np.bool_]:
        """Return bool[n], whether a text goes on from each of some nodes; few may be too many."""
        if self.bytes is None or len(nodes) <= _FEW:
            return going_on(self._trie, nodes)
        goes_on = np.zeros(len(self._trie.bytes), dtype=np.bool_)
        for byte in self.bytes:
            goes_on[self._parents_by(byte)] = True
        return goes_on[nodes]

    def _parents_by(self, byte: int) -> Ints:
        found = self._parents.get(byte)
        if found is None:
            # The root is no child, and has byte 0.
            found = self._trie.parent_array[1:][self._trie.byte_array[1:] == byte]
            self._parents[byte] = found
        return found


def going_on(trie: Trie, nodes: Ints) -> NDArray[np.bool_]:
    first = trie.first_array
    is_inner: NDArray[np.bool_] = first.take(nodes) < first[1:].take(nodes)
    return is_inner


def list_ending(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """Return the texts that end in some nodes, by text index, and the index of each one's node."""
    n_ending = trie.ending_array.take(nodes)
    text_indices, found = [_NO_NODES], [_NO_NODES]
    for n in range(int(n_ending.max(initial=0))):
        at = (n_ending > n).nonzero()[0]
        text_indices.append(trie.low_array.take(nodes.take(at)) + n)
        found.append(at.astype(np.int32))
    return np.concatenate(text_indices).astype(np.int32), np.concatenate(found)


def ascending(nodes: Ints) -> Ints:
    """Return the different ones of some nodes, ascending; NumPy's ``unique`` takes longer."""
    if (nodes[1:] > nodes[:-1]).all():
        return nodes
    # A stable sort joins arrays that are in order in one pass.
    found = np.sort(nodes, kind="stable")
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[1:] = found[1:] != found[:-1]
    distinct: Ints = found[is_new]
    return distinct


def united(left: Ints, right: Ints) -> Ints:
    """Return the nodes that are in either of two ascending arrays."""
    return ascending(np.concatenate([left, right]))


def without(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes of a trie of so many that are in the first array and not in the second."""
    is_kept = np.ones(n_nodes, dtype=np.bool_)
    is_kept[right] = False
    return left[is_kept[left]]
