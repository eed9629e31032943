"""Which items may an array still have, and can it be finished?

A rule cuts the indices into pieces; an item of a piece has options: which of the rule's counters it
adds to, and its position. A counter says how many items of a stretch fit something (``contains``).

Example: with ``minItems`` 2 and one item read, the array may not end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Option = tuple[int, int]  # counters that are added to, as bits; position
MOST_STATES = 100_000


@dataclass(frozen=True, slots=True)
class Counter:
    """How many items from ``start`` to ``stop`` must fit: from ``low`` to ``high``."""

    start: int
    stop: int | None
    low: int
    high: int | None

    def cap(self, n: int) -> int:
        """Return a number that stands for all that do not differ from it."""
        if self.high is None:
            return min(n, self.low)
        return min(n, self.high + 1)

    def holds(self, n: int) -> bool:
        """Return whether a number is enough and not too much."""
        return n >= self.low and (self.high is None or n <= self.high)


class ArrayRule:
    """What is asked of an array.

    Args:
        pieces: where each begins, ascending from 0, and its options.
        low: the least number of items.
        high: the greatest; ``None``: any.
        counters: of items.
    """

    def __init__(
        self,
        pieces: Sequence[tuple[int, Sequence[Option]]],
        low: int,
        high: int | None,
        counters: list[Counter],
    ) -> None:
        self.pieces, self.low, self.high, self.counters = pieces, low, high, counters
        self._starts = [start for start, _ in pieces]
        self._cap = max(low, self._starts[-1]) if high is None else max(low, high + 1)
        self._live: set[tuple[int, tuple[int, ...]]] | None = None

    @property
    def n_states(self) -> int:
        """How many states there are to look at if it has counters."""
        n = self._cap + 2
        for counter in self.counters:
            n *= (counter.low if counter.high is None else counter.high + 1) + 2
        return n

    @property
    def start(self) -> tuple[int, tuple[int, ...]]:
        """The state after the opening bracket."""
        return 0, (0,) * len(self.counters)

    def options(self, index: int) -> Sequence[Option]:
        """Return the options of an item."""
        return self.pieces[bisect_right(self._starts, index) - 1][1]

    def pieces_from(self, index: int) -> Iterable[tuple[int, int | None]]:
        """Yield the piece of an item and where it ends, ``None`` for the last; and those after."""
        first = bisect_right(self._starts, index) - 1
        yield from enumerate([*self._starts[first + 1 :], None], first)

    def cap(self, index: int) -> int:
        """Return an index that stands for all that do not differ from it."""
        return min(index, self._cap)

    def can_close(self, index: int, counts: tuple[int, ...]) -> bool:
        """Return whether the array may end."""
        return (
            index >= self.low
            and (self.high is None or index <= self.high)
            and all(c.holds(n) for c, n in zip(self.counters, counts, strict=True))
        )

    def is_feasible(self, index: int, counts: tuple[int, ...]) -> bool:
        """Return whether the array can still be finished."""
        if self.high is not None and index > self.high:
            return False
        if self.counters:
            if self._live is None:
                self._live = self._find_live()
            return (self.cap(index), counts) in self._live
        return index >= self.low or self._reaches(index, self.low)

    def _reaches(self, index: int, length: int) -> bool:
        """Return whether there can be so many items."""
        if self.high is not None and length > self.high:
            return False
        first = bisect_right(self._starts, index) - 1
        for start, options in self.pieces[first:]:
            if start >= length:
                return True
            if not options:
                return False
        return True

    def _find_live(self) -> set[tuple[int, tuple[int, ...]]]:
        """Return the states from which the array can be finished, by going backwards."""
        before: dict[tuple[int, tuple[int, ...]], list[tuple[int, tuple[int, ...]]]] = {}
        open_ = [self.start]
        reached = {self.start}
        ends = []
        while open_:
            here = open_.pop()
            index, counts = here
            if self.can_close(index, counts):
                ends.append(here)
            for _, after, _ in self._moves(index, counts):
                before.setdefault(after, []).append(here)
                if after not in reached:
                    reached.add(after)
                    open_.append(after)
        live: set[tuple[int, tuple[int, ...]]] = set()
        while ends:
            here = ends.pop()
            if here not in live:
                live.add(here)
                ends += before.get(here, [])
        return live

    def _moves(
        self, index: int, counts: tuple[int, ...]
    ) -> Iterable[tuple[int, tuple[int, tuple[int, ...]], int]]:
        if self.high is not None and index >= self.high:
            return
        for bits, child in self.options(index):
            after = tuple(
                counter.cap(n + 1) if bits >> k & 1 else n
                for k, (counter, n) in enumerate(zip(self.counters, counts, strict=True))
            )
            if all(
                c.high is None or n <= c.high for c, n in zip(self.counters, after, strict=True)
            ):
                yield bits, (self.cap(index + 1), after), child

    def enter(
        self, index: int, counts: tuple[int, ...]
    ) -> Iterable[tuple[tuple[int, tuple[int, ...]], int]]:
        """Yield the state after the next item, with its position, way by way."""
        done: set[tuple[int, tuple[int, ...], int]] = set()
        for _, (after, after_counts), child in self._moves(index, counts):
            key = (after, after_counts, child)
            if key not in done and self.is_feasible(after, after_counts):
                done.add(key)
                yield (after, after_counts), child
