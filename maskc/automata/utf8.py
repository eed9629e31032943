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

import numpy as np
from numpy.typing import NDArray

from maskc.automata.charset import CodePoints

DONE = -1
_LENGTHS = (  # first and last code point, lead byte of the first block, continuation bytes
    (0x0, 0x7F, 0x00, 0),
    (0x80, 0x7FF, 0xC0, 1),
    (0x800, 0xFFFF, 0xE0, 2),
    (0x10000, 0x10FFFF, 0xF0, 3),
)


class Utf8Nodes:
    """Shared nodes of all sets of one scanner.

    Attributes:
        edges: per node, ``(first byte, last byte, next node)``, disjoint and sorted.
    """

    def __init__(self) -> None:
        self.edges: list[tuple[tuple[int, int, int], ...]] = []
        self._known: dict[tuple[tuple[int, int, int], ...], int] = {}
        self._roots: dict[CodePoints, int] = {}

    def root(self, code_points: CodePoints) -> int:
        """Return the node that reads one character of the set."""
        found = self._roots.get(code_points)
        if found is None:
            edges: list[tuple[int, int, int]] = []
            for first, last, lead, n_more in _LENGTHS:
                inside = [
                    (max(low, first), min(high, last))
                    for low, high in code_points
                    if low <= last and high >= first
                ]
                edges += self._digits(inside, n_more, lead)
            found = self._roots[code_points] = self._intern(edges)
        return found

    def _digits(
        self, ranges: list[tuple[int, int]], n_more: int, base: int
    ) -> list[tuple[int, int, int]]:
        """Return edges on the leading digit; ``base + digit`` is the byte."""
        block = 64**n_more
        below: dict[int, list[tuple[int, int]]] = {}
        for low, high in ranges:
            for digit in range(low // block, high // block + 1):
                start = digit * block
                below.setdefault(digit, []).append(
                    (max(low, start) - start, min(high, start + block - 1) - start)
                )
        edges: list[tuple[int, int, int]] = []
        for digit in sorted(below):
            node = DONE
            if below[digit] == [(0, block - 1)]:
                node = self._whole(n_more)
            elif n_more:
                node = self._intern(self._digits(below[digit], n_more - 1, 0x80))
            byte = base + digit
            if edges and edges[-1][1] == byte - 1 and edges[-1][2] == node:
                edges[-1] = (edges[-1][0], byte, node)
            else:
                edges.append((byte, byte, node))
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


def byte_classes(utf8: Utf8Nodes) -> NDArray[np.uint8]:
    """Return uint8[256]: bytes that no node tells apart share a class."""
    targets = np.full((len(utf8.edges), 256), DONE - 1, dtype=np.int32)
    for node, edges in enumerate(utf8.edges):
        for first, last, target in edges:
            targets[node, first : last + 1] = target
    number: dict[bytes, int] = {}
    columns = np.ascontiguousarray(targets.T)
    classes = [number.setdefault(column.tobytes(), len(number)) for column in columns]
    return np.array(classes, dtype=np.uint8)
