"""What comes after each other in a bracket, and which members fulfil an object's constraints.

The items of an array and the members of an object are a *series* of parts, read by a
nondeterministic automaton without dead ends. In a *state* it has several transitions, each with the
state after the next part and the position of its value. Members of an object are decided in the
order of their keys; one that is left out is a part, too. Of ``a``, which must be there, and ``b``
there are two choices, and with at least two members there is one.

An *existential constraint* is that some member with a key of a set fits, or that one of some names
is missing, which comes from a negation. A value fulfils some of them by its position, so each label
has ways to fulfil them, and that a name is missing is one more.

Example: with one position that fulfils two of three constraints and one that fulfils the third, two
members are enough; none is needed for *a is missing, or b is a number*, but with a and b required
it has to be a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple

from maskc.runtime.schema.plan.values import Value

# Constraints that a value fulfils, and its position.
Option = tuple[int, int]
MAX_CONSTRAINTS: Final = 32
MOST_COMBINATIONS: Final = 50_000  # of members, see :func:`count_combinations`
LEFT_OUT: Final = -1  # the position of a member that is not there
ABSENT: Value = ("absent",)  # its only value
_NONE: frozenset[Value] = frozenset()


def count_combinations(
    options: Sequence[Sequence[Option]], n_names: int, lacked: Sequence[int]
) -> int:
    """Return how many combinations are looked at to see which members fulfil all constraints.

    Beyond ``MOST_COMBINATIONS`` it is no longer counted.

    Args:
        lacked: of each constraint, the names one of which may be missing instead, as bits.
    """
    reached, n_combinations = {(1 << len(lacked)) - 1}, 0
    for label, found in enumerate(options):
        fulfilled = {bits for bits, _ in found} | {_list_held(lacked, label)}
        fulfilled.discard(0)
        for _ in range(1 if label < n_names else len(lacked)):
            n_combinations += len(reached) * len(fulfilled)
            if n_combinations > MOST_COMBINATIONS:
                return n_combinations
            before = len(reached)
            reached |= {left & ~bits for left in reached for bits in fulfilled}
            if len(reached) == before:
                break
    return n_combinations


def _list_held(lacked: Sequence[int], label: int) -> int:
    """Return the constraints that hold where a name is missing, as bits."""
    return sum(1 << n for n, names in enumerate(lacked) if names >> label & 1)


class Fulfilment:
    """Which members fulfil constraints, by the options of each label.

    Labels from ``n_names`` on have more than one key: ``infinite`` ones any number of them, and
    others as many as ``sizes`` says. Of each constraint, one of the ``lacked`` names, as bits, may
    be missing instead.
    """

    def __init__(
        self,
        options: Sequence[Sequence[Option]],
        n_names: int,
        lacked: Sequence[int],
        infinite: AbstractSet[int],
        sizes: Mapping[int, int],
    ) -> None:
        self._n_names, self._sizes = n_names, sizes
        # Each label that matters: the constraints that a member can fulfil at once, and those that
        # hold without one.
        self._relevant: list[tuple[int, list[int], int]] = []
        # Constraints that there is always one more key for.
        self._always = 0
        # Labels of which one way fulfils all that others do, and these constraints.
        self._tops: list[tuple[int, int]] = []
        for label, found in enumerate(options):
            every = {d for d, _ in found}
            best = sorted(d for d in every if not any(d != e and not d & ~e for e in every))
            held = _list_held(lacked, label)
            if held or any(best):
                self._relevant.append((label, best, held))
            if label in infinite:
                for d in best:
                    self._always |= d
            if len(best) == 1:
                self._tops.append((label, best[0]))
        self._labels = sum(1 << label for label, _, _ in self._relevant)

    def is_feasible(
        self,
        constraints: int,
        labels: int,
        needed: int,
        used: Mapping[int, int],
        low: int,
        high: int | None,
    ) -> bool:
        """Return whether from ``low`` to ``high`` more members can fulfil constraints.

        Constraints, labels and needed names are bits.

        Args:
            labels: those that members may have; names that are not there yet, others until they
                are used up.
            needed: names that must come.
            used: how many keys were there of each label that has a size.
        """
        any_number = high is None and low <= needed.bit_count()
        if any_number and self._can_fulfil(constraints, labels):
            return True
        names = (1 << self._n_names) - 1
        others = labels & names & ~self._labels
        n_free = (others & ~needed).bit_count()
        # Constraints that are left → how many members there may be then, as bits; where only
        # whether there are any matters, none is counted.
        shift = 0 if any_number else 1
        reached = {constraints: 1 << shift * (others & needed).bit_count()}
        for label, size in self._sizes.items():
            n_free += size - used[label]
        for label, found, held in self._relevant:
            if not labels >> label & 1:
                continue
            n_times = 1
            if label >= self._n_names:
                n_times = constraints.bit_count()
                if label in self._sizes:
                    n_times = min(n_times, self._sizes[label] - used[label])
                    n_free -= n_times
            for _ in range(n_times):
                after = dict[int, int]()
                for left, counts in reached.items():
                    if not needed >> label & 1:
                        rest = left & ~held
                        after[rest] = after.get(rest, 0) | counts
                    for d in found:
                        rest = left & ~d
                        after[rest] = after.get(rest, 0) | counts << shift
                if after == reached:
                    break
                reached = after
            if any_number and 0 in reached:
                return True
        least = max(low - n_free, 0)
        counts = reached.get(0, 0) >> least
        return counts > 0 and (high is None or least + (counts & -counts).bit_length() - 1 <= high)

    def _can_fulfil(self, constraints: int, labels: int) -> bool:
        """Return whether members with some labels, at most one of a name, fulfil constraints.

        It looks at what one way each fulfils, so ``False`` says nothing.
        """
        left = constraints & ~self._always
        for label, top in self._tops:
            if labels >> label & 1:
                left &= ~top
        return not left


class Series:
    """The parts of a bracket. What it says of values is only asked of arrays."""

    def transitions(self, state: Any) -> Iterator[tuple[Any, int]]:
        """Yield the state after the next part, but for its value, with its position."""
        raise NotImplementedError

    def may_end(self, state: Any) -> bool:
        raise NotImplementedError

    def add(self, after: Any, value: Value) -> Any:  # noqa: ARG002  # of items that are compared
        """Return the state after a part with its value, ``None`` if it may not have that."""
        return after

    def forbidden(self, after: Any) -> frozenset[Value]:  # noqa: ARG002  # as above
        """Return the values that a part may not have."""
        return _NONE

    def only(self, after: Any) -> frozenset[Value] | None:  # noqa: ARG002  # as above
        """Return the only values that a part may have, ``None`` if others may follow it."""
        return None


class Field(NamedTuple):
    """A member that an object may have, or must; ``held`` are the constraints that hold without."""

    key: str
    options: tuple[Option, ...]
    is_needed: bool
    held: int


class Fields(Series):
    """Members of an object that are decided in order.

    A state is how many are decided, how many members are there, and the constraints that are
    left, as bits.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        low: int,
        high: int | None,
        n_members: int = 0,
        constraints: int = 0,
    ) -> None:
        self.fields, self._low, self._high = fields, low, high
        self.start = (0, n_members, constraints)
        self._n_needed = [0]
        for field in reversed(fields):
            self._n_needed.append(self._n_needed[-1] + field.is_needed)
        self._n_needed.reverse()
        # From each field on, what members may add: their number and constraints. Found backwards.
        self._ends: list[set[tuple[int, int]]] | None = None

    def transitions(
        self, state: tuple[int, int, int]
    ) -> Iterator[tuple[tuple[int, int, int], int]]:
        at, n_members, constraints = state
        if at < len(self.fields):
            _, options, is_needed, held = self.fields[at]
            without = (at + 1, n_members, constraints & ~held)
            if not is_needed and self.is_feasible(without):
                yield without, LEFT_OUT
            for bits, child in options:
                after = (at + 1, n_members + 1, constraints & ~bits)
                if self.is_feasible(after):
                    yield after, child

    def may_end(self, state: tuple[int, int, int]) -> bool:
        return state[0] == len(self.fields)

    def parts_of(self, members: Mapping[str, Value]) -> tuple[Value, ...]:
        """Return what an object has of each field."""
        return tuple([members.get(field.key, ABSENT) for field in self.fields])

    def members_of(self, parts: Sequence[Value]) -> tuple[tuple[str, Value], ...]:
        """Return the members of an object by what it has of each field."""
        pairs = zip(self.fields, parts, strict=True)
        return tuple([(field.key, value) for field, value in pairs if value != ABSENT])

    def is_feasible(self, state: tuple[int, int, int]) -> bool:
        """Return whether the fields from a state on can make the object whole."""
        at, n_members, constraints = state
        if self._high is not None and n_members + self._n_needed[at] > self._high:
            return False
        if n_members + len(self.fields) - at < self._low:
            return False
        if not constraints:
            return True
        if self._ends is None:
            self._ends = self._find_ends()
        return any(
            not constraints & ~fulfilled
            and n_members + n >= self._low
            and (self._high is None or n_members + n <= self._high)
            for n, fulfilled in self._ends[at]
        )

    def _find_ends(self) -> list[set[tuple[int, int]]]:
        found: list[set[tuple[int, int]]] = [{(0, 0)}]
        for field in reversed(self.fields):
            here = set() if field.is_needed else {(n, w | field.held) for n, w in found[-1]}
            here.update((n + 1, w | d) for n, w in found[-1] for d, _ in field.options)
            found.append(here)
        return found[::-1]
