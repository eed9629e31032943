"""Positions and open nodes with so many values that an array's items never use them up.

A position is *endless* if infinitely many values fit it, or more than any text has. What is open is
endless if what has been read of it can still become that many values. Then nothing that was there
before can be in the way of an item that must differ, and nobody has to look.

A node inside an item that must differ is *roomy* if something below it lets the item become
endlessly many, whatever the node itself becomes. A node that is not, and cannot become endlessly
many by itself, is *tight*: it may be that nothing is left for it to become. Where two items must be
equal, and only the last one can still be, it is *bound*: to become one that was there.

Positions that are not endless are found from those without any inside, as what is on a circle of
positions, or leads to one, has no end. A position that is not said to be endless may be so
nevertheless.

Example: ``{"properties": {"a": {"type": "boolean"}}, "additionalProperties": false}`` has three
values, and with ``"b": {"type": "string"}`` endlessly many, until b has been read.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    CAPTURES,
    COLON,
    IS_BOUND,
    IS_ROOMY,
    KEY,
    KIND,
    NUMBER,
    OBJECT,
    POSITION,
    RULE,
    STATE,
    STRING,
    VALUE,
    Node,
    Room,
    State,
    is_compared,
    place_of,
    read_members,
)
from maskc.runtime.schema.numbers.numbers import FRACTION, INTEGER, MINUS, POINT, START, ZERO
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import Members, list_bits
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import ArrayEntry, Place, StringRule
from maskc.runtime.schema.strings.other_keys import UNREAD

PLENTY = 1 << 40  # values that no text has
_MOST_STEPS = 10_000
_MOST_REMEMBERED = 50_000


class Variety:
    """Says what of a plan is endless, and what room nodes have."""

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
        worklist = [position]
        while worklist:
            here = worklist.pop()
            if here not in inside and here not in known:
                inside[here] = children = self._list_inside(here)
                worklist += children or ()
        users: dict[int, list[int]] = {}
        n_left = dict.fromkeys(inside, 0)
        for here, children in inside.items():
            for child in children or ():
                if known.get(child, True):
                    users.setdefault(child, []).append(here)
                    n_left[here] += 1
        found = dict.fromkeys(inside, True)
        worklist = [here for here, children in inside.items() if children is not None]
        worklist = [here for here in worklist if not n_left[here]]
        while worklist:
            here = worklist.pop()
            found[here] = False
            for user in users.get(here, ()):
                n_left[user] -= 1
                if not n_left[user] and inside[user] is not None:
                    worklist.append(user)
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
            found.update(_list_items(array, array.start, further=True))
        return found

    def of_string(self, number: int, state: int, count: Any) -> bool:
        """Return whether a string can become endlessly many, by its rule and what was read."""
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
        kind = state[KIND]
        if kind in (VALUE, COLON):
            return self.of_position(state[POSITION])
        if kind == STRING:
            return self.of_string(*state[RULE:4])
        if kind == NUMBER:
            return self._of_number(state)
        if kind == KEY:
            return self._of_key(state)
        if kind == OBJECT:
            return self._of_object(state[RULE], read_members(state))
        return kind == ARRAY and self._of_array(state)

    def _of_number(self, state: State) -> bool:
        rule = self._plan.numbers[state[RULE]].rule
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
        array = self._plan.arrays[state[RULE]]
        items = _list_items(array, state[2], further=False)
        return _can_grow(array) or any(map(self.of_position, items))

    def find_room(self, state: State, parents: tuple[Node, ...]) -> Room:
        """Return what room a node has: whether it is roomy, bound and tight."""
        is_roomy = is_bound = False
        arrays = self._plan.arrays
        for parent in parents:
            if not parent[CAPTURES]:
                is_roomy = True
                break
            entry = arrays[parent[STATE][RULE]] if is_compared(parent) else None
            # Only an item that was there may be the one under way, if it is the last.
            if parent[IS_BOUND] or entry is not None and entry.only(place_of(parent)) is not None:
                is_bound = True
            elif entry is None or entry.repeats:
                is_roomy = is_roomy or parent[IS_ROOMY] or self.of_open(parent[STATE])
        is_tight = not is_roomy and (is_bound or not self.of_open(state))
        return is_roomy, is_bound and not is_roomy, is_tight

    def is_calm(self, node: Node) -> bool:
        """Return whether nothing that comes above a node has to be compared with other items."""
        state: State = node[STATE]
        if is_compared(node):
            return False
        if node[IS_ROOMY] or node[IS_BOUND]:
            return bool(node[IS_ROOMY])
        # Endless however it goes on, until it is closed.
        if state[KIND] == OBJECT:
            return self._plan.objects[state[RULE]].is_open
        return bool(state[KIND] == ARRAY) and _can_grow(self._plan.arrays[state[RULE]])


def _list_items(array: ArrayEntry, place: Place, *, further: bool) -> Iterable[int]:
    """Yield the positions that items from a place on can have.

    Where items are counted, they are those of the next item, or ``further`` of all after it.
    """
    rule = array.rule
    index, counts, _ = place
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
    worklist, seen = [(index, counts)], {(index, counts)}
    while worklist and len(seen) < _MOST_STEPS:
        for after, child in rule.enter(*worklist.pop()):
            yield from array.split(child)
            if further and after not in seen:
                seen.add(after)
                worklist.append(after)


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
