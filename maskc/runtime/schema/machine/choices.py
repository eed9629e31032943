"""Whether a value of some kind is none of a few, and whether one of them fits.

We look at the few values part by part. If a part of a value can be other than in all of them, there
is one; else that part is as in some of them, and the rest is looked at among those. So each of the
few is followed once, however many values there are.

Example: of the pairs of Booleans ``[true, true]`` and ``[true, false]`` are not all: an item
``false`` is in none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from maskc.runtime.schema.machine.cardinality import Cardinality
from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    COLON,
    KIND,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    PHASE,
    POSITION,
    RULE,
    STRING,
    VALUE,
    State,
    read_members,
)
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.objects import (
    CONSTRAINTS,
    N_MEMBERS,
    OTHERS,
    SEEN,
    Members,
    ObjectRule,
    list_bits,
)
from maskc.runtime.schema.plan.rules import VALUES, ArrayProgress, StringRule
from maskc.runtime.schema.plan.series import ABSENT, LEFT_OUT, Field, Fields, Series
from maskc.runtime.schema.plan.values import Value, decimal_of, items_of, members_of, read_value
from maskc.runtime.schema.strings import begins, decode_body
from maskc.runtime.schema.strings.keys import has_key, list_keys

_MOST_REMEMBERED: Final = 1_000
_LITERAL_VALUES: Final = tuple(map(read_value, LITERALS))
Values = Collection[Value]
# What is left of a value: the members of an object, or the items of an array.
Rest = Any


class Choices:
    """Finds values beside some others."""

    def __init__(self, plan: Plan, cardinality: Cardinality) -> None:
        self._plan, self._cardinality = plan, cardinality
        self._escapes = plan.layout.escapes
        self._texts: dict[frozenset[Value], list[str]] = {}

    def has_other(self, position: int, values: Values) -> bool:
        """Return whether some value that fits a position is none of a few."""
        if position == LEFT_OUT:
            return ABSENT not in values
        if not values or self._cardinality.of_position(position):
            return True
        return any(
            self.becomes_other(start, values, b"") for start in self._cardinality.starts(position)
        )

    def fits(self, position: int, value: Value) -> bool:
        """Return whether a value fits a position."""
        if position == LEFT_OUT:
            return value == ABSENT
        return any(self.becomes(start, value, b"") for start in self._cardinality.starts(position))

    def becomes_other(self, state: State, values: Values, raw: bytes) -> bool:
        """Return whether what is open can become none of some values.

        Args:
            state: what is open, but for a key.
            values: these; of brackets they have what was read.
            raw: what has been read of a string's body or of a number.
        """
        plan, kind, number = self._plan, state[KIND], state[RULE]
        if kind in (VALUE, COLON):
            return self.has_other(state[POSITION], values)
        if kind == LITERAL:
            return _LITERAL_VALUES[number] not in values
        if kind == NUMBER:
            numbers = plan.numbers_without(number, frozenset(values))
            return numbers.read(raw) is not None if raw else numbers.is_satisfiable
        if kind == STRING:
            texts = self._texts_of(values)
            return _string_has_other(plan.strings[number], state[2], state[3], raw, texts)
        if kind == ARRAY:
            return self.rest_has_other(state, [items_of(v) for v in values if v[0] == "array"])
        return self.rest_has_other(state, [members_of(v) for v in values if v[0] == "object"])

    def becomes(self, state: State, value: Value, raw: bytes) -> bool:
        """Return whether what is open, but for a key, can become a value."""
        plan, kind, number = self._plan, state[KIND], state[RULE]
        if kind in (VALUE, COLON):
            return self.fits(state[POSITION], value)
        if kind == LITERAL:
            return _LITERAL_VALUES[number] == value
        if kind == NUMBER:
            decimal = decimal_of(value) if value[0] == "number" else None
            if decimal is None:
                return False
            if not raw:
                return plan.numbers[number].has_value(decimal)
            only = plan.numbers_only(number, value)
            return only is not None and only.read(raw) is not None
        if kind == STRING:
            return (
                value[0] == "string"
                and begins(value[1], raw, escapes=self._escapes)
                and plan.strings[number].has(value[1])
            )
        if kind == ARRAY:
            return value[0] == "array" and self.rest_fits(state, items_of(value))
        return value[0] == "object" and self.rest_fits(state, members_of(value))

    def rest_has_other(self, state: State, rests: Sequence[Rest]) -> bool:
        """Return whether an object or array can go on otherwise than in some ways."""
        more = state[PHASE] == NEXT
        if state[KIND] == ARRAY:
            return self._others(self._plan.arrays[state[RULE]], state[2], rests, more=more)
        return self.has_other_members(state[RULE], read_members(state), rests, more=more)

    def rest_fits(self, state: State, rest: Rest) -> bool:
        """Return whether an object or array can go on with so much and end."""
        more = state[PHASE] == NEXT
        if more and not rest:
            return False
        if state[KIND] == ARRAY:
            return self._fit(self._plan.arrays[state[RULE]], state[2], rest)
        return self.fits_members(state[RULE], read_members(state), rest)

    def _texts_of(self, values: Values) -> list[str]:
        """Return the strings among some values, in ascending order."""
        # The values of an array are asked for again and again, and know their hash.
        known = values if isinstance(values, frozenset) else frozenset(values)
        found = self._texts.get(known)
        if found is None:
            found = sorted(value[1] for value in known if value[0] == "string")
            if len(self._texts) > _MOST_REMEMBERED:
                self._texts.clear()
            self._texts[known] = found
        return found

    def transitions(
        self, number: int, progress: ArrayProgress
    ) -> Iterator[tuple[ArrayProgress, int]]:
        """Yield the progress after an array's next item, but for its value, with its position."""
        array = self._plan.arrays[number]
        for after, position in array.transitions(progress):
            if after[VALUES] is None or self.has_other(position, array.forbidden(after)):
                yield after, position

    def _others(
        self, series: Series, start: Any, rests: Sequence[tuple[Value, ...]], *, more: bool = False
    ) -> bool:
        """Return whether a series of parts can go on otherwise than in some ways.

        ``more`` tells whether it must go on.
        """
        worklist = [(start, 0, rests)]
        while worklist:
            state, n_read, left = worklist.pop()
            may_end = series.may_end(state) and (n_read > 0 or not more)
            if not left or may_end and all(len(rest) > n_read for rest in left):
                return True
            by_part: dict[Value, list[tuple[Value, ...]]] = {}
            for rest in left:
                if len(rest) > n_read:
                    by_part.setdefault(rest[n_read], []).append(rest)
            for after, position in series.transitions(state):
                only = series.only(after)
                if only is None and self.has_other(
                    position, series.forbidden(after).union(by_part)
                ):
                    return True
                if any(v not in by_part and self.fits(position, v) for v in only or ()):
                    return True
                for part, some in by_part.items():
                    made = series.add(after, part)
                    if made is not None and self.fits(position, part):
                        worklist.append((made, n_read + 1, some))
        return False

    def _fit(self, series: Series, start: Any, parts: Iterable[Value]) -> bool:
        """Return whether a series of parts can go on with some, and no more."""
        states = {start}
        for part in parts:
            found = {
                series.add(after, part)
                for state in states
                for after, position in series.transitions(state)
                if self.fits(position, part)
            }
            states = {state for state in found if state is not None}
        return any(map(series.may_end, states))

    def has_other_members(
        self,
        number: int,
        start: Members,
        rests: Sequence[Mapping[str, Value]],
        *,
        more: bool = False,
    ) -> bool:
        """Return whether an object can go on otherwise than in some ways."""
        if not rests:
            return True
        keys = dict.fromkeys(key for rest in rests for key in rest)
        fields, labels = self._fields(number, start, keys, more=more)
        if _has_more_keys(*self._plan.objects[number].loosen(start), labels):
            return True
        known = {field.key for field in fields.fields}
        left = [fields.parts_of(rest) for rest in rests if rest.keys() <= known]
        return fields.is_feasible(fields.start) and self._others(fields, fields.start, left)

    def fits_members(self, number: int, start: Members, rest: Mapping[str, Value]) -> bool:
        """Return whether an object may go on with some members, and no more."""
        rule, members = self._plan.objects[number].loosen(start)
        fields, labels = self._fields(number, start, rest)
        n_needed = sum(field.is_needed for field in fields.fields)
        return (
            len(labels) == len(rest)
            and n_needed == (rule.required & ~members[SEEN]).bit_count()
            and fields.is_feasible(fields.start)
            and self._fit(fields, fields.start, fields.parts_of(rest))
        )

    def _fields(
        self, number: int, start: Members, keys: Iterable[str], *, more: bool = False
    ) -> tuple[Fields, list[int]]:
        """Return the members of some keys that may still come, and their labels."""
        rule, members = self._plan.objects[number].loosen(start)
        open_labels, missing = rule.open_labels(members), rule.required & ~members[SEEN]
        fields, labels = list[Field](), list[int]()
        for key in keys:
            label = rule.label_of(key)
            if label >= 0 and open_labels >> label & 1 and not has_key(members[OTHERS], key):
                is_needed = label < rule.n_names and bool(missing >> label & 1)
                held = rule.held_without(1 << label)
                fields.append(Field(key, tuple(rule.options[label]), is_needed, held))
                labels.append(label)
        low = max(rule.low, members[N_MEMBERS] + more)
        lacked = ~members[SEEN] & ~sum(1 << label for label in set(labels))
        constraints = members[CONSTRAINTS] & ~rule.held_without(lacked)
        return Fields(fields, low, rule.high, members[N_MEMBERS], constraints), labels


def _has_more_keys(rule: ObjectRule, members: Members, known: list[int]) -> bool:
    """Return whether a key may come beside those of which the labels are known."""
    labels = rule.open_labels(members)
    if rule.has_infinite(labels):
        return True
    used = [rule.label_of(key) for key in list_keys(members[OTHERS])]
    sizes = ((label, rule.size_of(label)) for label in list_bits(labels))
    return any(known.count(label) + used.count(label) < size for label, size in sizes)


def _string_has_other(rule: StringRule, at: int, count: Any, raw: bytes, texts: list[str]) -> bool:
    """Return whether a string can become one that is none of some texts, which ascend."""
    if not texts:
        return True
    characters = rule.body.characters
    if characters[at] >= 0:
        return rule.has_other(characters[at], count, decode_body(raw), texts)
    for byte in range(256):
        moved = rule.move(at, count, byte)
        if moved is not None and _string_has_other(rule, *moved, raw + bytes([byte]), texts):
            return True
    return False
