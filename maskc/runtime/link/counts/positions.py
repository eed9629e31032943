"""The positions of a pattern with counted loops, as numbers: what a counter follows.

A *position* reads one character, byte by byte through *nodes*, and edges say what follows it. The
compiler finds them (:mod:`maskc.automata.counted`); an artifact holds them as lists, which whoever
reads them checks, since anybody may have made them.

Example: of ``[a-z]{1,1000};`` position 1 reads a letter and is in loop 0, whose bounds are 1 and
1,000; position 2 reads the semicolon and is in none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from maskc.byte_classes import DONE, ByteEdge
from maskc.runtime.link.counts.counts import Bounds
from maskc.runtime.link.counts.encoding import read_list, read_number
from maskc.runtime.schema.plan.entries import PlanError

# A position, and the node that reads the rest of its character, ``DONE`` after it.
Place = tuple[int, int]

START = 0  # the position before the first character
MOST_POSITIONS = 1 << 16
_MOST_LOOPS = 64  # inside each other
_MOST_PASSES = 1 << 40


class Edge(NamedTuple):
    """What follows a position.

    Attributes:
        targets: pattern.
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
        bodies: of each loop, the positions in it.
    """

    nodes: tuple[tuple[ByteEdge, ...], ...]
    roots: tuple[int, ...]
    loops: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[Edge, ...], ...]
    ends: frozenset[int]
    bounds: tuple[Bounds, ...]
    bodies: tuple[tuple[int, ...], ...]


def count_written(pattern: CountedPattern) -> int:
    """Return how many characters there are if each loop is written out as often as it counts."""
    passes = [least if most is None else most for least, most in pattern.bounds]
    return sum(math.prod(passes[loop] for loop in around) for around in pattern.loops[1:])


def write_counter(pattern: CountedPattern) -> list[Any]:
    """Return a pattern as the plan of a link has it."""
    return [
        [list(itertools.chain.from_iterable(edges)) for edges in pattern.nodes],
        list(pattern.roots),
        [list(around) for around in pattern.loops],
        [
            [[list(edge.targets), edge.n_open, edge.repeats] for edge in edges]
            for edges in pattern.edges
        ],
        sorted(pattern.ends),
        [list(bounds) for bounds in pattern.bounds],
    ]


def read_counter(entry: Any) -> CountedPattern:
    """Return a pattern from the plan of a link.

    Raises:
        PlanError: it is none.
    """
    nodes, roots, loops, edges, ends, bounds = read_list(entry, 6)
    found = [_read_bounds(pair) for pair in read_list(bounds)]
    n_positions = len(read_list(roots))
    if not 1 < n_positions <= MOST_POSITIONS or roots[0] != -1:
        raise PlanError("a counter of the link has no positions, or too many")
    read = tuple(_read_node(node, len(nodes)) for node in read_list(nodes))
    around = tuple(
        tuple(read_number(n, len(found)) for n in read_list(listed))
        for listed in read_list(loops, n_positions)
    )
    if around[START] or any(len(set(listed)) < len(listed) for listed in around):
        raise PlanError("a counter of the link has a loop inside itself")
    if max(map(len, around)) > _MOST_LOOPS:
        raise PlanError("a counter of the link has too many loops inside each other")
    bodies = [list[int]() for _ in found]
    for position, listed in enumerate(around):
        for loop in listed:
            bodies[loop].append(position)
    return CountedPattern(
        read,
        (-1, *(read_number(root, len(read)) for root in roots[1:])),
        around,
        tuple(
            tuple(_read_edge(edge, position, around) for edge in read_list(listed))
            for position, listed in enumerate(read_list(edges, n_positions))
        ),
        frozenset(read_number(n, n_positions) for n in read_list(ends)),
        tuple(found),
        tuple(map(tuple, bodies)),
    )


def _read_node(entry: Any, n_nodes: int) -> tuple[ByteEdge, ...]:
    listed = read_list(entry)
    if len(listed) % 3:
        raise PlanError("a node of a counter of the link is cut off")
    edges: list[ByteEdge] = []
    for first, last, after in zip(listed[::3], listed[1::3], listed[2::3], strict=True):
        low = read_number(first, 256, edges[-1][1] + 1 if edges else 0)
        edges.append((low, read_number(last, 256, low), read_number(after, n_nodes, DONE)))
    return tuple(edges)


def _read_edge(entry: Any, position: int, loops: Sequence[tuple[int, ...]]) -> Edge:
    targets, n_open, repeats = read_list(entry, 3)
    around = loops[position]
    if not isinstance(repeats, bool):
        raise PlanError("an edge of a counter of the link does not say whether it repeats")
    kept = read_number(n_open, len(around) + 1, int(repeats))
    read = tuple(read_number(target, len(loops), START + 1) for target in read_list(targets))
    if any(loops[target][:kept] != around[:kept] for target in read):
        raise PlanError("an edge of a counter of the link leaves a loop that it is in")
    return Edge(read, kept, repeats)


def _read_bounds(entry: Any) -> Bounds:
    low, high = read_list(entry, 2)
    least = read_number(low, _MOST_PASSES, 1)
    return least, None if high is None else read_number(high, _MOST_PASSES, least)
