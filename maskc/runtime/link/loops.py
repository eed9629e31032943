"""What does a regular piece read while it stays in one state?

In ``[a-z]+`` a state goes round on 26 bytes, and half of the nodes of a vocabulary's trie lie below
it. Whether the automaton is still in that state at a node depends on one number: from which byte on
the way to the node has nothing but bytes of the *class* that it goes round on. These numbers are
worked out once for a class and a tokenizer, and every state of every pattern that goes round on it
has its tokens by one comparison of arrays.

Example: in ``ab1cd`` letters alone stand from the fourth byte on, so of ``[a-z]`` a state that
begins three bytes deep reads it, and one that begins two bytes deep does not.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tokens import TokenIndex, Words
from maskc.runtime.schema.trie import ROOT, Ints, narrow

_KEY = "loop"


class Loop(NamedTuple):
    """Where a state goes round.

    Attributes:
        node: of the trie of tokens; what is meant is below it.
        bytes_: on which the state stays what it is.
    """

    node: int
    bytes_: frozenset[int]


class _Starts(NamedTuple):
    """How many bytes stand before the last run of a class, as narrow as it can be.

    Attributes:
        nodes: of the way to each node.
        texts: of each text.
    """

    nodes: NDArray[Any]
    texts: NDArray[Any]


class LoopReader:
    """Reads the trie of a vocabulary's tokens.

    Args:
        index: the vocabulary; what is worked out is kept with it.
    """

    def __init__(self, index: TokenIndex) -> None:
        self._index = index
        self._trie = index.tokens

    def row(self, loop: Loop) -> Words | None:
        """Return the mask of the tokens that end below the node while the state goes round.

        ``None`` but for the root: the others are not asked for so often.
        """
        if loop.node != ROOT:
            return None
        key = (_KEY, "row", loop.bytes_)
        found: Words | None = self._index.shared.get(key)
        if found is None:
            found = self._index.pack(self._index.order[self.places(loop)])
            self._index.shared.put(key, found, found.nbytes + 10_000)
        return found

    def places(self, loop: Loop) -> Ints:
        """Return the same tokens by place, ascending."""
        trie, starts = self._trie, self._starts(loop.bytes_)
        # Those that end in the node itself come first.
        low = trie.low[loop.node] + trie.n_ending[loop.node]
        is_read = starts.texts[low : trie.high[loop.node]] <= self._depth(loop)
        return (np.flatnonzero(is_read) + low).astype(np.int32)

    def nodes(self, loop: Loop) -> Ints:
        """Return the nodes below the node, ascending, from which texts go on."""
        # Deeper nodes have higher numbers.
        first = self._trie.levels[self._depth(loop) + 1]
        goes_on = self._trie.first_array[first:-1] < self._trie.first_array[first + 1 :]
        nodes = (np.flatnonzero(goes_on) + first).astype(np.int32)
        return nodes[self._are_inside(loop, nodes)]

    def children(self, loop: Loop, byte: int) -> Ints:
        """Return the nodes that a byte leads to from such nodes, ascending."""
        key = (_KEY, byte)
        found: Ints | None = self._index.shared.get(key)
        if found is None:
            # The root is no child, and has byte 0.
            found = (np.flatnonzero(self._trie.byte_array[1:] == byte) + 1).astype(np.int32)
            self._index.shared.put(key, found, found.nbytes + 100)
        return found[self._are_inside(loop, self._trie.parent_array[found])]

    def _are_inside(self, loop: Loop, nodes: Ints) -> NDArray[np.bool_]:
        """Return which nodes are below the loop's, with nothing but the class in between."""
        trie, depth = self._trie, self._depth(loop)
        is_inside: NDArray[np.bool_] = nodes >= trie.levels[depth + 1]
        is_inside &= self._starts(loop.bytes_).nodes[nodes] <= depth
        if loop.node != ROOT:
            lows = trie.low_array[nodes]
            is_inside &= (lows >= trie.low[loop.node]) & (lows < trie.high[loop.node])
        return is_inside

    def _depth(self, loop: Loop) -> int:
        return bisect_right(self._trie.levels, loop.node) - 1

    def _starts(self, bytes_: frozenset[int]) -> _Starts:
        key = (_KEY, bytes_)
        found: _Starts | None = self._index.shared.get(key)
        if found is None:
            trie = self._trie
            is_in = np.zeros(256, dtype=np.bool_)
            is_in[list(bytes_)] = True
            starts = np.zeros(len(trie.byte_array), dtype=np.int32)
            levels = zip(trie.levels[1:-1], trie.levels[2:], strict=True)
            for depth, (first, last) in enumerate(levels, 1):
                above = starts[trie.parent_array[first:last]]
                starts[first:last] = np.where(is_in[trie.byte_array[first:last]], above, depth)
            found = _Starts(narrow(starts), narrow(starts[self._ends()]))
            n_bytes = found.nodes.nbytes + found.texts.nbytes
            self._index.shared.put(key, found, n_bytes + 10_000)
        return found

    def _ends(self) -> Ints:
        """Return int32[n texts], the node in which each text ends."""
        trie = self._trie
        ends = np.empty(len(trie.texts), dtype=np.int32)
        nodes = np.flatnonzero(trie.ending_array).astype(np.int32)
        n_ending = trie.ending_array[nodes]
        for n in range(int(n_ending.max(initial=0))):
            more = nodes[n_ending > n]
            ends[trie.low_array[more] + n] = more
        return ends
