"""What a conjunction of atoms asks of a number, as one rule, and of a string, as one automaton.

Bounds on the length of a string stay numbers: as an automaton, one has a state for each character.

Example: ``{"type": "integer", "allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "minimum": 0.5}``
asks for multiples of 12 from 0.5 on, and ``{"pattern": "^a", "maxLength": 3}`` for the automaton of
``a.*`` and three characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd
from typing import Final

from maskc.errors import SchemaError
from maskc.formats.registry import EXACT_EMAIL, EXACT_HOST, REGEX
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.automata import (
    CustomFormatError,
    all_but,
    combine,
    intersect,
    of_length,
    only_texts,
)
from maskc.jsonschema.drafts import StringDraft
from maskc.jsonschema.entailment import Atoms, intersect_bounds
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula
from maskc.jsonschema.short_patterns import build_patterns
from maskc.jsonschema.splitting import sort_values
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

# The lengths of all strings that a reader reads, where they are known.
_LENGTHS: dict[str, tuple[int, int | None]] = {EXACT_HOST: (1, 253), EXACT_EMAIL: (3, None)}


class StringDrafts:
    """Builds the drafts of strings."""

    def __init__(self, space: Space, alternatives: Alternatives) -> None:
        self._space, self._alternatives = space, alternatives
        # Many branches forbid the same strings.
        self._known: dict[Atoms, StringDraft] = {}
        self._others: dict[tuple[str, ...], CharDfa] = {}

    def build(self, atoms: Atoms, pointer: str) -> StringDraft:
        found = self._known.get(atoms)
        if found is None:
            found = self._known[atoms] = self._build(atoms, pointer)
        return found

    def _build(self, atoms: Atoms, pointer: str) -> StringDraft:
        low, high = intersect_bounds(atoms, "length")
        space = self._space
        values, excluded, others = sort_values(atoms)
        try:
            if values is not None:
                return StringDraft(only_texts([value[1] for value in values]), 0, None)
            parts = []
            for atom in others:
                if atom.kind == "string":
                    number, wanted = atom.args
                    parts.append(space.dfas[number if wanted else space.complement_of(number)])
            if excluded:
                parts.append(self._all_but(tuple(sorted(value[1] for value in excluded))))
            try:
                found = intersect(parts)
                if found.reader:
                    return StringDraft(*_drop_lengths(found, low, high))
            except CustomFormatError:
                found = intersect([_short(part) for part in parts])
            return StringDraft(found, low, high)
        except TooLargeError:
            raise too_large(pointer, "pattern") from None
        except CustomFormatError as error:
            raise _custom(pointer, error.format) from None

    def _all_but(self, texts: tuple[str, ...]) -> CharDfa:
        found = self._others.get(texts)
        if found is None:
            found = self._others[texts] = all_but(texts)
        return found

    def language(self, formula: Formula, pointer: str) -> CharDfa:
        """Return the automaton of the strings that a formula holds of."""
        parts = []
        try:
            for atoms in self._alternatives.find(formula, "string", pointer):
                draft = self.build(atoms, pointer)
                bounded = [_short(draft.dfa)]
                if draft.low or draft.high is not None:
                    bounded.append(of_length(draft.low, draft.high))
                parts.append(intersect(bounded))
            if len(parts) == 1:
                return parts[0]
            return combine(parts, lambda labels: NO_LABEL if set(labels) <= {NO_LABEL} else 0)
        except TooLargeError:
            raise too_large(pointer, "propertyNames") from None
        except CustomFormatError as error:
            raise _custom(pointer, error.format) from None


def _short(dfa: CharDfa) -> CharDfa:
    """Return an automaton in the place of one that leaves strings to a reader.

    Raises:
        CustomFormatError: there is none.
    """
    if dfa.reader == REGEX:
        return intersect([build_patterns(), _without_reader(dfa)])
    if dfa.reader:
        raise CustomFormatError(dfa.reader)
    return dfa


def _without_reader(dfa: CharDfa) -> CharDfa:
    rows = (dfa.starts, dfa.classes, dfa.defaults, dfa.rows)
    return CharDfa(*rows, dfa.labels, dfa.start)


def too_large(pointer: str, keyword: str) -> SchemaError:
    return SchemaError(
        pointer,
        keyword,
        "makes the automaton of this string too large",
        "write a simpler one",
    )


def _drop_lengths(dfa: CharDfa, low: int, high: int | None) -> tuple[CharDfa, int, int | None]:
    """Return the automaton of strings that a reader reads, and bounds that all of them meet.

    Raises:
        CustomFormatError: others would be needed.
    """
    least, most = _LENGTHS.get(dfa.reader, (0, None))
    if high is not None and (most is None or high < most):
        raise CustomFormatError(dfa.reader)
    if low == 1 and not least:
        some = of_length(1, None)
        labels = [NO_LABEL if label == NO_LABEL else 0 for label in some.labels]
        rows = (some.starts, some.classes, some.defaults, some.rows)
        return CharDfa(*rows, labels, some.start, dfa.reader), 0, None
    if low > least:
        raise CustomFormatError(dfa.reader)
    return dfa, 0, None


def _custom(pointer: str, name: str) -> SchemaError:
    return SchemaError(
        pointer,
        "format",
        f"is {name} beside a pattern or a length, negated, or of keys, which is not supported",
        "leave one of them out",
    )


# Of a common multiple, numerator and denominator together: three numbers as large as a schema may
# have them, with no common factor.
MAX_BITS: Final = 100_000


def build_rule(atoms: Iterable[Formula], pointer: str, n_digits: int | None = None) -> Rule:
    """Return what a conjunction asks of a number.

    Args:
        atoms: of the conjunction, in the order in which they were made.
        n_digits: of a fraction, at most, but for listed values.
    """
    low: Fraction | None = None
    high: Fraction | None = None
    low_open = high_open = False
    factors, nots = list[Fraction](), list[Fraction]()
    excluded: frozenset[Fraction] = frozenset()
    values: frozenset[Fraction] | None = None
    lexical_form = 0
    for atom in atoms:
        if atom.kind == "bounds":
            first, first_open, last, last_open = atom.args
            if first is not None and (low is None or (first, first_open) > (low, low_open)):
                low, low_open = first, first_open
            if last is not None and (high is None or (last, not last_open) < (high, not high_open)):
                high, high_open = last, last_open
        elif atom.kind == "multiple":
            (factors if atom.args[1] else nots).append(atom.args[0])
        elif atom.kind == "novalues":
            excluded |= {value[1] for value in atom.args[0]}
        elif atom.kind == "values":
            held = frozenset(value[1] for value in atom.args[0])
            values = held if values is None else values & held
        elif atom.kind == "lexical_form":
            lexical_form |= atom.args[0]
    if lexical_form == 3:
        values = frozenset()
    if lexical_form & 1 and Fraction(1) not in factors:
        factors.append(Fraction(1))
    if n_digits is not None and values is None:
        factors.append(Fraction(1, 10**n_digits))
    multiple = _find_common_multiple(factors, pointer) if factors else None
    return Rule(
        low,
        low_open,
        high,
        high_open,
        multiple,
        tuple(sorted(set(nots))),
        excluded,
        values,
        0 if lexical_form == 3 else lexical_form,
    )


def _find_common_multiple(factors: list[Fraction], pointer: str) -> Fraction:
    """Return the least positive number that is a multiple of each."""
    found = factors[0]
    for factor in factors[1:]:
        common = gcd(found.numerator * factor.denominator, factor.numerator * found.denominator)
        found = Fraction(found.numerator * factor.numerator, common)
        if found.numerator.bit_length() + found.denominator.bit_length() > MAX_BITS:
            raise SchemaError(
                pointer,
                "multipleOf",
                f"is combined with others, and their common multiple has more than "
                f"{MAX_BITS * 3 // 10:,} digits",
                "leave some out, or write shorter ones",
            )
    return found
