"""Which items an array may still have, and whether it can be finished.

A rule cuts the indices into pieces; an item of a piece has options: which of the rule's counters it
adds to, and its position. A counter says how many items of a stretch fit something (``contains``).

Example: with ``minItems`` 2 and one item read, the array may not end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

Option = tuple[int, int]  # counters that are added to, as bits; position
Counts = tuple[int, ...]  # of the counters
MOST_STATES: Final = 100_000
_State = tuple[int, Counts]  # index of the next item
_Group = tuple[int, Collection[Hashable]]  # how many items, and what each may be
MOST_STEPS: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Counter:
    """How many items from ``start`` to ``stop`` must fit: from ``low`` to ``high``."""

    start: int
    stop: int | None
    low: int
    high: int | None

    @property
    def most(self) -> int:
        """How far it counts."""
        return self.low if self.high is None else self.high + 1

    def cap(self, n: int) -> int:
        return min(n, self.most)

    def holds(self, n: int) -> bool:
        return n >= self.low and (self.high is None or n <= self.high)


class ArrayRule:
    """What is asked of an array: pieces by where they begin, from 0, with the options of each.

    It has from ``low`` to ``high`` items; ``None``: any number.
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
        self._live: set[_State] | None = None

    @property
    def positions(self) -> list[int]:
        """The positions that items may have, ascending."""
        return sorted({child for _, options in self.pieces for _, child in options})

    @property
    def n_states(self) -> int:
        """How many states there are to look at if it has counters."""
        n = self._cap + 2
        for counter in self.counters:
            n *= counter.most + 2
        return n

    @property
    def start(self) -> _State:
        return 0, (0,) * len(self.counters)

    def n_missing(self, index: int, counts: Counts) -> int:
        """Return a bound on how many items a shortest way to the end has."""
        if not self.counters:
            return max(0, self.low - index)
        n = max(0, self.low - index, self._starts[-1] - index)
        for counter, found in zip(self.counters, counts, strict=True):
            n += max(0, counter.low - found)
        return n

    def pieces_from(self, index: int) -> Iterable[tuple[int, int | None]]:
        """Yield the piece of an item and where it ends, ``None`` for the last; and those after."""
        first = bisect_right(self._starts, index) - 1
        yield from enumerate([*self._starts[first + 1 :], None], first)

    def cap(self, index: int) -> int:
        """Return an index that stands for all that do not differ from it."""
        return min(index, self._cap)

    def can_close(self, index: int, counts: Counts) -> bool:
        return (
            index >= self.low
            and (self.high is None or index <= self.high)
            and all(c.holds(n) for c, n in zip(self.counters, counts, strict=True))
        )

    def is_feasible(self, index: int, counts: Counts) -> bool:
        """Return whether the array can still be finished."""
        if self.high is not None and index > self.high:
            return False
        if self.counters:
            if self._live is None:
                self._live = self._find_live()
            return (self.cap(index), counts) in self._live
        if index >= self.low:
            return True
        if self.high is not None and self.low > self.high:
            return False
        for start, options in self.pieces[bisect_right(self._starts, index) - 1 :]:
            if start >= self.low:
                return True
            if not options:
                return False
        return True

    def _find_live(self) -> set[_State]:
        """Return the states from which the array can be finished, by going backwards."""
        before: dict[_State, list[_State]] = {}
        worklist, reached = [self.start], {self.start}
        ends = []
        while worklist:
            here = worklist.pop()
            if self.can_close(*here):
                ends.append(here)
            for after, _ in self.moves(*here):
                before.setdefault(after, []).append(here)
                if after not in reached:
                    reached.add(after)
                    worklist.append(after)
        live: set[_State] = set()
        while ends:
            here = ends.pop()
            if here not in live:
                live.add(here)
                ends += before.get(here, [])
        return live

    def moves(self, index: int, counts: Counts) -> Iterator[tuple[_State, int]]:
        """Yield the same as :meth:`enter`, also where the array can then not be finished."""
        if self.high is not None and index >= self.high:
            return
        counters = self.counters
        for bits, child in self.pieces[bisect_right(self._starts, index) - 1][1]:
            after = tuple(
                counter.cap(n + 1) if bits >> k & 1 else n
                for k, (counter, n) in enumerate(zip(counters, counts, strict=True))
            )
            if all(c.high is None or n <= c.high for c, n in zip(counters, after, strict=True)):
                yield (self.cap(index + 1), after), child

    def enter(self, index: int, counts: Counts) -> Iterator[tuple[_State, int]]:
        """Yield the state after the next item, with its position, for each option."""
        done: set[tuple[_State, int]] = set()
        for move in self.moves(index, counts):
            if move not in done and self.is_feasible(*move[0]):
                done.add(move)
                yield move


def can_differ(groups: Sequence[_Group]) -> bool:
    """Return whether all items of all groups can be different values.

    A group is so many items that may be any of the same values. Groups are given values one by one,
    in a maximum bipartite matching by augmenting paths (Kuhn, 1955), breadth first.

    After ``MOST_STEPS`` the answer is yes. What the compiler makes takes far fewer; a made-up plan
    may then reach a dead end, but comes to an end.

    >>> can_differ([(2, "ab"), (1, "b")]), can_differ([(2, "ab"), (1, "bc")])
    (False, True)
    """
    n_items = sum(n for n, _ in groups)
    if all(len(values) >= n_items for n, values in groups if n):
        return True  # whichever the others take, enough is left
    distinct = {value for _, values in groups for value in values}
    if any(len(values) < n for n, values in groups) or len(distinct) < n_items:
        return False
    holder: dict[Hashable, int] = {}
    n_left = MOST_STEPS
    for number, (n, _) in enumerate(groups):
        for _ in range(n):
            found, n_steps = _give(number, groups, holder)
            n_left -= n_steps
            if n_left < 0:
                return True
            if not found:
                return False
    return True


def _give(number: int, groups: Sequence[_Group], holder: dict[Hashable, int]) -> tuple[bool, int]:
    """Give one more value to a group; return whether there was one, and how many were looked at.

    Every group is looked at once: its items do not differ in what they may be.
    """
    wanted_by: dict[Hashable, int] = {}  # value → the group that would take it
    seen_from: dict[int, Hashable | None] = {number: None}  # group → the value that it would lose
    worklist = deque([number])
    n_steps = 0
    while worklist:
        group = worklist.popleft()
        for value in groups[group][1]:
            n_steps += 1
            if value in wanted_by:
                continue
            wanted_by[value] = group
            other = holder.get(value)
            if other is None:
                taken: Hashable | None = value
                while taken is not None:
                    taker = wanted_by[taken]
                    holder[taken] = taker
                    taken = seen_from[taker]
                return True, n_steps
            if other not in seen_from:
                seen_from[other] = value
                worklist.append(other)
    return False, n_steps
