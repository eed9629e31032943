"""Positions into the plan that the machine follows: what no value fits is left out.

Only what the root leads to is written. Automata lose the labels of keys that are not allowed, and
equal rules are written once.

Items that must differ are told apart here: values that can be used up get a position each, so that
one that was there is simply left out; the others are compared where they end.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from maskc.errors import SchemaError, UnsatisfiableError
from maskc.jsonschema.automata import of_texts, relabel
from maskc.jsonschema.building import Builder
from maskc.jsonschema.drafts import ArrayDraft, ObjectDraft, PositionDraft, Satisfying, StringDraft
from maskc.jsonschema.exploring import NONE
from maskc.jsonschema.listing import MAX_ITEMS, MAX_VALUES, Listing
from maskc.jsonschema.splitting import holds_number
from maskc.jsonschema.values import LITERALS, Value, sort_key
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.machine.variety import Variety
from maskc.runtime.schema.numbers.powers import decimal, write_digits, write_numbers
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.arrays import ArrayRule
from maskc.runtime.schema.plan.entries import write_fraction
from maskc.runtime.schema.plan.fulfilment import Option
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.plan import FrozenPlan, Plan
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts, find_texts

# No part of a plan is inside itself, which would take a third of the time to make sure of.
_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, check_circular=False)
_FEW_STATES = 64  # are not looked at, whether texts say the same


def freeze_plan(builder: Builder, root: int) -> FrozenPlan:
    return _Freezer(builder).freeze(root)


class _Freezer:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._fitting = Satisfying(builder.drafts, builder.layout, self._may_differ)
        self._drafts = builder.drafts
        self._listing = Listing(builder.drafts, self._fitting)
        self._splits: dict[tuple[int, int], tuple[int, list[tuple[Value, int]]]] = {}
        # Arrays of very many different items: the pointer, and the positions of these.
        self._long: list[tuple[str, list[int]]] = []
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("dfas", "strings", "numbers", "arrays", "objects", "positions")
        }
        self._known: dict[tuple[str, bytes], int] = {}
        self._dfas: list[CharDfa] = []  # as they are in the plan
        self._number_of: dict[CharDfa, int] = {}
        self._place: dict[int, int] = {}
        self._open: list[int] = []

    def freeze(self, root: int) -> FrozenPlan:
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
        parts = {**self._parts, "root": first}
        plan = FrozenPlan(_ENCODER.encode(parts).encode(), parts, self._dfas)
        if self._long:
            self._check_long(plan)
        return plan

    def _may_differ(self, draft: ArrayDraft, rule: ArrayRule, found: set[int]) -> bool:
        return Listing(self._drafts, self._fitting, set(found)).may_differ(draft, rule)

    def _check_long(self, frozen: FrozenPlan) -> None:
        """Refuse arrays of more different items than are listed, unless endlessly many."""
        plan = Plan(frozen, self._builder.layout, Budget(0))
        variety = Variety(plan)
        for pointer, positions in self._long:
            if not all(map(variety.of_position, positions)):
                raise SchemaError(
                    pointer,
                    "uniqueItems",
                    f"asks for more than {MAX_ITEMS:,} different items of finitely many, "
                    "which are not counted",
                    "lower minItems, or leave uniqueItems out",
                )

    def _reach(self, number: int) -> int:
        place = self._place.get(number)
        if place is None:
            place = self._place[number] = len(self._parts["positions"])
            self._parts["positions"].append(None)
            self._open.append(number)
        return place

    def _add(self, part: str, entry: Any) -> int:
        # A fifth of the time of writing it in words; version 2 says the same of equal entries.
        key = (part, marshal.dumps(entry, 2))
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self._parts[part])
            self._parts[part].append(entry)
        return number

    def _write(self, draft: PositionDraft) -> list[Any]:
        fitting, fit = self._fitting, self._listing.fit
        numbers = [
            self._add("numbers", _write_rule(rule))
            for rule in draft.of(Rule)
            if fitting.has_number(rule)
        ]
        strings = [
            self._add("strings", [self._add_dfa(s.dfa), s.low, s.high])
            for s in draft.of(StringDraft)
            if fitting.fits(s, fit)
        ]
        arrays = [
            self._add("arrays", self._write_array(array, rule, draft.pointer))
            for array in draft.of(ArrayDraft)
            if (rule := fitting.array_rule(array, fit)) is not None
        ]
        objects = [
            self._add("objects", self._write_object(object_, allowed))
            for object_ in draft.of(ObjectDraft)
            if (allowed := fitting.object_rule(object_, fit)) is not None
        ]
        lists = [list(dict.fromkeys(part)) for part in (numbers, strings, arrays, objects)]
        return [draft.literals, *lists]

    def _add_dfa(self, dfa: CharDfa) -> int:
        number = self._number_of.get(dfa)
        if number is None:
            number = self._number_of[dfa] = self._add("dfas", _write_dfa(dfa))
            if number == len(self._dfas):
                self._dfas.append(dfa)
        return number

    def _write_object(self, draft: ObjectDraft, rule: ObjectRule) -> list[Any]:
        kept = rule.options
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

    def _write_array(self, draft: ArrayDraft, rule: ArrayRule, pointer: str) -> list[Any]:
        splits: list[Any] | bool | None = True if draft.repeats else None
        pieces = rule.pieces
        if draft.unique:
            children = {child for _, options in pieces for _, child in options}
            most = min(max(draft.low, MAX_VALUES), MAX_ITEMS)
            split = {child: self._split(child, most) for child in sorted(children)}
            if draft.counters and any(values for _, values in split.values()):
                raise SchemaError(
                    pointer,
                    "uniqueItems",
                    "stands beside contains over items with few values, which is not supported",
                    "leave one of the two out",
                )
            splits = [
                [
                    self._reach(child),
                    -1 if endless < 0 else self._reach(endless),
                    [[_to_json(value), self._reach(position)] for value, position in values],
                ]
                for child, (endless, values) in split.items()
            ]
            if draft.low > MAX_ITEMS:
                many = [self._reach(endless) for endless, _ in split.values() if endless >= 0]
                self._long.append((pointer, many))
        written = [
            [start, [n for bits, child in options for n in (bits, self._reach(child))]]
            for start, options in pieces
        ]
        counters = [[c.start, c.stop, c.low, c.high] for c in draft.counters]
        return [written, draft.low, draft.high, counters, splits]

    def _split(self, number: int, most: int) -> tuple[int, list[tuple[Value, int]]]:
        """Tell the values of a position apart: kinds of more than so many, and each other value."""
        found = self._splits.get((number, most))
        if found is not None:
            return found
        draft = self._drafts[number]
        pointer = draft.pointer
        endless = PositionDraft(pointer)
        values = {
            literal: PositionDraft(pointer, literals=1 << bit)
            for bit, literal in enumerate(LITERALS)
            if draft.literals >> bit & 1
        }
        for part in draft.parts:
            listed = self._listing.of_part(part, most, pointer)
            if listed is None:
                endless.parts.append(part)
                continue
            for value in listed:
                if isinstance(part, Rule):
                    rule = replace(part, values=frozenset([value[1]]))
                    values.setdefault(value, PositionDraft(pointer)).parts.append(rule)
                elif isinstance(part, StringDraft):
                    alone = StringDraft(of_texts([value[1]]), 0, None)
                    values[value] = PositionDraft(pointer, parts=[alone])
                else:
                    values[value] = self._constant(value, number)
        place = -1
        if endless.parts:
            place = self._append(endless)
        split = [(value, self._append(values[value])) for value in sorted(values, key=sort_key)]
        self._splits[number, most] = (place, split)
        return place, split

    def _append(self, draft: PositionDraft) -> int:
        self._drafts.append(draft)
        self._listing.fit.add(len(self._drafts) - 1)
        return len(self._drafts) - 1

    def _constant(self, value: Value, position: int) -> PositionDraft:
        """Return what is asked of one of the values of a position."""
        builder = self._builder
        formula, space = builder.space.values([value]), builder.space
        if space.lexical and holds_number(value):
            formula = space.both([formula, builder.formulas[position]])
        number = builder.add(formula, self._drafts[position].pointer)
        builder.finish()
        self._listing.fit |= self._fitting.positions()
        return self._drafts[number]


def _relabel(draft: ObjectDraft, kept: Sequence[Sequence[Option]]) -> CharDfa:
    """Return the automaton of the keys that are allowed."""
    if draft.names is not None:
        n = draft.n_names
        there = [k for k in range(n) if kept[k]]
        other = n if any(kept[n:]) else NO_LABEL
        # A name that is not allowed must not pass for another key.
        if other == NO_LABEL:
            if len(there) == n and max(draft.dfa.labels) < n:
                return draft.dfa
            return build_texts([draft.names[k] for k in there], there) if there else NONE
    return relabel(draft.dfa, lambda label: label if kept[label] else NO_LABEL)


def _write_dfa(dfa: CharDfa) -> list[Any]:
    texts: tuple[list[str], list[int], int] | None = dfa.texts
    if texts is None and dfa.n_states > _FEW_STATES:
        texts = find_texts(dfa)
    if texts is not None:
        return [*texts]
    return [
        list(dfa.starts),
        list(dfa.classes),
        list(dfa.defaults),
        [[n for pair in sorted(row.items()) for n in pair] for row in dfa.rows],
        list(dfa.labels),
        dfa.start,
        *([dfa.reader] if dfa.reader else []),
    ]


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
    written = decimal(abs(number))
    if written is None:
        raise ValueError(f"a schema's number has the denominator {number.denominator}")
    digits, exponent = written
    sign = "-" if number < 0 else ""
    return f"{sign}{write_digits(digits)}" + (f"e{exponent}" if exponent else "")
