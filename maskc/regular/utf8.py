"""Code-point sets as byte automata: a trie over UTF-8 with equal subtrees shared.

A node reads one byte and says which node reads the next one; ``DONE`` ends the character.
Each set gives a deterministic trie, so a character that is cut in the middle of its bytes is
one node, whatever characters it may still become.

Example: ``é`` is C3 A9: root -C3-> node -A9-> DONE. The node after the lead byte of "any
two-byte character" is the same one that follows every other lead byte.

Source: Ken Thompson's construction as in regex-automata's UTF-8 sequences; here by digits to
base 64, which needs no sorting of byte sequences.
"""

from __future__ import annotations

from functools import lru_cache

from maskc.byte_classes import DONE
from maskc.regular.charset import CodePoints

_LENGTHS = (  # first and last code point, lead byte of the first block, continuation bytes
    (0x0, 0x7F, 0x00, 0),
    (0x80, 0x7FF, 0xC0, 1),
    (0x800, 0xFFFF, 0xE0, 2),
    (0x10000, 0x10FFFF, 0xF0, 3),
)


class Utf8Nodes:
    """Shared nodes of all sets of one scanner."""

    def __init__(self, *, use_bytes: bool = False) -> None:
        # whether the text is no UTF-8: code point n is byte n, and no other is read
        self.use_bytes = use_bytes
        # per node, `(first byte, last byte, next node)`, disjoint and sorted
        self.edges: list[tuple[tuple[int, int, int], ...]] = []
        self._known: dict[tuple[tuple[int, int, int], ...], int] = {}
        self._roots: dict[CodePoints, int] = {}

    def root(self, code_points: CodePoints) -> int:
        """Return the node that reads one character of the set."""
        found = self._roots.get(code_points)
        if found is None and self.use_bytes:
            bytes_ = [(low, min(high, 0xFF), DONE) for low, high in code_points if low <= 0xFF]
            found = self._roots[code_points] = self._intern(bytes_)
        elif found is None:
            nodes = [DONE]  # ``DONE`` is -1, so node n of the set alone is n + 1 here
            for edges in _nodes_of(code_points):
                known = [(low, high, nodes[below + 1]) for low, high, below in edges]
                nodes.append(self._intern(known))
            found = self._roots[code_points] = nodes[-1]
        return found

    def add(self, code_points: CodePoints) -> None:
        """Add the nodes of a set to none; its root is the last one."""
        edges: list[tuple[int, int, int]] = []
        for first, last, lead, n_more in _LENGTHS:
            inside = [
                (max(low, first), min(high, last))
                for low, high in code_points
                if low <= last and high >= first
            ]
            if n_more and inside:
                edges += self._digits(inside, n_more, lead)
            else:
                # A character of one byte is no digits.
                edges += ((low, high, DONE) for low, high in _join(inside))
        self._intern(edges)

    def _digits(
        self, ranges: list[tuple[int, int]], n_more: int, base: int
    ) -> list[tuple[int, int, int]]:
        """Return edges on the leading digit; ``base + digit`` is the byte.

        ``parts`` are runs of digits in order, each with what is read below it: of more digits than
        one, all there is.
        """
        block = 64**n_more
        parts: list[tuple[int, int, list[tuple[int, int]]]] = []
        for low, high in ranges:
            while low <= high:
                digit, start = divmod(low, block)
                last = digit
                if start == 0 and high - low >= block:
                    last = (high + 1) // block - 1
                stop = min(high, (last + 1) * block - 1)
                inside = (start, min(stop - digit * block, block - 1))
                if parts and parts[-1][1] == digit:
                    parts[-1][2].append(inside)
                else:
                    parts.append((digit, last, [inside]))
                low = stop + 1
        edges: list[tuple[int, int, int]] = []
        for first, last, below in parts:
            if below == [(0, block - 1)]:
                node = self._whole(n_more)
            else:
                node = self._intern(self._digits(below, n_more - 1, 0x80))
            if edges and edges[-1][1] == base + first - 1 and edges[-1][2] == node:
                edges[-1] = (edges[-1][0], base + last, node)
            else:
                edges.append((base + first, base + last, node))
        return edges

    def _whole(self, n_more: int) -> int:
        """Return the node after a lead byte when all that can follow is in the set."""
        return self._intern([(0x80, 0xBF, self._whole(n_more - 1))]) if n_more else DONE

    def _intern(self, edges: list[tuple[int, int, int]]) -> int:
        key = tuple(edges)
        if key not in self._known:
            self._known[key] = len(self.edges)
            self.edges.append(key)
        return self._known[key]


@lru_cache(maxsize=1_000)
def _nodes_of(code_points: CodePoints) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return the edges of the nodes of a set alone, its root last; many patterns have the set."""
    nodes = Utf8Nodes()
    nodes.add(code_points)
    return tuple(nodes.edges)


def _join(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in ranges:
        if joined and joined[-1][1] == low - 1:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined
