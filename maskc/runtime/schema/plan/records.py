"""The records of a schema's plan, each declared once for who writes it and who reads it.

Everything that the machine indexes with is within its bounds, every list has its length, and every
state of an automaton leads somewhere; a plan that someone made up can be wrong, but never makes the
machine fail.

Example: ``[-1, "x"]`` where an automaton is wanted raises :class:`PlanError`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from maskc.formats import is_name
from maskc.runtime.fields import (
    FLAG,
    Codec,
    PlanError,
    Scope,
    as_it_is,
    bits,
    grouped,
    listed,
    number,
    optional,
    pairs,
    read_list,
    read_number,
    together,
)
from maskc.runtime.schema.numbers import powers
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.arrays import MOST_STATES, ArrayRule, Counter
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.rules import ArrayEntry, Split
from maskc.runtime.schema.plan.series import MAX_CONSTRAINTS, MOST_COMBINATIONS, count_combinations
from maskc.runtime.schema.plan.values import Value, read_value
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import TooManyStatesError, build_texts

_MOST = 1 << 40
_MOST_LABEL = 1 << 20
_MOST_COUNTERS: Final = 8


class Position(NamedTuple):
    """What is asked of a value: by type, the numbers of rules one of which must hold.

    Literals are bits: 1: null, 2: true, 4: false.
    """

    literals: int
    numbers: tuple[int, ...]
    strings: tuple[int, ...]
    arrays: tuple[int, ...]
    objects: tuple[int, ...]


def _read_fraction(value: Any, _scope: Scope) -> Fraction:
    if not isinstance(value, str) or len(value) > 40_000:
        raise PlanError("the plan lacks a number")
    try:
        top, _, bottom = value.partition("/")
        return Fraction(int(top, 16), int(bottom, 16))
    except (ValueError, ZeroDivisionError):
        raise PlanError("the plan has a broken number") from None


def _write_fraction(value: Fraction) -> str:
    """Return a number as the plan has it.

    >>> _write_fraction(Fraction(-10, 3))
    '-a/3'
    """
    return f"{value.numerator:x}/{value.denominator:x}"


def _read_positive(value: Any, scope: Scope) -> Fraction:
    found = _read_fraction(value, scope)
    if found <= 0:
        raise PlanError("a number of the plan is not positive")
    return found


def _read_listed(values: Any, _scope: Scope) -> frozenset[Fraction]:
    try:
        return frozenset(map(powers.read_number, read_list(values)))
    except ValueError:
        raise PlanError("the plan has a broken number") from None


def _read_text(text: Any, _scope: Scope) -> str:
    if not isinstance(text, str):
        raise PlanError("the plan has a text that is none")
    return text


def _parse_value(text: str) -> Value:
    try:
        return read_value(text.encode())
    except ValueError:
        raise PlanError("a value of the plan is not JSON") from None


def _write_row(row: dict[int, int]) -> Any:
    return _ROW.write(sorted(row.items()))


def _read_unique(value: Any, scope: Scope) -> Any:
    return value if value is None or value is True else _SPLITS.read(value, scope)


def _write_unique(value: Any) -> Any:
    return value if value is None or value is True else _SPLITS.write(value)


def _read_lacked(value: Any, scope: Scope) -> tuple[int, ...]:
    if not isinstance(value, list):
        return (0,) * read_number(value, MAX_CONSTRAINTS + 1)
    read_number(len(value), MAX_CONSTRAINTS + 1)
    return tuple([_NAMES.read(names, scope) for names in value])


def _write_lacked(lacked: tuple[int, ...]) -> Any:
    return list(map(_NAMES.write, lacked)) if any(lacked) else len(lacked)


_COUNT, _POSITION, _TEXT = number(_MOST), number("positions"), Codec(_read_text, as_it_is)
_BOUND, _LABEL, _NAMES = optional(_COUNT), number(_MOST_LABEL), bits(_MOST_LABEL)
# What a value adds to or fulfils, as bits, and its position.
_OPTIONS = pairs(_COUNT, _POSITION)
# Items that differ: their position; that of their many values, or -1; their few values as JSON.
_SPLITS: Final = listed(
    grouped(
        together,
        _POSITION,
        number("positions", -1),
        listed(grouped(together, _TEXT, _POSITION), into=tuple),
    ),
    into=tuple,
)
_FRACTION, _POSITIVE = (Codec(read, _write_fraction) for read in (_read_fraction, _read_positive))
_LISTED = Codec(_read_listed, powers.write_numbers)
_ROW: Final = pairs(number("ranges"), number("states"))
# Where ranges of characters start, and their classes; of each state its default, and the targets of
# the classes that have another one; the labels of states, and the start.
_DFA: Final = grouped(
    together,
    listed(number(0x110000 + 1), length="ranges"),
    listed(number("ranges"), size="ranges"),
    listed(number("states"), length="states"),
    listed(Codec(lambda row, scope: dict(_ROW.read(row, scope)), _write_row), length="states"),
    listed(number(_MOST_LABEL, NO_LABEL), size="states"),
    number("states"),
)
# Texts, their labels, and that of all others.
_TEXTS: Final = grouped(
    together,
    listed(_TEXT, size="texts"),
    listed(_LABEL, length="texts"),
    number(_MOST_LABEL, NO_LABEL),
)
RECORDS: Final = {
    "strings": grouped(together, number("dfas"), _COUNT, _BOUND),
    "numbers": grouped(
        Rule,
        optional(_FRACTION),
        FLAG,
        optional(_FRACTION),
        FLAG,
        optional(_POSITIVE),
        listed(_POSITIVE, into=tuple),
        _LISTED,
        optional(_LISTED),
        number(3),
    ),
    # Pieces, low, high, counters; ``True`` where two items must be equal, or how items differ.
    "arrays": grouped(
        together,
        listed(grouped(together, _COUNT, _OPTIONS), into=tuple),
        _COUNT,
        _BOUND,
        listed(grouped(Counter, _COUNT, _BOUND, _COUNT, _BOUND), into=tuple),
        Codec(_read_unique, _write_unique),
    ),
    # Keys, number of names, options of each label, required names, low, high, and how many
    # constraints, or of each the names one of which may be missing instead.
    "objects": grouped(
        together,
        number("dfas"),
        _COUNT,
        listed(_OPTIONS, into=tuple),
        _NAMES,
        _COUNT,
        _BOUND,
        Codec(_read_lacked, _write_lacked),
    ),
    "positions": grouped(
        Position,
        number(8),
        *[listed(number(name), into=tuple) for name in ("numbers", "strings", "arrays", "objects")],
    ),
}


def make_object(entry: tuple[Any, ...], dfas: Sequence[CharDfa], *, ordered: bool) -> ObjectRule:
    """Return a rule of objects from its record, which is checked as far as it is not by itself."""
    dfa, n_names, options, required, low, high, lacked = entry
    _check_bits(options, len(lacked))
    if any(label >= len(options) for label in dfas[dfa].labels):
        raise PlanError("a key of the plan has no options")
    if read_number(n_names, len(options) + 1) < required.bit_length():
        raise PlanError("an object of the plan requires a name that it does not have")
    if any(names >> n_names for names in lacked):
        raise PlanError("an object of the plan lacks a name that it does not have")
    if lacked and count_combinations(options, n_names, lacked) > MOST_COMBINATIONS:
        raise PlanError("an object of the plan has too many existential constraints")
    return ObjectRule(dfas[dfa], n_names, options, required, low, high, lacked, ordered=ordered)


def make_array(entry: tuple[Any, ...]) -> ArrayEntry:
    """Return a rule of arrays from its record."""
    pieces, low, high, counters, unique = entry
    if len(counters) > _MOST_COUNTERS:
        raise PlanError("an array of the plan has too many counters")
    _check_bits([options for _, options in pieces], len(counters))
    if not pieces or pieces[0][0] or any(a >= b for (a, _), (b, _) in itertools.pairwise(pieces)):
        raise PlanError("the pieces of an array do not ascend from 0")
    rule = ArrayRule(pieces, low, high, list(counters))
    if counters and rule.n_states > 4 * MOST_STATES:
        raise PlanError("an array of the plan has too many states")
    if unique is None:
        return ArrayEntry(rule, None)
    if unique is True:
        if len(pieces) > 1 or len(pieces[0][1]) > 1 or counters or low < 2:
            raise PlanError("an array of the plan has items of several kinds to be repeated")
        return ArrayEntry(rule, None, repeats=True)
    splits = {
        child: Split(infinite, tuple([(_parse_value(text), position) for text, position in few]))
        for child, infinite, few in unique
    }
    if any(child not in splits for _, options in pieces for _, child in options):
        raise PlanError("an array of the plan does not tell its items apart")
    return ArrayEntry(rule, splits)


def _check_bits(options: Sequence[Sequence[tuple[int, int]]], n_bits: int) -> None:
    if any(bits >> n_bits for found in options for bits, _ in found):
        raise PlanError("an option of the plan adds to what is not there")


def read_dfa(entry: Any, scope: Scope) -> CharDfa:
    if len(read_list(entry)) == 3:
        return _build_texts(*_TEXTS.read(entry, scope))
    starts, classes, defaults, rows, labels, start = _DFA.read(entry[:6], scope)
    if not starts or starts[0] or any(low >= high for low, high in itertools.pairwise(starts)):
        raise PlanError("an automaton's ranges do not ascend from 0")
    if rows[0] or defaults[0] or labels[0] != NO_LABEL:
        raise PlanError("an automaton's dead state lives")
    dfa = CharDfa(starts, classes, defaults, rows, labels, start, *entry[6:7])
    if len(entry) > 6 and (len(entry) > 7 or dfa.sink < 0 or not is_name(entry[6])):
        raise PlanError("an automaton leaves nothing to its reader")
    if not _leads_on(dfa) and any(dfa.nearest(state) < 0 for state in range(1, len(labels))):
        raise PlanError("an automaton has a state that leads nowhere")
    return dfa


def write_dfa(dfa: CharDfa) -> list[Any]:
    """Return an automaton, by its texts if it was built of them."""
    if dfa.texts is not None:
        return [*_TEXTS.write(dfa.texts)]
    parts = (dfa.starts, dfa.classes, dfa.defaults, dfa.rows, dfa.labels, dfa.start)
    return [*_DFA.write(parts), *([dfa.reader] if dfa.reader else [])]


def _build_texts(texts: list[str], labels: list[int], other: int) -> CharDfa:
    if not texts:
        raise PlanError("an automaton of the plan has no texts")
    if any(one >= other for one, other in itertools.pairwise(texts)):
        raise PlanError("the texts of an automaton do not ascend")
    try:
        return build_texts(texts, labels, other)
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
