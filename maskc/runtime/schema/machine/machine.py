"""The machine of a JSON Schema: bytes move a stack of what is open, with all its alternatives.

A *position* is what is asked of a value: rules by type, one of which must hold. Where a value
begins, the machine goes on with every rule that its first byte allows, side by side. All of them
have the same brackets open, so they share one stack whose levels have alternatives: a node is what
is open on top, and its parents are the alternatives below. When a value ends, its parents go on.

A node is only made if it can be finished by itself, whatever is below: what an inner value is does
not matter to an outer one, but for items that must differ: these are compared where they end.
So a text is live iff a node is left.

Example: after ``{"a": 1`` there is a number, over an object that has seen a.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.schema.machine.distinct import Distinct
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    FIRST,
    KEY,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    OBJECT,
    READS,
    STRING,
    VALUE,
    Configuration,
    Configurations,
    Found,
    Node,
    State,
    add_state,
    describe_nodes,
)
from maskc.runtime.schema.machine.room import Room, is_compared, place_of
from maskc.runtime.schema.machine.within import read_within
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.objects import UNREAD, unread_key
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import Place
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings.spelling import decode_body
from maskc.runtime.schema.tries.summary import Following

_QUOTE, _BACKSLASH, _COMMA, _COLON = 0x22, 0x5C, 0x2C, 0x3A
_STRINGS = (STRING, KEY)
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = 0x7B, 0x7D, 0x5B, 0x5D


class SchemaMachine:
    """Moves configurations. Shared by all matchers of an artifact, in whatever threads they run.

    Args:
        plan: what is asked.
        text_of: token id → its bytes, ``None`` if it writes no text.
        budget: where results are remembered.
    """

    def __init__(self, plan: Plan, text_of: Callable[[int], bytes | None], budget: Budget) -> None:
        self.plan = plan
        self.budget = budget
        self._text_of = text_of
        self._nodes = Cache(budget)
        self._steps = Cache(budget)
        self._moves = Cache(budget)
        self.distinct = Distinct(plan)
        self.room = Room(plan, self.distinct.variety)
        self._start = self.start_before(None)

    def start(self) -> Configurations:
        """Return the configuration before the first byte."""
        return (self._start,)

    def start_before(self, following: Following | None) -> Configuration:
        """Return the configuration before the first byte of a text that others follow.

        Args:
            following: what comes after the text, ``None`` if nothing does. Machines that share
                caches must be given the same object for the same.
        """
        bottom = self.node((END,) if following is None else (END, following), ())
        return Configuration((self.node((VALUE, self.plan.root), (bottom,)),), 0, b"")

    def step(self, hypotheses: Configurations, text: bytes) -> Configurations:
        """Return the configuration after some bytes; nothing if the text is illegal."""
        here, n_read = hypotheses[0], 0
        while n_read < len(text):
            if n_read + 1 < len(text) and not here.captures and here.nodes[0].state[0] in _STRINGS:
                found, n_more = read_within(self.plan, here.nodes, text[n_read:])
                if not found:
                    return ()
                if n_more:
                    here, n_read = self._after(found), n_read + n_more
                    continue
            after = self.read(here, text[n_read])
            if after is None:
                return ()
            here, n_read = after, n_read + 1
        return (here,)

    def _after(self, found: Found) -> Configuration:
        """Return the configuration with what was found inside strings of no compared item."""
        nodes = tuple(self.node(state, tuple(parents)) for state, parents in found.items())
        return Configuration(nodes, 0, b"")

    def take(self, hypotheses: Configurations, token_id: int) -> Configurations:
        """Return the configuration after a token; nothing if it is illegal."""
        text = self._text_of(token_id)
        if text is None:
            return ()
        key = (hypotheses[0].nodes, hypotheses[0].gap, hypotheses[0].text, token_id)
        found: Configuration | tuple[()] | None = self._moves.get(key)
        if found is None:
            found = next(iter(self.step(hypotheses, text)), ())
            self._moves.put(key, found)
        return (found,) if found else ()

    def may_end(self, hypothesis: Configuration) -> bool:
        """Return whether the text may end here, with all that must follow it."""
        following = hypothesis.nodes[0].following
        return self.has_ended(hypothesis) and (following is None or following.may_be_empty)

    def has_ended(self, hypothesis: Configuration) -> bool:
        """Return whether the text is whole here, whatever must follow it."""
        return any(
            node.state[0] == END
            or node.state[0] == NUMBER
            and self._ends_number(node)
            and any(parent.state[0] == END for parent in node.parents)
            for node in hypothesis.nodes
        ) and self.plan.blanks.may_go_on(hypothesis.gap)

    def describe(self, hypothesis: Configuration) -> Hashable:
        """Return all that the future of a configuration depends on."""
        return (hypothesis.gap, hypothesis.text, describe_nodes(hypothesis.nodes))

    def may_read(self, here: Configuration) -> frozenset[int]:
        """Return bytes outside of which none is legal; not all of them need be."""
        return frozenset().union(*(READS[node.state[0]] for node in here.nodes))

    def read(self, here: Configuration, byte: int) -> Configuration | None:
        """Return the configuration after one more byte, ``None`` if the text is illegal."""
        if here.captures:
            return self._read(here, byte)
        key = (here.nodes, here.gap, byte)
        found = self._steps.get(key)
        if found is None:
            found = self._read(here, byte) or ()
            self._steps.put(key, found)
        return found or None

    def _read(self, here: Configuration, byte: int) -> Configuration | None:
        found: Found = {}
        gap = 0
        if byte in BLANK_BYTES and here.nodes[0].state[0] not in (STRING, KEY):
            after = self.plan.blanks.step(here.gap, byte, here.nodes[0].depth)
            if after is None:
                return None
            gap = after
            for node in here.nodes:
                self._pass_blank(node, here.text, found)
        elif self.plan.blanks.may_go_on(here.gap):
            for node in here.nodes:
                self.move(node, byte, here.text, found)
        if not found:
            return None
        nodes = tuple(self.node(state, tuple(parents)) for state, parents in found.items())
        if not any(node.captures for node in nodes):
            return Configuration(nodes, gap, b"")
        # Between two items of the outermost array there is nothing to remember.
        is_inside = any(parent.captures for node in nodes for parent in node.parents)
        text = here.text + bytes([byte]) if is_inside else b""
        if any(node.is_tight for node in nodes):
            nodes = tuple(n for n in nodes if not n.is_tight or self.distinct.is_live(n, text))
        return Configuration(nodes, gap, text) if nodes else None

    def node(self, state: State, parents: tuple[Node, ...]) -> Node:
        """Return the node with this state and these parents, the same one while it is known."""
        key = (state, parents)
        found: Node | None = self._nodes.get(key)
        if found is None:
            found = Node(state, parents)
            if found.captures:
                self.room.find(found)
            self._nodes.put(key, found)
        return found

    def _pass_blank(self, node: Node, text: bytes, found: Found) -> None:
        kind = node.state[0]
        if kind == NUMBER:
            if self._ends_number(node):
                self._complete(node, text, found)
        elif kind != LITERAL:
            add_state(found, node.state, node.parents)

    def move(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        """Add what a node becomes after a byte that is no blank between signs."""
        kind = node.state[0]
        if kind == STRING:
            self._move_string(node, byte, text, found)
        elif kind == KEY:
            self._move_key(node, byte, found)
        elif kind == NUMBER:
            self._move_number(node, byte, text, found)
        elif kind == VALUE:
            self.begin(node.state[1], byte, node.parents, found)
        elif kind == LITERAL:
            self._move_literal(node, byte, text, found)
        elif kind == COLON:
            if byte == _COLON:
                add_state(found, (VALUE, node.state[1]), node.parents)
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
        state = parents[0].state
        if state[0] != ARRAY or state[5] is None or self.plan.arrays[state[1]].repeats:
            return None
        values: frozenset[Value] = state[5]
        return values

    def _move_literal(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, which, at = node.state
        word = LITERALS[which]
        if word[at] != byte:
            return
        if at + 1 == len(word):
            self._complete(node, text + bytes([byte]), found)
        else:
            add_state(found, (LITERAL, which, at + 1), node.parents)

    def numbers_of(self, node: Node) -> Numbers:
        """Return the rule of the number that a node has open."""
        return self.plan.numbers_without(node.state[1], node.state[3])

    def _ends_number(self, node: Node) -> bool:
        return self.numbers_of(node).may_end(node.state[2])

    def _move_number(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        if byte in NUMBER_BYTES:
            _, number, state, unique = node.state
            after = self.numbers_of(node).step(state, byte)
            if after is not None:
                add_state(found, (NUMBER, number, after, unique), node.parents)
        elif self._ends_number(node):
            ended: Found = {}
            self._complete(node, text, ended)
            for state, parents in ended.items():
                self.move(self.node(state, tuple(parents)), byte, text, found)

    def _move_string(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, at, count, raw = node.state
        rule = self.plan.strings[number]
        body = rule.body
        if byte == _QUOTE and body.characters[at] >= 0:
            if rule.may_end(body.characters[at], count):
                self._complete(node, text + b'"', found)
            return
        moved = rule.move(at, count, byte)
        if moved is not None:
            raw = None if raw is None else raw + bytes([byte])
            add_state(found, (STRING, number, *moved, raw), node.parents)

    def _move_object(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        _, number, members, phase = node.state
        rule = self.plan.objects[number]
        if byte == _CLOSE_BRACE and phase != NEXT:
            if rule.can_close(members):
                self._complete(node, text + b"}", found)
        elif byte == _COMMA and phase == AFTER:
            if rule.open_labels(members):
                add_state(found, (OBJECT, number, members, NEXT), node.parents)
        elif byte == _QUOTE and phase != AFTER and rule.open_labels(members):
            body = self.plan.key_bodies[number]
            add_state(found, (KEY, number, members, body.start, b""), node.parents)

    def _move_key(self, node: Node, byte: int, found: Found) -> None:
        _, number, members, at, raw = node.state
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
        if self.plan.key_is_live(number, labels, after, raw, members.others):
            add_state(found, (KEY, number, members, after, raw), node.parents)

    def close_key(self, node: Node, label: int) -> tuple[Node, ...]:
        """Return the nodes after a key of a label, one that was not there before."""
        _, number, members, _, _ = node.state
        rule = self.plan.objects[number]
        key = unread_key(label) if rule.is_scarce else UNREAD
        return tuple(
            self.node(
                (COLON, position),
                (self.node((OBJECT, number, after, AFTER), node.parents),),
            )
            for after, position in rule.enter(members, label, key)
        )

    def _end_key(self, node: Node, label: int, found: Found) -> None:
        _, number, members, _, raw = node.state
        rule = self.plan.objects[number]
        key = ""
        if label >= rule.n_names:
            key = decode_body(raw)
            if key in members.others:
                return
        for after, position in rule.enter(members, label, key):
            frame = self.node((OBJECT, number, after, AFTER), node.parents)
            add_state(found, (COLON, position), (frame,))

    def _move_array(self, node: Node, byte: int, text: bytes, found: Found) -> None:
        number, phase, place = node.state[1], node.state[4], place_of(node)
        if byte == _CLOSE_BRACKET and phase != NEXT:
            if self.plan.arrays[number].may_close(place):
                self._complete(node, text + b"]", found)
        elif byte == _COMMA:
            if phase == AFTER and any(self.distinct.choices.ways(number, place)):
                add_state(found, (ARRAY, number, *place[:2], NEXT, place.values, 0), node.parents)
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
        state = (ARRAY, node.state[1], *after[:2], AFTER, after.values, at)
        return self.node(state, node.parents)

    def after_item(self, node: Node, value: Value) -> Node | None:
        """Return the node after an item with a value that was compared, ``None`` if it may not be.

        Args:
            node: the array's, with the item under way.
            value: of the item.
        """
        place = self.plan.arrays[node.state[1]].add(place_of(node), value)
        if place is None:
            return None
        # What has been compared is no longer where it was.
        state = (ARRAY, node.state[1], *place[:2], AFTER, place.values, 0)
        return self.node(state, node.parents)

    def end_fresh(self, parent: Node) -> Node:
        """Return the node after a value that is none of those before, if it is a compared item."""
        if not is_compared(parent):
            return parent
        return self.node((*parent.state[:6], 0), parent.parents)

    def _complete(self, node: Node, text: bytes, found: Found) -> None:
        """Add what goes on when a value has ended, ``text`` with its last byte."""
        for parent in node.parents:
            after: Node | None = parent
            if is_compared(parent):
                after = self.after_item(parent, read_value(text[parent.state[6] :]))
            if after is not None:
                add_state(found, after.state, after.parents)
