"""What a conjunction of a schema's keywords asks of a number, as one rule.

Example: ``{"type": "integer", "allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "minimum": 0.5}``
asks for multiples of 12 from 0.5 on.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from maskc.errors import SchemaError
from maskc.jsonschema.formulas import Formula
from maskc.runtime.schema.numbers.sides import Rule

# Of a common multiple, numerator and denominator together: three numbers as large as a schema may
# have them, with no common factor.
MAX_BITS = 100_000


def build_rule(atoms: Iterable[Formula], pointer: str) -> Rule:
    """Return what a conjunction asks of a number.

    Args:
        atoms: of the conjunction, in the order in which they were made.
        pointer: where it is asked, for an error.

    Raises:
        SchemaError: the common multiple of its factors has too many digits.
    """
    low: Fraction | None = None
    high: Fraction | None = None
    low_open = high_open = False
    factors, nots = list[Fraction](), list[Fraction]()
    excluded: frozenset[Fraction] = frozenset()
    values: frozenset[Fraction] | None = None
    spelled = 0
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
        elif atom.kind == "spelled":
            spelled |= atom.args[0]
    if spelled == 3:
        values = frozenset()
    if spelled & 1 and Fraction(1) not in factors:
        factors.append(Fraction(1))
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
        0 if spelled == 3 else spelled,
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
                f"has to hold with others, and what is a multiple of all has more than "
                f"{MAX_BITS * 3 // 10:,} digits",
                "leave some out, or write shorter ones",
            )
    return found
