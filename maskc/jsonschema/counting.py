"""Which items of an array have to be counted, and where do its length and its items say enough?

That so many items of a stretch fit something needs no counter where all of them do, or none can;
where the stretch is one item; where none may fit; and where another counter says more.

Example: where all items are strings, *some item is no number* is that there is an item at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula


class Counted(NamedTuple):
    """So many items from ``start`` to ``stop`` fit: from ``least`` to ``most``; ``None``: any."""

    start: int
    stop: int | None
    fits: Formula
    least: int
    most: int | None


class Stretch(NamedTuple):
    """All items from ``start`` to ``stop`` fit; ``None``: to the last."""

    start: int
    stop: int | None
    fits: Formula


class Items:
    """What is asked of an array's items and of their number.

    Args:
        space: where formulas live.
        stretches: what items fit.
        low: the least number of items.
        high: the greatest; ``None``: any.
        count: is called for each comparison of counters, and raises where there are too many.

    Attributes:
        stretches, low, high: with what counters have come to.
    """

    def __init__(
        self,
        space: Space,
        stretches: Sequence[Stretch],
        low: int,
        high: int | None,
        count: Callable[[], None],
    ) -> None:
        self._space, self._count = space, count
        self.stretches, self.low, self.high = list(stretches), low, high

    def reduce(self, counters: Sequence[Counted]) -> list[Counted] | None:
        """Return the counters that are left, ``None`` if one of them never holds."""
        left = list[Counted]()
        for counter in counters:
            known = self._known(counter)
            asked = self._space.both([known, counter.fits])
            if self._space.is_refuted(asked) or counter.most == 0:
                if counter.least:
                    return None
                if not self._space.is_refuted(asked):
                    fits = self._space.negate(counter.fits)
                    self.stretches.append(Stretch(counter.start, counter.stop, fits))
            elif counter.stop == counter.start + 1 and counter.least == 1:
                self.stretches.append(Stretch(counter.start, counter.stop, counter.fits))
                self.low = max(self.low, counter.stop)
            elif self._space.implies(known, counter.fits, by_strings=True):
                if not self._bound(counter):
                    return None
            else:
                left.append(counter)
        return [c for n, c in enumerate(left) if not self._is_needless(c, left[n + 1 :], left[:n])]

    def _known(self, counter: Counted) -> Formula:
        """Return what all items that are counted fit in any case."""
        return self._space.both(
            fits
            for start, stop, fits in self.stretches
            if start <= counter.start
            and (stop is None or counter.stop is not None and counter.stop <= stop)
        )

    def _bound(self, counter: Counted) -> bool:
        """Take a counter that all items of its stretch add to as bounds on how many there are."""
        start, stop, _, least, most = counter
        n_items = None if stop is None else stop - start
        if n_items is not None and least > n_items:
            return False
        if least:
            self.low = max(self.low, start + least)
        if most is not None and (n_items is None or most < n_items):
            self.high = start + most if self.high is None else min(self.high, start + most)
        return True

    def _is_needless(
        self, counter: Counted, later: Sequence[Counted], earlier: Sequence[Counted]
    ) -> bool:
        """Return whether another counter holds only where this one does."""
        return counter.most is None and any(
            other[:2] == counter[:2]
            and other.least >= counter.least
            and self._says(other, counter)
            and (other in later or not self._says(counter, other) or other.least > counter.least)
            for other in (*later, *earlier)
        )

    def _says(self, counter: Counted, other: Counted) -> bool:
        """Return whether an item that adds to a counter adds to another one."""
        self._count()
        known = self._space.both([self._known(counter), counter.fits])
        return self._space.implies(known, other.fits, by_strings=True)
