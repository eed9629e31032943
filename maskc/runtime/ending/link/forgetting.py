"""Which places of JSON texts differ by nothing but keys that were there?

Keys of an object must differ, and so each of them leads to a place of its own. But where there are
always more keys, how a text ends does not depend on which there were, nor on what has been read of
the one that is open: another one does as well. So they are forgotten, with how many members there
are where that does not count, and thousands of places are one.

What is forgotten counts only where the open key may become one that was there; see
:mod:`maskc.runtime.ending.json.used_keys`.

Example: of ``{"type": "object"}``, ``{"a": 1, "b`` and ``{"xyz`` are one place.
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.ending.json.short_values import MOST_NODES, list_unknown
from maskc.runtime.ending.link.least import open_json
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.link.joining.pieces import Link, SchemaPiece
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece, Reading
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    KEY,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    Configuration,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.plan.objects import Members, ObjectRule
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.other_keys import NO_KEYS, add_key, unread_key


class Forgetting:
    """Forgets the keys of one machine's texts.

    Args:
        machine: the machine.

    Attributes:
        has_keys: whether it is of a schema or a link; of others there is nothing to forget.
    """

    def __init__(self, machine: Machine[Any]) -> None:
        self._machine = machine
        self._known: dict[int, Node] = {}  # by serial
        self._has_others: dict[Plan, bool] = {}
        self.has_keys = isinstance(machine, SchemaMachine | LinkMachine)

    def is_useful(self, hypotheses: Hypotheses) -> bool:
        """Return whether keys may have any name in the JSON text that is open."""
        found = self.opened(hypotheses)
        if found is None:
            return False
        plan = found[0].plan
        known = self._has_others.get(plan)
        if known is None:
            known = self._has_others[plan] = any(rule.has_classes for rule in plan.objects)
        return known

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses with the same ends, whatever keys there were."""
        if isinstance(self._machine, SchemaMachine):
            return tuple([self._forget(self._machine, h) for h in hypotheses])
        return tuple(dict.fromkeys(map(self._forget_link, hypotheses)))

    def opened(self, hypotheses: Hypotheses) -> tuple[SchemaMachine, Configuration] | None:
        """Return the JSON text that is open, and its machine.

        ``None``: there is none, or there are several.
        """
        if len(hypotheses) > 1:
            return None
        first: Any = hypotheses[0]
        if isinstance(self._machine, SchemaMachine):
            return self._machine, first
        found = open_json(first) if isinstance(first, Link) else None
        return None if found is None else (found[0].machine, found[1])

    def _forget_link(self, link: Link) -> Link:
        piece, inner, rest = link
        if isinstance(piece, SchemaPiece):
            after: Any = self._forget(piece.machine, inner)
        elif isinstance(piece, BarredSchemaPiece):
            after = Reading(self._forget(piece.piece.machine, inner.schema), inner.at)
        else:
            return link
        return link if after is inner else Link(piece, after, rest)

    def _forget(self, machine: SchemaMachine, here: Configuration) -> Configuration:
        if here.captures:
            # Items that are compared have the keys in them.
            return here
        nodes = {node[SERIAL]: node for node in (self._find(machine, n) for n in here.nodes)}
        if tuple(nodes) == tuple([node[SERIAL] for node in here.nodes]):
            return here
        return Configuration(tuple(nodes.values()), here.gap, here.text)

    def _find(self, machine: SchemaMachine, top: Node) -> Node:
        """Return the node that stands for one."""
        known = self._known
        if top[SERIAL] not in known and len(known) > MOST_NODES:
            known.clear()
        for node in list_unknown(top, known):
            above = {n[SERIAL]: n for n in (known[parent[SERIAL]] for parent in node[PARENTS])}
            state = _forget_state(machine.plan, node[STATE])
            is_same = state == node[STATE] and tuple(above.values()) == node[PARENTS]
            known[node[SERIAL]] = node if is_same else machine.node(state, tuple(above.values()))
        return known[top[SERIAL]]


def _forget_state(plan: Plan, state: State) -> State:
    if state[0] not in (OBJECT, KEY):
        return state
    rule, members = plan.objects[state[1]], read_members(state)
    kept = forget_members(rule, members)
    if kept is None:
        return state
    state = (*state[:2], kept, *state[3:])
    return (*state[:4], b"") if state[0] == KEY else state


def forget_members(rule: ObjectRule, members: Members) -> Members | None:
    """Return what counts of an object's members; ``None``: which other keys there were counts."""
    seen, others, n_members, wishes = members
    missing = rule.required & ~seen
    if rule.is_scarce or rule.may_run_out or wishes:
        return None
    if rule.low > n_members + missing.bit_count():
        return None
    if others:
        # In order, none of a name may come after them.
        others = add_key(NO_KEYS, unread_key(rule.n_names)) if rule.ordered else NO_KEYS
    if rule.high is None:
        n_members = min(n_members, rule.low)
    return seen, others, n_members, wishes
