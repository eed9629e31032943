"""Magnitudes that are listed one by one, as a set that is asked for digits and powers of ten.

Values are sorted once for a rule, and a set leaves some of them out: those of items that were there
before. Where all are integers, their texts are sorted, too.

Example: of 5, 12 and 120 the digits 1 begin two, and with 12 left out one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from maskc.runtime.schema.numbers.excluded import Decimals
from maskc.runtime.schema.numbers.magnitudes import Range
from maskc.runtime.schema.numbers.powers import (
    ceil_scaled,
    common_denominator,
    decimal,
    power_beyond,
    scale,
    sort_numbers,
    split_zeros,
)
from maskc.runtime.step_budget import charge_steps

_VALUE_STEPS: Final = 4  # of each value that is listed
_ONE: Final = Fraction(1)
_MOST_BITS: Final = 13_000  # of an integer that Python writes at once


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
        # where all are integers that Python writes, their digits, ascending as texts
        self.written: list[str] = []
        self.order: list[int] = []  # the indices of these
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
            return find(self._scaled, scale(digits, power))
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

    def next_digits(self, digits: int, *, lowers: bool) -> frozenset[int] | None:  # noqa: ARG002
        if not self._listing.written or not digits:
            return None
        # An exponent makes no integer of one that does not end in 0.
        more = ((byte, digits * 10 + byte - 0x30) for byte in b"0123456789")
        return frozenset([byte for byte, longer in more if self.begins(longer)])


def _write(digits: int) -> str:
    return str(digits) if digits.bit_length() < _MOST_BITS else ":"
