"""JSON texts that differ by nothing but keys that were there, and lengths of strings.

Keys of an object must differ, and so each of them leads to a configuration of its own. But where
there are always more keys, how a text ends hardly depends on which there were, nor on what has been
read of the one that is open: should it be one that was there, one more character makes another of
it. So they are forgotten, and thousands of configurations are one. How many characters a string has
is forgotten once they are enough, where any may follow and its quote ends it.

Example: of ``{"type": "object"}``, ``{"a": 1, "b`` and ``{"xyz`` are one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    KEY,
    NEXT,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    STRING,
    Configuration,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.other_keys import NO_KEYS, add_key, count_begun, unread_key
from maskc.runtime.schema.tries.trie import ROOT, Trie

MOST_NODES: Final = 20_000  # of which something is remembered
_BACKSLASH, _FIRST_LEAD, _ESCAPE_BYTES = 0x5C, 0xC0, 6
_HALVES: Final = (b"d8", b"d9", b"da", b"db")
_WRITTEN: Final = (*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF5))
_MOST_KEYS: Final = 40  # of a text; one character makes another key of each


def list_unknown(top: Node, known: Container[int]) -> Iterator[Node]:
    """Yield a node and what is below it, as far as it is not known, each after its parents.

    Who takes them makes the serial of each known before the next one is asked for.
    """
    todo = [top]
    while todo:
        node = todo[-1]
        is_known = node[SERIAL] in known
        missing = [parent for parent in node[PARENTS] if parent[SERIAL] not in known]
        if missing and not is_known:
            todo += missing
            continue
        todo.pop()
        if not is_known:
            yield node


class Forgetting:
    """Forgets the keys of one schema's texts, and lengths if each byte is a token of the trie."""

    def __init__(self, machine: SchemaMachine, trie: Trie) -> None:
        self._machine, self._plan = machine, machine.plan
        nodes = (trie.child(ROOT, byte) for byte in _WRITTEN)
        self._writes_all = all(node >= 0 and trie.n_ending[node] for node in nodes)
        self._known: dict[int, Node] = {}  # by serial

    def forget(self, here: Configuration) -> Configuration:
        """Return a configuration without the keys that were there."""
        if here.captures:
            # Items that are compared have the keys in them.
            return here
        nodes = {node[SERIAL]: node for node in map(self._find, here.nodes)}
        if tuple(nodes) == tuple([node[SERIAL] for node in here.nodes]):
            return here
        return Configuration(tuple(nodes.values()), here.gap, here.text)

    def is_key(self, here: Configuration) -> bool:
        """Return whether a key is open, or must come, that may be one that was there."""
        for node in here.nodes:
            state = node[STATE]
            must_come = state[0] == KEY or state[0] == OBJECT and state[3] == NEXT
            if must_come and self._plan.objects[state[1]].has_classes:
                return True
        return False

    def _find(self, top: Node) -> Node:
        """Return the node that stands for one."""
        known = self._known
        if top[SERIAL] not in known and len(known) > MOST_NODES:
            known.clear()
        for node in list_unknown(top, known):
            above = {n[SERIAL]: n for n in (known[parent[SERIAL]] for parent in node[PARENTS])}
            state = _forget_state(self._plan, node[STATE], writes_all=self._writes_all)
            is_same = state == node[STATE] and tuple(above.values()) == node[PARENTS]
            found = node if is_same else self._machine.node(state, tuple(above.values()))
            known[node[SERIAL]] = known[found[SERIAL]] = found
        return known[top[SERIAL]]


def _forget_state(plan: Plan, state: State, *, writes_all: bool) -> State:
    if state[0] == STRING:
        string = plan.strings[state[1]]
        is_free = string.is_any and not isinstance(string, CustomRule) and state[3] > string.low
        return (*state[:3], string.low, *state[4:]) if is_free and writes_all else state
    if state[0] not in (OBJECT, KEY):
        return state
    rule, (seen, others, n_members, wishes) = plan.objects[state[1]], read_members(state)
    missing = (rule.required & ~seen).bit_count()
    is_free = rule.has_classes and rule.is_flat and rule.high is None and not wishes
    if (
        not is_free
        or rule.low > n_members + missing
        or rule.n_names + count_begun(others, "") > _MOST_KEYS
    ):
        return state
    # In order, none of a name may come after others.
    kept = add_key(NO_KEYS, unread_key(rule.n_names)) if others and rule.ordered else NO_KEYS
    state = (*state[:2], (seen, kept, min(n_members, rule.low), wishes), *state[3:])
    if state[0] != KEY:
        return state
    is_whole = plan.key_bodies[state[1]].characters[state[3]] >= 0
    return (*state[:4], b"" if is_whole else _cut_character(state[4]))


def _cut_character(text: bytes) -> bytes:
    r"""Return the character of a key that is open, which may be two escapes.

    >>> _cut_character(b"a\\ud83d\\ude"), _cut_character(b"\xc3\xa9\xc3")
    (b'\\ud83d\\ude', b'\xc3')
    """
    first = max(at for at, byte in enumerate(text) if byte == _BACKSLASH or byte >= _FIRST_LEAD)
    before = text[max(0, first - _ESCAPE_BYTES) : first]
    is_pair = text[first] == _BACKSLASH and before[:2] == b"\\u" and before[2:4].lower() in _HALVES
    return before + text[first:] if is_pair else text[first:]
