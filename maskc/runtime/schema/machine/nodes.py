"""What is open in a JSON text that a schema's machine reads, as a stack with alternatives.

A node is what is open on top, and its parents are the alternatives below. A configuration is all
alternatives on top, with what else the future depends on.

Example: after ``{"a": 1`` there is a node for a number, whose parent is one for an object that has
seen a, whose parent is the end of the text.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.tries.summary import Following

END, VALUE, LITERAL, STRING, NUMBER, OBJECT, KEY, COLON, ARRAY, HOLE = range(10)
FIRST, NEXT, AFTER = range(3)  # phases: after the bracket, after a comma, after a value
LITERALS = (b"null", b"true", b"false")


State = tuple[Any, ...]
# Where the item under way of an array begins in the captured text, if it differs from those before
# it whatever it becomes: nowhere that is known, or at NEW minus this.
FRESH, NEW = -1, -2


BEGINNINGS = frozenset(b'"{[ntf-0123456789')
# Kind of a node → bytes outside of which it reads none.
READS = {
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


class Node:
    """What is open on top of a stack, and the alternatives below.

    Attributes:
        state: what is open, as a tuple that begins with its kind.
        parents: what goes on when it ends.
        depth: how many brackets are open; given where nothing is below.
        captures: whether an array is open whose items are compared.
        is_roomy: whether what is below lets it become endlessly many, whatever it becomes itself.
        is_bound: whether it must become what was there before.
        is_tight: whether it may be that it can become nothing else than what was there before.
        following: what comes after the whole text, ``None`` if nothing does.
    """

    __slots__ = (
        "captures",
        "depth",
        "following",
        "is_bound",
        "is_roomy",
        "is_tight",
        "parents",
        "state",
    )

    def __init__(self, state: State, parents: tuple[Node, ...], depth: int = 0) -> None:
        self.state = state
        self.parents = parents
        self.depth: int = parents[0].depth if parents else depth
        self.following: Following | None = None
        if state[0] == END:
            self.following = state[1] if len(state) > 1 else None
        elif parents:
            self.following = parents[0].following
        if state[0] in (OBJECT, ARRAY, KEY):
            self.depth += 1
        self.captures: bool = any(parent.captures for parent in parents) or (
            state[0] == ARRAY and state[5] is not None and state[6] >= 0
        )
        self.is_roomy = True
        self.is_bound = False
        self.is_tight = False


class Configuration:
    """All that the future of a text depends on.

    Attributes:
        nodes: alternatives on top.
        gap: what has been read of white space.
        text: what has been read of the item under way of an array whose items are compared.
        mask: its mask, once that is known; see :mod:`maskc.runtime.schema.masks.masks`.
    """

    __slots__ = ("captures", "gap", "mask", "nodes", "text")

    def __init__(self, nodes: tuple[Node, ...], gap: int, text: bytes) -> None:
        self.nodes = nodes
        self.gap = gap
        self.text = text
        self.captures: bool = any(node.captures for node in nodes)
        self.mask: PooledMask | None = None


Configurations = tuple[Configuration, ...]


Found = dict[State, dict[Node, None]]


def add_state(found: Found, state: State, parents: tuple[Node, ...]) -> None:
    """Add a state over some parents."""
    known = found.get(state)
    if known is None:
        found[state] = dict.fromkeys(parents)
    else:
        known.update(dict.fromkeys(parents))


def describe_nodes(nodes: tuple[Node, ...]) -> Hashable:
    """Return what nodes are, whatever objects they are: level by level, with its edges."""
    levels: list[Hashable] = []
    level = dict.fromkeys(nodes)
    while level:
        levels.append(
            frozenset((n.state, frozenset(parent.state for parent in n.parents)) for n in level)
        )
        level = dict.fromkeys(parent for n in level for parent in n.parents)
    return tuple(levels)
