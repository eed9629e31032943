"""What an open node becomes after one more byte, or after those of a string.

A *position* is what is asked of a value: rules by type, one of which must hold. Where a value
begins, the machine goes on with every rule that its first byte allows, side by side. When a value
ends, its parents go on.

A node is only made if it can be finished by itself, whatever is below: what an inner value is does
not matter to an outer one, but for items that must differ: these are compared where they end.

A token inside a string is many bytes that do little: what counts is where the string's automaton is
after them, and how many characters they are. So they are read in one go, up to the quote.

Example: after ``{"a": 1`` there is a number, over an object that has seen a.
"""

from __future__ import annotations

from typing import Final

from maskc.runtime.cache import Budget, Cache
from maskc.runtime.schema.machine.distinct import Distinct
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    FIRST,
    ITEM,
    KEY,
    KIND,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    OBJECT,
    PARENTS,
    POSITION,
    RULE,
    SERIAL,
    STATE,
    STRING,
    UNCOMPARED,
    VALUE,
    Found,
    Node,
    State,
    add_state,
    captures_at,
    is_compared,
    make_node,
    position_of,
    read_members,
)
from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.spellings import NUMBER_BYTES
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.rules import VALUES, ArrayProgress
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings import Body, decode_body
from maskc.runtime.schema.strings.keys import UNREAD, has_key, unread_key

# Of a node with its key and state; of a parent, in both; and
_NODE_BYTES: Final = 600
_LINK_BYTES: Final = 16
_VALUE_BYTES: Final = 40  # of a value in the set of an array's items, which each item makes anew
_QUOTE: Final = 0x22
_COMMA: Final = 0x2C
_COLON: Final = 0x3A
_OPEN_BRACE: Final = 0x7B
_CLOSE_BRACE: Final = 0x7D
_OPEN_BRACKET: Final = 0x5B
_CLOSE_BRACKET: Final = 0x5D


class Moves:
    """Makes nodes, and moves them."""

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self.plan = plan
        self.budget = budget
        self._nodes = Cache(budget, _measure)  # (state, the serials of the parents) → node
        self.distinct = Distinct(plan)
        self.cardinality = self.distinct.cardinality

    def node(self, state: State, parents: tuple[Node, ...]) -> Node:
        """Return the node with this state and these parents, the same one while it is known."""
        if len(parents) == 1:
            key: tuple[State | int, ...] = (state, parents[0][SERIAL])
        else:
            key = (state, *[parent[SERIAL] for parent in parents])
        found: Node | None = self._nodes.get(key)
        if found is None:
            captures = captures_at(state, parents)
            slack = self.cardinality.find_slack(state, parents) if captures else UNCOMPARED
            found = make_node(state, parents, slack=slack, captures=captures)
            self._nodes.put(key, found)
        return found

    def pass_blank(self, node: Node, text: bytes, found: Found) -> None:
        """Add what a node becomes after a blank between signs."""
        kind = node[STATE][KIND]
        if kind == NUMBER:
            if self.ends_number(node):
                self._complete(node, text, found)
        elif kind != LITERAL:
            add_state(found, node[STATE], node[PARENTS])

    def move(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        """Add what a node becomes after a byte that is no blank between signs."""
        state = node[STATE]
        kind = state[KIND]
        if kind == STRING:
            self._move_string(node, byte, text, found)
        elif kind == KEY:
            self._move_key(node, byte, found)
        elif kind == NUMBER:
            self._move_number(node, byte, text, found)
        elif kind == VALUE:
            self.begin(state[POSITION], byte, node[PARENTS], found)
        elif kind == LITERAL:
            self._move_literal(node, byte, text, found)
        elif kind == COLON:
            if byte == _COLON:
                add_state(found, (VALUE, state[POSITION]), node[PARENTS])
        elif kind == OBJECT:
            self._move_object(node, byte, text, found)
        elif kind == ARRAY:
            self._move_array(node, byte, text, found)

    def begin(self, position: int, byte: int, parents: tuple[Node, ...], found: Found) -> None:
        """Add what a value at a position can be after its first byte."""
        plan = self.plan
        rules = plan.position(position)
        unique = self.unique_of(parents)
        if byte == _QUOTE:
            raw = b"" if unique is not None else None
            for n in rules.strings:
                rule = plan.strings[n]
                add_state(found, (STRING, n, rule.body.start, rule.begin, raw), parents)
        elif byte == _OPEN_BRACE:
            for n in rules.objects:
                add_state(found, (OBJECT, n, plan.objects[n].start, FIRST), parents)
        elif byte == _OPEN_BRACKET:
            for n in rules.arrays:
                add_state(found, (ARRAY, n, plan.arrays[n].start, FIRST, 0), parents)
        elif byte in b"ntf":
            which = b"ntf".index(byte)
            if rules.literals >> which & 1:
                add_state(found, (LITERAL, which, 1), parents)
        elif byte in NUMBER_BYTES:
            for n in rules.numbers:
                numbers = plan.numbers_without(n, unique)
                after = numbers.step(numbers.start, byte)
                if after is not None:
                    add_state(found, (NUMBER, n, after, unique), parents)

    def unique_of(self, parents: tuple[Node, ...]) -> frozenset[Value] | None:
        """Return the values that an item must differ from, ``None`` if it is no such item."""
        parent = parents[0]
        if not is_compared(parent) or self.plan.arrays[parent[STATE][RULE]].repeats:
            return None
        return position_of(parent)[VALUES]

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
        _, number, _, unique = node[STATE]
        return self.plan.numbers_without(number, unique)

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
        _, number, at, count, _ = node[STATE]
        rule = self.plan.strings[number]
        characters = rule.body.characters
        if byte == _QUOTE and characters[at] >= 0:
            if rule.may_end(characters[at], count):
                self._complete(node, text + b'"', found)
            return
        after, _ = _read_string(self.plan, node[STATE], bytes([byte]))
        if after is not None:
            add_state(found, after, node[PARENTS])

    def _move_object(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, members, phase = node[STATE]
        rule = self.plan.objects[number]
        if byte == _CLOSE_BRACE and phase != NEXT:
            if rule.can_close(members):
                self._complete(node, text + b"}", found)
        elif byte == _COMMA and phase == AFTER:
            if rule.open_labels(members):
                add_state(found, (OBJECT, number, members, NEXT), node[PARENTS])
        elif byte == _QUOTE and phase != AFTER and rule.open_labels(members):
            body = self.plan.key_bodies[number]
            add_state(found, (KEY, number, members, body.start, b""), node[PARENTS])

    def _move_key(self, node: Node, byte: int, found: Found) -> None:
        _, number, members, at, raw = node[STATE]
        rule = self.plan.objects[number]
        state = self.plan.key_bodies[number].characters[at]
        if byte != _QUOTE or state < 0:
            after, _ = _read_key(self.plan, node[STATE], bytes([byte]))
            if after is not None:
                add_state(found, after, node[PARENTS])
            return
        label = rule.dfa.labels[state]
        if label < 0 or not rule.open_labels(members) >> label & 1:
            return
        key = ""
        if label >= rule.n_names:
            key = decode_body(raw)
            if has_key(read_members(node[STATE])[OTHERS], key):
                return
        for colon in self.after_key(node, label, key):
            add_state(found, colon[STATE], colon[PARENTS])

    def close_key(self, node: Node, label: int) -> tuple[Node, ...]:
        """Return the nodes after a key of a label, one that was not there before."""
        has_finite_keys = self.plan.objects[node[STATE][RULE]].has_finite_keys
        return self.after_key(node, label, unread_key(label) if has_finite_keys else UNREAD)

    def after_key(self, node: Node, label: int, key: str) -> tuple[Node, ...]:
        """Return the nodes after a key, of the node of the object or of the key."""
        number, members = node[STATE][RULE], read_members(node[STATE])
        return tuple(
            [
                self.node(
                    (COLON, position), (self.node((OBJECT, number, after, AFTER), node[PARENTS]),)
                )
                for after, position in self.plan.objects[number].enter(members, label, key)
            ]
        )

    def _move_array(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, progress, phase, _ = node[STATE]
        transitions = self.distinct.choices.transitions(number, progress)
        if byte == _CLOSE_BRACKET and phase != NEXT:
            if self.plan.arrays[number].may_end(progress):
                self._complete(node, text + b"]", found)
        elif byte == _COMMA:
            if phase == AFTER and any(transitions):
                add_state(found, (ARRAY, number, progress, NEXT, 0), node[PARENTS])
        elif phase != AFTER:
            for after, position in transitions:
                self.begin(position, byte, (self.frame(node, after, len(text)),), found)

    def frame(self, node: Node, after: ArrayProgress, at: int) -> Node:
        """Return an array's node with an item under way, which is yet to be compared.

        ``after`` is the progress after it, but for its value; ``at`` is where it begins.
        """
        at = 0 if after[VALUES] is None else at
        return self.node((ARRAY, node[STATE][RULE], after, AFTER, at), node[PARENTS])

    def after_item(self, node: Node, value: Value) -> Node | None:
        """Return an array's node after an item that was compared, ``None`` if it may not be."""
        number = node[STATE][RULE]
        progress = self.plan.arrays[number].add(position_of(node), value)
        if progress is None:
            return None
        # What has been compared is no longer where it was.
        return self.node((ARRAY, number, progress, AFTER, 0), node[PARENTS])

    def end_assumed(self, parent: Node) -> Node:
        """Return the node after a value that is none of those before, if it is a compared item."""
        if not is_compared(parent):
            return parent
        return self.node((*parent[STATE][:ITEM], 0), parent[PARENTS])

    def _complete(self, node: Node, text: bytes, found: Found) -> None:
        """Add what goes on when a value has ended, ``text`` with its last byte."""
        for parent in node[PARENTS]:
            after: Node | None = parent
            if is_compared(parent):
                after = self.after_item(parent, read_value(text[parent[STATE][ITEM] :]))
            if after is not None:
                add_state(found, after[STATE], after[PARENTS])


def _measure(key: tuple[State | int, ...], node: Node) -> int:
    n_values = len(position_of(node)[VALUES] or ()) if node[STATE][KIND] == ARRAY else 0
    return _NODE_BYTES + _LINK_BYTES * len(key) + _VALUE_BYTES * n_values


def read_within(plan: Plan, nodes: tuple[Node, ...], text: bytes) -> tuple[Found, int]:
    """Return what open strings become up to the quote that ends them, and how many bytes these are.

    No item of theirs is compared. No state is found if all strings are dead.
    """
    found: Found = {}
    n_read = 0
    for node in nodes:
        if node[STATE][KIND] == KEY:
            state, n = _read_key(plan, node[STATE], text)
        else:
            state, n = _read_string(plan, node[STATE], text)
        if state is not None:
            # All that live end at the same quote, as all have read the same characters.
            n_read = n
            add_state(found, state, node[PARENTS])
    return found, n_read


def _read_string(plan: Plan, state: State, text: bytes) -> tuple[State | None, int]:
    """Return the state of a string before its quote or after a text, and how much was read."""
    _, number, at, count, raw = state
    rule = plan.strings[number]
    if isinstance(rule, CustomRule):
        return _read_custom(rule, state, text)
    n_read, at, n_characters = _follow(rule.body, at, text)
    if not at:
        return None, 0
    count = rule.cap(count + n_characters)
    if not rule.is_live(at, count):
        return None, 0
    raw = None if raw is None else raw + text[:n_read]
    return (STRING, number, at, count, raw), n_read


def _read_custom(rule: CustomRule, state: State, text: bytes) -> tuple[State | None, int]:
    _, number, at, count, raw = state
    n_read = 0
    for byte in text:
        if byte == _QUOTE and rule.body.characters[at] >= 0:
            break
        moved = rule.move(at, count, byte)
        if moved is None:
            return None, 0
        at, count = moved
        n_read += 1
    raw = None if raw is None else raw + text[:n_read]
    return (STRING, number, at, count, raw), n_read


def _read_key(plan: Plan, state: State, text: bytes) -> tuple[State | None, int]:
    """Return the same for a key."""
    _, number, members, at, raw = state
    rule, body = plan.objects[number], plan.key_bodies[number]
    n_read, at, _ = _follow(body, at, text)
    if not at:
        return None, 0
    if rule.has_classes:
        raw += text[:n_read]
    others = read_members(state)[OTHERS]
    if not plan.key_is_live(number, rule.open_labels(members), at, raw, others):
        return None, 0
    return (KEY, number, members, at, raw), n_read


def _follow(body: Body, at: int, text: bytes) -> tuple[int, int, int]:
    """Return how many bytes come before a quote, the state after them, and the characters."""
    characters = body.characters
    n_read = n_characters = 0
    while n_read < len(text) and at:
        if characters[at] >= 0:
            at, n_plain = body.read_plain(at, text, n_read)
            n_characters += n_plain - n_read
            n_read = n_plain
            if not at or n_read == len(text) or text[n_read] == _QUOTE:
                break
        at = body.step(at, text[n_read])
        n_read += 1
        n_characters += characters[at] >= 0
    return n_read, at, n_characters
