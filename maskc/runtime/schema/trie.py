"""A set of texts as a trie in arrays, to be walked byte by byte or level by level.

Texts are sorted; a node is a run of them that share their first bytes. Nodes are numbered level by
level, the root is 0, and the children of a node are consecutive, so that ``bytes.find`` finds the
child of a byte, and what is below a node is one run of texts.

Example: of ``a``, ``ab`` and ``b`` the nodes are the root, ``a``, ``b`` and ``ab``.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Nodes = tuple[int, ...]
ROOT = 0


class TrieNodes(NamedTuple):
    """The nodes of a trie, level by level, as arrays of one length but for the last.

    Attributes:
        byte: uint8, of each node its last byte; 0 of the root.
        parent: int32, the node above; 0 of the root.
        low: int32, the first of its texts.
        high: int32, one past the last.
        ending: int32, how many of them end in it.
        levels: int32, where each level's nodes begin, and one past the last.
    """

    byte: NDArray[np.uint8]
    parent: Ints
    low: Ints
    high: Ints
    ending: Ints
    levels: Ints


class Trie:
    """The trie of some sorted texts. Never changes.

    Args:
        texts: in ascending order.
        nodes: its nodes, if they are known.

    Attributes:
        texts: as given.
        bytes: of each node its last byte; 0 of the root.
        first: n + 1 numbers: a node's children are those from its own to the next one's.
        low: of each node the first of its texts; those that end in it come first.
        high: one past the last.
        n_ending: how many texts end in it.
        levels: where each level's nodes begin, and one past the last.
        byte_array: uint8[n], the same as ``bytes``.
        parent_array: int32[n], the node above; 0 of the root.
        first_array: int32[n + 1], as ``first``.
        low_array: int32[n], as ``low``.
        ending_array: int32[n], as ``n_ending``.
        nodes: all of these arrays.
    """

    def __init__(self, texts: Sequence[bytes], nodes: TrieNodes | None = None) -> None:
        self.nodes = nodes = nodes or build_nodes(texts)
        n_nodes = len(nodes.byte)
        self.levels: list[int] = nodes.levels.tolist()
        self.byte_array, self.parent_array = nodes.byte, nodes.parent
        # Children come one node's after the other's; the root is no child of its own.
        n_children = np.bincount(self.parent_array[1:], minlength=n_nodes)
        self.first_array = np.concatenate([[1], 1 + np.cumsum(n_children)]).astype(np.int32)
        self.low_array, self.ending_array = nodes.low, nodes.ending
        self.bytes = self.byte_array.tobytes()
        self.first = array("i", self.first_array.tobytes())
        self.low = array("i", self.low_array.tobytes())
        self.high = array("i", nodes.high.tobytes())
        self.n_ending = array("i", self.ending_array.tobytes())
        self.texts = texts

    def child(self, node: int, byte: int) -> int:
        """Return the child of a node by its byte, -1 if there is none."""
        return self.bytes.find(byte, self.first[node], self.first[node + 1])

    def children(self, node: int, few: Iterable[int] | None) -> list[tuple[int, int]]:
        """Return the nodes one byte further, with their bytes: all, or those of a few bytes."""
        first, last = self.first[node], self.first[node + 1]
        if few is None:
            return list(enumerate(self.bytes[first:last], first))
        return [(child, byte) for byte in few if (child := self.bytes.find(byte, first, last)) >= 0]

    def has_children(self, node: int) -> bool:
        """Return whether any text goes on after a node."""
        return self.first[node] < self.first[node + 1]

    def path(self, node: int) -> bytes:
        """Return the bytes that lead from the root to a node."""
        return self.texts[self.low[node]][: bisect_right(self.levels, node) - 1]


def build_nodes(texts: Sequence[bytes]) -> TrieNodes:
    """Return the nodes of the trie of some texts, which are in ascending order."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns, levels = build_levels(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths)
    byte, *others = columns
    parent, low, high, ending = (column.astype(np.int32) for column in others)
    starts = np.array(levels, dtype=np.int32)
    return TrieNodes(byte.astype(np.uint8), parent, low, high, ending, starts)


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
        places = np.flatnonzero(new)
        lasts = np.append(places[1:], len(alive)) - 1
        ends = np.bincount(node[lengths[alive] == depth + 1], minlength=len(places))
        own = character[places].astype(np.int64)
        parts.append((own, above[places], alive[places], alive[lasts] + 1, ends))
        node_of[alive] = node + n_nodes
        n_nodes += len(places)
        levels.append(n_nodes)
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(5)), levels
