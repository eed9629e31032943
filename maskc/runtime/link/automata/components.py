r"""Among which states does an automaton go round and round?

Most of a vocabulary lies where a pattern repeats something: in ``[a-z]+`` one state leads to itself
on 26 bytes, and in ``.+`` a state and those inside a character of several bytes lead to each other.
Such states are a *component*: from each of them each other can be reached. What a component reads
of a vocabulary depends on its moves among its own states only, so all patterns that have the same
component share it (:mod:`maskc.runtime.link.automata.component_reader`).

A component that is found may be a part of a larger one: few states are looked at. What leads out
of the part leaves it, wherever it leads.

Example: in ``[^"]*"`` the state that reads characters and seven states inside of a character are a
component, and ``"`` leaves it.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import ByteAutomaton

_MOST_STATES = 16  # looked at to find a component
LEFT = 0  # in a component's table: the byte leads out of it, or nowhere


class Component(NamedTuple):
    """States that lead to each other.

    Attributes:
        states: of the automaton, the one that was asked for first.
        table: uint8[n states, 256], one more than the place of the state that a byte leads to;
            ``LEFT`` for those that leave the component.
        key: the table's bytes, equal for components that read the same.
    """

    states: tuple[int, ...]
    table: NDArray[np.uint8]
    key: bytes


def find_component(automaton: ByteAutomaton[Any], state: int) -> Component | None:
    """Return the component of a state; ``None`` if nothing near it leads back to it."""
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
    places = {state: 1}
    for here in (states := [state]):
        for after in _targets(automaton, here):
            if after in inside and after not in places:
                states.append(after)
                places[after] = len(states)
    table = np.zeros((len(states), 256), dtype=np.uint8)
    for row, here in zip(table, states, strict=True):
        moves = automaton.moves(here)
        spend(1 + len(moves) // 8)
        row[list(moves)] = [places.get(after, LEFT) for after in moves.values()]
    return Component(tuple(states), table, table.tobytes())


def _targets(automaton: ByteAutomaton[Any], state: int) -> list[int]:
    """Return the states that bytes lead to, each once, by the first byte that does."""
    moves = automaton.moves(state)
    return list(dict.fromkeys(moves[byte] for byte in sorted(moves)))
