"""A stack in which it is known that items under way differ from those before them.

Where nothing that was there has what has been read of an item, it is *new*, whatever it becomes,
and what is legal inside it is what would be legal if items could be equal. What is legal after a
string that is none of those in such items is found once for all of them: its item is *fresh*.

Example: after ``[{"id": 1}, {"id": 2`` the object is new, if the number has ended.
"""

from __future__ import annotations

from collections.abc import Collection

from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    CAPTURES,
    FRESH,
    NEW,
    PARENTS,
    SERIAL,
    STATE,
    Node,
    State,
)
from maskc.runtime.schema.machine.room import is_compared, place_of
from maskc.runtime.schema.plan.rules import Place
from maskc.runtime.schema.plan.values import Value

FRESH_VALUE: Value = ("fresh",)  # a value that is not known, and none of those that are


def is_fresh(place: Place) -> bool:
    """Return whether an array has had an item of which it is not known what it was."""
    return any(value[0] == FRESH_VALUE[0] for value in place.values or ())


def list_frames(node: Node) -> list[Node]:
    """Return the arrays below a node whose items under way are compared."""
    found, open_, seen = [], [node], {node[SERIAL]}
    while open_:
        for parent in open_.pop()[PARENTS]:
            if parent[CAPTURES] and parent[SERIAL] not in seen:
                seen.add(parent[SERIAL])
                open_.append(parent)
                if is_compared(parent):
                    found.append(parent)
    return found


def renew(machine: SchemaMachine, node: Node, text: bytes) -> Node:
    """Return a node with the items below marked that are new.

    Args:
        machine: that made it.
        node: on top.
        text: that its arrays have captured.
    """
    new = {
        frame[SERIAL]: (*frame[STATE][:6], NEW - frame[STATE][6])
        for frame in list_frames(node)
        if not machine.plan.arrays[frame[STATE][1]].repeats
        and not any(True for _ in machine.distinct.words(frame, node, text))
    }
    return _rebuild(machine, node, new) or node if new else node


def freshen(machine: SchemaMachine, node: Node) -> Node | None:
    """Return a node with all items below marked as fresh, ``None`` if they may not be.

    Args:
        machine: that made it.
        node: on top.
    """
    dead = set()
    fresh: dict[int, State] = {}
    for frame in list_frames(node):
        place = place_of(frame)
        if machine.plan.arrays[frame[STATE][1]].only(place) is not None:
            dead.add(frame[SERIAL])
        values = place.with_value(FRESH_VALUE).values
        fresh[frame[SERIAL]] = (*frame[STATE][:5], values, FRESH)
    return _rebuild(machine, node, fresh, dead)


def _rebuild(
    machine: SchemaMachine,
    top: Node,
    states: dict[int, State],
    dead: Collection[int] = (),
) -> Node | None:
    """Return a node with the states of some nodes below changed, without those that are dead.

    Args:
        machine: that made it.
        top: the node.
        states: the new ones, by the nodes' serials.
        dead: serials.
    """
    made: dict[int, Node | None] = {}
    open_: list[Node] = [top]
    while open_:
        node = open_[-1]
        left = [p for p in node[PARENTS] if p[CAPTURES] and p[SERIAL] not in made]
        if left:
            open_ += left
            continue
        open_.pop()
        above = [made.get(parent[SERIAL], parent) for parent in node[PARENTS]]
        parents = tuple([parent for parent in above if parent is not None])
        serial = node[SERIAL]
        if serial in dead or node[PARENTS] and not parents:
            made[serial] = None
        else:
            state: State = node[STATE]
            if node is not top:
                state = states.get(serial, state)
            made[serial] = machine.node(state, parents)
    return made[top[SERIAL]]
