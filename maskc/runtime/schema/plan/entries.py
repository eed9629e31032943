"""The records of a plan's JSON: one declaration of each, which checks what it reads.

Everything that the machine indexes with is within its bounds, every list has its length, and every
state of an automaton leads somewhere; a plan that someone made up can be wrong, but never makes the
machine fail.

Example: ``[-1, "x"]`` where an automaton is wanted raises :class:`PlanError`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from maskc.formats.registry import is_name
from maskc.runtime.schema.numbers.powers import read_number
from maskc.runtime.schema.plan.arrays import MOST_STATES, ArrayRule, Counter
from maskc.runtime.schema.plan.fulfilment import MAX_WISHES, MOST_WAYS, count_ways
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.rules import ArrayEntry, Split
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import TooManyStatesError, build_texts

_MOST = 1 << 40
_MOST_LABEL = 1 << 20
_MOST_COUNTERS = 8

# Something of the JSON, and how long the lists of the plan are → the same, checked.
Check = Callable[[Any, Mapping[str, int]], Any]


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
    """Return a list, or raise."""
    if not isinstance(value, list):
        raise PlanError("the plan lacks a list")
    return value


def integer(value: Any, below: int = _MOST, least: int = 0) -> int:
    """Return an integer within its bounds, or raise."""
    if type(value) is not int or not least <= value < below:
        raise PlanError(f"the plan holds {value!r}, outside {least} … {below - 1}")
    return value


def _number(below: int = _MOST) -> Check:
    return lambda value, _: integer(value, below)


def _ref(name: str, least: int = 0) -> Check:
    """Return the check of a number of an entry in one of the plan's lists."""
    return lambda value, sizes: integer(value, sizes[name], least)


def _optional(check: Check) -> Check:
    return lambda value, sizes: None if value is None else check(value, sizes)


def _each(check: Check) -> Check:
    return lambda value, sizes: tuple([check(item, sizes) for item in as_list(value)])


def _pairs(left: Check, right: Check) -> Check:
    """Return the check of a flat list whose items are two kinds by turns."""

    def read(value: Any, sizes: Mapping[str, int]) -> tuple[tuple[Any, Any], ...]:
        flat = as_list(value)
        if len(flat) % 2:
            raise PlanError("a list of the plan is cut off")
        pairs = zip(flat[::2], flat[1::2], strict=True)
        return tuple([(left(one, sizes), right(other, sizes)) for one, other in pairs])

    return read


def _record(name: str, *fields: Check) -> Check:
    def read(value: Any, sizes: Mapping[str, int]) -> tuple[Any, ...]:
        if len(as_list(value)) != len(fields):
            raise PlanError(f"the plan's {name} do not have {len(fields)} entries each")
        return tuple([check(item, sizes) for check, item in zip(fields, value, strict=True)])

    return read


def _flag(value: Any, _: Mapping[str, int]) -> bool:
    return bool(value)


def _fraction(value: Any, __: Mapping[str, int]) -> Fraction:
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


def _positive(value: Any, sizes: Mapping[str, int]) -> Fraction:
    found = _fraction(value, sizes)
    if found <= 0:
        raise PlanError("a number of the plan is not positive")
    return found


def _listed(values: Any, _: Mapping[str, int]) -> frozenset[Fraction]:
    try:
        return frozenset(map(read_number, as_list(values)))
    except ValueError:
        raise PlanError("the plan has a broken number") from None


def _value(text: Any, _: Mapping[str, int]) -> Value:
    if not isinstance(text, str):
        raise PlanError("a value of the plan is no text")
    try:
        return read_value(text.encode())
    except ValueError:
        raise PlanError("a value of the plan is no JSON") from None


def _unique(value: Any, sizes: Mapping[str, int]) -> Any:
    return value if value is None or value is True else _SPLITS(value, sizes)


_COUNT = _number()
_BOUND = _optional(_COUNT)
_POSITION = _ref("positions")
# What a value adds to or fulfils, as bits, and its position.
_OPTIONS = _pairs(_COUNT, _POSITION)
# Items that differ: their position; that of their many values, or -1; their few values.
_SPLITS = _each(
    _record(
        "items that differ",
        _POSITION,
        _ref("positions", -1),
        _each(_record("values", _value, _POSITION)),
    )
)
RECORDS = {
    "strings": _record("strings", _ref("dfas"), _COUNT, _BOUND),
    # As the fields of :class:`maskc.runtime.schema.numbers.sides.Rule`.
    "numbers": _record(
        "numbers",
        _optional(_fraction),
        _flag,
        _optional(_fraction),
        _flag,
        _optional(_positive),
        _each(_positive),
        _listed,
        _optional(_listed),
        _number(3),
    ),
    # Pieces, low, high, counters; ``True`` where two items must be equal, or how items differ.
    "arrays": _record(
        "arrays",
        _each(_record("pieces", _COUNT, _OPTIONS)),
        _COUNT,
        _BOUND,
        _each(_record("counters", _COUNT, _BOUND, _COUNT, _BOUND)),
        _unique,
    ),
    # Keys, number of names, options of each label, required names, low, high, number of wishes.
    "objects": _record(
        "objects",
        _ref("dfas"),
        _COUNT,
        _each(_OPTIONS),
        _each(_COUNT),
        _COUNT,
        _BOUND,
        _number(MAX_WISHES + 1),
    ),
    # Literals as bits, then rules of numbers, strings, arrays, objects.
    "positions": _record(
        "positions",
        _number(8),
        *[_each(_ref(name)) for name in ("numbers", "strings", "arrays", "objects")],
    ),
}


def make_object(entry: tuple[Any, ...], dfas: Sequence[CharDfa], *, ordered: bool) -> ObjectRule:
    """Return a rule of objects from its record."""
    dfa, n_names, options, required, low, high, n_wishes = entry
    _check_bits(options, n_wishes)
    if any(label >= len(options) for label in dfas[dfa].labels):
        raise PlanError("a key of the plan has no options")
    integer(n_names, len(options) + 1)
    if n_wishes and count_ways(options, n_names, n_wishes) > MOST_WAYS:
        raise PlanError("an object of the plan has too many ways to fulfil wishes")
    bits = 0
    for name in required:
        bits |= 1 << integer(name, max(n_names, 1))
    return ObjectRule(dfas[dfa], n_names, options, bits, low, high, n_wishes, ordered=ordered)


def make_array(entry: tuple[Any, ...]) -> ArrayEntry:
    """Return a rule of arrays from its record."""
    pieces, low, high, counters, unique = entry
    if len(counters) > _MOST_COUNTERS:
        raise PlanError("an array of the plan has too many counters")
    _check_bits([options for _, options in pieces], len(counters))
    if not pieces or pieces[0][0] or any(a >= b for (a, _), (b, _) in itertools.pairwise(pieces)):
        raise PlanError("the pieces of an array do not ascend from 0")
    rule = ArrayRule(pieces, low, high, [Counter(*counter) for counter in counters])
    if counters and rule.n_states > 4 * MOST_STATES:
        raise PlanError("an array of the plan has too many states")
    if unique is None:
        return ArrayEntry(rule, None)
    if unique is True:
        if len(pieces) > 1 or len(pieces[0][1]) > 1 or counters or low < 2:
            raise PlanError("an array of the plan has items of several kinds to be repeated")
        return ArrayEntry(rule, None, repeats=True)
    splits = {child: Split(endless, values) for child, endless, values in unique}
    if any(child not in splits for _, options in pieces for _, child in options):
        raise PlanError("an array of the plan does not tell its items apart")
    return ArrayEntry(rule, splits)


def _check_bits(options: Sequence[Sequence[tuple[int, int]]], n_bits: int) -> None:
    if any(bits >> n_bits for found in options for bits, _ in found):
        raise PlanError("an option of the plan adds to what is not there")


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
    read_row = _pairs(_number(n_kinds), _number(n))
    made: list[dict[int, int]] = [dict(read_row(row, {})) for row in rows]
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
