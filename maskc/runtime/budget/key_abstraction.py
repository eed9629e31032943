"""JSON texts that differ by nothing but keys that were there, and lengths of strings.

Keys of an object must differ, and so each of them leads to a configuration of its own. But where
there are always more keys, how a text ends hardly depends on which there were, nor on what was read
of the open one: should it be one that was there, one more character makes another of it. So keys
are left out, and one configuration stands for thousands. How many characters a string has is left
out once they are enough, where any may follow and its quote ends it. All of this only if each byte
of a character is a token, so that one more character is one more token.

Example: of ``{"type": "object"}``, ``{"a": 1, "b`` and ``{"xyz`` are one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from maskc.runtime.budget.completions import COMING_KEY, NO_KEY, OPEN_KEY
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    KEY,
    KIND,
    NEXT,
    OBJECT,
    PARENTS,
    PHASE,
    RULE,
    SERIAL,
    STATE,
    STRING,
    Configuration,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.strings.keys import NO_KEYS, add_key, count_begun, unread_key
from maskc.runtime.schema.tries import ROOT, Trie
from maskc.runtime.step_budget import charge_steps

_MOST_NODES: Final = 20_000  # of which something is remembered
_Found = TypeVar("_Found")
_BACKSLASH, _FIRST_LEAD, _ESCAPE_BYTES = 0x5C, 0xC0, 6
_HALVES: Final = (b"d8", b"d9", b"da", b"db")
_WRITTEN: Final = (*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF5))
_MOST_KEYS: Final = 40  # of a text; one character makes another key of each


class Folded(Generic[_Found]):
    """What is found of a node from what is found of its parents, remembered by serial."""

    def __init__(self, find: Callable[[Node, list[_Found]], _Found]) -> None:
        self._find = find
        self._known: dict[int, _Found] = {}

    def find(self, top: Node) -> _Found:
        """Return what is found of a node, however deep it is."""
        known = self._known
        if top[SERIAL] in known:
            return known[top[SERIAL]]
        if len(known) > _MOST_NODES:
            known.clear()
        todo = [top]
        while todo:
            node = todo[-1]
            missing = [parent for parent in node[PARENTS] if parent[SERIAL] not in known]
            if missing:
                todo += missing
                continue
            todo.pop()
            charge_steps(2)
            known[node[SERIAL]] = self._find(node, [known[p[SERIAL]] for p in node[PARENTS]])
        return known[top[SERIAL]]


class KeyAbstraction:
    """Leaves keys and lengths out of one schema's texts."""

    def __init__(self, machine: SchemaMachine, trie: Trie) -> None:
        self._machine, self._plan = machine, machine.plan
        nodes = (trie.child(ROOT, byte) for byte in _WRITTEN)
        self._writes_all = all(node >= 0 and trie.n_ending[node] for node in nodes)
        self._nodes = Folded(self._find)

    def stand_in(self, here: Configuration) -> Configuration:
        """Return the configuration that stands for one; items that are compared keep their keys."""
        if here.captures or not self._writes_all:
            return here
        nodes = {node[SERIAL]: node for node in map(self._nodes.find, here.nodes)}
        if tuple(nodes) == tuple([node[SERIAL] for node in here.nodes]):
            return here
        return Configuration(tuple(nodes.values()), here.gap, here.text)

    def key_at(self, here: Configuration) -> int:
        """Return which key may be one that was there."""
        for state in (node[STATE] for node in here.nodes if self._writes_all):
            is_keyed = state[KIND] == KEY or state[KIND] == OBJECT and state[PHASE] == NEXT
            if is_keyed and self._plan.objects[state[RULE]].has_classes:
                return OPEN_KEY if state[KIND] == KEY else COMING_KEY
        return NO_KEY

    def _find(self, node: Node, found: list[Node]) -> Node:
        state = self._forget(node[STATE])
        above = tuple({parent[SERIAL]: parent for parent in found}.values())
        is_same = state == node[STATE] and above == node[PARENTS]
        return node if is_same else self._machine.node(state, above)

    def _forget(self, state: State) -> State:
        if state[KIND] == STRING:
            string = self._plan.strings[state[RULE]]
            is_free = string.is_any and not isinstance(string, CustomRule)
            return (*state[:3], min(state[3], string.low), *state[4:]) if is_free else state
        if state[KIND] not in (OBJECT, KEY):
            return state
        rule, members = self._plan.objects[state[RULE]], read_members(state)
        seen, others, n_members, constraints = members
        is_free = rule.has_classes and rule.is_flat and rule.high is None and not constraints
        is_enough = rule.low <= n_members + (rule.required & ~seen).bit_count()
        if not is_free or not is_enough or rule.n_names + count_begun(others, "") > _MOST_KEYS:
            return state
        # In order, none of a name may come after others.
        kept = add_key(NO_KEYS, unread_key(rule.n_names)) if others and rule.ordered else NO_KEYS
        state = (*state[:2], (seen, kept, min(n_members, rule.low), constraints), *state[3:])
        if state[KIND] != KEY:
            return state
        is_whole = self._plan.key_bodies[state[RULE]].characters[state[3]] >= 0
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
