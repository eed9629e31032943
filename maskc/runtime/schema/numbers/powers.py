"""Which powers of ten carry a number past a bound, or make it a multiple: computed, not tried.

A number is ``digits × 10^n``. The lengths of two numbers say how far one is from the other, and the
factors 2 and 5 say from which power on it is a multiple, so that a schema with ``1e5000`` costs no
more steps than one with ``1``.

Example: 3 × 10^n is greater than 1000 from n = 3 on, and a multiple of 40 from n = 3 on.

Many exact numbers, those of an ``enum``, stand in a plan in few characters: an integer of few
digits as itself, any other number as its digits and a power of ten, up to 20,000 of each. 12 is
``12``, 0.125 is ``"125e-3"``, and 10 to the power of 400 is ``"1e400"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Final

# Python reads and writes no more decimal digits at once.
_PIECE: Final = 4_000
_FEW_DIGITS: Final = 10**15
_MOST_BITS: Final = 20_000  # of a number by which others are multiplied to be compared
_MOST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Range:
    """The powers of ten that are open, both ends included; ``None``: without an end."""

    first: int | None
    last: int | None

    def starting(self, first: int) -> Range:
        return Range(first if self.first is None else max(first, self.first), self.last)

    def ending(self, last: int) -> Range:
        return Range(self.first, last if self.last is None else min(last, self.last))

    def shifted(self, by: int) -> Range:
        return Range(
            None if self.first is None else self.first + by,
            None if self.last is None else self.last + by,
        )

    def has(self, power: int) -> bool:
        return (self.first is None or power >= self.first) and (
            self.last is None or power <= self.last
        )

    @property
    def is_empty(self) -> bool:
        return self.first is not None and self.last is not None and self.first > self.last

    def has_more_than(self, powers: Iterable[int]) -> bool:
        """Return whether there is one that is not among some."""
        if self.first is None or self.last is None:
            return True
        within = sum(self.first <= power <= self.last for power in powers)
        return within < self.last - self.first + 1


@lru_cache(maxsize=256)
def power_of_ten(exponent: int) -> int:
    power: int = 10**exponent
    return power


def ceil_scaled(digits: int, power: int, unit: Fraction) -> int:
    """Return ``digits × 10^power / unit``, rounded up.

    >>> ceil_scaled(7, -1, Fraction(1, 2))
    2
    """
    top, bottom = digits * unit.denominator, unit.numerator
    if power >= 0:
        return -(-top * power_of_ten(power) // bottom)
    return -(-top // (bottom * power_of_ten(-power)))


def scale(digits: int, power: int) -> Fraction:
    """Return ``digits × 10^power``."""
    if power >= 0:
        return Fraction(digits * power_of_ten(power))
    return Fraction(digits, power_of_ten(-power))


def count_digits(number: int) -> int:
    """Return how many decimal digits a positive number has.

    >>> count_digits(999), count_digits(1000)
    (3, 4)
    """
    # log10(2) is 0.30103; for a number of a million digits this is off by one at most.
    n_digits = (number.bit_length() - 1) * 30_103 // 100_000
    while power_of_ten(n_digits) > number:
        n_digits -= 1
    while power_of_ten(n_digits) <= number:
        n_digits += 1
    return n_digits


def power_beyond(digits: int, bound: Fraction, *, strict: bool) -> int:
    """Return the least n with ``digits × 10^n > bound``; ``>=`` if not strict. Both are positive.

    >>> power_beyond(3, Fraction(300), strict=True), power_beyond(3, Fraction(300), strict=False)
    (3, 2)
    """
    return power_over(bound.numerator, bound.denominator * digits, strict=strict)


def power_over(top: int, bottom: int, *, strict: bool) -> int:
    """Return the least n with ``10^n > top / bottom``; ``>=`` if not strict. Both are positive.

    >>> power_over(7, 10, strict=True), power_over(1, 10, strict=False)
    (0, -1)
    """
    n = count_digits(top) - count_digits(bottom)
    left, right = (bottom * power_of_ten(n), top) if n >= 0 else (bottom, top * power_of_ten(-n))
    return n if left > right or left == right and not strict else n + 1


def count_factor(number: int, factor: int) -> int:
    """Return how often a factor divides a positive number.

    >>> count_factor(250, 5)
    3
    """
    if number % factor:
        return 0
    squares = [factor]
    while number % (squares[-1] ** 2) == 0:
        squares.append(squares[-1] ** 2)
    found = 0
    for exponent in range(len(squares) - 1, -1, -1):
        if number % squares[exponent] == 0:
            number //= squares[exponent]
            found += 1 << exponent
    return found


class Factor:
    """A positive number whose multiples are asked for."""

    def __init__(self, value: Fraction) -> None:
        self.value = value
        top, bottom = value.numerator, value.denominator
        twos, fives = count_factor(top, 2), count_factor(top, 5)
        self._rest = top // (2**twos * 5**fives)
        self._twos = twos - count_factor(bottom, 2)
        self._fives = fives - count_factor(bottom, 5)

    def divides_from(self, digits: int) -> int | None:
        """Return the least n for which ``digits × 10^n`` is a multiple, ``None`` without one.

        It is one for all greater n.

        >>> Factor(Fraction(40)).divides_from(3), Factor(Fraction(3)).divides_from(10)
        (3, None)
        """
        if digits % self._rest:
            return None
        return max(self._twos - count_factor(digits, 2), self._fives - count_factor(digits, 5))


def split_zeros(digits: int) -> tuple[int, int]:
    """Return a positive number without the zeros it ends in, and how many there were.

    >>> split_zeros(1200)
    (12, 2)
    """
    n_zeros = count_factor(digits, 10)
    return digits // power_of_ten(n_zeros), n_zeros


def decimal(value: Fraction) -> tuple[int, int] | None:
    """Return digits and exponent of a number that is not negative, ``None`` if it has no end.

    The digits do not end in 0; those of 0 are 0.

    >>> decimal(Fraction(5, 4)), decimal(Fraction(300)), decimal(Fraction(1, 3))
    ((125, -2), (3, 2), None)
    """
    if not value:
        return 0, 0
    if value.denominator == 1:
        return split_zeros(value.numerator)
    twos, fives = count_factor(value.denominator, 2), count_factor(value.denominator, 5)
    if value.denominator != 2**twos * 5**fives:
        return None
    n_digits = max(twos, fives)
    digits, n_zeros = split_zeros(
        value.numerator * 2 ** (n_digits - twos) * 5 ** (n_digits - fives)
    )
    return digits, n_zeros - n_digits


def read_digits(text: str) -> int:
    found = 0
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        found = found * power_of_ten(len(piece)) + int(piece)
    return found


def write_digits(number: int) -> str:
    pieces = []
    while number >= power_of_ten(_PIECE):
        number, rest = divmod(number, power_of_ten(_PIECE))
        pieces.append(str(rest).rjust(_PIECE, "0"))
    return "".join([str(number), *reversed(pieces)])


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
    return scale(sign * read_digits(digits), power)


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
    kept = list(values)
    common = common_denominator(kept)
    if not common:
        return sorted(kept)
    # Comparing fractions takes ten times as long.
    return sorted(kept, key=lambda value: value.numerator * (common // value.denominator))
