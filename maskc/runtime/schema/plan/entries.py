"""The parts of a plan's JSON, each checked before anything is made of it.

Everything that the machine indexes with is within its bounds, every list has its length, and every
state of an automaton leads somewhere; a plan that someone made up can be wrong, but never makes the
machine fail.

Example: ``[-1, "x"]`` where an automaton is wanted raises :class:`PlanError`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from maskc.formats.registry import is_name
from maskc.runtime.schema.numbers.listed_numbers import read_number
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.arrays import MOST_STATES, ArrayRule, Counter
from maskc.runtime.schema.plan.fulfilment import MAX_WISHES, MOST_WAYS, count_ways
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.rules import ArrayEntry, Split
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import TooManyStatesError, build_texts

_MOST = 1 << 40
_MOST_LABEL = 1 << 20


class PlanError(ValueError):
    """A plan is damaged; the text says where."""


def parse_plan(data: bytes) -> dict[str, Any]:
    """Return a plan's parts."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise PlanError("the plan is not JSON") from None
    if not isinstance(raw, dict):
        raise PlanError("the plan is no object")
    return raw


def as_list(value: Any) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise PlanError("the plan lacks a list")
    return value


def list_of(raw: dict[str, Any], name: str) -> list[Any]:
    """Return one of the lists of a plan."""
    return as_list(raw.get(name))


def rows_of(raw: dict[str, Any], name: str, n: int) -> list[list[Any]]:
    """Return a list of lists of so many entries."""
    rows = list_of(raw, name)
    for row in rows:
        if len(as_list(row)) != n:
            raise PlanError(f"the plan's {name} do not have {n} entries each")
    return rows


def integer(value: Any, below: int = _MOST, least: int = 0) -> int:
    """Return an integer within its bounds."""
    if type(value) is not int or not least <= value < below:
        raise PlanError(f"the plan holds {value!r}, outside {least} … {below - 1}")
    return value


def bound(value: Any) -> int | None:
    """Return an integer, or ``None``."""
    return None if value is None else integer(value)


def read_dfa(entry: Any) -> CharDfa:
    """Return an automaton over characters."""
    if len(as_list(entry)) == 3:
        return _read_texts(*entry)
    if len(entry) not in (6, 7):
        raise PlanError("an automaton of the plan lacks a part")
    starts, classes, defaults, rows, labels, start, *reader = entry
    n = len(as_list(labels))
    n_kinds = len(as_list(classes))
    for part in (starts, defaults, rows):
        as_list(part)
    if not n or len(defaults) != n or len(rows) != n or len(starts) != n_kinds or not n_kinds:
        raise PlanError("an automaton's parts differ in length")
    for low, high in itertools.pairwise(starts):
        integer(low, integer(high, 0x110000 + 1))
    if integer(starts[0], 1):
        raise PlanError("an automaton's ranges do not begin at 0")
    made = []
    for row in rows:
        flat = as_list(row)
        kinds = [integer(kind, n_kinds) for kind in flat[::2]]
        targets = [integer(target, n) for target in flat[1::2]]
        if len(kinds) != len(targets):
            raise PlanError("an automaton's row is cut off")
        made.append(dict(zip(kinds, targets, strict=True)))
    if made[0] or integer(defaults[0], 1) or labels[0] != NO_LABEL:
        raise PlanError("an automaton's dead state lives")
    dfa = CharDfa(
        starts,
        [integer(kind, n_kinds) for kind in classes],
        [integer(target, n) for target in defaults],
        made,
        [integer(label, _MOST_LABEL, NO_LABEL) for label in labels],
        integer(start, n),
        *reader,
    )
    if reader and (dfa.sink < 0 or not is_name(reader[0])):
        raise PlanError("an automaton leaves nothing to its reader")
    if not _leads_on(dfa) and any(dfa.nearest(state) < 0 for state in range(1, n)):
        raise PlanError("an automaton has a state that leads nowhere")
    return dfa


def _read_texts(texts: Any, labels: Any, other: Any) -> CharDfa:
    if len(as_list(texts)) != len(as_list(labels)) or not texts:
        raise PlanError("an automaton of the plan has no texts, or too few labels")
    if not all(isinstance(text, str) for text in texts):
        raise PlanError("an automaton of the plan has a text that is none")
    if any(one >= other for one, other in itertools.pairwise(texts)):
        raise PlanError("the texts of an automaton do not ascend")
    numbers = [integer(label, _MOST_LABEL) for label in labels]
    try:
        return build_texts(texts, numbers, integer(other, _MOST_LABEL, NO_LABEL))
    except TooManyStatesError:
        raise PlanError("the texts of an automaton are too many") from None


def _listed(values: Any) -> frozenset[Fraction]:
    try:
        return frozenset(map(read_number, as_list(values)))
    except ValueError:
        raise PlanError("the plan has a broken number") from None


def _leads_on(dfa: CharDfa) -> bool:
    """Return whether each state leads to an accepting one; False: it is not known.

    One pass from the last state back, which is all that a trie of names needs.
    """
    is_good = [label != NO_LABEL for label in dfa.labels]
    n_kinds = len(set(dfa.classes))
    for state in range(len(is_good) - 1, 0, -1):
        if not is_good[state]:
            row = dfa.rows[state]
            by_default = len(row) < n_kinds and is_good[dfa.defaults[state]]
            is_good[state] = by_default or any(is_good[t] for t in row.values())
    return all(is_good[1:])


def _fraction(value: Any) -> Fraction:
    if not isinstance(value, str) or len(value) > 40_000:
        raise PlanError("the plan lacks a number")
    try:
        top, _, bottom = value.partition("/")
        return Fraction(int(top, 16), int(bottom, 16))
    except (ValueError, ZeroDivisionError):
        raise PlanError("the plan has a broken number") from None


def write_fraction(value: Fraction) -> str:
    """Return a number as the plan has it.

    >>> write_fraction(Fraction(-10, 3))
    '-a/3'
    """
    return f"{value.numerator:x}/{value.denominator:x}"


def _optional(value: Any) -> Fraction | None:
    return None if value is None else _fraction(value)


def read_rule(entry: Any) -> Rule:
    """Return a rule of numbers."""
    if len(as_list(entry)) != 9:
        raise PlanError("a rule of numbers lacks a part")
    low, low_open, high, high_open, multiple, nots, excluded, values, spelled = entry
    factors = [_fraction(n) for n in as_list(nots)]
    if multiple is not None:
        factors.append(_fraction(multiple))
    if any(factor <= 0 for factor in factors):
        raise PlanError("a number of the plan is not positive")
    return Rule(
        _optional(low),
        bool(low_open),
        _optional(high),
        bool(high_open),
        _optional(multiple),
        tuple(_fraction(n) for n in nots),
        _listed(excluded),
        None if values is None else _listed(values),
        integer(spelled, 3),
    )


class Reader:
    """Reads rules of objects and arrays."""

    def __init__(self, n_positions: int, dfas: list[CharDfa], *, ordered: bool) -> None:
        self._n_positions, self._dfas, self._ordered = n_positions, dfas, ordered

    def _options(self, entry: Any, n_bits: int) -> tuple[tuple[int, int], ...]:
        flat = as_list(entry)
        if len(flat) % 2:
            raise PlanError("an option of the plan is cut off")
        return tuple(
            (integer(bits, 1 << n_bits), integer(child, self._n_positions))
            for bits, child in zip(flat[::2], flat[1::2], strict=True)
        )

    def read_object(self, entry: Any) -> ObjectRule:
        """Return a rule of objects."""
        if len(as_list(entry)) != 7:
            raise PlanError("a rule of objects lacks a part")
        dfa, n_names, options, required, low, high, n_wishes = entry
        keys = self._dfas[integer(dfa, len(self._dfas))]
        wishes = integer(n_wishes, MAX_WISHES + 1)
        labels = [self._options(option, wishes) for option in as_list(options)]
        if any(label >= len(labels) for label in keys.labels):
            raise PlanError("a key of the plan has no options")
        names = integer(n_names, len(labels) + 1)
        if wishes and count_ways(labels, names, wishes) > MOST_WAYS:
            raise PlanError("an object of the plan has too many ways to fulfil wishes")
        bits = 0
        for name in as_list(required):
            bits |= 1 << integer(name, max(names, 1))
        return ObjectRule(
            keys, names, labels, bits, integer(low), bound(high), wishes, ordered=self._ordered
        )

    def read_array(self, entry: Any) -> ArrayEntry:
        """Return a rule of arrays, with how its items differ."""
        if len(as_list(entry)) != 5:
            raise PlanError("a rule of arrays lacks a part")
        pieces, low, high, counters, unique = entry
        made = []
        counts = [
            Counter(integer(a), bound(b), integer(c), bound(d))
            for a, b, c, d in map(_quadruple, as_list(counters))
        ]
        if len(counts) > 8:
            raise PlanError("an array of the plan has too many counters")
        for piece in as_list(pieces):
            start, options = _pair(piece)
            made.append((integer(start), self._options(options, len(counts))))
        if not made or made[0][0] or any(a[0] >= b[0] for a, b in itertools.pairwise(made)):
            raise PlanError("the pieces of an array do not ascend from 0")
        rule = ArrayRule(made, integer(low), bound(high), counts)
        if counts and rule.n_states > 4 * MOST_STATES:
            raise PlanError("an array of the plan has too many states")
        if unique is None:
            return ArrayEntry(rule, None)
        if unique is True:
            if len(made) > 1 or len(made[0][1]) > 1 or counts or rule.low < 2:
                raise PlanError("an array of the plan has items of several kinds to be repeated")
            return ArrayEntry(rule, None, repeats=True)
        splits = {}
        for row in as_list(unique):
            child, endless, values = _triple(row)
            splits[integer(child, self._n_positions)] = Split(
                integer(endless, self._n_positions, -1),
                tuple(self._value(pair) for pair in as_list(values)),
            )
        if any(child not in splits for _, options in made for _, child in options):
            raise PlanError("an array of the plan does not tell its items apart")
        return ArrayEntry(rule, splits)

    def _value(self, pair: Any) -> tuple[Value, int]:
        text, position = _pair(pair)
        if not isinstance(text, str):
            raise PlanError("a value of the plan is no text")
        try:
            return read_value(text.encode()), integer(position, self._n_positions)
        except ValueError:
            raise PlanError("a value of the plan is no JSON") from None


def _sized(n: int) -> Callable[[Any], list[Any]]:
    def check(value: Any) -> list[Any]:
        if len(as_list(value)) != n:
            raise PlanError(f"a list of the plan does not have {n} entries")
        return list(value)

    return check


_pair, _triple, _quadruple = _sized(2), _sized(3), _sized(4)
