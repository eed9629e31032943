r"""Loops of an automaton: control states that lead to each other; passes may be counted.

A *control state* is a state of the automaton without its counts. Most of a vocabulary lies where a
pattern repeats something: in ``[a-z]{1,80}`` one control state leads to itself on 26 bytes, and in
``.{1,80}`` a control state and those inside a character of several bytes lead to each other. Such
control states are a *component*. What a component reads of a vocabulary depends only on the moves
among its own control states, so all patterns that have the same component share it
(:mod:`maskc.runtime.link.automata.loop_reader`). What a control state leads to does not depend on
the count. Only whether the loop may go on or be left there does.

A loop without a count is a state that leads to itself, with the states that read the later bytes of
its characters. Larger cycles are walked: the loop of ``.*word`` has all characters but ``w``, as
other patterns' loops have, and the walk goes on after each ``w``.

Example: in ``[^"]{2,9}"`` the control state that reads characters and seven of them inside of a
character are a component, and ``"`` leaves it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.step_budget import charge_steps

if TYPE_CHECKING:
    from maskc.runtime.link.automata import ByteAutomaton

MOST_STATES = 250  # their numbers are bytes
MOST_PASSES = (1 << 16) - 1
_MOST_STATES = 16  # of a loop without a count
_FIRST_LATER, _FIRST_LEAD = 0x80, 0xC0  # of UTF-8's bytes after the first, and of first ones
LEFT = 0  # in a component's table: the byte leads out of it, or nowhere

# The number of the control state, the byte, and whether it may stay in the loop when it leaves the
# component.
LoopExit = tuple[int, int, bool]


class Component(NamedTuple):
    """Control states that lead to each other inside one loop; the first is the one asked for."""

    # uint8[n_states, 256], one more than the number of the control state that a byte leads to; LEFT
    # for those that only leave the component, or lead nowhere
    table: NDArray[np.uint8]
    # uint8[n_states, 256], 1 where the byte begins one more pass that is counted
    passes: NDArray[np.uint8]
    # bool[n_states, 256], whether a byte leaves the component, in one of its ways
    leaves: NDArray[np.bool_]
    # the numbers of the control states where a text may end, or a character does
    whole: tuple[int, ...]
    # of each control state, how many more passes there are to the nearest end
    to_end: tuple[int, ...]
    key: bytes  # bytes that are equal for components that read the same; its end says of which kind


class Loop(ABC):
    """A state of an automaton: the first control state of a component, with a count of its loop."""

    component: Component  # where it goes round
    out: tuple[LoopExit, ...]  # the ways that leave it
    count: int  # how often the innermost loop has passed
    least: int  # how often it has to, before it is left
    most: int | None  # how often it may; None: without a bound
    key: Hashable  # equal for states of one automaton that differ in the count alone

    @abstractmethod
    def state_at(self, number: int, count: int) -> int:
        """Return the automaton's state of a control state, by number, and another count."""

    @abstractmethod
    def after(self, number: int, count: int, byte: int) -> int:
        """Return the state after a byte that leaves the component there, -1 if there is none."""

    @abstractmethod
    def may_end(self, number: int) -> bool:
        """Return whether the text may end at a control state, after enough passes of the loop."""

    def bounds_after(self, base: int) -> tuple[int, int]:
        """Return how many more passes it demands, and how many it allows, after so many."""
        most = MOST_PASSES if self.most is None else min(self.most - base, MOST_PASSES)
        return max(self.least - base, 0), most

    def list_ends(self) -> tuple[int, ...]:
        """Return the numbers of the control states where the text may end after enough passes."""
        return tuple(number for number in self.component.whole if self.may_end(number))


class PlainLoop(Loop):
    """A loop whose passes are not counted: some states of an automaton, the looping one first."""

    def __init__(self, automaton: ByteAutomaton[Any], states: list[int]) -> None:
        self._automaton, self._states = automaton, states
        self.count, self.least, self.most = 0, 0, None
        table, out = np.zeros((len(states), 256), dtype=np.uint8), list[LoopExit]()
        numbers = {state: number for number, state in enumerate(states, 1)}
        for number, state in enumerate(states):
            moves = automaton.moves(state)
            charge_steps(1 + len(moves) // 8)
            table[number, list(moves)] = [numbers.get(after, LEFT) for after in moves.values()]
            out += [(number, byte, False) for byte, after in moves.items() if after not in numbers]
        self.out, self.key = tuple(out), states[0]
        # What leaves it leads to other states in each automaton that shares the component.
        leaves, passes = table == LEFT, np.zeros(table.shape, dtype=np.uint8)
        whole, to_end = tuple(range(len(states))), (0,) * len(states)
        key = table.tobytes() + b"plain"
        self.component = Component(table, passes, leaves, whole, to_end, key)

    def state_at(self, number: int, count: int) -> int:  # noqa: ARG002  # nothing is counted
        return self._states[number]

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return self._automaton.moves(self._states[number])[byte]

    def may_end(self, number: int) -> bool:
        return self._automaton.accepts(self._states[number])


def find_plain_loop(automaton: ByteAutomaton[Any], state: int) -> PlainLoop | None:
    """Return the loop of a state that leads to itself; ``None`` if it does not."""
    if state not in automaton.moves(state).values():
        return None
    # In the order of the bytes that lead to them, so that equal components have equal tables.
    states = [state]
    for here in states:  # grows while we walk it
        following = automaton.moves(here)
        bytes_ = sorted(byte for byte in following if byte >= _FIRST_LATER)
        for after in dict.fromkeys(following[byte] for byte in bytes_):
            if after not in states and _is_inside_character(automaton, after):
                states.append(after)
        if len(states) > _MOST_STATES:
            # So large a class of characters has states that no token may come to.
            return PlainLoop(automaton, [state])
    return PlainLoop(automaton, states)


def _is_inside_character(automaton: ByteAutomaton[Any], state: int) -> bool:
    """Return whether a state reads bytes alone that only UTF-8's later bytes have."""
    moves = automaton.moves(state)
    return bool(moves) and min(moves) >= _FIRST_LATER and max(moves) < _FIRST_LEAD
