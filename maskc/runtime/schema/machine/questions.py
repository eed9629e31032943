"""One text with items that must differ, and what is open on top: can it become none of some values?

See :mod:`maskc.runtime.schema.machine.distinct`.

Example: with ``1`` and ``2`` before it, an item of which ``1`` was read can become 10.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from maskc.runtime.schema.machine.choices import LITERAL_VALUES, Choices
from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    CAPTURES,
    COLON,
    KEY,
    LITERAL,
    NEXT,
    NUMBER,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    STRING,
    VALUE,
    Node,
    read_members,
)
from maskc.runtime.schema.machine.room import place_of
from maskc.runtime.schema.machine.unfinished import Open, Unfinished, read_unfinished
from maskc.runtime.schema.machine.variety import list_bits
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.plan.values import Value, items_of, members_of
from maskc.runtime.schema.strings.other_keys import has_key, join_keys, list_keys
from maskc.runtime.schema.strings.spelling import begins, decode_body

Values = Collection[Value]
INSIDE = frozenset([STRING, KEY, NUMBER, LITERAL])
_NONE: frozenset[Value] = frozenset()


def take_apart(value: Value, opened: Open, *, is_array: bool) -> tuple[Value | None, Any] | None:
    """Return the part of a value that is under way, and what comes after it.

    Args:
        value: that is compared.
        opened: what has been read of a bracket.
        is_array: whether it is an array, of which the next item is taken if there is one.

    Returns:
        ``None`` if the value has not what has been read. The part is ``None`` if there is none.
    """
    if is_array:
        if value[0] != "array":
            return None
        items, n = items_of(value), len(opened.values)
        if list(items[:n]) != opened.values:
            return None
        return (items[n], items[n + 1 :]) if n < len(items) else (None, ())
    if value[0] != "object":
        return None
    rest = dict(members_of(value))
    for key, inner in opened.members.items():
        if rest.pop(key, None) != inner:
            return None
    if opened.key is None:
        return None, rest
    part = rest.pop(opened.key, None)
    return None if part is None else (part, rest)


class Question:
    """One text, and what is on top of it."""

    def __init__(self, plan: Plan, choices: Choices, top: Node, text: bytes) -> None:
        self._plan, self._choices = plan, choices
        self._top, self._text = top, text
        self._is_minimal = plan.layout.escapes == "minimal"
        self._inner: dict[int, list[Node]] = {}

    def is_live(self) -> bool:
        """Return whether the text can be finished."""
        roots: dict[int, Node] = {}
        open_, seen = [self._top], {self._top[SERIAL]}
        while open_:
            node = open_.pop()
            for parent in node[PARENTS]:
                if not parent[CAPTURES]:
                    roots[node[SERIAL]] = node
                    continue
                self._inner.setdefault(parent[SERIAL], []).append(node)
                if parent[SERIAL] not in seen:
                    seen.add(parent[SERIAL])
                    open_.append(parent)
        return any(self._has_other(root, _NONE, None, 0) for root in roots.values())

    def _has_other(self, node: Node, values: Values, read: Unfinished | None, depth: int) -> bool:
        """Return whether a node's value can become none of some values.

        Args:
            node: what is open.
            values: these.
            read: what has been read of the item that it is in, ``None`` if it is in none.
            depth: how many of that item's brackets are below the node.
        """
        if node is self._top:
            return self._top_is_other(values, read, depth)
        barred, only = _NONE, None
        rests = self._rests(node, values, read, depth)
        if node[STATE][0] == ARRAY and node[STATE][5] is not None:
            array, place = self._plan.arrays[node[STATE][1]], place_of(node)
            barred, only = array.barred(place), array.only(place)
            if read is None:
                inside = self._top[STATE][0] in INSIDE
                read, depth = read_unfinished(self._text[node[STATE][6] :], inside=inside), -1
        inner = self._inner[node[SERIAL]]
        if only is None:
            taken = barred.union(rests) if rests else barred
            if any(self._has_other(child, taken, read, depth + 1) for child in inner):
                return True
        return any(
            value not in barred
            and (left is None or self._rest_has_other(node, value, left))
            and read is not None
            and any(self._may_be(child, value, read, depth + 1) for child in inner)
            for value, left in (
                rests.items() if only is None else ((v, rests.get(v)) for v in only)
            )
        )

    def _rests(
        self, node: Node, values: Values, read: Unfinished | None, depth: int
    ) -> dict[Value, list[Any]]:
        """Return what is left of the values that have what was read, by the part under way."""
        found: dict[Value, list[Any]] = {}
        if read is None:
            return found
        opened, is_array = read.open[depth], node[STATE][0] == ARRAY
        for value in values:
            parts = take_apart(value, opened, is_array=is_array)
            if parts is not None and parts[0] is not None:
                found.setdefault(parts[0], []).append(parts[1])
        return found

    def _rest_has_other(self, node: Node, value: Value, rests: list[Any]) -> bool:
        """Return whether a bracket can end otherwise than in some ways, after some value in it."""
        number = node[STATE][1]
        if node[STATE][0] == OBJECT:
            return self._choices.has_other_members(number, read_members(node[STATE]), rests)
        place = self._plan.arrays[number].add(place_of(node), value)
        return place is not None and self._choices.has_other_items(number, place, rests, more=False)

    def _may_be(self, node: Node, value: Value, read: Unfinished, depth: int) -> bool:
        """Return whether a node's value can become this one."""
        if node is self._top:
            return self._top_may_be(value, read, depth)
        parts = take_apart(value, read.open[depth], is_array=node[STATE][0] == ARRAY)
        if parts is None:
            return False
        part, rest = parts
        if part is None or not self._rest_fits(node, part, rest):
            return False
        return any(
            self._may_be(child, part, read, depth + 1) for child in self._inner[node[SERIAL]]
        )

    def _rest_fits(self, node: Node, part: Value, rest: Any) -> bool:
        """Return whether a bracket may go on with some rest and end, after a value in it."""
        number = node[STATE][1]
        if node[STATE][0] == OBJECT:
            return self._choices.fits_members(number, read_members(node[STATE]), rest)
        place = self._plan.arrays[number].add(place_of(node), part)
        return place is not None and self._choices.fits_items(number, place, rest)

    def _top_is_other(self, values: Values, read: Unfinished | None, depth: int) -> bool:
        """Return whether what is on top can become none of some values, if there are any."""
        return not values or read is None or self._top_has_other(values, read, depth)

    def _top_rests(self, values: Values, read: Unfinished, depth: int) -> list[Any]:
        """Return what is left of the values that have what was read of the bracket on top."""
        opened, is_array = read.open[depth], self._top[STATE][0] == ARRAY
        found = []
        for value in values:
            parts = take_apart(value, opened, is_array=is_array)
            if parts is not None:
                part, rest = parts
                found.append(rest if part is None else (part, *rest))
        return found

    def _top_has_other(self, values: Values, read: Unfinished, depth: int) -> bool:
        """Return whether what is on top can become none of some values."""
        state, choices = self._top[STATE], self._choices
        kind, number = state[0], state[1]
        if kind in (VALUE, COLON):
            return choices.has_other(number, values)
        if kind == LITERAL:
            return LITERAL_VALUES[number] not in values
        if kind == NUMBER:
            return self._plan.numbers_without(number, frozenset(values)).reads(read.rest)
        if kind == STRING:
            _, _, at, count, _ = state
            texts = choices.texts_of(values)
            return string_has_other(self._plan.strings[number], at, count, read.rest, texts)
        rests = self._top_rests(values, read, depth)
        if kind == KEY:
            return self._key_has_other(rests, read.rest)
        if kind == OBJECT:
            more = state[3] == NEXT
            return choices.has_other_members(number, read_members(state), rests, more=more)
        return choices.has_other_items(number, place_of(self._top), rests, more=state[4] == NEXT)

    def _key_has_other(self, rests: list[Mapping[str, Value]], raw: bytes) -> bool:
        """Return whether an object can go on otherwise than in some ways, from inside a key."""
        _, number, _, at, _ = self._top[STATE]
        members = read_members(self._top[STATE])
        rule, choices = self._plan.objects[number], self._choices
        reach = rule.keys.reach_of(self._plan.key_bodies[number].targets[at])
        labels = rule.open_labels(members) & reach
        by_key: dict[str, dict[Value, list[Mapping[str, Value]]]] = {}
        for rest in rests:
            for key, value in rest.items():
                if begins(key, raw, minimal=self._is_minimal):
                    by_key.setdefault(key, {}).setdefault(value, []).append(rest)
        label_of = {key: rule.dfa.labels[rule.dfa.read(key)] for key in by_key}
        for label in list_bits(labels & rule.keys.names):
            if label not in label_of.values():
                return True
        classes = labels & ~rule.keys.names
        taken = join_keys(sorted({*list_keys(members[OTHERS]), *by_key}))
        if classes and self._plan.key_is_live(number, classes, at, raw, taken):
            return True
        for key, by_value in by_key.items():
            label = label_of[key]
            if label < 0 or not labels >> label & 1 or has_key(members[OTHERS], key):
                continue
            for after, position in rule.enter(members, label, key):
                if choices.has_other(position, by_value.keys()):
                    return True
                for value, some in by_value.items():
                    left = [{k: v for k, v in rest.items() if k != key} for rest in some]
                    if choices.fits(position, value) and choices.has_other_members(
                        number, after, left
                    ):
                        return True
        return False

    def _top_may_be(self, value: Value, read: Unfinished, depth: int) -> bool:
        """Return whether what is on top can become a value."""
        state, choices = self._top[STATE], self._choices
        kind, number = state[0], state[1]
        if kind in (VALUE, COLON):
            return choices.fits(number, value)
        if kind == LITERAL:
            return LITERAL_VALUES[number] == value
        if kind == NUMBER:
            only = self._plan.numbers_only(number, value) if value[0] == "number" else None
            return only is not None and only.reads(read.rest)
        if kind == STRING:
            return (
                value[0] == "string"
                and begins(value[1], read.rest, minimal=self._is_minimal)
                and choices.fits_string(number, value[1])
            )
        rests = self._top_rests([value], read, depth)
        if not rests:
            return False
        (rest,) = rests
        if kind == ARRAY:
            more = state[4] == NEXT
            return choices.fits_items(number, place_of(self._top), rest, more=more)
        if kind == OBJECT:
            return choices.fits_members(number, read_members(state), rest, more=state[3] == NEXT)
        is_begun = any(begins(key, read.rest, minimal=self._is_minimal) for key in rest)
        return is_begun and choices.fits_members(number, read_members(state), rest)


def string_has_other(rule: StringRule, at: int, count: Any, raw: bytes, texts: list[str]) -> bool:
    """Return whether a string can become one that is none of some texts.

    Args:
        rule: of the string.
        at: state of its body.
        count: what is counted of it.
        raw: what has been read of its body.
        texts: these, in ascending order.
    """
    if not texts:
        return True
    body = rule.body
    if body.characters[at] >= 0:
        return rule.has_other(body.characters[at], count, decode_body(raw), texts)
    for byte in range(256):
        moved = rule.move(at, count, byte)
        if moved is not None and string_has_other(rule, *moved, raw + bytes([byte]), texts):
            return True
    return False
