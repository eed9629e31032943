"""A state of an automaton as a place in a counted loop, and a count.

See :mod:`maskc.runtime.link.counts.counted_component`, which finds the places.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

# A position, and the node that reads the rest of its character, ``DONE`` after it.
Place = tuple[int, int]


class CountedComponent(NamedTuple):
    """Places of a pattern that lead to each other inside one loop.

    Attributes:
        places: the one that was asked for first.
        table: uint8[n places, 256], one more than the number of the place that a byte leads to;
            ``LEFT`` for those that only leave the component, or lead nowhere.
        passes: uint8[n places, 256], 1 where the byte begins one more pass of the loop.
        leaves: bool[n places, 256], whether a byte leaves the component, in one of its ways.
        out: the same bytes: the number of the place, the byte, and whether it may stay in the loop
            when it leaves the component.
        whole: the numbers of the places where a character ends.
        to_end: of each place, how many more passes there are to the nearest end.
        key: the bytes of the tables, equal for components that read the same.
    """

    places: tuple[Place, ...]
    table: NDArray[np.uint8]
    passes: NDArray[np.uint8]
    leaves: NDArray[np.bool_]
    out: tuple[tuple[int, int, bool], ...]
    whole: tuple[int, ...]
    to_end: tuple[int, ...]
    key: bytes


class CountedState(Protocol):
    """A state of an automaton that is one place of a component, with one count of its loop.

    Attributes:
        component: the place is its first.
        count: how often the innermost loop has passed.
        least: how often it has to, before it is left.
        most: how often it may; ``None``: without a bound.
        key: equal for states of one automaton that differ in the count alone.
    """

    @property
    def component(self) -> CountedComponent:
        """Where the loop goes round."""

    @property
    def count(self) -> int:
        """How often the loop has passed."""

    @property
    def least(self) -> int:
        """How often it has to pass."""

    @property
    def most(self) -> int | None:
        """How often it may pass."""

    @property
    def key(self) -> Hashable:
        """What names all but the count."""

    def state_at(self, number: int, count: int) -> int:
        """Return the automaton's state at a place, by number, with another count."""

    def after(self, number: int, count: int, byte: int) -> int:
        """Return the state after a byte that leaves the component there, -1 if there is none."""

    def may_end(self, number: int) -> bool:
        """Return whether the text may end at a place, once the loop has passed often enough."""
