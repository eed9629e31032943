"""Where are there so many values that those of an array's items never use them up?

A position is *endless* if infinitely many values fit it, or more than any text has. What is open is
endless if what has been read of it can still become that many values. Then nothing that was there
before can be in the way of an item that must differ, and nobody has to look.

Positions that are not are found from those without any inside, as what is on a circle of positions,
or leads to one, has no end. A position that is not said to be endless may be so nevertheless.

Example: ``{"properties": {"a": {"type": "boolean"}}, "additionalProperties": false}`` has three
values, and with ``"b": {"type": "string"}`` endlessly many, until b has been read.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    COLON,
    KEY,
    NUMBER,
    OBJECT,
    STRING,
    VALUE,
    State,
    read_members,
)
from maskc.runtime.schema.numbers.numbers import FRACTION, INTEGER, MINUS, POINT, START, ZERO
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import Members
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import ArrayEntry, StringRule
from maskc.runtime.schema.strings.other_keys import UNREAD

PLENTY = 1 << 40  # values that no text has
_MOST_STEPS = 10_000
_MOST_REMEMBERED = 50_000


class Variety:
    """Says what is endless.

    Args:
        plan: what is asked.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._positions: dict[int, bool] = {}
        self._strings: dict[tuple[int, int, int], bool] = {}
        self._objects: dict[tuple[int, object], bool] = {}

    def of_position(self, position: int) -> bool:
        """Return whether the values of a position are endless."""
        found = self._positions.get(position)
        if found is None:
            self._find_positions(position)
            found = self._positions[position]
        return found

    def _find_positions(self, position: int) -> None:
        """Find whether a position and those inside it are endless: left by peeling the others."""
        known = self._positions
        inside: dict[int, set[int] | None] = {}
        open_ = [position]
        while open_:
            here = open_.pop()
            if here not in inside and here not in known:
                inside[here] = children = self._list_inside(here)
                open_ += children or ()
        users: dict[int, list[int]] = {}
        n_left = dict.fromkeys(inside, 0)
        for here, children in inside.items():
            for child in children or ():
                if known.get(child, True):
                    users.setdefault(child, []).append(here)
                    n_left[here] += 1
        found = dict.fromkeys(inside, True)
        open_ = [here for here, children in inside.items() if children is not None]
        open_ = [here for here in open_ if not n_left[here]]
        while open_:
            here = open_.pop()
            found[here] = False
            for user in users.get(here, ()):
                n_left[user] -= 1
                if not n_left[user] and inside[user] is not None:
                    open_.append(user)
        known.update(found)

    def _list_inside(self, number: int) -> set[int] | None:
        """Return the positions inside one, ``None`` if it is endless whatever these are."""
        plan = self._plan
        position = plan.positions[number]
        if any(_has_many_numbers(plan.numbers[n].rule) for n in position.numbers):
            return None
        strings = ((n, plan.strings[n]) for n in position.strings)
        if any(self.of_string(n, rule.body.start, rule.begin) for n, rule in strings):
            return None
        found: set[int] = set()
        for n in position.objects:
            rule = plan.objects[n].unordered
            labels = rule.open_labels(rule.start)
            if rule.has_endless(labels):
                return None
            for label in list_bits(labels):
                found.update(child for _, child in rule.enter(rule.start, label, UNREAD))
        for n in position.arrays:
            array = plan.arrays[n]
            if _can_grow(array):
                return None
            found.update(self._list_items(array, *array.rule.start, further=True))
        return found

    def _list_items(
        self, array: ArrayEntry, index: int, counts: tuple[int, ...], *, further: bool
    ) -> Iterable[int]:
        """Yield the positions that items from an index on can have.

        Args:
            array: that has the items.
            index: of the next item.
            counts: of the counters.
            further: whether to look further than the next item where items are counted.
        """
        rule = array.rule
        if not rule.counters:
            for piece, stop in rule.pieces_from(index):
                start, options = rule.pieces[piece]
                if not options or rule.high is not None and max(start, index) >= rule.high:
                    return
                for _, child in options:
                    yield from array.split(child)
                if stop is None or not array.has_endless(piece):
                    return  # few items may be used up before an array gets there
            return
        open_, seen = [(index, counts)], {(index, counts)}
        while open_ and len(seen) < _MOST_STEPS:
            for after, child in rule.enter(*open_.pop()):
                yield from array.split(child)
                if further and after not in seen:
                    seen.add(after)
                    open_.append(after)

    def of_string(self, number: int, state: int, count: Any) -> bool:
        """Return whether a string can become endlessly many.

        Args:
            number: of its rule.
            state: of its body.
            count: what is counted of it.
        """
        key = (number, state, count)
        found = self._strings.get(key)
        if found is None:
            if len(self._strings) > _MOST_REMEMBERED:
                self._strings.clear()
            rule = self._plan.strings[number]
            found = self._strings[key] = _has_many_strings(rule, state, count)
        return found

    def of_open(self, state: State) -> bool:
        """Return whether what is open can still become endlessly many values, by itself."""
        kind = state[0]
        if kind in (VALUE, COLON):
            return self.of_position(state[1])
        if kind == STRING:
            return self.of_string(state[1], state[2], state[3])
        if kind == NUMBER:
            return self._of_number(state)
        if kind == KEY:
            return self._of_key(state)
        if kind == OBJECT:
            return self._of_object(state[1], read_members(state))
        return kind == ARRAY and self._of_array(state)

    def _of_number(self, state: State) -> bool:
        rule = self._plan.numbers[state[1]].rule
        negative, phase = state[2][0], state[2][1]
        if rule.values is not None or (rule.low if negative else rule.high) is not None:
            return False
        if phase in (START, MINUS, INTEGER):
            return True
        return phase in (ZERO, POINT, FRACTION) and rule.multiple is None and rule.spelled == 0

    def _of_object(self, number: int, members: Members) -> bool:
        """Return whether an object can have more members of endlessly many kinds."""
        rule, loose = self._plan.objects[number].loosen(members)
        key = (number, rule.summary(loose))
        found = self._objects.get(key)
        if found is None:
            if len(self._objects) > _MOST_REMEMBERED:
                self._objects.clear()
            labels = rule.open_labels(loose)
            found = self._objects[key] = rule.has_endless(labels) or any(
                self._leads_on(number, loose, label) for label in list_bits(labels)
            )
        return found

    def _leads_on(self, number: int, members: Members, label: int) -> bool:
        rule = self._plan.objects[number].unordered
        return any(self.of_position(child) for _, child in rule.enter(members, label, UNREAD))

    def _of_key(self, state: State) -> bool:
        _, number, _, at, _ = state
        members = read_members(state)
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        labels = rule.open_labels(members) & rule.keys.reach_of(body.targets[at])
        classes = labels & ~rule.keys.names
        if any(rule.keys.endless[target] & classes for target in body.targets[at]):
            return True
        return any(
            self.of_position(child) or self._of_object(number, after)
            for label in list_bits(labels)
            for after, child in rule.enter(members, label, UNREAD)
        )

    def _of_array(self, state: State) -> bool:
        _, number, index, counts, *_ = state
        array = self._plan.arrays[number]
        return _can_grow(array) or any(
            map(self.of_position, self._list_items(array, index, counts, further=False))
        )

    def is_always(self, state: State) -> bool:
        """Return whether an object or array is endless however it goes on, until it is closed."""
        if state[0] == OBJECT:
            return self._plan.objects[state[1]].is_open
        return state[0] == ARRAY and _can_grow(self._plan.arrays[state[1]])


def _can_grow(array: ArrayEntry) -> bool:
    """Return whether an array can always have one more item, whatever it has."""
    rule = array.rule
    if rule.high is not None or array.unique is not None:
        return False
    return any(not bits for bits, _ in rule.pieces[-1][1]) and (
        not rule.counters and all(options for _, options in rule.pieces)
    )


def _has_many_strings(rule: StringRule, state: int, count: Any) -> bool:
    if isinstance(rule, CustomRule):
        return rule.has_many(state, count)
    dfa, high = rule.body.dfa, rule.high
    is_inside = rule.body.characters[state] < 0
    targets = rule.body.targets[state]
    if high is None and any(map(dfa.is_endless, targets)):
        return True
    here, n_found, length = dict.fromkeys(targets, 1), 0, count + is_inside
    for _ in range(_MOST_STEPS):
        if not here or high is not None and length > high:
            return False
        if length >= rule.low:
            n_found += sum(n for s, n in here.items() if dfa.labels[s] >= 0)
            if n_found >= PLENTY:
                return True
        here = dfa.advance(here)
        length += 1
    return False


def _has_many_numbers(rule: Rule) -> bool:
    if rule.values is not None:
        return False
    if rule.low is None or rule.high is None:
        return True
    multiple = Fraction(1) if rule.spelled == 1 and rule.multiple is None else rule.multiple
    if multiple is None:
        return rule.low < rule.high
    n_multiples = (rule.high - rule.low) / multiple - len(rule.excluded)
    return n_multiples > PLENTY and not rule.not_multiples


def list_bits(bits: int) -> Iterable[int]:
    """Yield the places of the bits that are set.

    >>> list(list_bits(5))
    [0, 2]
    """
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
