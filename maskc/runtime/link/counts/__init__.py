"""Sets of counts of the loops around a position, as boxes.

A *vector* has one count for each counted loop around a position, the outermost first. A *box* is a
set of vectors: an interval for each loop. What is known of a position is a union of boxes.

A count that has reached the loop's least is worth more the smaller it is: whatever can follow the
greater one can follow the smaller one too. So from the least on, an interval is its smallest count
alone, and a box that another one covers is left out.

Example: in ``.*[a-z]{1,1000}`` after ``abc`` the loop has passed 1, 2 or 3 times; only 1 is kept.

Source: counting sets, Turoňová et al. 2020 (doi:10.1145/3428286), there with one loop at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
