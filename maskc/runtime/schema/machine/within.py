"""Open strings and keys after some bytes, which are read in one go.

A token inside a string is many bytes that do little: what counts is where the string's automaton is
after them, and how many characters they are. So they are read without the nodes that byte after
byte would make. What has died on the way is dead at the end, too.

Example: after ``"na`` the bytes ``me":`` are read in one go up to the quote.
"""

from __future__ import annotations

import re

from maskc.runtime.schema.machine.nodes import (
    KEY,
    KIND,
    PARENTS,
    STATE,
    STRING,
    Found,
    Node,
    State,
    add_state,
    read_members,
)
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.strings import Body

_QUOTE = 0x22
# Characters of one byte that are written as they are.
_PLAIN = re.compile(rb"[\x20\x21\x23-\x5b\x5d-\x7f]*")


def read_within(plan: Plan, nodes: tuple[Node, ...], text: bytes) -> tuple[Found, int]:
    """Return what open strings become up to the quote that ends them, and how many bytes these are.

    Args:
        plan: what is asked.
        nodes: with a string or a key on top, of which no item is compared.
        text: what is read.

    Returns:
        The states with their parents, none if all strings are dead; and the number of bytes.
    """
    found: Found = {}
    n_read = 0
    for node in nodes:
        read = read_key if node[STATE][KIND] == KEY else read_string
        state, n = read(plan, node[STATE], text)
        if state is not None:
            # All that live end at the same quote, as all have read the same characters.
            n_read = n
            add_state(found, state, node[PARENTS])
    return found, n_read


def read_string(plan: Plan, state: State, text: bytes) -> tuple[State | None, int]:
    """Return the state of a string before its quote or after a text, and how much was read."""
    _, number, at, count, raw = state
    rule = plan.strings[number]
    if isinstance(rule, CustomRule):
        return _read_custom(rule, state, text)
    body, first = rule.body, 0
    if rule.is_any and rule.is_unbounded and body.characters[at] >= 0:
        plain = _PLAIN.match(text)
        first = plain.end() if plain else 0
    n_read, at, n_characters = _follow(body, at, text, first)
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


def read_key(plan: Plan, state: State, text: bytes) -> tuple[State | None, int]:
    """Return the same for a key."""
    _, number, members, at, raw = state
    rule, body = plan.objects[number], plan.key_bodies[number]
    n_read, at, _ = _follow(body, at, text, 0)
    if not at:
        return None, 0
    if rule.has_classes:
        raw += text[:n_read]
    others = read_members(state)[OTHERS]
    if not plan.key_is_live(number, rule.open_labels(members), at, raw, others):
        return None, 0
    return (KEY, number, members, at, raw), n_read


def _follow(body: Body, at: int, text: bytes, first: int) -> tuple[int, int, int]:
    """Return how many bytes come before a quote, the state after them, and the characters.

    The first so many bytes, each a character, leave the state as it is.
    """
    characters, n_characters = body.characters, first
    for n in range(first, len(text)):
        byte = text[n]
        if byte == _QUOTE and characters[at] >= 0:
            return n, at, n_characters
        at = body.step(at, byte)
        if not at:
            return n, 0, 0
        n_characters += characters[at] >= 0
    return len(text), at, n_characters
