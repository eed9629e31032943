r"""Counted loops of an automaton: places that lead to each other, with a count of passes.

Most of a vocabulary lies where a pattern repeats something: in ``[a-z]{1,80}`` one place leads to
itself on 26 bytes, and in ``.{1,80}`` a place and those inside a character of several bytes lead to
each other. Such places are a *component*. What a component reads of a vocabulary depends on the
moves among its own places only, so all patterns that have the same component share it
(:mod:`maskc.runtime.link.automata.loop_reader`). What a place leads to does not depend on the
count, only whether the loop may go on or be left there does.

Example: in ``[^"]{2,9}"`` the place that reads characters and seven places inside of a character
are a component, and ``"`` leaves it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_PLACES = 250  # their numbers are bytes
MOST_PASSES = (1 << 16) - 1
LEFT = 0  # in a component's table: the byte leads out of it, or nowhere

# A way out: the number of the place, the byte, and whether it may stay in the loop when it leaves
# the component.
Way = tuple[int, int, bool]


class Component(NamedTuple):
    """Places that lead to each other inside one loop; the first is that which was asked for.

    Attributes:
        table: uint8[n places, 256], one more than the number of the place that a byte leads to;
            ``LEFT`` for those that only leave the component, or lead nowhere.
        passes: uint8[n places, 256], 1 where the byte begins one more pass that is counted.
        leaves: bool[n places, 256], whether a byte leaves the component, in one of its ways.
        whole: the numbers of the places where a text may end, or a character does.
        to_end: of each place, how many more passes there are to the nearest end.
        key: bytes that are equal for components that read the same; its end says of which kind.
    """

    table: NDArray[np.uint8]
    passes: NDArray[np.uint8]
    leaves: NDArray[np.bool_]
    whole: tuple[int, ...]
    to_end: tuple[int, ...]
    key: bytes


class Loop(ABC):
    """A state of an automaton as the first place of a component, with one count of its loop.

    Attributes:
        component: where it goes round.
        out: the ways that leave it.
        count: how often the innermost loop has passed.
        least: how often it has to, before it is left.
        most: how often it may; ``None``: without a bound.
        key: equal for states of one automaton that differ in the count alone.
    """

    component: Component
    out: tuple[Way, ...]
    count: int
    least: int
    most: int | None
    key: Hashable

    @abstractmethod
    def state_at(self, number: int, count: int) -> int:
        """Return the automaton's state at a place, by number, with another count."""

    @abstractmethod
    def after(self, number: int, count: int, byte: int) -> int:
        """Return the state after a byte that leaves the component there, -1 if there is none."""

    @abstractmethod
    def may_end(self, number: int) -> bool:
        """Return whether the text may end at a place, once the loop has passed often enough."""

    def bounds_after(self, base: int) -> tuple[int, int]:
        """Return how many more passes it demands, and how many it allows, after so many."""
        most = MOST_PASSES if self.most is None else min(self.most - base, MOST_PASSES)
        return max(self.least - base, 0), most

    def list_ends(self) -> tuple[int, ...]:
        """Return the numbers of the places where the text may end after enough passes."""
        return tuple(number for number in self.component.whole if self.may_end(number))
