"""Sets of pairs of lookaheads, kept as one diagonal and a few rectangles.

What completing an item does to the lookahead is a relation: with λ next before, μ can be next
after. Reading a terminal forgets which lookahead it was, so nearly all pairs fall into rectangles
F × M; what reads nothing leaves the lookahead as it is, which is the diagonal.

Example: over the lookaheads 0, 1, 2 the pairs (0, 0), (1, 2), (2, 2) are the diagonal ``{0, 2}``
and the rectangle ``{1} × {2}``.

Invariant: the first sides of a relation's rectangles are disjoint, and no two second sides are
equal. So relations with equal parts are equal, which is how a fixpoint is noticed; the same pairs
can still be written in two ways, with a pair of the diagonal in a rectangle as well.
"""

from __future__ import annotations

from typing import NamedTuple

Lookaheads = int  # a set of lookaheads, bit λ


class Relation(NamedTuple):
    """A set of pairs of lookaheads: ``{(λ, λ) : λ in same} ∪ ⋃ F × M``."""

    same: Lookaheads
    rectangles: tuple[tuple[Lookaheads, Lookaheads], ...]

    def preimage(self, targets: Lookaheads) -> Lookaheads:
        """Return the lookaheads related to some lookahead in ``targets``."""
        found = self.same & targets
        for first, last in self.rectangles:
            if last & targets:
                found |= first
        return found

    def image(self, sources: Lookaheads) -> Lookaheads:
        """Return the lookaheads that some lookahead in ``sources`` is related to."""
        found = self.same & sources
        for first, last in self.rectangles:
            if first & sources:
                found |= last
        return found

    def then(self, other: Relation) -> Relation:
        """Return the composition: first self, then other."""
        parts = []
        for first, last in self.rectangles:
            image = other.image(last)
            if image:
                parts.append((first, image))
        for first, last in other.rectangles:
            if first & self.same:
                parts.append((first & self.same, last))
        return Relation(self.same & other.same, join_rectangles(parts))

    def __or__(self, other: Relation) -> Relation:
        rectangles = join_rectangles([*self.rectangles, *other.rectangles])
        return Relation(self.same | other.same, rectangles)


NOTHING = Relation(0, ())


def join_rectangles(
    parts: list[tuple[Lookaheads, Lookaheads]],
) -> tuple[tuple[Lookaheads, Lookaheads], ...]:
    """Make the first sides disjoint, and join those with equal second sides."""
    if len(parts) <= 1:
        return tuple(parts)
    cells: list[tuple[int, int]] = []
    for first, last in parts:
        split = []
        rest = first
        for cell_first, cell_last in cells:
            shared = cell_first & rest
            if shared and (last | cell_last) != cell_last:
                split.append((shared, cell_last | last))
                if cell_first != shared:
                    split.append((cell_first & ~shared, cell_last))
            else:
                split.append((cell_first, cell_last))
            rest &= ~shared
        if rest:
            split.append((rest, last))
        cells = split
    by_last: dict[int, int] = {}
    for first, last in cells:
        by_last[last] = by_last.get(last, 0) | first
    return tuple(sorted((first, last) for last, first in by_last.items()))
