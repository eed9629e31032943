"""Whether a value of some kind is none of a few, and whether one of them fits.

We look at the few values part by part. If a part of a value can be other than in all of them, there
is one; else that part is as in some of them, and the rest is looked at among those. So each of the
few is followed once, however many values there are.

Example: of the pairs of Booleans ``[true, true]`` and ``[true, false]`` are not all: an item
``false`` is in none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    COLON,
    FIRST,
    KIND,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    OBJECT,
    PHASE,
    POSITION,
    RULE,
    STRING,
    VALUE,
    State,
    read_members,
)
from maskc.runtime.schema.machine.variety import Variety
from maskc.runtime.schema.plan.fulfilment import Field, Fields
from maskc.runtime.schema.plan.objects import (
    N_MEMBERS,
    OTHERS,
    SEEN,
    WISHES,
    Members,
    ObjectRule,
    list_bits,
)
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import VALUES, Place, StringRule
from maskc.runtime.schema.plan.values import Value, decimal_of, items_of, members_of, read_value
from maskc.runtime.schema.strings.other_keys import has_key, list_keys
from maskc.runtime.schema.strings.spelling import begins, decode_body

_MOST_REMEMBERED = 1_000
_LITERAL_VALUES = tuple(map(read_value, LITERALS))
Values = Collection[Value]
# What is left of a value: the members of an object, or the items of an array.
Rest = Any


class Choices:
    """Finds values beside some others."""

    def __init__(self, plan: Plan, variety: Variety) -> None:
        self._plan, self._variety = plan, variety
        self._is_minimal = plan.layout.escapes == "minimal"
        self._texts: dict[frozenset[Value], list[str]] = {}

    def has_other(self, position: int, values: Values) -> bool:
        """Return whether some value that fits a position is none of a few."""
        if not values or self._variety.of_position(position):
            return True
        return any(self.becomes_other(start, values, b"") for start in self._starts(position))

    def fits(self, position: int, value: Value) -> bool:
        """Return whether a value fits a position."""
        return any(self.becomes(start, value, b"") for start in self._starts(position))

    def _starts(self, position: int) -> Iterator[State]:
        """Yield what can be open where a value begins; of literals and scalars before it."""
        plan = self._plan
        rules = plan.positions[position]
        for n in list_bits(rules.literals):
            yield (LITERAL, n, 0)
        for n in rules.numbers:
            yield (NUMBER, n, None, None)
        for n in rules.strings:
            rule = plan.strings[n]
            yield (STRING, n, rule.body.start, rule.begin, None)
        for n in rules.arrays:
            yield (ARRAY, n, plan.arrays[n].start, FIRST, 0)
        for n in rules.objects:
            yield (OBJECT, n, plan.objects[n].start, FIRST)

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
            return numbers.reads(raw) if raw else numbers.is_satisfiable
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
            return only is not None and only.reads(raw)
        if kind == STRING:
            return (
                value[0] == "string"
                and begins(value[1], raw, minimal=self._is_minimal)
                and plan.strings[number].has(value[1])
            )
        if kind == ARRAY:
            return value[0] == "array" and self.rest_fits(state, items_of(value))
        return value[0] == "object" and self.rest_fits(state, members_of(value))

    def rest_has_other(self, state: State, rests: Sequence[Rest]) -> bool:
        """Return whether an object or array can go on otherwise than in some ways."""
        more = state[PHASE] == NEXT
        if state[KIND] == ARRAY:
            return self._has_other_items(state[RULE], state[2], rests, more=more)
        return self.has_other_members(state[RULE], read_members(state), rests, more=more)

    def rest_fits(self, state: State, rest: Rest) -> bool:
        """Return whether an object or array can go on with so much and end."""
        more = state[PHASE] == NEXT
        if more and not rest:
            return False
        if state[KIND] == ARRAY:
            return self._fits_items(state[RULE], state[2], rest)
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

    def ways(self, number: int, place: Place) -> Iterator[tuple[Place, int]]:
        """Yield the place after an array's next item, but for its value, with its position."""
        array = self._plan.arrays[number]
        for after, position in array.enter(place):
            if (
                after[VALUES] is None
                or self._variety.of_position(position)
                or self.has_other(position, array.barred(after))
            ):
                yield after, position

    def _has_other_items(
        self, number: int, start: Place, tails: Sequence[tuple[Value, ...]], *, more: bool
    ) -> bool:
        array = self._plan.arrays[number]
        worklist = [(start, 0, tails)]
        while worklist:
            place, n_read, left = worklist.pop()
            may_close = array.may_close(place) and (n_read > 0 or not more)
            if not left or may_close and all(len(tail) > n_read for tail in left):
                return True
            by_item: dict[Value, list[tuple[Value, ...]]] = {}
            for tail in left:
                if len(tail) > n_read:
                    by_item.setdefault(tail[n_read], []).append(tail)
            for after, position in self.ways(number, place):
                only = array.only(after)
                if only is None and self.has_other(position, array.barred(after).union(by_item)):
                    return True
                if any(v not in by_item and self.fits(position, v) for v in only or ()):
                    return True
                for item, some in by_item.items():
                    made = array.add(after, item)
                    if made is not None and self.fits(position, item):
                        worklist.append((made, n_read + 1, some))
        return False

    def _fits_items(self, number: int, start: Place, items: Sequence[Value]) -> bool:
        array = self._plan.arrays[number]
        places = {start}
        for item in items:
            found = {
                array.add(after, item)
                for place in places
                for after, position in array.enter(place)
                if self.fits(position, item)
            }
            places = {place for place in found if place is not None}
        return any(map(array.may_close, places))

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
        rule, members = self._plan.objects[number].loosen(start)
        labels = rule.open_labels(members)
        fields: dict[str, int] = {}
        for key in dict.fromkeys(key for rest in rests for key in rest):
            label = rule.label_of(key)
            if label >= 0 and labels >> label & 1 and not has_key(members[OTHERS], key):
                fields[key] = label
        if _has_more_keys(rule, members, labels, list(fields.values())):
            return True
        left = [rest for rest in rests if rest.keys() <= fields.keys()]
        missing = rule.required & ~members[SEEN]
        known = [
            Field(
                key,
                tuple(rule.options[label]),
                label < rule.n_names and bool(missing >> label & 1),
            )
            for key, label in fields.items()
        ]
        low = max(rule.low, members[N_MEMBERS] + more)
        start_of = (members[N_MEMBERS], members[WISHES])
        return self._choose(Fields(known, low, rule.high), start_of, left)

    def _choose(
        self, fields: Fields, start: tuple[int, int], rests: Sequence[Mapping[str, Value]]
    ) -> bool:
        """Return whether some choice of fields is none of a few.

        ``start`` is how many members were read, and the wishes that are left.
        """
        worklist = [(0, *start, rests)]
        while worklist:
            place, n_members, wishes, left = worklist.pop()
            if not fields.may_end(place, n_members, wishes):
                continue
            if not left:
                return True
            if place == len(fields.fields):
                continue
            key, options, is_needed = fields.fields[place]
            if not is_needed:
                without = [rest for rest in left if key not in rest]
                worklist.append((place + 1, n_members, wishes, without))
            by_value: dict[Value, list[Mapping[str, Value]]] = {}
            for rest in left:
                if key in rest:
                    by_value.setdefault(rest[key], []).append(rest)
            for d, child in options:
                after = (place + 1, n_members + 1, wishes & ~d)
                if not fields.may_end(*after):
                    continue
                if self.has_other(child, by_value.keys()):
                    return True
                worklist += [
                    (*after, some) for value, some in by_value.items() if self.fits(child, value)
                ]
        return False

    def fits_members(self, number: int, start: Members, rest: Mapping[str, Value]) -> bool:
        """Return whether an object may go on with some members, and no more."""
        rule, loose = self._plan.objects[number].loosen(start)
        ways = {(loose[SEEN], loose[WISHES])}
        for key, value in rest.items():
            label = rule.label_of(key)
            if label < 0 or has_key(loose[OTHERS], key):
                return False
            bit = 1 << label if label < rule.n_names else 0
            ways = {
                (seen | bit, wishes & ~d)
                for seen, wishes in ways
                if not seen & bit
                for d, child in rule.options[label]
                if self.fits(child, value)
            }
        n = loose[N_MEMBERS] + len(rest)
        return any(rule.can_close((seen, loose[OTHERS], n, wishes)) for seen, wishes in ways)


def _has_more_keys(rule: ObjectRule, members: Members, labels: int, known: list[int]) -> bool:
    """Return whether a key of some labels may come beside as many as are known of each."""
    if rule.has_endless(labels):
        return True
    for label in list_bits(labels):
        n_known = known.count(label)
        if label >= rule.n_names:
            n_known += sum(rule.label_of(key) == label for key in list_keys(members[OTHERS]))
        if n_known < rule.size_of(label):
            return True
    return False


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
