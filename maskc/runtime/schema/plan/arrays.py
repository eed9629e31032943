"""Which items an array may still have, and whether it can be finished.

A rule cuts the indices into pieces; an item of a piece has options: which of the rule's counters it
adds to, and its position. A counter says how many items of a stretch fit something (``contains``).
With ``minItems`` 2 and one item read, the array may not end.

Where items must differ and are counted, values are in one class if the same positions admit them;
of a class only the number of values that are left matters. From a state some items must still come:
a shortest way to the end has none that neither brings the array to its least length nor adds to a
counter that has too little. So there is a bound on their number, and more values of a class than
that are as good as any number. The states are searched depth first, and what was found of each is
remembered.

Example: of the values ``"a"``, ``"b"`` and ``"c"``, where two items must be ``"a"`` or ``"b"``,
the class of these has two values left, and after ``["a"`` one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from maskc.runtime.schema.plan.values import Value
from maskc.runtime.step_budget import charge_steps

Option = tuple[int, int]  # counters that are added to, as bits; position
Counts = tuple[int, ...]  # of the counters
_State = tuple[int, Counts]  # index of the next item
_Left = tuple[int, ...]  # of each class, how many values are left
_ClassState = tuple[int, Counts, _Left]
_Group = tuple[int, Collection[Hashable]]  # how many items, and what each may be

MOST_STATES: Final = 100_000
MOST_STEPS: Final = 1 << 18
_MOST_REMEMBERED: Final = 100_000


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


class ValueClasses:
    """The classes of an array's values.

    Args:
        few: the position of an item → its values, for each position that has few values only.
    """

    def __init__(self, rule: ArrayRule, few: Mapping[int, Collection[Value]]) -> None:
        self._rule = rule
        positions: dict[Value, list[int]] = {}
        for position, values in few.items():
            for value in values:
                positions.setdefault(value, []).append(position)
        self._few = few
        numbers: dict[tuple[int, ...], int] = {}
        self.class_of: dict[Value, int] = {
            value: numbers.setdefault(tuple(found), len(numbers))
            for value, found in positions.items()
        }
        self._sizes = [0] * len(numbers)
        for number in self.class_of.values():
            self._sizes[number] += 1
        # Of each position, the classes of its values: first those that fewest positions admit.
        self._classes: dict[int, list[int]] = {position: [] for position in few}
        for found, number in sorted(numbers.items(), key=lambda item: (len(item[0]), item[1])):
            for position in found:
                self._classes[position].append(number)
        self._live: dict[_ClassState, bool] = {}

    @property
    def n_states(self) -> int:
        """A bound on how many states one search looks at."""
        n = 1
        most = self._rule.n_missing(*self._rule.start)
        for size in self._sizes:
            n *= min(size, most) + 1
        if any(position not in self._few for position in self._rule.positions):
            return n * self._rule.n_states
        for counter in self._rule.counters:
            n *= counter.most + 2
        return n

    def count_left(self, values: Collection[Value]) -> _Left:
        """Return how many values of each class are left after some items."""
        left = [*self._sizes]
        for value in values:
            number = self.class_of.get(value)
            if number is not None:
                left[number] -= 1
        return tuple(left)

    def is_live(self, index: int, counts: Counts, left: _Left) -> bool:
        """Return whether an array can be finished; after ``MOST_STEPS`` states the answer is yes.

        The compiler refuses what may take so many. A made-up plan may then reach a dead end.
        """
        if self._rule.can_close(index, counts):
            return True
        first = (index, counts, _bound(left, self._rule.n_missing(index, counts)))
        found = self._live.get(first)
        if found is not None:
            return found
        if len(self._live) > _MOST_REMEMBERED:
            self._live.clear()
        open_ = [(first, self._moves(first))]
        n_steps = 0
        while open_:
            here, moves = open_[-1]
            after = next(moves, None)
            if after is None:
                self._live[here] = False
                open_.pop()
                continue
            found = True if self._rule.can_close(after[0], after[1]) else self._live.get(after)
            n_steps += 1
            if found is None and n_steps < MOST_STEPS:
                charge_steps(1)
                open_.append((after, self._moves(after)))
            elif found is not False:
                self._live.update((state, True) for state, _ in open_)
                return True
        return False

    def _moves(self, here: _ClassState) -> Iterator[_ClassState]:
        """Yield the states after an item that is needed, those that count most first."""
        index, counts, left = here
        n_missing = self._rule.n_missing(index, counts)
        for (after, counted), child in reversed([*self._rule.moves(index, counts)]):
            n_after = self._rule.n_missing(after, counted)
            if n_after >= n_missing:
                continue
            if child not in self._few:
                yield after, counted, _bound(left, n_after)
                continue
            for number in self._classes[child]:
                if left[number]:
                    less = (*left[:number], left[number] - 1, *left[number + 1 :])
                    yield after, counted, _bound(less, n_after)


def _bound(left: _Left, most: int) -> _Left:
    return tuple([min(n, most) for n in left])
