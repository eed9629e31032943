"""Positions into the plan that the machine follows: what no value fits is left out.

Only what the root leads to is written. Automata lose the labels of keys that are not allowed, and
equal rules are written once.

Items that must differ are told apart here: values that can be used up get a position each, so that
one that was there is simply left out; the others are compared where they end.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from maskc.errors import SchemaError, UnsatisfiableError
from maskc.jsonschema.automata import of_texts, relabel
from maskc.jsonschema.building import PositionBuilder
from maskc.jsonschema.drafts import ArrayDraft, ObjectDraft, PositionDraft, Satisfying, StringDraft
from maskc.jsonschema.exploring import NONE
from maskc.jsonschema.formulas import LITERALS, Value, holds_number, sort_key
from maskc.jsonschema.listing import MAX_ITEMS, ValueListing, count_listed
from maskc.runtime.cache import Budget
from maskc.runtime.schema.machine.cardinality import Cardinality
from maskc.runtime.schema.numbers.powers import decimal, write_digits
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan import FrozenPlan, Plan
from maskc.runtime.schema.plan.arrays import MOST_STEPS, ArrayRule
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.records import RECORDS, Position
from maskc.runtime.schema.plan.rules import ArrayEntry, Split
from maskc.runtime.schema.plan.series import Option
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts


def freeze_plan(builder: PositionBuilder, root: int) -> FrozenPlan:
    return _Freezer(builder).freeze(root)


class _Freezer:
    def __init__(self, builder: PositionBuilder) -> None:
        self._builder = builder
        self._fitting = Satisfying(builder.drafts, builder.layout, self._may_differ)
        self._drafts = builder.drafts
        self._listing = ValueListing(builder.drafts, self._fitting)
        self._splits: dict[tuple[int, int], tuple[int, list[tuple[Value, int]]]] = {}
        # Arrays of very many different items: the pointer, and the positions of these.
        self._long: list[tuple[str, list[int]]] = []
        self._records: dict[str, Any] = {name: [] for name in ("dfas", *RECORDS)}
        self._known: dict[tuple[str, Hashable], int] = {}
        self._number_of: dict[CharDfa, int] = {}
        self._index: dict[int, int] = {}
        self._numbers: list[int] = []  # of the positions, by index
        self._open: list[int] = []

    def freeze(self, root: int) -> FrozenPlan:
        if root not in self._listing.fit:
            raise UnsatisfiableError("", "", "fits no value", "look for contradicting keywords")
        first = self._reach(root)
        self._write_open()
        if self._records["positions"][first] == Position(0, (), (), (), ()):
            raise UnsatisfiableError("", "", "fits no value", "look for contradicting keywords")
        self._records["root"] = first
        if any(draft.waits for draft in self._drafts):
            return FrozenPlan(b"", self._records, self._grow)
        plan = FrozenPlan(records=self._records)
        if self._long:
            self._check_long(plan)
        return plan

    def _write_open(self) -> None:
        """Write the positions that are reached, but for those that wait."""
        while self._open:
            number = self._open.pop()
            if not self._drafts[number].waits:
                position = self._position(self._drafts[number])
                self._records["positions"][self._index[number]] = position

    def _grow(self, index: int) -> None:
        """Build and write a position that has waited; its values and those inside it fit."""
        number = self._numbers[index]
        if self._drafts[number].waits:
            n_before = len(self._drafts)
            self._builder.build(number)
            self._listing.fit.update(range(n_before, len(self._drafts)))
            self._open.append(number)
            self._write_open()

    def _may_differ(self, draft: ArrayDraft, rule: ArrayRule, found: set[int]) -> bool:
        return ValueListing(self._drafts, self._fitting, set(found)).may_differ(draft, rule)

    def _check_long(self, frozen: FrozenPlan) -> None:
        """Refuse arrays of more different items than are listed, unless endlessly many."""
        plan = Plan(frozen, self._builder.layout, Budget(0))
        cardinality = Cardinality(plan)
        for pointer, positions in self._long:
            if not all(map(cardinality.of_position, positions)):
                raise SchemaError(
                    pointer,
                    "uniqueItems",
                    f"requires more than {MAX_ITEMS:,} different items, and there are only "
                    "finitely many values for them",
                    "lower minItems, or leave uniqueItems out",
                )

    def _reach(self, number: int) -> int:
        index = self._index.get(number)
        if index is None:
            index = self._index[number] = len(self._numbers)
            self._numbers.append(number)
            self._records["positions"].append(None)
            self._open.append(number)
        return index

    def _add(self, part: str, record: Any, known_by: Hashable = None) -> int:
        """Return the number of a record, which is kept once; it is its own key if none is given."""
        records = self._records[part]
        key = (part, record if known_by is None else known_by)
        number = self._known.setdefault(key, len(records))
        if number == len(records):
            records.append(record)
        return number

    def _position(self, draft: PositionDraft) -> Position:
        fitting, fit = self._fitting, self._listing.fit
        # Each once.
        numbers, strings = dict[int, None](), dict[int, None]()
        arrays, objects = dict[int, None](), dict[int, None]()
        for part in draft.parts:
            if isinstance(part, Rule):
                if fitting.has_number(part):
                    numbers[self._add("numbers", part)] = None
            elif isinstance(part, StringDraft):
                if fitting.fits(part, fit):
                    strings[self._add("strings", self._string(part))] = None
            elif isinstance(part, ArrayDraft):
                items = fitting.array_rule(part, fit)
                if items is not None:
                    arrays[self._add("arrays", self._array(part, items, draft.pointer))] = None
            else:
                members = fitting.object_rule(part, fit)
                if members is not None:
                    objects[self._add("objects", self._object(part, members))] = None
        return Position(
            draft.literals, tuple(numbers), tuple(strings), tuple(arrays), tuple(objects)
        )

    def _string(self, draft: StringDraft) -> tuple[int, int, int | None]:
        return (self._add_dfa(draft.dfa), draft.low, draft.high)

    def _add_dfa(self, dfa: CharDfa) -> int:
        number = self._number_of.get(dfa)
        if number is None:
            # Version 2 says the same of equal texts.
            known_by = dfa.digest if dfa.texts is None else marshal.dumps(dfa.texts, 2)
            number = self._number_of[dfa] = self._add("dfas", dfa, known_by)
        return number

    def _reach_each(self, options: Sequence[Option]) -> tuple[Option, ...]:
        return tuple([(bits, self._reach(child)) for bits, child in options])

    def _object(self, draft: ObjectDraft, rule: ObjectRule) -> tuple[Any, ...]:
        kept = rule.options
        dfa = draft.dfa if all(kept) else _relabel(draft, kept)
        options = tuple(map(self._reach_each, kept))
        counts = (draft.required, draft.low, draft.high, draft.lacked)
        return (self._add_dfa(dfa), draft.n_names, options, *counts)

    def _array(self, draft: ArrayDraft, rule: ArrayRule, pointer: str) -> tuple[Any, ...]:
        splits: tuple[Any, ...] | bool | None = True if draft.repeats else None
        if draft.unique:
            splits = self._split_items(rule, pointer)
        pieces = tuple([(start, self._reach_each(options)) for start, options in rule.pieces])
        return (pieces, draft.low, draft.high, tuple(draft.counters), splits)

    def _split_items(self, rule: ArrayRule, pointer: str) -> tuple[Any, ...]:
        """Return how the values of an array's items are told apart, by position."""
        most = count_listed(rule)
        splits = {
            child: Split(infinite, tuple(values))
            for child in rule.positions
            for infinite, values in [self._split(child, most)]
        }
        if ArrayEntry(rule, splits).n_states > MOST_STEPS:
            raise SchemaError(
                pointer,
                "uniqueItems",
                "is used together with contains: to count the values that are left takes more "
                f"than {MOST_STEPS:,} states",
                "leave one of them out, or lower minItems and minContains",
            )
        found = []
        for child, split in splits.items():
            item = self._reach(child)
            many = -1 if split.infinite < 0 else self._reach(split.infinite)
            few = tuple([(_to_json(value), self._reach(each)) for value, each in split.values])
            found.append((item, many, few))
        if rule.n_missing(*rule.start) > MAX_ITEMS:
            self._long.append((pointer, [many for _, many, _ in found if many >= 0]))
        return tuple(found)

    def _split(self, number: int, most: int) -> tuple[int, list[tuple[Value, int]]]:
        """Tell the values of a position apart: kinds of more than so many, and each other value."""
        found = self._splits.get((number, most))
        if found is not None:
            return found
        draft = self._drafts[number]
        pointer = draft.pointer
        infinite = PositionDraft(pointer)
        values = {
            literal: PositionDraft(pointer, literals=1 << bit)
            for bit, literal in enumerate(LITERALS)
            if draft.literals >> bit & 1
        }
        for part in draft.parts:
            listed = self._listing.of_part(part, most, pointer)
            if listed is None:
                infinite.parts.append(part)
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
        index = -1
        if infinite.parts:
            index = self._append(infinite)
        split = [(value, self._append(values[value])) for value in sorted(values, key=sort_key)]
        self._splits[number, most] = (index, split)
        return index, split

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
