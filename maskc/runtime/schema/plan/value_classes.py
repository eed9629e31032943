"""Whether the values that are left are enough for items that must differ and are counted.

Values are in one class if the same positions admit them; of a class only the number of values that
are left matters. From a state some items must still come: a shortest way to the end has none that
neither brings the array to its least length nor adds to a counter that has too little. So there is
a bound on their number, and more values of a class than that are as good as any number. The states
are searched depth first, and what was found of each is remembered.

Example: of the values ``"a"``, ``"b"`` and ``"c"``, where two items must be ``"a"`` or ``"b"``,
the class of these has two values left, and after ``["a"`` one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from maskc.runtime.schema.plan.arrays import MOST_STEPS, ArrayRule, Counts
from maskc.runtime.schema.plan.values import Value
from maskc.runtime.step_budget import charge_steps

_MOST_REMEMBERED: Final = 100_000
Left = tuple[int, ...]  # of each class, how many values are left
_State = tuple[int, Counts, Left]  # index of the next item


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
        self._live: dict[_State, bool] = {}

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

    def count_left(self, values: Collection[Value]) -> Left:
        """Return how many values of each class are left after some items."""
        left = [*self._sizes]
        for value in values:
            number = self.class_of.get(value)
            if number is not None:
                left[number] -= 1
        return tuple(left)

    def is_live(self, index: int, counts: Counts, left: Left) -> bool:
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

    def _moves(self, here: _State) -> Iterator[_State]:
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


def _bound(left: Left, most: int) -> Left:
    return tuple([min(n, most) for n in left])
