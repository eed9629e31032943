"""Positions into the plan that the machine follows: what no value fits is left out.

Only what the root leads to is written. Automata lose the labels of keys that are not allowed, and
equal rules are written once.

Items that must differ are told apart here: values that can be used up get a position each, so that
one that was there is simply left out; the others are compared where they end.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from maskc.errors import SchemaError, UnsatisfiableError
from maskc.jsonschema.automata import of_texts, relabel
from maskc.jsonschema.building import Builder
from maskc.jsonschema.drafts import ArrayDraft, ObjectDraft, PositionDraft, StringDraft
from maskc.jsonschema.listing import Listing, list_texts
from maskc.jsonschema.satisfying import Satisfying
from maskc.jsonschema.values import FALSE, NULL, TRUE, Value, sort_key
from maskc.runtime.schema.arrays import ArrayRule
from maskc.runtime.schema.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.listed_numbers import write_numbers
from maskc.runtime.schema.plan import write_fraction
from maskc.runtime.schema.powers import decimal, write_digits
from maskc.runtime.schema.sides import Rule
from maskc.runtime.schema.texts import find_texts

_LITERALS = (NULL, TRUE, FALSE)
_FEW_STATES = 64  # take no more room than texts


def freeze_plan(builder: Builder, root: int) -> bytes:
    """Return the plan as JSON.

    Args:
        builder: with all positions built.
        root: the position of the whole text.

    Raises:
        SchemaError: no value fits the root, or items cannot be told apart.
    """
    return _Freezer(builder).freeze(root)


class _Freezer:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._fitting = Satisfying(builder.drafts, builder.layout)
        self._drafts = builder.drafts
        self._listing = Listing(builder.drafts, self._fitting)
        self._splits: dict[int, tuple[int, list[tuple[Value, int]]]] = {}
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("dfas", "strings", "numbers", "arrays", "objects", "positions")
        }
        self._known: dict[tuple[str, str], int] = {}
        self._place: dict[int, int] = {}
        self._open: list[int] = []

    def freeze(self, root: int) -> bytes:
        """Return the plan."""
        if root not in self._listing.fit:
            raise UnsatisfiableError(
                "", "", "fits no value at all", "look for keywords that contradict each other"
            )
        first = self._reach(root)
        while self._open:
            number = self._open.pop()
            self._parts["positions"][self._place[number]] = self._write(self._drafts[number])
        if self._parts["positions"][first] == [0, [], [], [], []]:
            raise UnsatisfiableError(
                "", "", "fits no value at all", "look for keywords that contradict each other"
            )
        plan = {**self._parts, "root": first}
        return json.dumps(plan, ensure_ascii=True, separators=(",", ":"), sort_keys=True).encode()

    def _reach(self, number: int) -> int:
        place = self._place.get(number)
        if place is None:
            place = self._place[number] = len(self._parts["positions"])
            self._parts["positions"].append(None)
            self._open.append(number)
        return place

    def _add(self, part: str, entry: Any) -> int:
        key = (part, json.dumps(entry))
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self._parts[part])
            self._parts[part].append(entry)
        return number

    def _write(self, draft: PositionDraft) -> list[Any]:
        strings = [
            self._add("strings", [self._add_dfa(s.dfa), s.low, s.high])
            for s in draft.strings
            if self._fitting.has_string(s)
        ]
        numbers = [
            self._add("numbers", _write_rule(rule))
            for rule in draft.numbers
            if self._fitting.has_number(rule)
        ]
        arrays = []
        for array in draft.arrays:
            rule = self._fitting.array_rule(array, self._listing.fit)
            if rule is not None:
                entry = self._write_array(array, rule, draft.pointer)
                if entry is not None:
                    arrays.append(self._add("arrays", entry))
        objects = []
        for object_ in draft.objects:
            if self._fitting.object_rule(object_, self._listing.fit) is not None:
                objects.append(self._add("objects", self._write_object(object_)))
        lists = [list(dict.fromkeys(part)) for part in (numbers, strings, arrays, objects)]
        return [draft.literals, *lists]

    def _add_dfa(self, dfa: CharDfa) -> int:
        texts = find_texts(dfa) if dfa.n_states > _FEW_STATES else None
        if texts is not None:
            return self._add("dfas", list(texts))
        rows = [[n for pair in sorted(row.items()) for n in pair] for row in dfa.rows]
        entry = [
            list(dfa.starts),
            list(dfa.classes),
            list(dfa.defaults),
            rows,
            list(dfa.labels),
            dfa.start,
        ]
        return self._add("dfas", entry)

    def _write_object(self, draft: ObjectDraft) -> list[Any]:
        kept = [
            [(bits, child) for bits, child in options if child in self._listing.fit]
            for options in draft.options
        ]
        dfa = draft.dfa
        if not all(kept):
            dfa = _relabel(draft, kept)
        options = [
            [n for bits, child in labels for n in (bits, self._reach(child))] for labels in kept
        ]
        required = [n for n in range(draft.n_names) if draft.required >> n & 1]
        return [
            self._add_dfa(dfa),
            draft.n_names,
            options,
            required,
            draft.low,
            draft.high,
            draft.n_wishes,
        ]

    def _write_array(self, draft: ArrayDraft, rule: ArrayRule, pointer: str) -> list[Any] | None:
        splits: list[Any] | None = None
        pieces = rule.pieces
        if draft.unique:
            children = {child for _, options in pieces for _, child in options}
            for child in sorted(children):
                self._split(child, pointer)
            if draft.counters and any(self._splits[child][1] for child in children):
                raise SchemaError(
                    pointer,
                    "uniqueItems",
                    "stands beside contains over items with few values, which is not supported",
                    "leave one of the two out",
                )
            if not self._can_differ(draft, pieces):
                return None
            splits = [
                [
                    self._reach(child),
                    -1 if self._splits[child][0] < 0 else self._reach(self._splits[child][0]),
                    [
                        [_to_json(value), self._reach(position)]
                        for value, position in self._splits[child][1]
                    ],
                ]
                for child in sorted(children)
            ]
        written = [
            [start, [n for bits, child in options for n in (bits, self._reach(child))]]
            for start, options in pieces
        ]
        counters = [[c.start, c.stop, c.low, c.high] for c in draft.counters]
        return [written, draft.low, draft.high, counters, splits]

    def _can_differ(
        self, draft: ArrayDraft, pieces: list[tuple[int, list[tuple[int, int]]]]
    ) -> bool:
        """Return whether there are enough different items for the shortest array."""
        holder: dict[Value, int] = {}
        domains: dict[int, list[Value]] = {}

        def augment(place: int, tried: set[Value]) -> bool:
            for value in domains[place]:
                if value not in tried:
                    tried.add(value)
                    if value not in holder or augment(holder[value], tried):
                        holder[value] = place
                        return True
            return False

        for place in range(draft.low):
            options = [o for start, o in pieces if start <= place][-1]
            splits = [self._splits[child] for _, child in options]
            if any(endless >= 0 for endless, _ in splits):
                if place >= pieces[-1][0]:
                    break
                continue
            domains[place] = sorted({v for _, values in splits for v, _ in values}, key=sort_key)
            if not augment(place, set()):
                return False
        return True

    def _split(self, number: int, pointer: str) -> None:
        """Tell the values of a position apart: those that are never used up, and each other."""
        if number in self._splits:
            return
        draft = self._drafts[number]
        endless = PositionDraft(draft.pointer)
        values: dict[Value, PositionDraft] = {}
        for bit, literal in enumerate(_LITERALS):
            if draft.literals >> bit & 1:
                values[literal] = PositionDraft(draft.pointer, literals=1 << bit)
        for rule in draft.numbers:
            numbers = self._listing.numbers(rule)
            if numbers is None:
                endless.numbers.append(rule)
            for n in numbers or ():
                made = values.setdefault(("number", n), PositionDraft(draft.pointer))
                made.numbers.append(replace(rule, values=frozenset([n])))
        for string in draft.strings:
            texts = list_texts(string)
            if texts is None:
                endless.strings.append(string)
            for text in texts or ():
                made = values.setdefault(("string", text), PositionDraft(draft.pointer))
                made.strings = [StringDraft(of_texts([text]), 0, None)]
        for array in draft.arrays:
            if self._fitting.array_rule(array, self._listing.fit) is None:
                continue
            if self._listing.is_open_array(array):
                endless.arrays.append(array)
                continue
            for value in self._list_or_refuse(PositionDraft("", arrays=[array]), pointer):
                values[value] = self._constant(value, pointer)
        for object_ in draft.objects:
            found = self._fitting.object_rule(object_, self._listing.fit)
            if found is None:
                continue
            if found.is_open:
                endless.objects.append(object_)
                continue
            for value in self._list_or_refuse(PositionDraft("", objects=[object_]), pointer):
                values[value] = self._constant(value, pointer)
        place = -1
        if endless.numbers or endless.strings or endless.arrays or endless.objects:
            place = self._append(endless)
        self._splits[number] = (
            place,
            [(value, self._append(values[value])) for value in sorted(values, key=sort_key)],
        )

    def _append(self, draft: PositionDraft) -> int:
        self._drafts.append(draft)
        self._listing.fit.add(len(self._drafts) - 1)
        return len(self._drafts) - 1

    def _constant(self, value: Value, pointer: str) -> PositionDraft:
        builder = self._builder
        number = builder.add(builder.space.values([value]), pointer)
        builder.finish()
        self._listing.fit |= self._fitting.positions()
        return self._drafts[number]

    def _list_or_refuse(self, draft: PositionDraft, pointer: str) -> list[Value]:
        found = self._listing.values(draft)
        if found is None:
            raise SchemaError(
                pointer,
                "uniqueItems",
                "compares arrays or objects that are neither few nor can always have another "
                "item or key, which is not supported",
                "allow additional properties or items in them, or leave uniqueItems out",
            )
        return found


def _relabel(draft: ObjectDraft, kept: list[list[tuple[int, int]]]) -> CharDfa:
    """Return the automaton of the keys that are allowed."""
    if draft.names is not None:
        n = draft.n_names
        there = [k for k in range(n) if kept[k]]
        other = n if any(kept[n:]) else NO_LABEL
        # A name that is not allowed must not pass for another key.
        if other == NO_LABEL:
            dfa = of_texts([draft.names[k] for k in there])
            labels = [there[label] if label != NO_LABEL else label for label in dfa.labels]
            return CharDfa(dfa.starts, dfa.classes, dfa.defaults, dfa.rows, labels, dfa.start)
    return relabel(draft.dfa, lambda label: label if kept[label] else NO_LABEL)


def _write_rule(rule: Rule) -> list[Any]:
    def optional(value: Fraction | None) -> str | None:
        return None if value is None else write_fraction(value)

    return [
        optional(rule.low),
        rule.low_open,
        optional(rule.high),
        rule.high_open,
        optional(rule.multiple),
        [write_fraction(value) for value in rule.not_multiples],
        write_numbers(rule.excluded),
        None if rule.values is None else write_numbers(rule.values),
        rule.spelled,
    ]


def _to_json(value: Value) -> str:
    """Return a value as JSON."""
    kind = value[0]
    if kind == "null":
        return "null"
    if kind == "boolean":
        return "true" if value[1] else "false"
    if kind == "string":
        return json.dumps(value[1])
    if kind == "array":
        return f"[{','.join(map(_to_json, value[1]))}]"
    if kind == "object":
        return "{{{}}}".format(",".join(f"{json.dumps(k)}:{_to_json(v)}" for k, v in value[1]))
    return _write_number(value[1])


def _write_number(number: Fraction) -> str:
    """Return a number in decimal digits; those of a schema always have an end."""
    written = decimal(abs(number))
    if written is None:
        raise ValueError(f"a schema's number has the denominator {number.denominator}")
    digits, exponent = written
    sign = "-" if number < 0 else ""
    return f"{sign}{write_digits(digits)}" + (f"e{exponent}" if exponent else "")
