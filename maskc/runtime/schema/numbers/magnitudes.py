"""The magnitudes that a rule of numbers allows after one sign, and two questions about them.

What has been read of a number fixes its first digits, and leaves open by which power of ten they
are multiplied. So we ask whether one of ``digits × 10^n`` is allowed (``holds``), and whether one
of the intervals ``[digits, digits + 1) × 10^n`` has an allowed magnitude (``meets``), for n in a
range.

Both are asked with digits as a number; ``start`` says whether the intervals have their lower ends.

There are three kinds of sets: values that are listed (:mod:`maskc.runtime.schema.numbers.listed`),
the multiples of a factor between two bounds, and all numbers between two bounds. Single values may
be taken out of the last two.

Example: of the multiples of 400, 7 × 10^n is one from n = 2 on; [7, 8) × 10^n meets one at n = 3.

No n is tried that cannot matter: it is computed from the bounds' lengths (see
``maskc.runtime.schema.numbers.powers``), so that a question costs as many steps as digits are
written in the rule and in the text, whatever the exponents are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.numbers.listed import NO_EXPONENTS, Decimals
from maskc.runtime.schema.numbers.powers import (
    Factor,
    Range,
    ceil_scaled,
    decimal,
    power_beyond,
    power_of_ten,
    power_over,
    scale,
    split_zeros,
)

_MOST_MULTIPLE: Final = 10**15  # whose digits are looked at one by one


@mypyc_attr(acyclic=True)
@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest magnitude, ``None``: any; each excluded itself if it is open."""

    low: Fraction
    low_open: bool
    high: Fraction | None
    high_open: bool

    @property
    def is_empty(self) -> bool:
        if self.high is None or self.low < self.high:
            return False
        return self.low > self.high or self.low_open or self.high_open

    def has_zero(self) -> bool:
        return not self.is_empty and not self.low and not self.low_open

    def clip(self, digits: int, powers: Range) -> Range:
        if self.low:
            powers = powers.starting(power_beyond(digits, self.low, strict=self.low_open))
        if self.high is None:
            return powers
        if not self.high:
            return Range(1, 0)
        return powers.ending(power_beyond(digits, self.high, strict=not self.high_open) - 1)


class Points:
    """Of all numbers between two bounds, those that meet what is asked of each alone."""

    def __init__(
        self,
        bounds: Bounds,
        not_factors: tuple[Factor, ...],
        excluded: Decimals,
        factor: Factor | None = None,
    ) -> None:
        self._bounds, self._factor, self._not_factors = bounds, factor, not_factors
        self._excluded = excluded

    def holds(self, digits: int, powers: Range) -> bool:
        if not digits:
            return self._bounds.has_zero() and not self._not_factors and 0 not in self._excluded
        powers = self._bounds.clip(digits, powers)
        if self._factor is not None:
            first = self._factor.divides_from(digits)
            if first is None:
                return False
            powers = powers.starting(first)
        for factor in self._not_factors:
            first = factor.divides_from(digits)
            if first is not None:
                powers = powers.ending(first - 1)
        if powers.is_empty:
            return False
        if not self._excluded:
            return True
        short, n_zeros = split_zeros(digits)
        return powers.has_more_than(n - n_zeros for n in self._excluded.get(short, NO_EXPONENTS))


class Between(Points):
    """All magnitudes between two bounds that differ, but for single ones."""

    def meets(self, digits: int, powers: Range, *, start: bool) -> bool:
        # What is excluded lies apart: any piece of an interval has others.
        return self._overlaps(digits, powers) or start and self.holds(digits, powers)

    def _overlaps(self, digits: int, powers: Range) -> bool:
        """Return whether more than one point of an interval lies between the bounds."""
        low, high = self._bounds.low, self._bounds.high
        if low:
            powers = powers.starting(power_beyond(digits + 1, low, strict=True))
        if high is not None and digits:
            if not high:
                return False
            powers = powers.ending(power_beyond(digits, high, strict=False) - 1)
        return high != 0 and not powers.is_empty


class Multiples(Points):
    """The multiples of a factor between two bounds, but for some."""

    def __init__(
        self, bounds: Bounds, factor: Factor, not_factors: tuple[Factor, ...], excluded: Decimals
    ) -> None:
        super().__init__(bounds, not_factors, excluded, factor)
        unit = factor.value
        # A factor of thousands of zeros, or of thousands of digits after the point, counts as one
        # of few digits, with the powers of ten shifted.
        written = decimal(unit)
        self._shift = 0 if written is None else written[1]
        self._unit = unit if written is None else Fraction(written[0])
        # An interval that is wider than the unit has a multiple.
        self._widest = power_beyond(1, self._unit, strict=True)
        # n × unit is a multiple of another factor if n is one of this.
        self._not_every = [(unit / other.value).denominator for other in not_factors]
        self._least = -(-bounds.low // unit)
        if bounds.low_open and self._least * unit == bounds.low:
            self._least += 1
        self._most = None if bounds.high is None else bounds.high // unit
        if bounds.high_open and self._most is not None and self._most * unit == bounds.high:
            self._most -= 1
        # Those above 0 as integers with the last decimals, if none is large; else 0.
        self._n_decimals = max(0, -self._shift)
        self._spacing = self._smallest = self._largest = 0
        if written is not None and self._most is not None and self._most < _MOST_MULTIPLE:
            self._spacing = int(unit * power_of_ten(self._n_decimals))
            self._smallest = max(self._least, 1) * self._spacing
            self._largest = self._most * self._spacing
            if self._largest > _MOST_MULTIPLE:
                self._largest = 0

    def next_digits(self, digits: int, *, lowers: bool) -> frozenset[int] | None:
        """Return the bytes of digits that may follow those of an integer.

        Args:
            digits: with which it begins.
            lowers: whether an exponent may make what does not end in 0 smaller.

        Returns:
            ``None`` if that is not known at once.
        """
        if not self._largest or self._not_every or self._excluded:
            return None
        found = []
        for byte in b"0123456789":
            n_more, low, high = 0, digits * 10 + byte - 0x30, digits * 10 + byte - 0x2F
            while low <= self._largest:
                # Shorter ones need an exponent, which what ends in 0 may not have.
                is_short = n_more < self._n_decimals
                least = max(low + (is_short and byte == 0x30), self._smallest)
                last = min(high - 1, self._largest)
                if (lowers or not is_short) and last - last % self._spacing >= least:
                    found.append(byte)
                    break
                n_more, low, high = n_more + 1, low * 10, high * 10
        return frozenset(found)

    def meets(self, digits: int, powers: Range, *, start: bool) -> bool:
        if not digits and start and self.holds(0, powers):
            return True
        powers = powers.shifted(-self._shift)
        n = max(self._least, 1)
        while self._most is None or n <= self._most:
            # Of the multiples below n none is in an interval that is left.
            top, bottom = n * self._unit.numerator, (digits + 1) * self._unit.denominator
            powers = powers.starting(power_over(top, bottom, strict=True))
            if powers.first is None or powers.is_empty:
                return False
            powers = powers.starting(self._find_multiple(digits, powers.first, start=start))
            if powers.first is None or powers.is_empty:
                return False
            n = max(n, self._first_of(digits, powers.first, start=start))
            end = ceil_scaled(digits + 1, powers.first, self._unit)
            while n < end and (self._most is None or n <= self._most):
                if self._allows(n):
                    return True
                n += 1
        return False

    def _first_of(self, digits: int, power: int, *, start: bool) -> int:
        n = ceil_scaled(digits, power, self._unit)
        return n if start or n * self._unit != scale(digits, power) else n + 1

    def _find_multiple(self, digits: int, power: int, *, start: bool) -> int:
        """Return the least power, not below the given one, whose interval has a multiple.

        Ten times a multiple is one: when an interval has one, all with greater powers do.
        """
        low, high = power, max(power, self._widest)
        while low < high:
            middle = (low + high) // 2
            first = self._first_of(digits, middle, start=start)
            if first < ceil_scaled(digits + 1, middle, self._unit):
                high = middle
            else:
                low = middle + 1
        return low

    def _allows(self, n: int) -> bool:
        if any(n % every == 0 for every in self._not_every):
            return False
        if not self._excluded:
            return True
        written = decimal(n * self._unit)
        if written is None:
            return True
        return written[1] + self._shift not in self._excluded.get(written[0], NO_EXPONENTS)


def by_digits(values: Iterable[Fraction]) -> Decimals:
    """Return the exponents of values by their digits, without those that no digits write."""
    found: Decimals = {}
    for value in values:
        written = decimal(value)
        if written is not None:
            digits, exponent = written
            found[digits] = found.get(digits, NO_EXPONENTS) | {exponent}
    return found
