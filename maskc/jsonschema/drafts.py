"""What is asked where a value stands, as drafts of rules, and which of them some value fits.

What is asked of a number is one rule at once: multiples of 4 and of 6 are multiples of 12. Any
other draft refers to positions by number. Those that some value fits are found as a least fixed
point: what only an endless value would fit, fits nothing.

Example: ``{"required": ["a"], "properties": {"a": {"$ref": "#"}}, "type": "object"}`` has one
position, with an object's draft that refers to it, and fits nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.errors import SchemaError
from maskc.jsonschema.formulas import Formula
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan import JsonLayout
from maskc.runtime.schema.plan.arrays import MOST_STATES, ArrayRule, Counter
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.strings.characters import CharDfa


@dataclass(frozen=True, slots=True, eq=False)
class StringDraft:
    """An automaton, and bounds on the number of characters."""

    dfa: CharDfa
    low: int
    high: int | None


@mypyc_attr(acyclic=True)
@dataclass(slots=True, eq=False)
class ObjectDraft:
    """As :class:`maskc.runtime.schema.plan.objects.ObjectRule`; a label may have no option."""

    dfa: CharDfa
    n_names: int
    options: list[list[tuple[int, int]]]
    required: int
    low: int
    high: int | None
    # Of each existential constraint, the names one of which may be missing instead, as bits.
    lacked: tuple[int, ...] = ()
    # The names, if nothing but them tells keys apart.
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class KeywordBound:
    """A number of things, and the keyword that says it: its schema's JSON pointer, its name."""

    number: int
    pointer: str
    keyword: str


@dataclass(slots=True, eq=False)
class ArrayDraft:
    """As the plan's ``ArrayRule``, and whether items must differ, or two not.

    ``widest`` is the largest bound on a number of items, for errors.
    """

    pieces: list[tuple[int, list[tuple[int, int]]]]
    low: int
    high: int | None
    counters: list[Counter]
    unique: bool
    repeats: bool = False
    widest: KeywordBound = KeywordBound(0, "", "contains")


Part = Rule | StringDraft | ArrayDraft | ObjectDraft


@mypyc_attr(acyclic=True)
class PositionDraft:
    """What is asked of a value, by type; ``literals`` are bits of null, true and false.

    One that waits is not built yet, and some value fits it.
    """

    __slots__ = ("literals", "parts", "pointer", "waits")

    def __init__(self, pointer: str, *, literals: int = 0, parts: Iterable[Part] = ()) -> None:
        self.pointer, self.literals, self.waits = pointer, literals, False
        self.parts: list[Part] = list(parts)


_MOST_RULES = 256  # of numbers, which are mostly the same ones in all schemas


class Satisfying:
    """Says what fits the drafts of a schema.

    Args:
        may_differ: says whether the items of an array that must differ can, by its draft and rule
            and the positions that fit; ``None``: they always do.
    """

    def __init__(
        self,
        drafts: list[PositionDraft],
        layout: JsonLayout,
        may_differ: Callable[[ArrayDraft, ArrayRule, set[int]], bool] | None = None,
    ) -> None:
        self._drafts, self._layout = drafts, layout
        self._may_differ = may_differ

    def positions(self) -> set[int]:
        """Return the positions that some value fits."""
        # Inner positions come after outer ones, so most schemas need one look at each.
        found, left = set[int](), list[int]()
        for number in range(len(self._drafts) - 1, -1, -1):
            if self._fits(self._drafts[number], found):
                found.add(number)
            else:
                left.append(number)
        users: dict[int, set[int]] = {}
        for number in left:
            for child in _children(self._drafts[number]):
                users.setdefault(child, set()).add(number)
        open_ = deque(left)
        waiting = set(left)
        while open_:
            number = open_.popleft()
            waiting.discard(number)
            if number not in found and self._fits(self._drafts[number], found):
                found.add(number)
                more = users.get(number, set()) - waiting - found
                open_ += sorted(more)
                waiting |= more
        return found

    def _fits(self, draft: PositionDraft, found: set[int]) -> bool:
        return (
            draft.waits
            or bool(draft.literals)
            or any(self.fits(part, found) for part in draft.parts)
        )

    def fits(self, part: Part, found: set[int]) -> bool:
        match part:
            case StringDraft():
                return part.dfa.accepts_length(part.dfa.start, part.low, part.high)
            case Rule():
                return self.has_number(part)
            case ArrayDraft():
                return self.array_rule(part, found) is not None
        return self.object_rule(part, found) is not None

    def has_number(self, rule: Rule) -> bool:
        is_bounded = rule.values is not None or rule.low is not None or rule.high is not None
        if not is_bounded and not rule.not_multiples and not rule.lexical_form:
            return True
        if rule.values is not None and self._layout.numbers == "usual" and not rule.lexical_form:
            return any(map(rule.allows, rule.values))
        return _has_number(rule, self._layout)

    def array_rule(self, draft: ArrayDraft, found: set[int]) -> ArrayRule | None:
        """Return the rule of an array if one fits, with the options that are satisfiable."""
        rule = self.bare_rule(draft, found)
        if rule is None or not draft.unique or self._may_differ is None:
            return rule
        return rule if self._may_differ(draft, rule, found) else None

    def bare_rule(self, draft: ArrayDraft, found: set[int]) -> ArrayRule | None:
        """Return the same, whether or not its items can differ."""
        pieces = [(start, _keep(options, found)) for start, options in draft.pieces]
        rule = ArrayRule(pieces, draft.low, draft.high, draft.counters)
        if draft.counters and rule.n_states > MOST_STATES:
            widest = draft.widest
            raise SchemaError(
                widest.pointer,
                widest.keyword,
                f"counts to {widest.number:,}: with the other counts of the array these are more "
                f"than {MOST_STATES:,} states",
                "lower the number",
            )
        return rule if rule.is_feasible(*rule.start) else None

    def object_rule(self, draft: ObjectDraft, found: set[int]) -> ObjectRule | None:
        """Return the rule of an object if one fits, with the options that are satisfiable."""
        options = [_keep(option, found) for option in draft.options]
        rule = ObjectRule(
            draft.dfa,
            draft.n_names,
            options,
            draft.required,
            draft.low,
            draft.high,
            draft.lacked,
            ordered=self._layout.key_order == "schema",
        )
        return rule if rule.is_feasible() else None


@lru_cache(_MOST_RULES)
def _has_number(rule: Rule, layout: JsonLayout) -> bool:
    return layout.spell(rule).is_satisfiable


def _keep(options: list[tuple[int, int]], found: set[int]) -> list[tuple[int, int]]:
    return [(bits, child) for bits, child in options if child in found]


def _children(draft: PositionDraft) -> set[int]:
    found = set[int]()
    for part in draft.parts:
        if isinstance(part, ArrayDraft):
            found.update(child for _, options in part.pieces for _, child in options)
        elif isinstance(part, ObjectDraft):
            found.update(child for options in part.options for _, child in options)
    return found


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
