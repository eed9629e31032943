"""The positions of a pattern with counted loops, as numbers: what a counter follows.

A *position* reads one character, byte by byte through *nodes*, and edges say what follows it. The
compiler finds them (:mod:`maskc.automata.counted`), and an artifact holds them.

Example: of ``[a-z]{1,1000};`` position 1 reads a letter and is in loop 0, whose bounds are 1 and
1,000; position 2 reads the semicolon and is in none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from maskc.byte_classes import ByteEdge
from maskc.runtime.link.counts.counts import Bounds

# A position, and the node that reads the rest of its character, ``DONE`` after it.
Place = tuple[int, int]

START = 0  # the position before the first character
MOST_POSITIONS = 1 << 16


class Edge(NamedTuple):
    """What follows a position.

    Attributes:
        n_open: how many of the loops around the position are not left.
        repeats: whether the innermost of these begins one more pass.
    """

    targets: tuple[int, ...]
    n_open: int
    repeats: bool


class CountedPattern(NamedTuple):
    """The positions of a pattern. Position ``START`` reads nothing.

    Attributes:
        nodes: of each node that reads a byte, its edges, disjoint and ascending.
        roots: of each position, the node that reads its character; -1 of the first.
        loops: of each position, the counted loops around it, the outermost first.
        edges: of each position, what follows it.
        ends: positions after which the text may end, once the loops around them may be left.
        bounds: of each loop.
    """

    nodes: tuple[tuple[ByteEdge, ...], ...]
    roots: tuple[int, ...]
    loops: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[Edge, ...], ...]
    ends: frozenset[int]
    bounds: tuple[Bounds, ...]

    @property
    def bodies(self) -> list[list[int]]:
        """Of each loop, the positions in it."""
        found: list[list[int]] = [[] for _ in self.bounds]
        for position, around in enumerate(self.loops):
            for loop in around:
                found[loop].append(position)
        return found


def count_written(pattern: CountedPattern) -> int:
    """Return how many characters there are if each loop is written out as often as it counts."""
    passes = [least if most is None else most for least, most in pattern.bounds]
    return sum(math.prod(passes[loop] for loop in around) for around in pattern.loops[1:])
