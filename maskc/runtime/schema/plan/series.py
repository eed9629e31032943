"""What comes after each other in a bracket: the items of an array, the members of an object.

Both are a *series* of parts, read by a nondeterministic automaton without dead ends. In a *state*
it has several transitions, each with the state after the next part and the position of its value.
Members of an object are decided in the order of their keys; one that is left out is a part, too.

Example: of ``a``, which must be there, and ``b`` there are two choices, and with at least two
members there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from maskc.runtime.schema.plan.fulfilment import Option
from maskc.runtime.schema.plan.values import Value

LEFT_OUT: Final = -1  # the position of a member that is not there
ABSENT: Value = ("absent",)  # its only value
_NONE: frozenset[Value] = frozenset()


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
