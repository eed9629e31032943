"""Positions and open nodes with infinitely many values, and what is left for compared items.

A position is *infinite* if infinitely many values fit it, or more than any text has. An open node
is infinite if what has been read of it can still become that many values. Then nothing that was
there before can be in the way of an item that must differ, and nobody has to look.

A node inside an item that must differ has *slack* if something below it lets the item become
infinitely many values, whatever the node itself becomes. A node without slack that is not infinite
itself needs a check: maybe nothing is left for it to become. Where two items must be equal, and
only the last one can still be, a node must equal what was there.

Finite positions are found from those without any inside, as what is on a circle of positions, or
leads to one, is infinite. A position that is not said to be infinite may be so nevertheless.

Example: ``{"properties": {"a": {"type": "boolean"}}, "additionalProperties": false}`` has three
values, and with ``"b": {"type": "string"}`` infinitely many, until b has been read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, Final

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    CAPTURES,
    COLON,
    FIRST,
    HAS_SLACK,
    KEY,
    KIND,
    LITERAL,
    MUST_EQUAL,
    NUMBER,
    OBJECT,
    POSITION,
    RULE,
    STATE,
    STRING,
    VALUE,
    Node,
    Slack,
    State,
    is_compared,
    position_of,
    read_members,
)
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.numbers.spellings import FRACTION, INTEGER, MINUS, POINT, START, ZERO
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import Members, list_bits
from maskc.runtime.schema.plan.rules import ArrayEntry, ArrayProgress, StringRule
from maskc.runtime.schema.strings.keys import UNREAD

PLENTY: Final = 1 << 40  # values that no text has
_MOST_STEPS: Final = 10_000
_MOST_REMEMBERED: Final = 50_000


class Cardinality:
    """Says what of a plan is infinite, and what slack nodes have."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._positions: dict[int, bool] = {}
        self._strings: dict[tuple[int, int, int], bool] = {}
        self._objects: dict[tuple[int, object], bool] = {}

    def of_position(self, position: int) -> bool:
        """Return whether the values of a position are infinite."""
        found = self._positions.get(position)
        if found is None:
            self._find_positions(position)
            found = self._positions[position]
        return found

    def _find_positions(self, position: int) -> None:
        """Find whether a position and those inside it are infinite: left by peeling the others."""
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

    def starts(self, position: int) -> Iterator[State]:
        """Yield what can be open where a value begins; of literals and scalars before it."""
        plan = self._plan
        rules = plan.position(position)
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

    def _list_inside(self, position: int) -> set[int] | None:
        """Return the positions inside one, ``None`` if it is infinite whatever these are."""
        found: set[int] = set()
        for state in self.starts(position):
            inside = self._find_inside(state, further=True)
            if inside is None:
                return None
            found |= inside
        return found

    def _find_inside(self, state: State, *, further: bool = False) -> set[int] | None:
        """Return the positions of values that may still come inside what is open.

        ``None`` if it is infinite whatever these are. Where items are counted, they are those of
        the next item, or ``further`` of all after it.
        """
        kind, number = state[KIND], state[RULE]
        if kind == STRING:
            return None if self._is_infinite_string(*state[RULE:4]) else set()
        if kind == NUMBER:
            return None if _is_infinite_number(self._plan.numbers[number].rule, state[2]) else set()
        if kind == ARRAY:
            array = self._plan.arrays[number]
            return None if _can_grow(array) else set(_list_items(array, state[2], further=further))
        if kind == OBJECT:
            rule, loose = self._plan.objects[number].loosen(read_members(state))
            labels = rule.open_labels(loose)
            entered = (rule.enter(loose, label, UNREAD) for label in list_bits(labels))
            if rule.has_infinite(labels):
                return None
            return {position for transitions in entered for _, position in transitions}
        return set()

    def _is_infinite_string(self, number: int, state: int, count: Any) -> bool:
        key = (number, state, count)
        found = self._strings.get(key)
        if found is None:
            if len(self._strings) > _MOST_REMEMBERED:
                self._strings.clear()
            rule = self._plan.strings[number]
            found = self._strings[key] = _has_many_strings(rule, state, count)
        return found

    def of_open(self, state: State) -> bool:
        """Return whether what is open can still become infinitely many values, by itself."""
        kind = state[KIND]
        if kind in (VALUE, COLON):
            return self.of_position(state[POSITION])
        if kind == OBJECT:
            return self._of_object(state[RULE], read_members(state))
        return self._of_key(state) if kind == KEY else self._has_infinite_inside(state)

    def _has_infinite_inside(self, state: State) -> bool:
        inside = self._find_inside(state)
        return inside is None or any(map(self.of_position, inside))

    def _of_object(self, number: int, members: Members) -> bool:
        """Return whether an object can have more members of infinitely many kinds."""
        rule, loose = self._plan.objects[number].loosen(members)
        key = (number, rule.summary(loose))
        found = self._objects.get(key)
        if found is None:
            if len(self._objects) > _MOST_REMEMBERED:
                self._objects.clear()
            found = self._objects[key] = self._has_infinite_inside((OBJECT, number, members, FIRST))
        return found

    def _of_key(self, state: State) -> bool:
        _, number, _, at, _ = state
        members = read_members(state)
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        labels = rule.open_labels(members) & rule.keys.reach_of(body.targets[at])
        classes = labels & ~rule.keys.names
        if any(rule.keys.infinite[target] & classes for target in body.targets[at]):
            return True
        return any(
            self.of_position(child) or self._of_object(number, after)
            for label in list_bits(labels)
            for after, child in rule.enter(members, label, UNREAD)
        )

    def find_slack(self, state: State, parents: tuple[Node, ...]) -> Slack:
        """Return whether a node has slack, must equal what was there, and needs a check."""
        has_slack = must_equal = False
        arrays = self._plan.arrays
        for parent in parents:
            if not parent[CAPTURES]:
                has_slack = True
                break
            entry = arrays[parent[STATE][RULE]] if is_compared(parent) else None
            # Only an item that was there may be the one under way, if it is the last.
            if (
                parent[MUST_EQUAL]
                or entry is not None
                and entry.only(position_of(parent)) is not None
            ):
                must_equal = True
            elif entry is None or entry.repeats:
                has_slack = has_slack or parent[HAS_SLACK] or self.of_open(parent[STATE])
        needs_check = not has_slack and (must_equal or not self.of_open(state))
        return has_slack, must_equal and not has_slack, needs_check

    def skips_check(self, node: Node) -> bool:
        """Return whether nothing that comes above a node has to be compared with other items."""
        state: State = node[STATE]
        if is_compared(node):
            return False
        if node[HAS_SLACK] or node[MUST_EQUAL]:
            return bool(node[HAS_SLACK])
        # Endless however it goes on, until it is closed.
        if state[KIND] == OBJECT:
            return self._plan.objects[state[RULE]].is_open
        return bool(state[KIND] == ARRAY) and _can_grow(self._plan.arrays[state[RULE]])


def _list_items(array: ArrayEntry, progress: ArrayProgress, *, further: bool) -> Iterable[int]:
    """Yield the positions that items from some progress on can have.

    Where items are counted, they are those of the next item, or ``further`` of all after it.
    """
    rule = array.rule
    index, _, _ = progress
    if not rule.counters:
        for piece, stop in rule.pieces_from(index):
            start, options = rule.pieces[piece]
            if not options or rule.high is not None and max(start, index) >= rule.high:
                return
            for _, child in options:
                yield from array.split(child)
            if stop is None or not array.has_infinite(piece):
                return  # few items may be used up before an array gets there
        return
    worklist, seen = [progress], {array.key_of(progress)}
    while worklist and len(seen) < _MOST_STEPS:
        for after, position in array.transitions(worklist.pop()):
            yield position
            here = array.pass_value(after, position)
            if further and array.key_of(here) not in seen:
                seen.add(array.key_of(here))
                worklist.append(here)


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
    if high is None and any(map(dfa.is_infinite, targets)):
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


def _is_infinite_number(rule: Rule, state: tuple[Any, ...] | None) -> bool:
    """Return whether a number can become infinitely many; ``None``: nothing of it was read."""
    if rule.values is not None:
        return False
    if state is not None:
        negative, phase = state[:2]
        if (rule.low if negative else rule.high) is not None:
            return False
        if phase in (ZERO, POINT, FRACTION):
            return rule.multiple is None and not rule.lexical_form
        return phase in (START, MINUS, INTEGER)
    if rule.low is None or rule.high is None:
        return True
    multiple = Fraction(1) if rule.lexical_form == 1 and rule.multiple is None else rule.multiple
    if multiple is None:
        return rule.low < rule.high
    n_multiples = (rule.high - rule.low) / multiple - len(rule.excluded)
    return n_multiples > PLENTY and not rule.not_multiples
