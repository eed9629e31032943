"""The magnitudes that a rule of numbers allows after one sign, and two questions about them.

What has been read of a number fixes its first digits, and leaves open by which power of ten they
are multiplied. So we ask whether one of ``digits × 10^n`` is allowed (``holds``), and whether one
of the intervals ``[digits, digits + 1) × 10^n`` has an allowed magnitude (``meets``), for n in a
range.

There are three kinds of sets: values that are listed, the multiples of a factor between two bounds,
and all numbers between two bounds. Single values may be taken out of the last two.

Example: of the multiples of 400, 7 × 10^n is one from n = 2 on; [7, 8) × 10^n meets one at n = 3.

No n is tried that cannot matter: it is computed from the bounds' lengths (see
``maskc.runtime.schema.numbers.powers``), so that a question costs as many steps as digits are
written in the rule and in the text, whatever the exponents are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from maskc.runtime.schema.numbers.excluded import NOTHING, Decimals
from maskc.runtime.schema.numbers.powers import (
    Factor,
    ceil_scaled,
    common_denominator,
    decimal,
    power_beyond,
    power_of_ten,
    power_over,
    sort_numbers,
    split_zeros,
)
from maskc.runtime.step_budget import charge_steps

_VALUE_STEPS = 4  # of each value that is listed


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


class Magnitudes(Protocol):
    """A set of magnitudes."""

    def holds(self, digits: int, powers: Range) -> bool:
        """Return whether ``digits × 10^n`` is in the set for one of the powers n."""

    def meets(self, digits: int, powers: Range, *, start: bool) -> bool:
        """Return whether ``[digits, digits + 1) × 10^n`` has an element for one of the powers n.

        Args:
            digits: as a number.
            powers: that may come.
            start: whether the intervals have their lower ends.
        """


_ONE = Fraction(1)
_MOST_BITS = 13_000  # of an integer that Python writes at once


class Listing:
    """Values that are listed, sorted and found by their digits; 0 apart.

    Attributes:
        unit: the least number that makes integers of all, 0 if it is very large.
        scaled: the values times the unit, or as they are; comparing fractions takes ten times as
            long as comparing integers.
        decimals: digits and exponent of each, ``None`` for one that no digits write.
        indices: by digits and exponent, the index of a value.
        written: where all are integers that Python writes, their digits, ascending as texts.
        order: the indices of these.
    """

    def __init__(self, values: Iterable[Fraction]) -> None:
        kept = set(values)
        charge_steps(_VALUE_STEPS * len(kept))
        self.has_zero = Fraction(0) in kept
        self.values = sort_numbers(value for value in kept if value)
        self.unit = common_denominator(self.values)
        self.scaled: Sequence[Any] = self.values
        if self.unit:
            self.scaled = [v.numerator * (self.unit // v.denominator) for v in self.values]
        self.decimals = [decimal(value) for value in self.values]
        self.indices: dict[int, dict[int, int]] = {}
        for n, written in enumerate(self.decimals):
            if written is not None:
                self.indices.setdefault(written[0], {})[written[1]] = n
        self.written: list[str] = []
        self.order: list[int] = []
        if self.unit == 1 and self.values and self.values[-1].numerator.bit_length() < _MOST_BITS:
            texts = [str(value.numerator) for value in self.values]
            self.order = sorted(range(len(texts)), key=texts.__getitem__)
            self.written = [texts[n] for n in self.order]


class Listed:
    """Magnitudes that are listed but for some."""

    def __init__(self, listing: Listing, excluded: Decimals) -> None:
        self._listing, self._indices, self._excluded = listing, listing.indices, excluded
        self._sorted, self._scaled, self._unit = listing.values, listing.scaled, listing.unit
        self._is_whole = listing.unit > 0
        self._has_zero = listing.has_zero and not excluded.get(0)

    def without(self, excluded: Decimals) -> Listed:
        return Listed(self._listing, excluded)

    def _is_removed(self, n: int) -> bool:
        written = self._listing.decimals[n]
        return written is not None and written[1] in self._excluded.get(written[0])

    def _has_some(self, indices: Sequence[int]) -> bool:
        n_values = len(indices)
        if not self._excluded.n_keys:
            return n_values > 0
        # From both ends, as items tend to be in order.
        for n in range((n_values + 1) // 2):
            charge_steps(1)
            if not self._is_removed(indices[n]) or not self._is_removed(indices[n_values - 1 - n]):
                return True
        return False

    def _count_below(self, digits: int, power: int, *, inclusive: bool) -> int:
        """Return how many values are below ``digits × 10^power``, or not above it."""
        if not self._is_whole:
            find = bisect_right if inclusive else bisect_left
            return find(self._scaled, _scale(digits, power))
        if inclusive:
            return bisect_right(self._scaled, -ceil_scaled(-digits * self._unit, power, _ONE))
        return bisect_left(self._scaled, ceil_scaled(digits * self._unit, power, _ONE))

    def holds(self, digits: int, powers: Range) -> bool:
        if not digits:
            return self._has_zero
        short, n_zeros = split_zeros(digits)
        removed = self._excluded.get(short)
        return any(
            exponent not in removed and powers.has(exponent - n_zeros)
            for exponent in self._indices.get(short, {})
        )

    def meets(self, digits: int, powers: Range, *, start: bool) -> bool:
        if not digits and start and self._has_zero:
            return True
        if digits and start and self._listing.written and (powers.first, powers.last) == (0, None):
            return self.begins(digits)
        first, last, scaled = powers.first, powers.last, self._scaled
        has_low = start and digits % 10 == 0
        if self._is_whole and self._unit == 1 and last is not None and last < 0 and not has_low:
            return False  # 10^n times an integer is none that lies inside of these
        n, top = 0, (digits + 1) * (self._unit or 1)
        if scaled and first is not None and first >= 0 and top > scaled[-1] + (self._unit or 1):
            return False
        while n < len(scaled):
            if first != 0 or top <= scaled[n]:
                beyond = power_beyond(digits + 1, self._sorted[n], strict=True)
                first = beyond if first is None else max(first, beyond)
            if last is not None and first > last:
                return False
            low = max(n, self._count_below(digits, first, inclusive=not start))
            n = self._count_below(digits + 1, first, inclusive=False)
            if n > low and self._has_some(range(low, n)):
                return True
        return False

    def begins(self, digits: int) -> bool:
        """Return whether an integer that is written begins with some digits, for sure if so."""
        texts = self._listing.written
        if not texts or not digits:
            return False
        text = _write(digits)
        first, last = bisect_left(texts, text), bisect_left(texts, text + ":")
        return last > first and self._has_some(self._listing.order[first:last])

    def next_digits(self, digits: int) -> frozenset[int] | None:
        """Return the bytes of digits that listed integers have after some; ``None``: unknown."""
        texts = self._listing.written
        if not texts or not digits:
            return None
        text = _write(digits)
        starts = {byte: text + chr(byte) for byte in b"0123456789"}
        return frozenset([b for b, t in starts.items() if _begin(texts, t)])


def _write(digits: int) -> str:
    return str(digits) if digits.bit_length() < _MOST_BITS else ":"


def _begin(texts: list[str], start: str) -> bool:
    return bisect_left(texts, start + ":") > bisect_left(texts, start)


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
            return self._bounds.has_zero() and not self._not_factors and not self._excluded.get(0)
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
        if not self._excluded.n_keys:
            return True
        short, n_zeros = split_zeros(digits)
        return powers.has_more_than(n - n_zeros for n in self._excluded.get(short))


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
        return n if start or n * self._unit != _scale(digits, power) else n + 1

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
        if not self._excluded.n_keys:
            return True
        written = decimal(n * self._unit)
        return written is None or written[1] + self._shift not in self._excluded.get(written[0])


def by_digits(values: Iterable[Fraction]) -> Decimals:
    """Return the exponents of values by their digits, without those that no digits write."""
    found: dict[int, set[int]] = {}
    for value in values:
        written = decimal(value)
        if written is not None:
            found.setdefault(written[0], set()).add(written[1])
    return NOTHING.change({digits: frozenset(some) for digits, some in found.items()}, {})


def _scale(digits: int, power: int) -> Fraction:
    if power >= 0:
        return Fraction(digits * power_of_ten(power))
    return Fraction(digits, power_of_ten(-power))
