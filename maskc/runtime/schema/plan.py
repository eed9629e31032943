"""What the compiler froze: positions, rules and automata, read from an artifact and checked.

The plan is one JSON text in an array of the artifact. Everything that the machine indexes with is
checked here, once; a plan that someone made up can be wrong, but never makes the machine fail.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.schema.arrays import MOST_STATES, ArrayRule, Counter
from maskc.runtime.schema.blanks import Blanks
from maskc.runtime.schema.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.listed_numbers import read_number
from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.objects import MAX_WISHES, ObjectRule
from maskc.runtime.schema.rules import ArrayEntry, Split, StringRule
from maskc.runtime.schema.sides import Rule
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.texts import TooManyStatesError, build_texts
from maskc.runtime.schema.values import Value, decimal_of, read_value

KEY_ORDERS = ("any", "schema")
ESCAPES = ("any", "minimal")
NUMBERS = ("usual", "plain", "digits")
_MOST = 1 << 40
_MOST_LABEL = 1 << 20


class PlanError(ValueError):
    """A plan is damaged; the text says where."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a JSON text may be written.

    Attributes:
        key_order: ``any``, or ``schema``: as the schema names them, others last.
        blanks: ``compact``, ``bounded``, ``any`` or ``at most N``.
        escapes: ``any``, or ``minimal``: only what must be escaped.
        numbers: ``usual`` or ``plain``, see :mod:`maskc.runtime.schema.numbers`, or ``digits``:
            as usual, but integers have neither fraction nor exponent.
    """

    key_order: str = "any"
    blanks: str = "bounded"
    escapes: str = "any"
    numbers: str = "usual"

    def __post_init__(self) -> None:
        for name, choices in (
            ("key_order", KEY_ORDERS),
            ("escapes", ESCAPES),
            ("numbers", NUMBERS),
        ):
            if getattr(self, name) not in choices:
                raise PlanError(f"{name} is not one of {', '.join(choices)}")
        try:
            Blanks(self.blanks)
        except ValueError as error:
            raise PlanError(str(error)) from None

    @property
    def has_exponents(self) -> bool:
        """Whether numbers may have exponents."""
        return self.numbers != "plain"

    def to_dict(self) -> dict[str, str]:
        """Return it as the artifact's header has it."""
        return {
            "key_order": self.key_order,
            "blanks": self.blanks,
            "escapes": self.escapes,
            "numbers": self.numbers,
        }


@dataclass(frozen=True, slots=True)
class Position:
    """What is asked of a value: by type, rules one of which must hold.

    Attributes:
        literals: 1: null, 2: true, 4: false.
        numbers: numbers of rules.
        strings: of strings.
        arrays: of arrays.
        objects: of objects.
    """

    literals: int
    numbers: tuple[int, ...]
    strings: tuple[int, ...]
    arrays: tuple[int, ...]
    objects: tuple[int, ...]


class Plan:
    """What the machine follows.

    Args:
        data: the plan as JSON.
        layout: how texts are written.
        budget: where derived rules are remembered.

    Attributes:
        data, layout: these.

    Raises:
        PlanError: it is damaged.
    """

    def __init__(self, data: bytes, layout: Layout, budget: Budget) -> None:
        raw = _parse(data)
        self.data, self.layout = data, layout
        self.blanks = Blanks(layout.blanks)
        minimal = layout.escapes == "minimal"
        self.dfas = [_read_dfa(entry) for entry in _list(raw, "dfas")]
        n_dfas = len(self.dfas)
        bodies = [Body(dfa, minimal=minimal) for dfa in self.dfas]
        self.strings = [
            StringRule(bodies[_int(d, n_dfas)], _int(low), _bound(high))
            for d, low, high in _rows(raw, "strings", 3)
        ]
        self.numbers = [
            Numbers(_spell(_read_rule(entry), layout), exponents=layout.has_exponents)
            for entry in _list(raw, "numbers")
        ]
        n_positions = len(_list(raw, "positions"))
        read = _Reader(n_positions, self.dfas, ordered=layout.key_order == "schema")
        self.objects = [read.object(entry) for entry in _list(raw, "objects")]
        self.key_bodies = [bodies[_int(e[0], n_dfas)] for e in _rows(raw, "objects", 7)]
        self.arrays = [read.array(entry) for entry in _list(raw, "arrays")]
        limits = [len(self.numbers), len(self.strings), len(self.arrays), len(self.objects)]
        self.positions = [
            Position(
                _int(row[0], 8),
                *(
                    tuple(_int(n, limit) for n in _as_list(part))
                    for part, limit in zip(row[1:], limits, strict=True)
                ),
            )
            for row in _rows(raw, "positions", 5)
        ]
        self.root = _int(raw.get("root"), n_positions)
        self._derived = Cache(budget)

    def numbers_without(self, number: int, values: frozenset[Value] | None) -> Numbers:
        """Return a rule of numbers without those of some values."""
        numbers = self.numbers[number]
        if not values:
            return numbers
        decimals = (decimal_of(value) for value in values if value[0] == "number")
        excluded = frozenset(value for value in decimals if value is not None)
        if not excluded:
            return numbers
        key = (number, excluded)
        found: Numbers | None = self._derived.get(key)
        if found is None:
            found = Numbers(numbers.rule, exponents=self.layout.has_exponents, without=excluded)
            self._derived.put(key, found)
        return found


def _spell(rule: Rule, layout: Layout) -> Rule:
    """Return a rule of numbers as a layout spells them."""
    is_integer = rule.multiple is not None and rule.multiple.denominator == 1
    if layout.numbers == "digits" and is_integer and not rule.spelled:
        return replace(rule, spelled=1)
    return rule


def _parse(data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise PlanError("the plan is not JSON") from None
    if not isinstance(raw, dict):
        raise PlanError("the plan is no object")
    return raw


def _as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise PlanError("the plan lacks a list")
    return value


def _list(raw: dict[str, Any], name: str) -> list[Any]:
    return _as_list(raw.get(name))


def _rows(raw: dict[str, Any], name: str, n: int) -> list[list[Any]]:
    rows = _list(raw, name)
    for row in rows:
        if len(_as_list(row)) != n:
            raise PlanError(f"the plan's {name} do not have {n} entries each")
    return rows


def _int(value: Any, below: int = _MOST, least: int = 0) -> int:
    if type(value) is not int or not least <= value < below:
        raise PlanError(f"the plan holds {value!r}, outside {least} … {below - 1}")
    return value


def _bound(value: Any) -> int | None:
    return None if value is None else _int(value)


def _read_dfa(entry: Any) -> CharDfa:
    if len(_as_list(entry)) == 3:
        return _read_texts(*entry)
    if len(entry) != 6:
        raise PlanError("an automaton of the plan lacks a part")
    starts, classes, defaults, rows, labels, start = entry
    n = len(_as_list(labels))
    n_kinds = len(_as_list(classes))
    for part in (starts, defaults, rows):
        _as_list(part)
    if not n or len(defaults) != n or len(rows) != n or len(starts) != n_kinds or not n_kinds:
        raise PlanError("an automaton's parts differ in length")
    for low, high in itertools.pairwise(starts):
        _int(low, _int(high, 0x110000 + 1))
    if _int(starts[0], 1):
        raise PlanError("an automaton's ranges do not begin at 0")
    made = []
    for row in rows:
        flat = _as_list(row)
        kinds = [_int(kind, n_kinds) for kind in flat[::2]]
        targets = [_int(target, n) for target in flat[1::2]]
        if len(kinds) != len(targets):
            raise PlanError("an automaton's row is cut off")
        made.append(dict(zip(kinds, targets, strict=True)))
    if made[0] or _int(defaults[0], 1) or labels[0] != NO_LABEL:
        raise PlanError("an automaton's dead state lives")
    dfa = CharDfa(
        starts,
        [_int(kind, n_kinds) for kind in classes],
        [_int(target, n) for target in defaults],
        made,
        [_int(label, _MOST_LABEL, NO_LABEL) for label in labels],
        _int(start, n),
    )
    if not _leads_on(dfa) and any(dfa.nearest(state) < 0 for state in range(1, n)):
        raise PlanError("an automaton has a state that leads nowhere")
    return dfa


def _read_texts(texts: Any, labels: Any, other: Any) -> CharDfa:
    if len(_as_list(texts)) != len(_as_list(labels)) or not texts:
        raise PlanError("an automaton of the plan has no texts, or too few labels")
    if not all(isinstance(text, str) for text in texts):
        raise PlanError("an automaton of the plan has a text that is none")
    if any(one >= other for one, other in itertools.pairwise(texts)):
        raise PlanError("the texts of an automaton do not ascend")
    numbers = [_int(label, _MOST_LABEL) for label in labels]
    try:
        return build_texts(texts, numbers, _int(other, _MOST_LABEL, NO_LABEL))
    except TooManyStatesError:
        raise PlanError("the texts of an automaton are too many") from None


def _listed(values: Any) -> frozenset[Fraction]:
    try:
        return frozenset(map(read_number, _as_list(values)))
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


def _read_rule(entry: Any) -> Rule:
    if len(_as_list(entry)) != 9:
        raise PlanError("a rule of numbers lacks a part")
    low, low_open, high, high_open, multiple, nots, excluded, values, spelled = entry
    factors = [_fraction(n) for n in _as_list(nots)]
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
        _int(spelled, 3),
    )


class _Reader:
    """Reads rules of objects and arrays."""

    def __init__(self, n_positions: int, dfas: list[CharDfa], *, ordered: bool) -> None:
        self._n_positions, self._dfas, self._ordered = n_positions, dfas, ordered

    def _options(self, entry: Any, n_bits: int) -> list[tuple[int, int]]:
        flat = _as_list(entry)
        if len(flat) % 2:
            raise PlanError("an option of the plan is cut off")
        return [
            (_int(bits, 1 << n_bits), _int(child, self._n_positions))
            for bits, child in zip(flat[::2], flat[1::2], strict=True)
        ]

    def object(self, entry: Any) -> ObjectRule:
        if len(_as_list(entry)) != 7:
            raise PlanError("a rule of objects lacks a part")
        dfa, n_names, options, required, low, high, n_wishes = entry
        keys = self._dfas[_int(dfa, len(self._dfas))]
        wishes = _int(n_wishes, MAX_WISHES + 1)
        labels = [self._options(option, wishes) for option in _as_list(options)]
        if any(label >= len(labels) for label in keys.labels):
            raise PlanError("a key of the plan has no options")
        names = _int(n_names, len(labels) + 1)
        bits = 0
        for name in _as_list(required):
            bits |= 1 << _int(name, max(names, 1))
        return ObjectRule(
            keys, names, labels, bits, _int(low), _bound(high), wishes, ordered=self._ordered
        )

    def array(self, entry: Any) -> ArrayEntry:
        if len(_as_list(entry)) != 5:
            raise PlanError("a rule of arrays lacks a part")
        pieces, low, high, counters, unique = entry
        made = []
        counts = [
            Counter(_int(a), _bound(b), _int(c), _bound(d))
            for a, b, c, d in map(_quadruple, _as_list(counters))
        ]
        if len(counts) > 8:
            raise PlanError("an array of the plan has too many counters")
        for piece in _as_list(pieces):
            start, options = _pair(piece)
            made.append((_int(start), self._options(options, len(counts))))
        if not made or made[0][0] or any(a[0] >= b[0] for a, b in itertools.pairwise(made)):
            raise PlanError("the pieces of an array do not ascend from 0")
        rule = ArrayRule(made, _int(low), _bound(high), counts)
        if counts and rule.n_states > 4 * MOST_STATES:
            raise PlanError("an array of the plan has too many states")
        if unique is None:
            return ArrayEntry(rule, None)
        splits = {}
        for row in _as_list(unique):
            child, endless, values = _triple(row)
            splits[_int(child, self._n_positions)] = Split(
                _int(endless, self._n_positions, -1),
                tuple(self._value(pair) for pair in _as_list(values)),
            )
        if any(child not in splits for _, options in made for _, child in options):
            raise PlanError("an array of the plan does not tell its items apart")
        return ArrayEntry(rule, splits)

    def _value(self, pair: Any) -> tuple[Value, int]:
        text, position = _pair(pair)
        if not isinstance(text, str):
            raise PlanError("a value of the plan is no text")
        try:
            return read_value(text.encode()), _int(position, self._n_positions)
        except ValueError:
            raise PlanError("a value of the plan is no JSON") from None


def _sized(n: int) -> Callable[[Any], list[Any]]:
    def check(value: Any) -> list[Any]:
        if len(_as_list(value)) != n:
            raise PlanError(f"a list of the plan does not have {n} entries")
        return list(value)

    return check


_pair, _triple, _quadruple = _sized(2), _sized(3), _sized(4)
