"""The vocabulary as a trie over bytes, in arrays that can be walked level by level.

Nodes are numbered breadth first, node 0 is the root (the empty byte string), and the children
of a node are consecutive. Tokens with equal bytes share a node; special tokens have none.

Example: for tokens ``a``, ``ab``, ``b`` the nodes are root, ``a``, ``b``, ``ab``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenTrie:
    """A trie of tokens.

    Attributes:
        byte: uint8[n_nodes], the byte on the edge into the node; 0 at the root.
        first_child: int32[n_nodes + 1], children of ``v`` are ``first_child[v] …
            first_child[v + 1] - 1``.
        first_token: int32[n_nodes + 1], tokens of ``v`` are ``tokens[first_token[v] : …]``.
        tokens: int32[n_tokens], token ids by node.
    """

    byte: NDArray[np.uint8]
    first_child: NDArray[np.int32]
    first_token: NDArray[np.int32]
    tokens: NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, the root included."""
        return len(self.byte)

    def first_nodes(self) -> NDArray[np.int32]:
        """Return int32[n_nodes]: the child of the root that a node is or stands below."""
        first = np.arange(self.n_nodes, dtype=np.int32)
        parent = np.repeat(first, np.diff(self.first_child))
        for low, high in self._levels():
            first[low:high] = first[parent[low - 1 : high - 1]]
        return first

    def count_bytes_below(self) -> NDArray[np.int32]:
        """Return int32[n_first]: the most bytes that follow each child of the root in a token."""
        first, n_first = self.first_nodes(), int(self.first_child[1]) - 1
        deepest = np.zeros(n_first, dtype=np.int32)
        for depth, (low, high) in enumerate(self._levels(), 1):
            deepest[first[low:high] - 1] = depth
        return deepest

    def widest_level(self) -> int:
        """Return the most nodes of one depth, at least 1."""
        below = (high - low for low, high in self._levels())
        return max(1, int(self.first_child[1]) - 1, *below)

    def _levels(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes of each level below the children of the root."""
        low, high = 1, int(self.first_child[1])
        while high < self.n_nodes:
            low, high = high, int(self.first_child[high])
            yield low, high


def build_trie(tokens: Sequence[bytes | None]) -> TokenTrie:
    """Return the trie of all tokens that have bytes.

    The empty byte string is not a token's bytes: such a token would never end.
    """
    order = sorted(i for i, token in enumerate(tokens) if token)
    order.sort(key=lambda i: tokens[i] or b"")
    texts = [tokens[i] or b"" for i in order]
    # A level holds (first, last + 1) ranges of the sorted tokens that share a prefix.
    bytes_: list[int] = [0]
    first_child: list[int] = []
    first_token: list[int] = []
    flat: list[int] = []
    level = [(0, len(texts))]
    depth = 0
    while level:
        below: list[tuple[int, int]] = []
        for low, high in level:
            first_token.append(len(flat))
            while low < high and len(texts[low]) == depth:
                flat.append(order[low])
                low += 1
            first_child.append(len(bytes_))
            while low < high:
                byte = texts[low][depth]
                end = _end_of_run(texts, low, high, depth, byte)
                bytes_.append(byte)
                below.append((low, end))
                low = end
        level = below
        depth += 1
    first_child.append(len(bytes_))
    first_token.append(len(flat))
    return TokenTrie(
        np.array(bytes_, dtype=np.uint8),
        np.array(first_child, dtype=np.int32),
        np.array(first_token, dtype=np.int32),
        np.array(flat, dtype=np.int32),
    )


def _end_of_run(texts: list[bytes], low: int, high: int, depth: int, byte: int) -> int:
    """Return the end of the run whose byte at ``depth`` is ``byte``, by bisection."""
    end = high
    while low < end:
        middle = (low + end) // 2
        if texts[middle][depth] == byte:
            low = middle + 1
        else:
            end = middle
    return low
