"""What is open in a JSON text that a schema's machine reads, as a stack with alternatives.

A node is what is open on top, and its parents are the alternatives below. A configuration is all
alternatives on top, with what else the future depends on.

Nodes are remembered by the thousand, and Python's garbage collector walks all objects that may
hold others each time it runs, but for tuples of what holds none, and tuples of such tuples. So a
node is a plain tuple, down to the bottom of its stack, and what is known of one is found by its
*serial*, a number that no other node of the process ever has. As stacks may be thousands deep, and
tuples are compared and hashed item by item, nodes are told apart by serials, and are never keys.

Example: after ``{"a": 1`` there is a node for a number, whose parent is one for an object that has
seen a, whose parent is the end of the text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import count
from typing import Any, Final

from maskc.runtime.schema.numbers.spellings import NUMBER_BYTES
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.objects import Members
from maskc.runtime.schema.plan.rules import VALUES, ArrayProgress
from maskc.runtime.schema.plan.values import Value
from maskc.runtime.step_budget import charge_steps

END: Final = 0
VALUE: Final = 1
LITERAL: Final = 2
STRING: Final = 3
NUMBER: Final = 4
OBJECT: Final = 5
KEY: Final = 6
COLON: Final = 7
ARRAY: Final = 8
PLACEHOLDER: Final = 9
# phases: after the bracket, after a comma, after a value
FIRST: Final = 0
NEXT: Final = 1
AFTER: Final = 2
LITERALS: Final = (b"null", b"true", b"false")
BEGINNINGS = frozenset(b'"{[ntf-0123456789')
# Kind of a node → bytes outside of which it reads none.
READS: Final = {
    END: BLANK_BYTES,
    VALUE: BEGINNINGS | BLANK_BYTES,
    LITERAL: frozenset(b"nulltruefalse"),
    NUMBER: NUMBER_BYTES | frozenset(b",]}") | BLANK_BYTES,
    OBJECT: frozenset(b'",}') | BLANK_BYTES,
    COLON: frozenset(b":") | BLANK_BYTES,
    ARRAY: BEGINNINGS | frozenset(b",]") | BLANK_BYTES,
    STRING: frozenset(range(256)),
    KEY: frozenset(range(256)),
}

# What is open, as a tuple of numbers, texts and tuples of these; where items are compared it also
# has the set of those that were there. By kind:
#   END, number of what follows if anything does
#   VALUE or COLON, position
#   LITERAL, which, how many bytes were read
#   STRING, rule, state of its body, what is counted of it, raw text if it is compared
#   NUMBER, rule, state, the values that it must differ from
#   OBJECT, rule, members, phase
#   KEY, rule, members, state of its body, raw text
#   ARRAY, rule, progress, phase, where the item under way begins in the captured text
State = tuple[Any, ...]
KIND: Final = 0
RULE: Final = 1
POSITION: Final = 1
PHASE: Final = 3
ITEM: Final = 4
# Instead of where an item begins, if it differs from those before it whatever it becomes:
# nowhere that is known, or at NEW minus this.
ASSUMED: Final = -1
NEW: Final = -2
ASSUMED_VALUE: Value = ("assumed",)  # a value that is not known, and none of those that are

# What is open on top of a stack, and the alternatives below: a tuple of
#  - its serial;
#  - its state;
#  - how many brackets are open;
#  - whether an array is open whose items are compared;
#  - its slack, see :mod:`maskc.runtime.schema.machine.cardinality`: whether what is below lets it
#    become infinitely many values, whatever it becomes itself; whether it must become what was
#    there before; whether it needs a check that it can become something else;
#  - the number of what comes after the whole text, 0 if nothing does, OVER_PLACEHOLDER above one;
#  - its parents, what goes on when it ends. They have no tuple of their own, as the collector sees
#    through one more level each time it runs.
Node = tuple[Any, ...]
SERIAL: Final = 0
STATE: Final = 1
DEPTH: Final = 2
CAPTURES: Final = 3
HAS_SLACK: Final = 4
MUST_EQUAL: Final = 5
NEEDS_CHECK: Final = 6
FOLLOWING: Final = 7
OVER_PLACEHOLDER: Final = -1
PARENTS: Final = slice(8, None)

Slack = tuple[bool, bool, bool]
UNCOMPARED: Final = (True, False, False)  # the slack of a node in no item that is compared
_serials: Final = count(1)


def next_serial() -> int:
    """Return a number that no node or configuration of the process has had."""
    return next(_serials)


def read_members(state: State) -> Members:
    """Return what has been read of an object, of its state or that of one of its keys."""
    members: Members = state[2]
    return members


def position_of(node: Node) -> ArrayProgress:
    """Return how far an array was read."""
    progress: ArrayProgress = node[STATE][2]
    return progress


def is_compared(frame: Node) -> bool:
    """Return whether a node is an array whose item under way is compared where it ends."""
    kind: int = frame[STATE][KIND]
    return kind == ARRAY and frame[STATE][2][VALUES] is not None


def has_assumed(progress: ArrayProgress) -> bool:
    """Return whether an array has had an item of which it is not known what it was."""
    return any(value[0] == ASSUMED_VALUE[0] for value in progress[VALUES] or ())


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


def captures_at(state: State, parents: tuple[Node, ...]) -> bool:
    """Return whether an array is open whose items are compared, with a state over some parents."""
    kind: int = state[KIND]
    if kind == ARRAY and state[2][VALUES] is not None and state[ITEM] >= 0:
        return True
    for parent in parents:  # noqa: SIM110 - a generator would take longer than the rest
        if parent[CAPTURES]:
            return True
    return False


def make_node(
    state: State,
    parents: tuple[Node, ...],
    depth: int = 0,
    slack: Slack = UNCOMPARED,
    *,
    captures: bool = False,
) -> Node:
    """Return a new node; ``depth`` is of a bottom, without parents."""
    following = 0
    if parents:
        depth, following = parents[0][DEPTH], parents[0][FOLLOWING]
    kind: int = state[KIND]
    if kind == END:
        following = state[1] if len(state) > 1 else 0
    elif kind == PLACEHOLDER:
        following = OVER_PLACEHOLDER
    elif kind in (OBJECT, ARRAY, KEY):
        depth += 1
    # Compiled, tuples are put together faster than unpacked.
    own: Node = (next(_serials), state, depth, captures, slack[0], slack[1], slack[2], following)
    return own + parents


def serials_of(nodes: Iterable[Node]) -> tuple[int, ...]:
    """Return the serials of some nodes."""
    return tuple([node[SERIAL] for node in nodes])


class Configuration:
    """All that the future of a text depends on."""

    __slots__ = ("gap", "nodes", "serial", "text")

    def __init__(self, nodes: tuple[Node, ...], gap: int, text: bytes, serial: int = 0) -> None:
        self.nodes = nodes  # alternatives on top
        self.gap = gap  # what has been read of white space
        # what has been read of the item under way of an array whose items are compared
        self.text = text
        self.serial = serial  # by which results are remembered; 0 until somebody has asked

    @property
    def captures(self) -> bool:
        """Whether an array is open whose items are compared."""
        for node in self.nodes:  # noqa: SIM110 - as above
            if node[CAPTURES]:
                return True
        return False


Configurations = tuple[Configuration, ...]

# States, with their parents by serial.
Found = dict[State, dict[int, Node]]


def add_state(found: Found, state: State, parents: tuple[Node, ...]) -> None:
    """Add a state over some parents."""
    known = found.get(state)
    if known is None:
        known = found[state] = {}
    for parent in parents:
        known[parent[SERIAL]] = parent


def describe_nodes(nodes: tuple[Node, ...]) -> Hashable:
    """Return what nodes are, whatever objects they are: level by level, with its edges."""
    levels: list[Hashable] = []
    level = {node[SERIAL]: node for node in nodes}
    while level:
        charge_steps(len(level))
        levels.append(
            frozenset(
                (node[STATE], frozenset(parent[STATE] for parent in node[PARENTS]))
                for node in level.values()
            )
        )
        level = {parent[SERIAL]: parent for node in level.values() for parent in node[PARENTS]}
    return tuple(levels)
