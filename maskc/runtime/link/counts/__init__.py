r"""The positions of a pattern with counted loops, and sets of counts of the loops around each.

A *position* reads one character, byte by byte through *nodes*, and edges say what follows it. The
compiler finds them (:mod:`maskc.regular.counted`), and an artifact holds them.

A *vector* has one count for each counted loop around a position, the outermost first. A *box* is a
set of vectors: an interval for each loop. What is known of a position is a union of boxes.

A count that has reached the loop's least is worth more the smaller it is: whatever can follow the
greater one can follow the smaller one too. So from the least on, an interval is its smallest count
alone, and a box that another one covers is left out.

A *control state* of a counter is a position with a node: where it is, without its counts.

Inside ``[\w ]{1,80}`` each byte leads from one control state to one other, and begins a pass of the
loop or does not. So how often a token passes does not depend on how often the text has. Such
control states are a *round*. A byte that leads on in two ways leaves it, as one that leads out of
the loop does. Only where the way in the loop is not at the end of its character yet, it stays in it
and leaves it: what is read then is what is read in either way, and they part before long.

Example: of ``[a-z]{1,1000};`` position 1 reads a letter and is in loop 0, whose bounds are 1 and
1,000; position 2 reads the semicolon and is in none. In ``.*[a-z]{1,1000}`` after ``abc`` the loop
has passed 1, 2 or 3 times; only 1 is kept.

Source: counting sets, Turoňová et al. 2020 (doi:10.1145/3428286), there with one loop at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from maskc.byte_classes import DONE, ByteEdge
from maskc.runtime.link.automata.loops import LEFT, MOST_STATES, Component, LoopExit

Interval = tuple[int, int]
Box = tuple[Interval, ...]
Boxes = tuple[Box, ...]
# The least and the greatest number of passes of a loop, at least 1; no greatest: None.
Bounds = tuple[int, int | None]

FREE: Boxes = ((),)  # of a position in no counted loop
_ONCE: Interval = (1, 1)


def enter(boxes: Boxes, n_loops: int) -> Boxes:
    """Return the boxes where so many more loops begin their first pass.

    >>> enter((((2, 5),),), 1)
    (((2, 5), (1, 1)),)
    """
    return tuple(box + (_ONCE,) * n_loops for box in boxes)


def repeat(boxes: Boxes, high: int | None) -> Boxes:
    """Return the boxes where the innermost loop begins one more pass.

    >>> repeat((((1, 3),),), 3)
    (((2, 3),),)
    """
    found = []
    for *outer, (low, most) in boxes:
        after = most + 1 if high is None else min(most + 1, high)
        if low < after:
            found.append((*outer, (low + 1, after)))
    return tuple(found)


def leave(boxes: Boxes, loops: Sequence[Bounds]) -> Boxes:
    """Return the boxes where the innermost loops are left, which have passed often enough.

    >>> leave((((2, 5), (1, 3)), ((7, 7), (1, 2))), [(3, None)])
    (((2, 5),),)
    """
    n_left = len(loops)
    if not n_left:
        return boxes
    return tuple(
        box[:-n_left]
        for box in boxes
        if all(box[n - n_left][1] >= loops[n][0] for n in range(n_left))
    )


def join(boxes: Iterable[Box], loops: Sequence[Bounds]) -> Boxes:
    """Return what is left of some boxes when each vector is left out that another one covers.

    >>> join([((1, 3),), ((2, 2),), ((5, 5),)], [(4, 9)])
    (((1, 3),), ((5, 5),))
    >>> join([((4, 4),), ((5, 9),)], [(4, 9)])
    (((4, 4),),)
    """
    found = sorted({tuple(map(_shorten, box, loops)) for box in boxes})
    if len(found) < 2:
        return tuple(found)
    for axis in reversed(range(len(loops))):
        found = _merge(found, axis)
    found = [tuple(map(_shorten, box, loops)) for box in found]
    if len(loops) == 1:
        # Ascending and apart: what follows one that has reached the least is covered by it.
        least = loops[0][0]
        n_below = sum(box[0][1] < least for box in found)
        return tuple(found[: n_below + 1])
    kept: list[Box] = []
    for box in found:
        if not any(_covers(other, box, loops) for other in kept):
            kept = [other for other in kept if not _covers(box, other, loops)]
            kept.append(box)
    return tuple(kept)


def _shorten(interval: Interval, bounds: Bounds) -> Interval:
    """Return an interval without the counts that a smaller one in it covers."""
    (low, high), (least, most) = interval, bounds
    if most is None:
        return min(low, least), min(high, least)
    return low, min(high, max(low, least))


def _merge(boxes: list[Box], axis: int) -> list[Box]:
    """Return boxes of which none that are alike but for one interval touch in it."""
    by_others: dict[Box, list[Interval]] = {}
    for box in boxes:
        by_others.setdefault(box[:axis] + box[axis + 1 :], []).append(box[axis])
    found = []
    for others, intervals in by_others.items():
        intervals.sort()
        low, high = intervals[0]
        for first, last in intervals[1:]:
            if first > high + 1:
                found.append((*others[:axis], (low, high), *others[axis:]))
                low = first
            high = max(high, last)
        found.append((*others[:axis], (low, high), *others[axis:]))
    return sorted(found)


def _covers(box: Box, other: Box, loops: Sequence[Bounds]) -> bool:
    """Return whether whatever can follow a vector of the other box can follow one of this."""
    return all(
        first <= low and (high <= last or last >= least)
        for (first, last), (low, high), (least, _) in zip(box, other, loops, strict=True)
    )


def cap(boxes: Boxes, loops: Sequence[Bounds], passes: Sequence[int]) -> Boxes:
    """Return boxes that so many more passes of each loop do not tell from these.

    >>> cap((((7, 9),),), [(1, 1000)], [20]), cap((((7, 9),),), [(500, 500)], [20])
    ((((1, 1),),), (((1, 1),),))
    """
    found: list[Box] = []
    for box in boxes:
        capped: list[Box] = [()]
        for interval, bounds, most in zip(box, loops, passes, strict=True):
            parts = _cap(interval, bounds, most)
            capped = [(*begun, part) for begun in capped for part in parts]
        found += capped
    return join(found, loops)


def _cap(interval: Interval, bounds: Bounds, passes: int) -> list[Interval]:
    """Return intervals that so many more passes do not tell from one."""
    low, high = interval
    least, most = bounds
    found = []
    # Too few passes, even with all of these.
    far = least - passes - 1
    if low <= far:
        found.append(_ONCE)
        low = far + 1
    # Enough, and as many more may come.
    if most is None or least + passes <= most:
        enough = most - passes if most is not None else high
        if high >= least and low <= enough:
            if low < least:
                found.append((low, least - 1))
            found.append((least, least))
            low = max(enough + 1, least)
    if low <= high:
        found.append((low, high))
    return found


# A position, and the node that reads the rest of its character, ``DONE`` after it.
ControlState = tuple[int, int]

START = 0  # the position before the first character
MOST_POSITIONS = 1 << 16


class Edge(NamedTuple):
    """What follows a position."""

    targets: tuple[int, ...]
    n_open: int  # how many of the loops around the position are not left
    repeats: bool  # whether the innermost of these begins one more pass


class CountedPattern(NamedTuple):
    """The positions of a pattern. Position ``START`` reads nothing."""

    # of each node that reads a byte, its edges, disjoint and ascending
    nodes: tuple[tuple[ByteEdge, ...], ...]
    roots: tuple[int, ...]  # of each position, the node that reads its character; -1 of the first
    # of each position, the counted loops around it, the outermost first
    loops: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[Edge, ...], ...]  # of each position, what follows it
    # positions after which the text may end, once the loops around them may be left
    ends: frozenset[int]
    bounds: tuple[Bounds, ...]  # of each loop

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


_MOST_EDGES = 16  # on from a position
_MOST_OUT = 500  # bytes that leave control states, each of which is looked up for each mask


class Round(NamedTuple):
    """Where a loop goes round: the component, its control states in order, and the exits."""

    component: Component
    states: tuple[ControlState, ...]
    out: tuple[LoopExit, ...]


def find_round(pattern: CountedPattern, start: ControlState) -> Round | None:
    """Return where the loop around a control state goes.

    ``None`` if there is no loop, or it has too many exits.
    """
    loops = pattern.loops[start[0]]
    if not loops:
        return None
    states, numbers = [start], {start: 1}
    table, passes, n_inside, ended, others, kept = np.zeros((6, MOST_STATES, 256), dtype=np.uint8)

    def number_of(found: ControlState) -> int:
        number = numbers.get(found, LEFT)
        if number == LEFT and len(states) < MOST_STATES:
            number = numbers[found] = len(states) + 1
            states.append(found)
        return number

    for row, (position, node) in enumerate(states):  # grows while we walk it
        if node != DONE:
            # Inside a character there is one edge.
            for first, last, after in pattern.nodes[node]:
                table[row, first : last + 1] = number = number_of((position, after))
                if number == LEFT:
                    others[row, first : last + 1] = kept[row, first : last + 1] = 1
            continue
        edges = _list_edges(pattern, position)
        if len(edges) > _MOST_EDGES:
            return None
        for target, is_kept, is_inner, repeats in edges:
            for first, last, after in pattern.nodes[pattern.roots[target]]:
                here = slice(first, last + 1)
                if not is_inner:
                    others[row, here] = 1
                    kept[row, here] |= is_kept
                    continue
                table[row, here] = number = number_of((target, after))
                passes[row, here], ended[row, here] = repeats, after == DONE
                n_inside[row, here] += n_inside[row, here] < 2  # which are too many
                if number == LEFT:
                    n_inside[row, here] = 2
    n = len(states)
    table, passes = table[:n].copy(), passes[:n].copy()  # not views, which keep all six arrays
    is_unverified = (n_inside[:n] > 1) | ((ended[:n] > 0) & (others[:n] > 0))
    table[is_unverified] = passes[is_unverified] = LEFT
    leaves = (others[:n] > 0) | is_unverified
    rows, bytes_ = np.nonzero(leaves)
    if len(rows) > _MOST_OUT:
        return None
    stays = ((kept[:n] > 0) | is_unverified)[rows, bytes_]
    out = zip(rows.tolist(), bytes_.tolist(), stays.tolist(), strict=True)
    whole = tuple(number for number, (_, node) in enumerate(states) if node == DONE)
    key = table.tobytes() + np.packbits(passes).tobytes() + np.packbits(leaves).tobytes()
    key += b"counted"
    component = Component(table, passes, leaves, whole, (0,) * n, key)
    return Round(component, tuple(states), tuple(out))


def _list_edges(pattern: CountedPattern, position: int) -> list[tuple[int, bool, bool, bool]]:
    """Return the edges from the end of a position's character.

    Each is the position that reads the next byte, whether the innermost loop is not left, whether
    no other one is entered either, and whether the loop begins one more pass.
    """
    loops, found = pattern.loops[position], []
    for edge in pattern.edges[position]:
        is_kept = edge.n_open == len(loops)
        for target in edge.targets:
            is_inner = is_kept and pattern.loops[target] == loops
            found.append((target, is_kept, is_inner, edge.repeats))
    return found
