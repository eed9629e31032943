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
    ITEM,
    NEW,
    PARENTS,
    RULE,
    SERIAL,
    STATE,
    Node,
    State,
    is_compared,
)
from maskc.runtime.schema.plan.rules import VALUES, Place, with_value
from maskc.runtime.schema.plan.values import Value

FRESH_VALUE: Value = ("fresh",)  # a value that is not known, and none of those that are


def is_fresh(place: Place) -> bool:
    """Return whether an array has had an item of which it is not known what it was."""
    return any(value[0] == FRESH_VALUE[0] for value in place[VALUES] or ())


def list_frames(node: Node) -> list[Node]:
    """Return the arrays below a node whose items under way are compared."""
    found, worklist, seen = [], [node], {node[SERIAL]}
    while worklist:
        for parent in worklist.pop()[PARENTS]:
            if parent[CAPTURES] and parent[SERIAL] not in seen:
                seen.add(parent[SERIAL])
                worklist.append(parent)
                if is_compared(parent):
                    found.append(parent)
    return found


def renew(machine: SchemaMachine, node: Node, text: bytes) -> Node:
    """Return a node with the items below marked that are new, of which a text was captured."""
    new = {
        frame[SERIAL]: (*frame[STATE][:ITEM], NEW - frame[STATE][ITEM])
        for frame in list_frames(node)
        if not machine.plan.arrays[frame[STATE][RULE]].repeats
        and not any(True for _ in machine.distinct.words(frame, node, text))
    }
    return _rebuild(machine, node, new) or node if new else node


def freshen(machine: SchemaMachine, node: Node) -> Node | None:
    """Return a node with all items below marked as fresh, ``None`` if they may not be."""
    dead = set()
    fresh: dict[int, State] = {}
    for frame in list_frames(node):
        kind, number, place, phase, _ = frame[STATE]
        if machine.plan.arrays[number].only(place) is not None:
            dead.add(frame[SERIAL])
        fresh[frame[SERIAL]] = (kind, number, with_value(place, FRESH_VALUE), phase, FRESH)
    return _rebuild(machine, node, fresh, dead)


def _rebuild(
    machine: SchemaMachine, top: Node, states: dict[int, State], dead: Collection[int] = ()
) -> Node | None:
    """Return a node with the states of some nodes below changed, without those that are dead.

    Both are told by serials.
    """
    made: dict[int, Node | None] = {}
    worklist: list[Node] = [top]
    while worklist:
        node = worklist[-1]
        left = [p for p in node[PARENTS] if p[CAPTURES] and p[SERIAL] not in made]
        if left:
            worklist += left
            continue
        worklist.pop()
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
