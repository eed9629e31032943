"""Lists the values that fit a position, if they are few.

Items that must differ are told apart by listing what they may be. Values are built part by part,
and no part is taken that no value has: so there are never more parts under way than values.

Example: ``{"type": "integer", "minimum": 1, "maximum": 3}`` has three values, and ``{"type":
"string"}`` is not listed.

Limits: arrays of more than ``MAX_ITEMS`` items are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import count
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.automata import list_strings
from maskc.jsonschema.drafts import (
    ArrayDraft,
    ObjectDraft,
    Part,
    PositionDraft,
    Satisfying,
    StringDraft,
)
from maskc.jsonschema.formulas import LITERALS, Value
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.arrays import ArrayRule
from maskc.runtime.schema.plan.objects import CONSTRAINTS, ObjectRule, list_bits
from maskc.runtime.schema.plan.rules import ArrayEntry, Split
from maskc.runtime.schema.plan.series import ABSENT, LEFT_OUT, Field, Fields, Series

MAX_VALUES = 64
MAX_ITEMS = 1_000


class ValueListing:
    """Lists the values of positions."""

    def __init__(
        self, drafts: list[PositionDraft], fitting: Satisfying, fit: set[int] | None = None
    ) -> None:
        self._drafts, self._fitting = drafts, fitting
        self.fit = fitting.positions() if fit is None else fit
        self._open: set[int] = set()
        self._known: dict[tuple[int, int], list[Value] | None] = {}

    def values(self, draft: PositionDraft, most: int = MAX_VALUES) -> list[Value] | None:
        """Return the values that fit a position, ``None`` if they are more than so many."""
        found = {v: None for bit, v in enumerate(LITERALS) if draft.literals >> bit & 1}
        for part in draft.parts:
            values = self.of_part(part, most, draft.pointer)
            if values is None:
                return None
            found.update(dict.fromkeys(values))
        return list(found) if len(found) <= most else None

    def of_part(self, part: Part, most: int, pointer: str) -> list[Value] | None:
        """Return the same for a part of a position."""
        match part:
            case Rule():
                numbers = self.numbers(part, most)
                return None if numbers is None else [("number", n) for n in numbers]
            case StringDraft():
                texts = list_strings(part.dfa, most, low=part.low, high=part.high)
                return None if texts is None else [("string", text) for text in texts]
            case ArrayDraft():
                return self._list_arrays(part, most, pointer)
        return self._list_objects(part, most)

    def of(self, number: int, most: int) -> list[Value] | None:
        if number == LEFT_OUT:
            return [ABSENT]
        if number in self._open:
            return None  # it has values inside its values
        key = (number, most)
        if key not in self._known:
            self._open.add(number)
            self._known[key] = self.values(self._drafts[number], most)
            self._open.remove(number)
        return self._known[key]

    def may_differ(self, draft: ArrayDraft, rule: ArrayRule) -> bool:
        """Return whether there are enough different items for the shortest array."""
        if rule.n_missing(*rule.start) < 2:
            return True
        entry = self._entry(draft, rule, count_listed(rule))
        return entry.is_feasible(entry.start)

    def _entry(self, draft: ArrayDraft, rule: ArrayRule, most: int) -> ArrayEntry:
        """Return how an array's items differ, those that are more than so many as endless ones."""
        if not draft.unique:
            return ArrayEntry(rule, None, repeats=draft.repeats)
        splits = {}
        for child in rule.positions:
            values = self.of(child, most)
            pairs = tuple((value, child) for value in values or ())
            splits[child] = Split(child if values is None else -1, pairs)
        return ArrayEntry(rule, splits)

    def _list_arrays(self, draft: ArrayDraft, most: int, pointer: str) -> list[Value] | None:
        rule = self._fitting.bare_rule(draft, self.fit)
        if rule is None:
            return []
        is_long = draft.high is None and not draft.counters and bool(rule.pieces[-1][1])
        if is_long and not draft.unique and all(options for _, options in rule.pieces):
            return None
        # What others take of an item's many values leaves enough.
        entry = self._entry(draft, rule, most + min(rule.n_missing(*rule.start), MAX_ITEMS))
        if not entry.is_feasible(entry.start):
            return []
        found = list[Value]()
        for length, items in enumerate(
            self._lengthen(entry, entry.rule_transitions, entry.start, most)
        ):
            if items is None:
                return None
            if length > MAX_ITEMS:
                raise SchemaError(
                    pointer,
                    "uniqueItems",
                    f"compares arrays of more than {MAX_ITEMS:,} items of few kinds",
                    "lower minItems or maxItems, or leave uniqueItems out",
                )
            found += [("array", each) for each in items]
            if len(found) > most:
                return None
        return found

    def _lengthen(
        self,
        series: Series,
        transitions: Callable[[Any], Iterable[tuple[Any, int]]],
        start: Any,
        most: int,
    ) -> Iterator[list[tuple[Value, ...]] | None]:
        """Yield the series of each number of parts; ``None`` and no more if they are too many."""
        level: dict[tuple[Value, ...], set[Any]] = {(): {start}}
        for length in count(1):
            yield [parts for parts, states in level.items() if any(map(series.may_end, states))]
            longer: dict[tuple[Value, ...], set[Any]] = {}
            for parts, states in level.items():
                every = (pair for state in states for pair in transitions(state))
                for after, child in every:
                    # Some may be forbidden.
                    values = self.of(child, most + length)
                    if values is None:
                        yield None
                        return
                    for value in values:
                        made = series.add(after, value)
                        if made is not None:
                            longer.setdefault((*parts, value), set()).add(made)
            if not longer:
                return
            level = longer
            if len(level) > most:
                yield None
                return

    def _list_objects(self, draft: ObjectDraft, most: int) -> list[Value] | None:
        found = self._fitting.object_rule(draft, self.fit)
        if found is None:
            return []
        rule = found.unordered
        labels = rule.open_labels(rule.start)
        fields = None if rule.has_infinite(labels) else _list_fields(rule, labels, most)
        if fields is None:
            return None
        constraints = rule.start[CONSTRAINTS] & ~rule.held_without(~labels)
        members = Fields(fields, rule.low, rule.high, 0, constraints)
        whole = list[tuple[Value, ...]]()
        for every in self._lengthen(members, members.transitions, members.start, most):
            if every is None:
                return None
            whole = every
        return [("object", tuple(sorted(members.members_of(parts)))) for parts in whole]

    def numbers(self, rule: Rule, most: int = MAX_VALUES) -> list[Fraction] | None:
        """Return the values that fit a rule of numbers, ``None`` if there are too many."""
        if not self._fitting.has_number(rule):
            return []
        if rule.values is not None:
            found = sorted(v for v in rule.values if rule.allows(v))
            return found if len(found) <= most else None
        if rule.low is None or rule.high is None:
            return None
        is_integer = rule.lexical_form == 1 and rule.multiple is None
        multiple = Fraction(1) if is_integer else rule.multiple
        if multiple is None:
            return [rule.low] if rule.low == rule.high else None
        first, last = -(-rule.low // multiple), rule.high // multiple
        found = []
        for n in range(first, last + 1):
            if rule.allows(n * multiple):
                found.append(n * multiple)
            if len(found) > most:
                return None
        return found


def count_listed(rule: ArrayRule) -> int:
    """Return how many values of an array's items are told apart, if they are no more."""
    return min(max(rule.n_missing(*rule.start), MAX_VALUES), MAX_ITEMS)


def _list_fields(rule: ObjectRule, labels: int, most: int) -> list[Field] | None:
    """Return the members that an object may have, ``None`` if they are more than so many."""
    found = []
    for label in list_bits(labels):
        is_name = label < rule.n_names
        texts = list_strings(rule.dfa, max(most, 1), label=label)
        if texts is None:
            return None
        is_needed = is_name and bool(rule.required >> label & 1)
        held = rule.held_without(1 << label)
        found += [Field(text, tuple(rule.options[label]), is_needed, held) for text in texts]
    return found
