"""The vocabulary as a trie over bytes, in arrays that can be walked level by level.

Nodes are numbered breadth first, node 0 is the root (the empty byte string), and the children
of a node are consecutive. Tokens with equal bytes share a node; special tokens have none.

Example: for tokens ``a``, ``ab``, ``b`` the nodes are root, ``a``, ``b``, ``ab``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels, first_children, sort_pairs, spread
from maskc.vocab.vocabulary import Vocabulary

Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class TokenTrie:
    """A trie of tokens."""

    byte: NDArray[np.uint8]  # uint8[n_nodes], the byte on the edge into the node; 0 at the root
    # int32[n_nodes + 1], children of v are `first_child[v] … first_child[v + 1] - 1`
    first_child: NDArray[np.int32]
    # int32[n_nodes + 1], tokens of v are `tokens[first_token[v] : …]`
    first_token: NDArray[np.int32]
    tokens: NDArray[np.int32]  # int32[n_tokens], token ids by node

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

    def find_depths(self, nodes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return int64[n], how many bytes lead from the root to each of some nodes."""
        first_of_level = [1, *(low for low, _ in self.levels())]
        return np.searchsorted(first_of_level, nodes, side="right").astype(np.int64)

    def widest_level(self) -> int:
        """Return the most nodes of one depth, at least 1."""
        below = (high - low for low, high in self.levels())
        return max(1, int(self.first_child[1]) - 1, *below)

    def fold(self, kind: NDArray[np.integer[Any]], dead: NDArray[np.bool_]) -> TokenTrie:
        """Return the trie of what tokens are to whom only kinds of bytes differ.

        Tokens whose bytes are of equal kinds, one by one, share a node, with one of their bytes.

        Args:
            kind: int[256], less than 256 each.
            dead: bool[256], bytes whose tokens are left out.
        """
        return _fold(self, kind.astype(np.uint8).tobytes(), dead.tobytes())

    def list_living(self, dead: NDArray[np.bool_]) -> list[tuple[Indices, Indices]]:
        """Return by level the nodes, without the root, of tokens that have no dead byte.

        Returns:
            Of each level int32[n] nodes, ascending, and int[n], where the node above each is in
            the level before.
        """
        found: list[tuple[Indices, Indices]] = []
        here: Indices = np.zeros(1, np.int32)
        while True:
            indices, nodes = spread(self.first_child[here], self.first_child[here + 1])
            alive = np.flatnonzero(~dead[self.byte[nodes]])
            if not len(alive):
                break
            here = nodes[alive]
            found.append((here, indices[alive]))
        if not dead.any():
            return found
        # Upwards: what neither has a token nor stands above one that does goes.
        kept = np.zeros(0, np.bool_)
        needed: Indices = np.zeros(0, np.intp)
        for level in range(len(found) - 1, -1, -1):
            some, above = found[level]
            kept = self.first_token[some + 1] > self.first_token[some]
            kept[needed] = True
            if level + 1 < len(found):
                rank = np.cumsum(kept) - 1
                found[level + 1] = found[level + 1][0], rank[needed]
            found[level], needed = (some[kept], above[kept]), above[kept]
        return [(some, above) for some, above in found if len(some)]

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


# Requests of one server often differ in their words, and not in the bytes that they tell apart.
@lru_cache(maxsize=2)
def _fold(trie: TokenTrie, kinds: bytes, deads: bytes) -> TokenTrie:
    kind, dead = np.frombuffer(kinds, np.uint8), np.frombuffer(deads, np.bool_)
    number = np.zeros(1, np.int64)  # of each node of the level above
    above, byte, n_nodes = [number], [trie.byte[:1]], 1
    owners, tokens = [number[:0]], [trie.tokens[:0]]
    for nodes, indices in trie.list_living(dead):
        key = number[indices] << 8 | kind[trie.byte[nodes]]
        ordered, order = sort_pairs(key, np.arange(len(key)), n_nodes << 8)
        is_new = np.ones(len(key), np.bool_)
        is_new[1:] = ordered[1:] != ordered[:-1]
        first = np.flatnonzero(is_new)
        number = np.empty(len(key), np.int64)
        number[order] = np.cumsum(is_new) + (n_nodes - 1)
        above.append(ordered[first] >> 8)
        byte.append(trie.byte[nodes[order[first]]])
        n_nodes += len(first)
        of_token, owned = spread(trie.first_token[nodes], trie.first_token[nodes + 1])
        owners.append(number[of_token])
        tokens.append(trie.tokens[owned])
    at = np.concatenate(owners)
    at, held = sort_pairs(at, np.concatenate(tokens), n_nodes)
    return TokenTrie(
        np.concatenate(byte),
        first_children(np.concatenate(above).astype(np.int32)),
        np.append(0, np.cumsum(np.bincount(at, minlength=n_nodes))).astype(np.int32),
        held,
    )


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
