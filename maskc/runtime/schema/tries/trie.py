"""A set of texts as a trie in arrays, to be walked byte by byte or level by level.

Texts are sorted; a node is a run of them that share their first bytes. Nodes are numbered level by
level, the root is 0, and the children of a node are consecutive, so that ``bytes.find`` finds the
child of a byte, and what is below a node is one run of texts.

Example: of ``a``, ``ab`` and ``b`` the nodes are the root, ``a``, ``b`` and ``ab``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels, first_children, spread

Ints = NDArray[np.int32]
Nodes = tuple[int, ...]
ROOT: Final = 0


class TrieNodes(NamedTuple):
    """The nodes of a trie, level by level, as arrays of one length but for the last two."""

    byte: NDArray[np.uint8]  # uint8, of each node its last byte; 0 of the root
    # low, high: int32, the first of its texts, and one past the last
    low: Ints
    high: Ints
    ending: NDArray[Any]  # how many of them end in it, as narrow as narrow has them
    first: Ints  # int32, one longer: a node's children are those from its own to the next one's
    levels: Ints  # int32, where each level's nodes begin, and one past the last


class Trie:
    """The trie of some sorted texts, whose nodes may be known. Never changes.

    Attributes:
        bytes, first, low, high, n_ending, levels: as :class:`TrieNodes` has them, as Python's
            numbers; a node's own texts come first among those from ``low`` to ``high``.
        byte_array, first_array, low_array, ending_array: the arrays, which are used where they
            lie: in a file that is mapped, say.
    """

    def __init__(self, texts: Sequence[bytes], nodes: TrieNodes | None = None) -> None:
        self.nodes = nodes = nodes or build_nodes(texts)
        self.levels: list[int] = nodes.levels.tolist()
        self.byte_array, self.first_array = nodes.byte, nodes.first
        self.low_array, self.ending_array = nodes.low, nodes.ending
        self.bytes = self.byte_array.tobytes()
        # A memory view gives Python's integers, and copies nothing.
        self.first, self.low = nodes.first.data, nodes.low.data
        self.high, self.n_ending = nodes.high.data, nodes.ending.data
        self.texts = texts
        self._parents: Ints | None = None

    @property
    def parent_array(self) -> Ints:
        """int32[n], the node above; 0 of the root. It is made when it is first asked for."""
        if self._parents is None:
            self._parents = parents_of(self.first_array)
        return self._parents

    def child(self, node: int, byte: int) -> int:
        return self.bytes.find(byte, self.first[node], self.first[node + 1])

    def children(self, node: int, few: Iterable[int] | None) -> list[tuple[int, int]]:
        """Return the nodes one byte further, with their bytes: all, or those of a few bytes."""
        first, last = self.first[node], self.first[node + 1]
        if few is None:
            return list(enumerate(self.bytes[first:last], first))
        return [(child, byte) for byte in few if (child := self.bytes.find(byte, first, last)) >= 0]

    def has_children(self, node: int) -> bool:
        return self.first[node] < self.first[node + 1]

    def lead_on(self, nodes: Nodes) -> bool:
        first = self.first
        for node in nodes:  # noqa: SIM110 - a generator would take longer than the rest
            if first[node] < first[node + 1]:
                return True
        return False

    def children_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return of each child of some nodes its parent's index and itself: int32[m] each."""
        return spread(self.first_array[nodes], self.first_array[nodes + 1])

    def path(self, node: int) -> bytes:
        return self.texts[self.low[node]][: bisect_right(self.levels, node) - 1]


def parents_of(first: Ints) -> Ints:
    """Return int32[n], the node above each; 0 of the root."""
    n_children = np.diff(first)
    above = np.repeat(np.arange(len(n_children), dtype=np.int32), n_children)
    return np.concatenate([np.zeros(1, dtype=np.int32), above])


def build_nodes(texts: Sequence[bytes]) -> TrieNodes:
    """Return the nodes of the trie of some texts, which are in ascending order."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns, levels = build_levels(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths)
    byte, *others = columns
    parent, low, high, ending = (column.astype(np.int32) for column in others)
    starts = np.array(levels, dtype=np.int32)
    first = first_children(parent)
    return TrieNodes(byte.astype(np.uint8), low, high, narrow(ending), first, starts)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return numbers from 0 on as uint8, uint16 or int32: the first that holds all of them.

    >>> narrow(np.array([1, 255])).dtype, narrow(np.array([256])).dtype
    (dtype('uint8'), dtype('uint16'))
    """
    most = int(counts.max(initial=0))
    return counts.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32)
