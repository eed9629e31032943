"""Values that are taken one by one: those that a number may not have, and those that it may.

Values such as those of earlier items are excluded beside what a rule says:
``Excluded([(False, 1205, -1)])`` excludes 120.5.

Magnitudes that a rule lists are a set that is asked for digits and powers of ten. They are sorted
once for a rule, and a set leaves some of them out, which are excluded.

Example: of 5, 12 and 120 the digits 1 begin two, and with 12 left out one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from maskc.runtime.schema.numbers.powers import (
    Range,
    ceil_scaled,
    common_denominator,
    count_digits,
    decimal,
    power_beyond,
    power_of_ten,
    scale,
    sort_numbers,
    split_zeros,
)
from maskc.runtime.step_budget import charge_steps

# Whether it is negative, digits that do not end in 0, and an exponent.
Decimal = tuple[bool, int, int]
Decimals = dict[int, frozenset[int]]  # digits → exponents

NO_EXPONENTS: Final[frozenset[int]] = frozenset()
_VALUE_STEPS: Final = 4  # of each value that is listed
_ONE: Final = Fraction(1)


class Excluded:
    """Excluded values: the exponents by digits after each sign.

    Attributes:
        furthest: no fewer bits than digits and exponent of one take.
    """

    __slots__ = ("_negative", "_positive", "furthest")

    def __init__(self, values: Iterable[Decimal]) -> None:
        self._positive: Decimals = {}
        self._negative: Decimals = {}
        self.furthest = 0
        for sign, digits, exponent in values:
            for negative, known in ((False, self._positive), (True, self._negative)):
                if sign == negative or not digits:
                    known[digits] = known.get(digits, NO_EXPONENTS) | {exponent}
            self.furthest = max(self.furthest, digits.bit_length() + abs(exponent))

    def of_sign(self, *, negative: bool) -> Decimals:
        return self._negative if negative else self._positive

    def list_begun(self, head: int, *, negative: bool) -> list[Decimal]:
        """Return the values that some digits may begin, of either sign where there are none."""
        short = split_zeros(head)[0] if head else 0
        n_digits = count_digits(short) if head else 0
        found = []
        for sign in (negative,) if head else (False, True):
            for digits, exponents in self.of_sign(negative=sign).items():
                n_more = count_digits(digits) - n_digits if digits else -1
                if not head or n_more >= 0 and digits // power_of_ten(n_more) == short:
                    found += [(sign, digits, exponent) for exponent in exponents]
        return found

    def __bool__(self) -> bool:
        return bool(self._positive or self._negative)


NONE: Final = Excluded(())


class Listing:
    """Values that are listed, sorted and found by their digits; 0 apart."""

    def __init__(self, values: Iterable[Fraction]) -> None:
        kept = set(values)
        charge_steps(_VALUE_STEPS * len(kept))
        self.has_zero = Fraction(0) in kept
        self.values = sort_numbers(value for value in kept if value)
        # the least number that makes integers of all, 0 if it is very large
        self.unit = common_denominator(self.values)
        # the values times the unit, or as they are; comparing fractions takes ten times as long as
        # comparing integers
        self.scaled: Sequence[Any] = self.values
        if self.unit:
            self.scaled = [v.numerator * (self.unit // v.denominator) for v in self.values]
        # digits and exponent of each, None for one that no digits write
        self.decimals = [decimal(value) for value in self.values]
        self.indices: dict[int, dict[int, int]] = {}  # by digits and exponent, the index of a value
        for n, written in enumerate(self.decimals):
            if written is not None:
                self.indices.setdefault(written[0], {})[written[1]] = n


class Listed:
    """Magnitudes that are listed but for some."""

    def __init__(self, listing: Listing, excluded: Decimals) -> None:
        self._listing, self._indices, self._excluded = listing, listing.indices, excluded
        self._sorted, self._scaled, self._unit = listing.values, listing.scaled, listing.unit
        self._is_whole = listing.unit > 0
        self._has_zero = listing.has_zero and 0 not in excluded

    def without(self, excluded: Decimals) -> Listed:
        return Listed(self._listing, excluded)

    def _is_removed(self, n: int) -> bool:
        written = self._listing.decimals[n]
        return written is not None and written[1] in self._excluded.get(written[0], NO_EXPONENTS)

    def _has_some(self, indices: Sequence[int]) -> bool:
        n_values = len(indices)
        if not self._excluded:
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
            return find(self._scaled, scale(digits, power))
        if inclusive:
            return bisect_right(self._scaled, -ceil_scaled(-digits * self._unit, power, _ONE))
        return bisect_left(self._scaled, ceil_scaled(digits * self._unit, power, _ONE))

    def holds(self, digits: int, powers: Range) -> bool:
        if not digits:
            return self._has_zero
        short, n_zeros = split_zeros(digits)
        removed = self._excluded.get(short, NO_EXPONENTS)
        return any(
            exponent not in removed and powers.has(exponent - n_zeros)
            for exponent in self._indices.get(short, {})
        )

    def meets(self, digits: int, powers: Range, *, start: bool) -> bool:
        if not digits and start and self._has_zero:
            return True
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
