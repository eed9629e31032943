"""Which choices of an object's members, known by their keys, make it whole?

Each member is there or not, in one of its options, which fulfils wishes; the number of members is
bounded. The members are decided one after the other, and a choice so far is only kept if those that
are left can complete it.

Example: of ``a``, which must be there, and ``b`` there are two choices, and with ``minProperties``
2 there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maskc.runtime.schema.plan.fulfilment import Option


class Field(NamedTuple):
    """A member that an object may have.

    Attributes:
        key: of the member.
        options: the wishes that its value fulfils, and its position.
        is_needed: whether it must be there.
    """

    key: str
    options: tuple[Option, ...]
    is_needed: bool


class Fields:
    """Members of an object.

    Args:
        fields: in the order in which they are decided.
        low: the least number of members.
        high: the greatest; ``None``: any.
    """

    def __init__(self, fields: Sequence[Field], low: int, high: int | None) -> None:
        self.fields, self._low, self._high = fields, low, high
        n_needed = 0
        self._n_needed = [0]
        for field in reversed(fields):
            n_needed += field.is_needed
            self._n_needed.append(n_needed)
        self._n_needed.reverse()
        # Place → the numbers of further members and wishes that these can fulfil, found backwards.
        self._ends: list[set[tuple[int, int]]] | None = None

    def may_end(self, place: int, n_members: int, wishes: int) -> bool:
        """Return whether the members from a place on can make the object whole.

        Args:
            place: of the first that is not decided.
            n_members: so many are there.
            wishes: that are left, as bits.
        """
        if self._high is not None and n_members + self._n_needed[place] > self._high:
            return False
        if n_members + len(self.fields) - place < self._low:
            return False
        if not wishes:
            return True
        if self._ends is None:
            self._ends = self._find_ends()
        return any(
            not wishes & ~fulfilled
            and n_members + n >= self._low
            and (self._high is None or n_members + n <= self._high)
            for n, fulfilled in self._ends[place]
        )

    def _find_ends(self) -> list[set[tuple[int, int]]]:
        """Return for each place what the members from it on may add: their number, and wishes."""
        found: list[set[tuple[int, int]]] = [{(0, 0)}]
        for field in reversed(self.fields):
            here = set() if field.is_needed else set(found[-1])
            here.update((n + 1, w | d) for n, w in found[-1] for d, _ in field.options)
            found.append(here)
        return found[::-1]
