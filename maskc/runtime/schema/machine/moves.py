"""What does an open node become after one more byte?

A *position* is what is asked of a value: rules by type, one of which must hold. Where a value
begins, the machine goes on with every rule that its first byte allows, side by side. When a value
ends, its parents go on.

A node is only made if it can be finished by itself, whatever is below: what an inner value is does
not matter to an outer one, but for items that must differ: these are compared where they end.

Example: after ``{"a": 1`` there is a number, over an object that has seen a.
"""

from __future__ import annotations

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.schema.machine.distinct import Distinct
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    FIRST,
    KEY,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    OBJECT,
    PARENTS,
    ROOMY,
    SERIAL,
    STATE,
    STRING,
    VALUE,
    Found,
    Node,
    State,
    add_state,
    captures_at,
    make_node,
    read_members,
)
from maskc.runtime.schema.machine.room import Room, is_compared, place_of
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import Place
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings.other_keys import UNREAD, has_key, unread_key
from maskc.runtime.schema.strings.spelling import decode_body

_VALUE_BYTES = 40  # of a value in the set of an array's items, which each item makes anew
_QUOTE, _COMMA, _COLON = 0x22, 0x2C, 0x3A
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = 0x7B, 0x7D, 0x5B, 0x5D


class Moves:
    """Makes nodes, and moves them.

    Args:
        plan: what is asked.
        budget: where nodes are remembered.

    Attributes:
        plan, budget: as given.
        distinct: of items that must differ.
        room: of nodes.
    """

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self.plan = plan
        self.budget = budget
        self._nodes = Cache(budget)  # (state, the serials of the parents) → node
        self.distinct = Distinct(plan)
        self.room = Room(plan, self.distinct.variety)

    def node(self, state: State, parents: tuple[Node, ...]) -> Node:
        """Return the node with this state and these parents, the same one while it is known."""
        if len(parents) == 1:
            key: tuple[State | int, ...] = (state, parents[0][SERIAL])
        else:
            key = (state, *[parent[SERIAL] for parent in parents])
        found: Node | None = self._nodes.get(key)
        if found is None:
            captures = captures_at(state, parents)
            room = self.room.find(state, parents) if captures else ROOMY
            found = make_node(state, parents, room=room, captures=captures)
            self._nodes.put(key, found)
            if state[0] == ARRAY and state[5]:
                self.budget.charge(_VALUE_BYTES * len(state[5]))
        return found

    def pass_blank(self, node: Node, text: bytes, found: Found) -> None:
        """Add what a node becomes after a blank between signs."""
        kind = node[STATE][0]
        if kind == NUMBER:
            if self.ends_number(node):
                self._complete(node, text, found)
        elif kind != LITERAL:
            add_state(found, node[STATE], node[PARENTS])

    def move(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        """Add what a node becomes after a byte that is no blank between signs."""
        kind = node[STATE][0]
        if kind == STRING:
            self._move_string(node, byte, text, found)
        elif kind == KEY:
            self._move_key(node, byte, found)
        elif kind == NUMBER:
            self._move_number(node, byte, text, found)
        elif kind == VALUE:
            self.begin(node[STATE][1], byte, node[PARENTS], found)
        elif kind == LITERAL:
            self._move_literal(node, byte, text, found)
        elif kind == COLON:
            if byte == _COLON:
                add_state(found, (VALUE, node[STATE][1]), node[PARENTS])
        elif kind == OBJECT:
            self._move_object(node, byte, text, found)
        elif kind == ARRAY:
            self._move_array(node, byte, text, found)

    def begin(self, position: int, byte: int, parents: tuple[Node, ...], found: Found) -> None:
        """Add what a value at a position can be after its first byte."""
        rules = self.plan.positions[position]
        unique = self.unique_of(parents)
        if byte == _QUOTE:
            for number in rules.strings:
                rule = self.plan.strings[number]
                raw = b"" if unique is not None else None
                add_state(found, (STRING, number, rule.body.start, rule.begin, raw), parents)
        elif byte == _OPEN_BRACE:
            for number in rules.objects:
                start = self.plan.objects[number].start
                add_state(found, (OBJECT, number, start, FIRST), parents)
        elif byte == _OPEN_BRACKET:
            for number in rules.arrays:
                index, counts, values = self.plan.arrays[number].start
                add_state(found, (ARRAY, number, index, counts, FIRST, values, 0), parents)
        elif byte in b"ntf":
            which = b"ntf".index(byte)
            if rules.literals >> which & 1:
                add_state(found, (LITERAL, which, 1), parents)
        elif byte in NUMBER_BYTES:
            for number in rules.numbers:
                self._begin_number(number, byte, parents, unique, found)

    def _begin_number(
        self,
        number: int,
        byte: int,
        parents: tuple[Node, ...],
        unique: frozenset[Value] | None,
        found: Found,
    ) -> None:
        numbers = self.plan.numbers_without(number, unique)
        after = numbers.step(numbers.start, byte)
        if after is not None:
            add_state(found, (NUMBER, number, after, unique), parents)

    def unique_of(self, parents: tuple[Node, ...]) -> frozenset[Value] | None:
        """Return the values that an item must differ from, ``None`` if it is no such item."""
        state = parents[0][STATE]
        if state[0] != ARRAY or state[5] is None or self.plan.arrays[state[1]].repeats:
            return None
        values: frozenset[Value] = state[5]
        return values

    def _move_literal(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, which, at = node[STATE]
        word = LITERALS[which]
        if word[at] != byte:
            return
        if at + 1 == len(word):
            self._complete(node, text + bytes([byte]), found)
        else:
            add_state(found, (LITERAL, which, at + 1), node[PARENTS])

    def numbers_of(self, node: Node) -> Numbers:
        """Return the rule of the number that a node has open."""
        return self.plan.numbers_without(node[STATE][1], node[STATE][3])

    def ends_number(self, node: Node) -> bool:
        """Return whether the number that a node has open may end here."""
        return self.numbers_of(node).may_end(node[STATE][2])

    def _move_number(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        if byte in NUMBER_BYTES:
            _, number, state, unique = node[STATE]
            after = self.numbers_of(node).step(state, byte)
            if after is not None:
                add_state(found, (NUMBER, number, after, unique), node[PARENTS])
        elif self.ends_number(node):
            ended: Found = {}
            self._complete(node, text, ended)
            for state, parents in ended.items():
                self.move(self.node(state, tuple(parents.values())), byte, text, found)

    def _move_string(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, at, count, raw = node[STATE]
        rule = self.plan.strings[number]
        body = rule.body
        if byte == _QUOTE and body.characters[at] >= 0:
            if rule.may_end(body.characters[at], count):
                self._complete(node, text + b'"', found)
            return
        moved = rule.move(at, count, byte)
        if moved is not None:
            raw = None if raw is None else raw + bytes([byte])
            add_state(found, (STRING, number, *moved, raw), node[PARENTS])

    def _move_object(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, fields, phase = node[STATE]
        members = read_members(node[STATE])
        rule = self.plan.objects[number]
        if byte == _CLOSE_BRACE and phase != NEXT:
            if rule.can_close(members):
                self._complete(node, text + b"}", found)
        elif byte == _COMMA and phase == AFTER:
            if rule.open_labels(members):
                add_state(found, (OBJECT, number, fields, NEXT), node[PARENTS])
        elif byte == _QUOTE and phase != AFTER and rule.open_labels(members):
            body = self.plan.key_bodies[number]
            add_state(found, (KEY, number, fields, body.start, b""), node[PARENTS])

    def _move_key(self, node: Node, byte: int, found: Found) -> None:
        _, number, fields, at, raw = node[STATE]
        members = read_members(node[STATE])
        rule = self.plan.objects[number]
        body = self.plan.key_bodies[number]
        labels = rule.open_labels(members)
        state = body.characters[at]
        if byte == _QUOTE and state >= 0:
            label = rule.dfa.labels[state]
            if label >= 0 and labels >> label & 1:
                self._end_key(node, label, found)
            return
        after = body.step(at, byte)
        if not after:
            return
        if rule.has_classes:
            raw += bytes([byte])
        if self.plan.key_is_live(number, labels, after, raw, members[OTHERS]):
            add_state(found, (KEY, number, fields, after, raw), node[PARENTS])

    def close_key(self, node: Node, label: int) -> tuple[Node, ...]:
        """Return the nodes after a key of a label, one that was not there before."""
        number, members = node[STATE][1], read_members(node[STATE])
        rule = self.plan.objects[number]
        key = unread_key(label) if rule.is_scarce else UNREAD
        return tuple(
            self.node(
                (COLON, position),
                (self.node((OBJECT, number, after, AFTER), node[PARENTS]),),
            )
            for after, position in rule.enter(members, label, key)
        )

    def _end_key(self, node: Node, label: int, found: Found) -> None:
        _, number, _, _, raw = node[STATE]
        members = read_members(node[STATE])
        rule = self.plan.objects[number]
        key = ""
        if label >= rule.n_names:
            key = decode_body(raw)
            if has_key(members[OTHERS], key):
                return
        for after, position in rule.enter(members, label, key):
            frame = self.node((OBJECT, number, after, AFTER), node[PARENTS])
            add_state(found, (COLON, position), (frame,))

    def _move_array(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        number, phase, place = node[STATE][1], node[STATE][4], place_of(node)
        if byte == _CLOSE_BRACKET and phase != NEXT:
            if self.plan.arrays[number].may_close(place):
                self._complete(node, text + b"]", found)
        elif byte == _COMMA:
            if phase == AFTER and any(self.distinct.choices.ways(number, place)):
                add_state(found, (ARRAY, number, *place[:2], NEXT, place.values, 0), node[PARENTS])
        elif phase != AFTER:
            for after, position in self.distinct.choices.ways(number, place):
                self.begin(position, byte, (self.frame(node, after, len(text)),), found)

    def frame(self, node: Node, after: Place, at: int) -> Node:
        """Return an array's node with an item under way, which is yet to be compared.

        Args:
            node: the array's node before it.
            after: the place after it, but for its value.
            at: where in the captured text it begins.
        """
        at = 0 if after.values is None else at
        state = (ARRAY, node[STATE][1], *after[:2], AFTER, after.values, at)
        return self.node(state, node[PARENTS])

    def after_item(self, node: Node, value: Value) -> Node | None:
        """Return the node after an item with a value that was compared, ``None`` if it may not be.

        Args:
            node: the array's, with the item under way.
            value: of the item.
        """
        place = self.plan.arrays[node[STATE][1]].add(place_of(node), value)
        if place is None:
            return None
        # What has been compared is no longer where it was.
        state = (ARRAY, node[STATE][1], *place[:2], AFTER, place.values, 0)
        return self.node(state, node[PARENTS])

    def end_fresh(self, parent: Node) -> Node:
        """Return the node after a value that is none of those before, if it is a compared item."""
        if not is_compared(parent):
            return parent
        return self.node((*parent[STATE][:6], 0), parent[PARENTS])

    def _complete(self, node: Node, text: bytes, found: Found) -> None:
        """Add what goes on when a value has ended, ``text`` with its last byte."""
        for parent in node[PARENTS]:
            after: Node | None = parent
            if is_compared(parent):
                after = self.after_item(parent, read_value(text[parent[STATE][6] :]))
            if after is not None:
                add_state(found, after[STATE], after[PARENTS])
