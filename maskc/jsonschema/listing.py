"""Which values fit a position, if they are few?

Items that must differ are told apart by listing what they may be.

Example: ``{"type": "integer", "minimum": 1, "maximum": 3}`` has three values, and ``{"type":
"string"}`` is not listed.

Limits: ``MAX_VALUES`` values, nested at most 8 deep.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from maskc.jsonschema.drafts import ArrayDraft, ObjectDraft, PositionDraft, StringDraft
from maskc.jsonschema.satisfying import Satisfying
from maskc.jsonschema.values import FALSE, NULL, TRUE, Value
from maskc.runtime.schema.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.sides import Rule

MAX_VALUES = 64
_LITERALS = (NULL, TRUE, FALSE)


class Listing:
    """Lists the values of positions.

    Args:
        drafts: all positions; there may come to be more.
        fitting: says what fits them.

    Attributes:
        fit: positions that some value fits.
    """

    def __init__(self, drafts: list[PositionDraft], fitting: Satisfying) -> None:
        self._drafts, self._fitting = drafts, fitting
        self.fit = fitting.positions()

    def values(self, draft: PositionDraft, depth: int = 0) -> list[Value] | None:
        """Return the values that fit a position, ``None`` if they are not few."""
        if depth > 8:
            return None
        found: dict[Value, None] = {}
        for bit, literal in enumerate(_LITERALS):
            if draft.literals >> bit & 1:
                found[literal] = None
        for rule in draft.numbers:
            numbers = self.numbers(rule)
            if numbers is None:
                return None
            found.update(dict.fromkeys(("number", n) for n in numbers))
        for string in draft.strings:
            texts = list_texts(string)
            if texts is None:
                return None
            found.update(dict.fromkeys(("string", text) for text in texts))
        for array in draft.arrays:
            arrays = self._list_arrays(array, depth)
            if arrays is None:
                return None
            found.update(dict.fromkeys(arrays))
        for object_ in draft.objects:
            objects = self._list_objects(object_, depth)
            if objects is None:
                return None
            found.update(dict.fromkeys(objects))
        return list(found) if len(found) <= MAX_VALUES else None

    def _list_arrays(self, draft: ArrayDraft, depth: int) -> list[Value] | None:
        rule = self._fitting.array_rule(draft, self.fit)
        if rule is None:
            return []
        if draft.high is None or draft.high > MAX_VALUES or draft.counters or draft.unique:
            most = next((start for start, o in rule.pieces if not o), None)
            if most is None or draft.counters or draft.unique:
                return None
        else:
            most = draft.high
        found: list[Value] = []
        for n in range(draft.low, most + 1):
            columns = []
            for place in range(n):
                items = [v for _, c in rule.options(place) for v in self._list_of(c, depth)]
                if None in items:
                    return None
                columns.append(items)
            size = 1
            for column in columns:
                size *= len(column)
            if size > MAX_VALUES:
                return None
            found += [("array", tuple(items)) for items in product(*columns)]
        return found

    def _list_of(self, number: int, depth: int) -> list[Any]:
        found = self.values(self._drafts[number], depth + 1)
        return [None] if found is None else found

    def _list_objects(self, draft: ObjectDraft, depth: int) -> list[Value] | None:
        rule = self._fitting.object_rule(draft, self.fit)
        if rule is None:
            return []
        names = draft.names
        if names is None and rule.options[draft.n_names :] == []:
            names = _names_of(draft.dfa, draft.n_names)
        if names is None or any(rule.options[draft.n_names :]) or draft.n_wishes:
            return None
        columns: list[list[Any]] = []
        for n, name in enumerate(names):
            options = rule.options[n]
            values = [v for _, c in options for v in self._list_of(c, depth)]
            if None in values:
                return None
            there: list[Any] = [(name, v) for v in values]
            columns.append(there if draft.required >> n & 1 else [None, *there])
        size = 1
        for column in columns:
            size *= max(len(column), 1)
        if size > MAX_VALUES:
            return None
        found: list[Value] = []
        for chosen in product(*columns):
            members = sorted(member for member in chosen if member is not None)
            if len(members) >= draft.low and (draft.high is None or len(members) <= draft.high):
                found.append(("object", tuple(members)))
        return found

    def is_open_array(self, draft: ArrayDraft) -> bool:
        """Return whether there is always one more item to add."""
        last = [child for _, child in draft.pieces[-1][1] if child in self.fit]
        return (
            draft.high is None
            and bool(last)
            and not draft.counters
            and (not draft.unique or any(self._is_endless(child) for child in last))
        )

    def _is_endless(self, number: int) -> bool:
        draft = self._drafts[number]
        return any(self.numbers(rule) is None for rule in draft.numbers) or any(
            list_texts(string) is None for string in draft.strings
        )

    def numbers(self, rule: Rule) -> list[Fraction] | None:
        """Return the values that fit a rule of numbers, ``None`` if there are too many."""
        if not self._fitting.has_number(rule):
            return []
        if rule.values is not None:
            return sorted(v for v in rule.values if rule.allows(v))
        if rule.low is None or rule.high is None:
            return None
        if rule.multiple is None:
            return [rule.low] if rule.low == rule.high else None
        first, last = -(-rule.low // rule.multiple), rule.high // rule.multiple
        if last - first >= MAX_VALUES:
            return None
        found = [n * rule.multiple for n in range(first, last + 1)]
        return [value for value in found if rule.allows(value)]


def _names_of(dfa: CharDfa, n_names: int) -> tuple[str, ...]:
    """Return the texts that an automaton of names labels, by label."""
    found = [""] * n_names
    ends = [*dfa.starts[1:], 0x110000]
    open_ = [(dfa.start, "")]
    while open_:
        state, text = open_.pop()
        if dfa.labels[state] != NO_LABEL:
            found[dfa.labels[state]] = text
        for low, high, kind in zip(dfa.starts, ends, dfa.classes, strict=True):
            target = dfa.rows[state].get(kind, dfa.defaults[state])
            if target != DEAD:
                open_ += [(target, text + chr(c)) for c in range(low, high)]
    return tuple(found)


def list_texts(draft: StringDraft) -> list[str] | None:
    """Return the strings that fit, ``None`` if there are too many."""
    dfa = draft.dfa
    if dfa.is_endless(dfa.start) and draft.high is None:
        return None
    ends = [*dfa.starts[1:], 0x110000]
    found: list[str] = []
    level = [(dfa.start, "")] if dfa.start != DEAD else []
    length = 0
    while level and (draft.high is None or length <= draft.high):
        after = []
        for state, text in level:
            if dfa.labels[state] != NO_LABEL and length >= draft.low:
                found.append(text)
            for low, high, kind in zip(dfa.starts, ends, dfa.classes, strict=True):
                target = dfa.rows[state].get(kind, dfa.defaults[state])
                if target != DEAD:
                    if high - low > MAX_VALUES:
                        return None
                    after += [(target, text + chr(c)) for c in range(low, high)]
            if len(after) > MAX_VALUES:
                return None
        if len(found) > MAX_VALUES:
            return None
        level = after
        length += 1
    return found
