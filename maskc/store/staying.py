"""Which states do the bytes below a node of the trie leave as they are?

Inside a string or a name nearly all that a token may bring goes on with it and changes nothing. If
no byte below a node leads to another state, and none begins another lexeme, then all tokens below
it end where the walk is already, and nobody has to look at them one by one.

Which classes of bytes do that is a set for each state; classes that are in the same sets are one
bit. The classes below a node are a set as well, and one must lie in the other.

Example: from inside a string, all tokens that begin with ``ab`` and have neither a quote nor a
backslash after it stay there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.store.steps import Steps
from maskc.vocab.trie import TokenTrie

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]


class Staying:
    """Says of pairs of a state and a node whether all that is below leaves the state as it is.

    Args:
        following: int32[n_states, n_classes], the scanner's ``next``.
        steps: its steps.
        trie: whose nodes are asked about.
        node_class: int32[n_nodes], the class of the byte that leads to each.
        moving: bool[n_states], in which something else moves with every byte.
    """

    def __init__(
        self, following: Ints, steps: Steps, trie: TokenTrie, node_class: Ints, moving: Flags
    ) -> None:
        leaves = _find_leaving(following, steps) | moving[:, None]
        distinct, group = np.unique(np.packbits(leaves, axis=0), axis=1, return_inverse=True)
        group = group.reshape(-1)
        n_words = -(-distinct.shape[1] // 64)
        self._leaves = [np.zeros(len(leaves), np.uint64) for _ in range(n_words)]
        self._below = [np.zeros(trie.n_nodes, np.uint64) for _ in range(n_words)]
        _, some = np.unique(group, return_index=True)
        for number, byte_class in enumerate(some.tolist()):
            bit = np.uint64(1 << number % 64)
            self._leaves[number // 64] |= leaves[:, byte_class] * bit
        own = group[node_class]
        for number, below in enumerate(self._below):
            inside = own // 64 == number
            _collect_below(
                trie, np.where(inside, np.uint64(1) << (own % 64).astype(np.uint64), 0), below
            )

    def find(self, state: Ints, node: Ints) -> Flags:
        """Return bool[n]: whether all below a node leaves the state as it is."""
        pairs = zip(self._below, self._leaves, strict=True)
        found = [below[node] & leaves[state] for below, leaves in pairs]
        return np.asarray(np.bitwise_or.reduce(found) == 0)


def _find_leaving(following: Ints, steps: Steps) -> Flags:
    """Return bool[n_states, n_classes]: a byte leads elsewhere, or begins another lexeme."""
    n_states, n_classes = following.shape
    found: Flags = following != np.arange(n_states, dtype=np.int32)[:, None]
    begins = (np.diff(steps.move_first) > 0).reshape(-1, n_classes)
    n_ends = np.diff(steps.end_first)
    for nth in range(int(n_ends.max(initial=0))):
        some = np.flatnonzero(n_ends > nth)
        found[some] |= begins[steps.end_kind[steps.end_first[some] + nth]]
    return found


def _collect_below(trie: TokenTrie, own: Words, below: Words) -> None:
    """Unite, for each node, the bits of all nodes that stand below it."""
    first = trie.first_child
    for low, high in [*reversed([(1, int(first[1])), *trie.levels()]), (0, 1)]:
        inner = np.flatnonzero(first[low + 1 : high + 1] > first[low:high]) + low
        if len(inner):
            start, end = int(first[low]), int(first[high])
            reached = own[start:end] | below[start:end]
            below[inner] = np.bitwise_or.reduceat(reached, first[inner] - start)
