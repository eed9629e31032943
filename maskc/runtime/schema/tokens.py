"""A vocabulary as a trie in levels of arrays, to be walked by an automaton or by a machine.

Tokens are sorted; a node is a run of them that share their first bytes. The nodes of a level are in
that order, so what is below a node is one slice of every level further down.

What comes behind a string's closing quote is its *rest*: of 128,000 tokens a few hundred have
different ones.

Example: of ``a``, ``ab`` and ``b`` the levels are ``a b`` and ``b``; the second hangs on the first.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Level:
    """The nodes at one depth.

    Attributes:
        byte: uint8[n], the last byte of each.
        parent: int64[n], the node of the level above.
        first: int64[n above + 1], where the children of each node above begin.
        low: int64[n], the first of a node's tokens in sorted order.
        high: int64[n], one past the last.
        n_ending: int64[n], how many tokens end in a node, from ``low`` on.
    """

    __slots__ = (
        *("byte", "bytes", "first", "high", "low", "n_ending", "parent"),
        *("ending_list", "first_list", "high_list", "low_list"),
    )

    def __init__(
        self, byte: NDArray[np.uint8], parent: Ints, first: Ints, low: Ints, high: Ints, ends: Ints
    ) -> None:
        self.byte, self.parent, self.first = byte, parent, first
        self.low, self.high, self.n_ending = low, high, ends
        self.bytes = byte.tobytes()
        # The same for a walk in Python, where an array's item costs ten times a list's.
        self.first_list: list[int] = first.tolist()
        self.low_list: list[int] = low.tolist()
        self.high_list: list[int] = high.tolist()
        self.ending_list: list[int] = ends.tolist()


class TokenIndex:
    """The trie of a vocabulary.

    Args:
        first: int32[n + 1], where each token's bytes begin.
        data: their bytes.

    Attributes:
        order: int64[n], token ids in sorted order, without those that have no bytes.
        levels: the nodes by depth; the first is that of one byte.
        quotes: per level, rows of ``(node, place in order, rest)`` for each quote of a token.
        rests: what comes behind quotes, each once.
    """

    def __init__(self, first: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        # Copies: what is mapped may be gone when somebody compares.
        self._first, self._data = first.copy(), data.copy()
        raw = data.tobytes()
        bounds = first.tolist()
        texts = [raw[low:high] for low, high in itertools.pairwise(bounds)]
        ids = sorted((i for i, text in enumerate(texts) if text), key=texts.__getitem__)
        self.order: Ints = np.array(ids, dtype=np.int64)
        self.ids = ids
        # What a string of any characters does to the vocabulary, see maskc.runtime.schema.masks.
        self.free: dict[tuple[bool, int, int], Any] = {}
        self.texts = [texts[i] for i in ids]
        self.n_tokens = len(texts)
        self.levels = self._build_levels()
        self.rests: list[bytes] = []
        self.quotes = self._find_quotes()

    def holds(self, first: NDArray[np.int32], data: NDArray[np.uint8]) -> bool:
        """Return whether this is the index of these tokens."""
        return np.array_equal(first, self._first) and np.array_equal(data, self._data)

    def _build_levels(self) -> list[Level]:
        n = len(self.texts)
        lengths = np.fromiter(map(len, self.texts), dtype=np.int64, count=n)
        longest = int(lengths.max(initial=0))
        alive = np.arange(n, dtype=np.int64)
        node_of = np.zeros(n, dtype=np.int64)  # of the level above, by place in order
        n_above = 1
        flat = np.frombuffer(b"".join(self.texts), dtype=np.uint8)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if n else lengths
        levels = []
        for depth in range(longest):
            alive = alive[lengths[alive] > depth]
            byte = flat[starts[alive] + depth]
            above = node_of[alive]
            new = np.ones(len(alive), dtype=np.bool_)
            new[1:] = (above[1:] != above[:-1]) | (byte[1:] != byte[:-1])
            node = np.cumsum(new) - 1
            node_of[alive] = node
            places = np.flatnonzero(new)
            low = alive[places]
            lasts = np.append(places[1:], len(alive)) - 1
            parent = above[places]
            first = np.searchsorted(parent, np.arange(n_above + 1))
            ends = np.bincount(node[lengths[alive] == depth + 1], minlength=len(places))
            levels.append(Level(byte[places], parent, first, low, alive[lasts] + 1, ends))
            n_above = len(places)
        return levels

    def _find_quotes(self) -> list[tuple[Ints, Ints, Ints]]:
        """Return for each level its quotes: node, token's place, number of the rest."""
        number: dict[bytes, int] = {}
        rows: list[list[tuple[int, int, int]]] = [[] for _ in self.levels]
        for depth, level in enumerate(self.levels):
            for node in np.flatnonzero(level.byte == 0x22).tolist():
                for place in range(int(level.low[node]), int(level.high[node])):
                    rest = self.texts[place][depth + 1 :]
                    rows[depth].append((node, place, number.setdefault(rest, len(number))))
        self.rests = list(number)
        found = []
        for row in rows:
            table = np.array(row, dtype=np.int64).reshape(-1, 3)
            found.append((table[:, 0], table[:, 1], table[:, 2]))
        return found

    def rows_of(self, depth: int, node: int) -> list[tuple[int, int]]:
        """Return the tokens below a quote, by place in order, with the numbers of their rests."""
        quotes, places, rests = self.quotes[depth]
        first, last = np.searchsorted(quotes, [node, node + 1])
        return list(zip(places[first:last].tolist(), rests[first:last].tolist(), strict=True))


_KNOWN: list[TokenIndex] = []  # in the order in which they were made
_MOST_KNOWN = 4


def index_of(first: NDArray[np.int32], data: NDArray[np.uint8]) -> TokenIndex:
    """Return the index of an artifact's tokens; artifacts of the same tokens share it.

    The tokens themselves are compared: an artifact's header may claim any fingerprint.
    """
    found = next((known for known in tuple(_KNOWN) if known.holds(first, data)), None)
    if found is None:
        found = TokenIndex(first, data)
        _KNOWN.append(found)
        del _KNOWN[:-_MOST_KNOWN]
    return found
