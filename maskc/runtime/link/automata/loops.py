r"""Loops of an automaton: states that lead to each other, with a count of passes or without.

Most of a vocabulary lies where a pattern repeats something: in ``[a-z]+`` one state leads to itself
on 26 bytes, and in ``.+`` a state and those inside a character of several bytes lead to each other.
Such places are a *component*. What a component reads of a vocabulary depends on the moves among its
own places only, so all patterns that have the same component share it
(:mod:`maskc.runtime.link.automata.loop_reader`).

A component that is found may be a part of a larger one: few states are looked at. What leads out
of the part leaves it, wherever it leads. Where passes are counted, what a place leads to does not
depend on the count, only whether the loop may go on or be left there does.

Example: in ``[^"]*"`` the state that reads characters and seven states inside of a character are a
component, and ``"`` leaves it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend

if TYPE_CHECKING:
    from maskc.runtime.link.automata.automaton import ByteAutomaton

MOST_PLACES = 250  # their numbers are bytes
_MOST_STATES = 16  # looked at to find a component
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


class PlainLoop(Loop):
    """A loop whose passes are not counted: some states of an automaton."""

    def __init__(self, automaton: ByteAutomaton[Any], states: list[int]) -> None:
        self._automaton, self._states = automaton, states
        self.count = self.least = 0
        self.most = None
        table, out = np.zeros((len(states), 256), dtype=np.uint8), list[Way]()
        numbers = {state: number for number, state in enumerate(states, 1)}
        for place, state in enumerate(states):
            moves = automaton.moves(state)
            spend(1 + len(moves) // 8)
            table[place, list(moves)] = [numbers.get(after, LEFT) for after in moves.values()]
            out += [(place, byte, False) for byte, after in moves.items() if after not in numbers]
        self.out, self.key = tuple(out), states[0]
        # What leaves it leads to other states in each automaton that shares the component.
        leaves = table == LEFT
        whole, to_end = tuple(range(len(states))), (0,) * len(states)
        passes = np.zeros(table.shape, dtype=np.uint8)
        key = table.tobytes() + b"plain"
        self.component = Component(table, passes, leaves, whole, to_end, key)

    def state_at(self, number: int, count: int) -> int:  # noqa: ARG002  # nothing is counted
        return self._states[number]

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return self._automaton.moves(self._states[number])[byte]

    def may_end(self, number: int) -> bool:
        return self._automaton.accepts(self._states[number])


def find_loop(automaton: ByteAutomaton[Any], state: int) -> PlainLoop | None:
    """Return the loop of a state; ``None`` if nothing near it leads back to it."""
    seen, before = [state], {state: set[int]()}
    open_ = deque(seen)
    while open_:
        here = open_.popleft()
        for after in _targets(automaton, here):
            if after in before:
                before[after].add(here)
            elif len(seen) < _MOST_STATES:
                before[after] = {here}
                seen.append(after)
                open_.append(after)
    inside, back = {state}, [state]
    while back:
        more = before[back.pop()] - inside
        inside |= more
        back += more
    if len(inside) == 1 and state not in before[state]:
        return None
    # In the order in which bytes lead to them, so that equal components have equal tables.
    states = [state]
    for here in states:  # grows while we walk it
        for after in _targets(automaton, here):
            if after in inside and after not in states:
                states.append(after)
    return PlainLoop(automaton, states)


def _targets(automaton: ByteAutomaton[Any], state: int) -> list[int]:
    moves = automaton.moves(state)
    return list(dict.fromkeys(moves[byte] for byte in sorted(moves)))
