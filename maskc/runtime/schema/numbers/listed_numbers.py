"""Many exact numbers, in few characters: those of an ``enum`` in a plan.

An integer of few digits is itself, any other number its digits and a power of ten.

Example: 12 is ``12``, 0.125 is ``"125e-3"``, and 10 to the power of 400 is ``"1e400"``.

Limits: powers of ten up to 20,000, and 20,000 digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import Any

from maskc.runtime.schema.numbers.powers import decimal, power_of_ten, read_digits, write_digits

_FEW_DIGITS = 10**15
_MOST_BITS = 20_000  # of a number by which others are multiplied to be compared
_MOST = 20_000


def write_numbers(values: Iterable[Fraction]) -> list[int | str]:
    """Return numbers as a plan has them, ascending.

    >>> write_numbers([Fraction(1, 8), Fraction(-12)])
    [-12, '125e-3']
    """
    return [_write(value) for value in sort_numbers(values)]


def _write(value: Fraction) -> int | str:
    if value.denominator == 1 and abs(value.numerator) < _FEW_DIGITS:
        return value.numerator
    written = decimal(abs(value))
    if written is None:
        return f"{value.numerator:x}/{value.denominator:x}"
    digits, power = written
    return f"{'-' if value < 0 else ''}{write_digits(digits)}e{power}"


def read_number(entry: Any) -> Fraction:
    """Return a number that a plan has.

    Raises:
        ValueError: it is none.

    >>> read_number("-125e-3")
    Fraction(-1, 8)
    """
    if type(entry) is int:
        return Fraction(entry)
    if not isinstance(entry, str) or len(entry) > 2 * _MOST:
        raise ValueError("it is no number")
    top, slash, bottom = entry.partition("/")
    if slash:
        if bottom.strip("0") == "":
            raise ValueError("it is divided by zero")
        return Fraction(int(top, 16), int(bottom, 16))
    digits, _, exponent = entry.partition("e")
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    power = int(exponent)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST or abs(power) > _MOST:
        raise ValueError("it has no digits, or too many")
    number = sign * read_digits(digits)
    if power >= 0:
        return Fraction(number * power_of_ten(power))
    return Fraction(number, power_of_ten(-power))


def common_denominator(values: Iterable[Fraction]) -> int:
    """Return the least number that makes integers of all values, 0 if it is very large.

    >>> common_denominator([Fraction(1, 4), Fraction(5, 6)])
    12
    """
    common = 1
    for denominator in {value.denominator for value in values}:
        common = lcm(common, denominator)
        if common.bit_length() > _MOST_BITS:
            return 0
    return common


def sort_numbers(values: Iterable[Fraction]) -> list[Fraction]:
    """Return numbers, ascending."""
    kept = list(values)
    common = common_denominator(kept)
    if not common:
        return sorted(kept)
    # Comparing fractions takes ten times as long.
    return sorted(kept, key=lambda value: value.numerator * (common // value.denominator))
