"""The vocabulary as a trie over bytes, in arrays that can be walked level by level.

Nodes are numbered breadth first, node 0 is the root (the empty byte string), and the children
of a node are consecutive. Tokens with equal bytes share a node; special tokens have none.

Example: for tokens ``a``, ``ab``, ``b`` the nodes are root, ``a``, ``b``, ``ab``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels, first_children
from maskc.vocab.vocabulary import Vocabulary


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
        for low, high in self.levels():
            first[low:high] = first[parent[low - 1 : high - 1]]
        return first

    def mark_below(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return bool[n_nodes]: the nodes that are marked, and all that stand below them."""
        found = marked.copy()
        parent = np.repeat(np.arange(self.n_nodes), np.diff(self.first_child))
        for low, high in self.levels():
            found[low:high] |= found[parent[low - 1 : high - 1]]
        return found

    def count_bytes_below(self) -> NDArray[np.int32]:
        """Return int32[n_first]: the most bytes that follow each child of the root in a token."""
        return _count_bytes_below(self)

    def widest_level(self) -> int:
        """Return the most nodes of one depth, at least 1."""
        below = (high - low for low, high in self.levels())
        return max(1, int(self.first_child[1]) - 1, *below)

    def fold(self, kind: NDArray[np.int64], dead: NDArray[np.bool_]) -> TokenTrie:
        """Return the trie of what tokens are to whom only kinds of bytes differ.

        Tokens whose bytes are of equal kinds, one by one, share a node, with one of their bytes.

        Args:
            kind: int64[256], less than 256 each.
            dead: bool[256], bytes whose tokens are left out.
        """
        parent = np.repeat(np.arange(self.n_nodes), np.diff(self.first_child))
        levels = [(1, int(self.first_child[1])), *self.levels()]
        n_tokens = np.diff(self.first_token)
        kept = ~dead[self.byte]
        kept[0] = True
        for low, high in levels:
            kept[low:high] &= kept[parent[low - 1 : high - 1]]
        kept &= n_tokens > 0
        for low, high in reversed(levels):
            kept[parent[low - 1 : high - 1][kept[low:high]]] = True
        kept[0] = True
        node_of = np.zeros(self.n_nodes, dtype=np.int64)
        above, byte = [np.zeros(1, np.int64)], [self.byte[:1]]
        n_nodes = 1
        for low, high in levels:
            nodes = low + np.flatnonzero(kept[low:high])
            key = node_of[parent[nodes - 1]] << 8 | kind[self.byte[nodes]]
            distinct, first, place = np.unique(key, return_index=True, return_inverse=True)
            node_of[nodes] = place.reshape(-1) + n_nodes
            above.append(distinct >> 8)
            byte.append(self.byte[nodes[first]])
            n_nodes += len(distinct)
        of_kept = np.repeat(kept, n_tokens)
        at, tokens = np.repeat(node_of, n_tokens)[of_kept], self.tokens[of_kept]
        return TokenTrie(
            np.concatenate(byte),
            first_children(np.concatenate(above).astype(np.int32)),
            np.append(0, np.cumsum(np.bincount(at, minlength=n_nodes))).astype(np.int32),
            tokens[np.lexsort((tokens, at))],
        )

    def levels(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes of each level below the children of the root."""
        low, high = 1, int(self.first_child[1])
        while high < self.n_nodes:
            low, high = high, int(self.first_child[high])
            yield low, high


@lru_cache(maxsize=2)
def _count_bytes_below(trie: TokenTrie) -> NDArray[np.int32]:
    first, n_first = trie.first_nodes(), int(trie.first_child[1]) - 1
    deepest = np.zeros(n_first, dtype=np.int32)
    for depth, (low, high) in enumerate(trie.levels(), 1):
        deepest[first[low:high] - 1] = depth
    deepest.setflags(write=False)
    return deepest


@lru_cache(maxsize=2)
def trie_of(vocabulary: Vocabulary) -> TokenTrie:
    """Return the trie of a vocabulary's tokens, the same one when it is asked for again."""
    return build_trie(vocabulary.tokens)


def build_trie(tokens: Sequence[bytes | None]) -> TokenTrie:
    """Return the trie of all tokens that have bytes.

    The empty byte string is not a token's bytes: such a token would never end.
    """
    order = sorted((i for i, token in enumerate(tokens) if token), key=lambda i: tokens[i] or b"")
    texts = [tokens[i] or b"" for i in order]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns, _ = build_levels(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths)
    byte, parent, low, _, ending = columns
    first_token = np.concatenate([[0], np.cumsum(ending)])
    # Of each token that ends in a node, how many end there before it.
    within = np.arange(first_token[-1]) - np.repeat(first_token[:-1], ending)
    return TokenTrie(
        byte.astype(np.uint8),
        first_children(parent.astype(np.int32)),
        first_token.astype(np.int32),
        np.array(order, dtype=np.int32)[np.repeat(low, ending) + within],
    )
