"""Whether what has been read of an array's item can still become one that may come there.

An item that must differ may not become one of those that were there, nor one that items after it
cannot do without (:mod:`maskc.runtime.schema.plan.rules`). What has been read is compared with each
of them, bracket by bracket from the outside: where they have the same so far, either what is open
inside can become something else, or it is as there and the rest is looked at
(:mod:`maskc.runtime.schema.machine.choices`). So no value is tried that is not among them.

Nodes that can become infinitely many values need no look
(:mod:`maskc.runtime.schema.machine.cardinality`).

Example: with items ``{"a": …, "b": …}`` of Booleans, after ``[{"a": true, "b": true}, {"a": true``
the text can go on with ``, "b": false}``, and after ``…, "b": t`` not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from maskc.runtime.schema.machine.cardinality import Cardinality
from maskc.runtime.schema.machine.choices import Choices, Rest, Values
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    CAPTURES,
    ITEM,
    KEY,
    KIND,
    LITERAL,
    NUMBER,
    OBJECT,
    PARENTS,
    RULE,
    SERIAL,
    STATE,
    STRING,
    Node,
    State,
    is_compared,
    position_of,
    read_members,
)
from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.spellings import State as NumberState
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.objects import OTHERS, list_bits
from maskc.runtime.schema.plan.values import (
    Open,
    Unfinished,
    Value,
    items_of,
    members_of,
    read_unfinished,
)
from maskc.runtime.schema.strings import begins
from maskc.runtime.schema.strings.keys import has_key, join_keys, list_keys

_INSIDE: Final = frozenset([STRING, KEY, NUMBER, LITERAL])
_BRACKETS: Final = frozenset([ARRAY, OBJECT])
_NONE: frozenset[Value] = frozenset()


class Distinct:
    """Says whether a text whose items must differ can be finished."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.cardinality = Cardinality(plan)
        self.choices = Choices(plan, self.cardinality)
        self._finite_items: dict[int, bool] = {}

    def has_finite_items(self, number: int) -> bool:
        """Return whether the items of an array may be used up, by the number of its rule."""
        found = self._finite_items.get(number)
        if found is None:
            splits = (self._plan.arrays[number].unique or {}).values()
            found = self._finite_items[number] = any(
                split.values or not self.cardinality.of_position(split.infinite) for split in splits
            )
        return found

    def is_live(self, node: Node, text: bytes) -> bool:
        """Return whether a text that arrays have captured can be finished with a node on top."""
        return _Finishing(self._plan, self.choices, node, text).is_live()

    def numbers(self, node: Node, text: bytes) -> list[tuple[Numbers, NumberState]]:
        """Return the numbers that an open number on top may become, each with its state there."""
        found: list[tuple[Numbers, NumberState]] = []
        _Finishing(self._plan, self.choices, node, text, found).is_live()
        return found

    def words(self, frame: Node, node: Node, text: bytes) -> Iterator[str]:
        """Yield what an open string or key is in the items that may still become the one under way.

        Once for each such item of an array's frame, with nothing where no string or key is open.
        """
        array, progress = self._plan.arrays[frame[STATE][RULE]], position_of(frame)
        values = progress[2] if array.repeats else array.forbidden(progress)
        if values:
            kind = node[STATE][KIND]
            read = read_unfinished(text[frame[STATE][ITEM] :], inside=kind in _INSIDE)
            for value in values:
                yield from _list_words(value, read, kind)


def _list_words(value: Value, read: Unfinished, kind: int) -> Iterator[str]:
    """Yield what an open string or key, or another kind, is in a value that begins as was read."""
    here = value
    for opened in read.open:
        parts = _take_apart(here, opened)
        if parts is None:
            return
        part, rest = parts
        if part is None:
            # Nothing of the next item has been read, or of the value of the next member.
            if kind != KEY:
                yield ""
            else:
                yield from (key for key in rest if begins(key, read.rest, escapes="any"))
            return
        here = part
    if kind != STRING:
        yield ""
    elif here[0] == "string" and begins(here[1], read.rest, escapes="any"):
        yield here[1]


def _take_apart(value: Value, opened: Open) -> tuple[Value | None, Rest] | None:
    """Return the part of a value that is under way in a bracket, and what comes after it.

    ``None`` if the value has not what has been read. The part is ``None`` if there is none; of an
    array, it is the next item if there is one.
    """
    if opened.keys is None:
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


class _Finishing:
    """The search for an end of one text with some node on top.

    Args:
        numbers: where a number is on top, those that it may become are added, with their states;
            the answer is then no, so that all ways are found in which it may.
    """

    def __init__(
        self,
        plan: Plan,
        choices: Choices,
        top: Node,
        text: bytes,
        numbers: list[tuple[Numbers, NumberState]] | None = None,
    ) -> None:
        self._plan, self._choices = plan, choices
        self._top, self._text, self._numbers = top, text, numbers
        self._escapes = plan.layout.escapes
        self._inner: dict[int, list[Node]] = {}

    def is_live(self) -> bool:
        """Return whether the text can be finished."""
        roots: dict[int, Node] = {}
        worklist, seen = [self._top], {self._top[SERIAL]}
        while worklist:
            node = worklist.pop()
            for parent in node[PARENTS]:
                if not parent[CAPTURES]:
                    roots[node[SERIAL]] = node
                    continue
                self._inner.setdefault(parent[SERIAL], []).append(node)
                if parent[SERIAL] not in seen:
                    seen.add(parent[SERIAL])
                    worklist.append(parent)
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
        forbidden, only = _NONE, None
        rests: dict[Value, list[Rest]] = {}
        for value in values if read is not None else ():
            parts = _take_apart(value, read.open[depth]) if read is not None else None
            if parts is not None and parts[0] is not None:
                rests.setdefault(parts[0], []).append(parts[1])
        if is_compared(node):
            array, progress = self._plan.arrays[node[STATE][RULE]], position_of(node)
            forbidden, only = array.forbidden(progress), array.only(progress)
            if read is None:
                inside = self._top[STATE][KIND] in _INSIDE
                read, depth = read_unfinished(self._text[node[STATE][ITEM] :], inside=inside), -1
        inner = self._inner[node[SERIAL]]
        if only is None:
            taken = forbidden.union(rests) if rests else forbidden
            if any(self._has_other(child, taken, read, depth + 1) for child in inner):
                return True
        return any(
            value not in forbidden
            and (left is None or self._rest_has_other(node, value, left))
            and read is not None
            and any(self._may_be(child, value, read, depth + 1) for child in inner)
            for value, left in (
                rests.items() if only is None else ((v, rests.get(v)) for v in only)
            )
        )

    def _may_be(self, node: Node, value: Value, read: Unfinished, depth: int) -> bool:
        """Return whether a node's value can become this one."""
        if node is self._top:
            return self._top_may_be(value, read, depth)
        parts = _take_apart(value, read.open[depth])
        if parts is None or parts[0] is None:
            return False
        part = parts[0]
        after = self._bracket_after(node, part)
        if after is None or not self._choices.rest_fits(after, parts[1]):
            return False
        return any(
            self._may_be(child, part, read, depth + 1) for child in self._inner[node[SERIAL]]
        )

    def _bracket_after(self, node: Node, part: Value) -> State | None:
        """Return the state of a bracket after a value in it, ``None`` if it may not be there."""
        state: State = node[STATE]
        if state[KIND] == OBJECT:
            return state
        progress = self._plan.arrays[state[RULE]].add(position_of(node), part)
        return None if progress is None else (ARRAY, state[RULE], progress, AFTER, 0)

    def _rest_has_other(self, node: Node, part: Value, rests: list[Rest]) -> bool:
        after = self._bracket_after(node, part)
        return after is not None and self._choices.rest_has_other(after, rests)

    def _top_is_other(self, values: Values, read: Unfinished | None, depth: int) -> bool:
        """Return whether what is on top can become none of some values, if there are any."""
        state = self._top[STATE]
        if self._numbers is not None:
            _, number, at, unique = state
            if read is None:
                self._numbers.append((self._plan.numbers_without(number, unique), at))
            else:
                rule = self._plan.numbers_without(number, frozenset(values))
                self._add_number(rule, read.rest)
            return False
        if not values or read is None:
            return True
        if state[KIND] == KEY:
            return self._key_has_other(self._top_suffixes(values, read, depth), read.rest)
        if state[KIND] in _BRACKETS:
            return self._choices.rest_has_other(state, self._top_suffixes(values, read, depth))
        return self._choices.becomes_other(state, values, read.rest)

    def _top_may_be(self, value: Value, read: Unfinished, depth: int) -> bool:
        """Return whether what is on top can become a value."""
        state, choices = self._top[STATE], self._choices
        if self._numbers is not None:
            if value[0] == "number":
                self._add_number(self._plan.numbers_only(state[RULE], value), read.rest)
            return False
        if state[KIND] != KEY and state[KIND] not in _BRACKETS:
            return choices.becomes(state, value, read.rest)
        rests = self._top_suffixes([value], read, depth)
        if state[KIND] != KEY:
            return any(choices.rest_fits(state, rest) for rest in rests)
        return any(
            any(begins(key, read.rest, escapes=self._escapes) for key in rest)
            and choices.fits_members(state[RULE], read_members(state), rest)
            for rest in rests
        )

    def _add_number(self, numbers: Numbers | None, text: bytes) -> None:
        state = None if numbers is None else numbers.read(text)
        if self._numbers is not None and numbers is not None and state is not None:
            self._numbers.append((numbers, state))

    def _top_suffixes(self, values: Values, read: Unfinished, depth: int) -> list[Rest]:
        """Return what is left of the values that have what was read of the bracket on top."""
        found = []
        for value in values:
            parts = _take_apart(value, read.open[depth])
            if parts is not None:
                part, rest = parts
                found.append(rest if part is None else (part, *rest))
        return found

    def _key_has_other(self, rests: list[Mapping[str, Value]], raw: bytes) -> bool:
        """Return whether an object can go on otherwise than in some ways, from inside a key."""
        _, number, members, at, _ = self._top[STATE]
        others = read_members(self._top[STATE])[OTHERS]
        rule, choices = self._plan.objects[number], self._choices
        reach = rule.keys.reach_of(self._plan.key_bodies[number].targets[at])
        labels = rule.open_labels(members) & reach
        by_key: dict[str, dict[Value, list[Mapping[str, Value]]]] = {}
        for rest in rests:
            for key, value in rest.items():
                if begins(key, raw, escapes=self._escapes):
                    by_key.setdefault(key, {}).setdefault(value, []).append(rest)
        label_of = {key: rule.dfa.labels[rule.dfa.read(key)] for key in by_key}
        for label in list_bits(labels & rule.keys.names):
            if label not in label_of.values():
                return True
        classes = labels & ~rule.keys.names
        taken = join_keys(sorted({*list_keys(others), *by_key}))
        if classes and self._plan.key_is_live(number, classes, at, raw, taken):
            return True
        for key, by_value in by_key.items():
            label = label_of[key]
            if label < 0 or not labels >> label & 1 or has_key(others, key):
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
