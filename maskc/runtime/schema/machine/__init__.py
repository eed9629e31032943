"""The machine of a JSON Schema: bytes move a stack of what is open, with all its alternatives.

All alternatives have the same brackets open, so they share one stack whose levels have
alternatives: a node is what is open on top, and its parents are the alternatives below. As a node
is only made if it can be finished (:mod:`maskc.runtime.schema.machine.moves`), a text is live iff a
node is left.

What a byte or a token makes of a configuration is remembered by the numbers of both.

Example: after ``{"a": 1`` there is a number, over an object that has seen a.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, Final
from weakref import WeakValueDictionary

from maskc.runtime.cache import EDGE_BYTES, Budget, Cache, Interner
from maskc.runtime.schema.machine.moves import Moves, read_within
from maskc.runtime.schema.machine.nodes import (
    ASSUMED,
    ASSUMED_VALUE,
    CAPTURES,
    DEPTH,
    END,
    FOLLOWING,
    ITEM,
    KEY,
    KIND,
    NEEDS_CHECK,
    NEW,
    NUMBER,
    PARENTS,
    READS,
    RULE,
    SERIAL,
    STATE,
    STRING,
    VALUE,
    Configuration,
    Configurations,
    Found,
    Node,
    State,
    describe_nodes,
    list_frames,
    next_serial,
    serials_of,
)
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.rules import with_value
from maskc.runtime.schema.tries.summary import Following
from maskc.runtime.step_budget import AT_ONCE, charge_steps

_STRINGS: Final = (STRING, KEY)
# Bits of a token's id, beside the serial of the configuration that it is taken in.
_TOKEN_BITS: Final = 32
_BYTE_BITS: Final = 8
_QUOTE: Final = 0x22
# Steps of reading a byte with one node on top; bytes inside a string that are one step.
_READ_STEPS: Final = 4
_IN_STRING: Final = 16

# A configuration as it is remembered: its serial, gap, text and nodes; nothing if there is none.
_Content = tuple[Any, ...]
_NOTHING: _Content = ()


class SchemaMachine(Moves):
    """Moves configurations. Shared by all matchers of an artifact, in whatever threads they run.

    ``text_of`` gives the bytes of a token by id, ``None`` if it writes no text.
    """

    def __init__(self, plan: Plan, text_of: Callable[[int], bytes | None], budget: Budget) -> None:
        super().__init__(plan, budget)
        self._text_of = text_of
        self._numbers = Cache(budget, n_bytes=EDGE_BYTES)  # of a node's serial → its number
        self._contents = Interner(budget)  # of a state and the numbers of the parents
        self._serials = Cache(budget)  # (gap, text, the serials of the nodes) → serial
        # By the serial of a configuration, and a byte or a token → what it becomes.
        self._steps = Cache(budget, _measure)
        self._tokens = Cache(budget, _measure)
        # What stands at the bottom of stacks, by number, as long as somebody has it.
        self._followings: WeakValueDictionary[int, Following] = WeakValueDictionary()
        self._start = self.start_before(None)

    def start(self) -> Configurations:
        return (self._start,)

    def start_before(self, following: Following | None) -> Configuration:
        """Return the configuration before the first byte of a text that others follow.

        Args:
            following: what comes after the text, ``None`` if nothing does. The caller holds it as
                long as configurations of this text are in use.
        """
        state: State = (END,)
        if following is not None:
            state = (END, following.number)
            self._followings[following.number] = following
        bottom = self.node(state, ())
        return Configuration((self.node((VALUE, self.plan.root), (bottom,)),), 0, b"")

    def following_of(self, node: Node) -> Following | None:
        """Return what comes after the whole text, ``None`` if nothing does."""
        number: int = node[FOLLOWING]
        return self._followings[number] if number else None

    def serial_of(self, here: Configuration) -> int:
        """Return the number of a configuration, by which results are remembered."""
        if not here.serial:
            nodes = here.nodes
            if len(nodes) == 1 and not here.gap and not here.text:
                here.serial = nodes[0][SERIAL]
            else:
                # Two threads may give two numbers: then what one remembers the other does not find.
                key = (here.gap, here.text, *serials_of(nodes))
                found: int | None = self._serials.get(key)
                if found is None:
                    found = next_serial()
                    self._serials.put(key, found)
                here.serial = found
        return here.serial

    def step(self, hypotheses: Configurations, text: bytes) -> Configurations:
        """Return the configuration after some bytes; nothing if the text is illegal."""
        here, n_read = hypotheses[0], 0
        while n_read < len(text):
            charge_steps(1)
            is_string = here.nodes[0][STATE][KIND] in _STRINGS
            n_left = len(text) - n_read
            if is_string and n_left > 1 and text[n_read] != _QUOTE and not here.captures:
                found, n_more = read_within(self.plan, here.nodes, text[n_read:])
                if not found:
                    return ()
                if n_more:
                    charge_steps(n_more // _IN_STRING)
                    here, n_read = Configuration(self._nodes_of(found), 0, b""), n_read + n_more
                    continue
            after = self._read(here, text[n_read])
            if after is None:
                return ()
            here, n_read = after, n_read + 1
        return (here,)

    def _nodes_of(self, found: Found) -> tuple[Node, ...]:
        return tuple([self.node(state, tuple(above.values())) for state, above in found.items()])

    def take(self, hypotheses: Configurations, token_id: int) -> Configurations:
        """Return the configuration after a token; nothing if it is illegal."""
        if token_id >> _TOKEN_BITS:  # it would be part of the serial
            return ()
        key = self.serial_of(hypotheses[0]) << _TOKEN_BITS | token_id
        content: _Content | None = self._tokens.get(key)
        if content is not None:
            return (_open(content),) if content else ()
        text = self._text_of(token_id)
        after = self.step(hypotheses, text) if text else ()
        self._tokens.put(key, self._close(after[0]) if after else _NOTHING)
        return after

    def _number(self, node: Node) -> int:
        """Return the number of a node: only equal ones have it, however much is open below."""
        known: int | None = self._numbers.get(node[SERIAL])
        if known is not None:
            return known
        # Of the nodes that are asked about; what is evicted meanwhile stays here.
        found: dict[int, int] = {}
        worklist = [node]
        while worklist:
            here = worklist[-1]
            serial: int = here[SERIAL]
            if serial not in found:
                known = self._numbers.get(serial)
                if known is None:
                    new = [parent for parent in here[PARENTS] if parent[SERIAL] not in found]
                    if new:
                        worklist += new
                        continue
                    numbers = sorted({found[parent[SERIAL]] for parent in here[PARENTS]})
                    known = self._contents.number((here[STATE], *numbers))
                    self._numbers.put(serial, known)
                found[serial] = known
            worklist.pop()
        return found[node[SERIAL]]

    def _close(self, here: Configuration) -> _Content:
        own: _Content = (self.serial_of(here), here.gap, here.text)
        return own + here.nodes

    def may_end(self, hypothesis: Configuration) -> bool:
        """Return whether the text may end here, with all that must follow it."""
        if not self.has_ended(hypothesis):
            return False
        following = self.following_of(hypothesis.nodes[0])
        return following is None or following.may_be_empty

    def has_ended(self, hypothesis: Configuration) -> bool:
        """Return whether the text is whole here, whatever must follow it."""
        return any(
            node[STATE][KIND] == END
            or node[STATE][KIND] == NUMBER
            and self.ends_number(node)
            and any(parent[STATE][KIND] == END for parent in node[PARENTS])
            for node in hypothesis.nodes
        ) and self.plan.blanks.may_go_on(hypothesis.gap)

    def describe(self, hypothesis: Configuration) -> Hashable:
        """Return all that the future of a configuration depends on."""
        return (hypothesis.gap, hypothesis.text, describe_nodes(hypothesis.nodes))

    def identify(self, hypothesis: Configuration) -> Hashable:
        """Return a key of a configuration, with its nodes by number."""
        numbers = frozenset([self._number(node) for node in hypothesis.nodes])
        return (hypothesis.gap, hypothesis.text, numbers)

    def may_read(self, here: Configuration) -> frozenset[int]:
        """Return bytes outside of which none is legal; not all of them need be."""
        return frozenset().union(*(READS[node[STATE][KIND]] for node in here.nodes))

    def read(self, here: Configuration, byte: int) -> Configuration | None:
        """Return the configuration after one more byte, ``None`` if the text is illegal."""
        if here.captures:
            return self._read(here, byte)
        key = self.serial_of(here) << _BYTE_BITS | byte
        content: _Content | None = self._steps.get(key)
        if content is not None:
            return _open(content) if content else None
        after = self._read(here, byte)
        self._steps.put(key, _NOTHING if after is None else self._close(after))
        return after

    def _read(self, here: Configuration, byte: int) -> Configuration | None:
        found: Found = {}
        gap = 0
        first = here.nodes[0]
        charge_steps(_READ_STEPS * len(here.nodes) + 1 + len(here.text) // AT_ONCE)
        if byte in BLANK_BYTES and first[STATE][KIND] not in _STRINGS:
            after = self.plan.blanks.step(here.gap, byte, first[DEPTH])
            if after is None:
                return None
            gap = after
            for node in here.nodes:
                self.pass_blank(node, here.text, found)
        elif self.plan.blanks.may_go_on(here.gap):
            for node in here.nodes:
                self.move(node, byte, here.text, found)
        if not found:
            return None
        nodes = self._nodes_of(found)
        if not any(node[CAPTURES] for node in nodes):
            return Configuration(nodes, gap, b"")
        # Between two items of the outermost array there is nothing to remember.
        is_inside = any(parent[CAPTURES] for node in nodes for parent in node[PARENTS])
        text = here.text + bytes([byte]) if is_inside else b""
        if any(node[NEEDS_CHECK] for node in nodes):
            nodes = tuple(
                [n for n in nodes if not n[NEEDS_CHECK] or self.distinct.is_live(n, text)]
            )
        return Configuration(nodes, gap, text) if nodes else None

    def mark_distinct(self, node: Node, text: bytes) -> Node:
        """Return a node with the items below marked that are *new*, of which a text was captured.

        Nothing that was there has what has been read of them, so what is legal inside them is what
        would be legal if items could be equal. After ``[{"id": 1}, {"id": 2`` the object is new, if
        the number has ended.
        """
        new = {
            frame[SERIAL]: (*frame[STATE][:ITEM], NEW - frame[STATE][ITEM])
            for frame in list_frames(node)
            if not self.plan.arrays[frame[STATE][RULE]].repeats
            and not any(True for _ in self.distinct.words(frame, node, text))
        }
        return self._rebuild(node, new) or node if new else node

    def assume_distinct(self, node: Node) -> Node | None:
        """Return a node with all items below assumed distinct, ``None`` if they may not be.

        What is legal after a string that is none of those in such items is found once for all.
        """
        dead = set()
        assumed: dict[int, State] = {}
        for frame in list_frames(node):
            kind, number, progress, phase, _ = frame[STATE]
            if self.plan.arrays[number].only(progress) is not None:
                dead.add(frame[SERIAL])
            after = with_value(progress, ASSUMED_VALUE)
            assumed[frame[SERIAL]] = (kind, number, after, phase, ASSUMED)
        return self._rebuild(node, assumed, dead)

    def _rebuild(
        self, top: Node, states: dict[int, State], dead: Collection[int] = ()
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
                made[serial] = self.node(state, parents)
        return made[top[SERIAL]]


def _measure(_: int, content: _Content) -> int:
    return EDGE_BYTES + (60 + 8 * len(content) + len(content[2]) if content else 0)


def _open(content: _Content) -> Configuration:
    return Configuration(content[3:], content[1], content[2], content[0])
