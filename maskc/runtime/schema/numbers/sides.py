"""What is asked of a number's value, and what this leaves of its magnitude after each sign.

Example: of numbers from -3 to 10, the magnitudes after a minus sign go from 0 to 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.numbers.listed import NO_EXPONENTS, Decimals, Excluded, Listed, Listing
from maskc.runtime.schema.numbers.magnitudes import Between, Bounds, Multiples, by_digits
from maskc.runtime.schema.numbers.powers import (
    Factor,
    common_denominator,
    count_digits,
    power_beyond,
    power_of_ten,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked of a number."""

    # low, high: the least and the greatest value, each excluded itself if it is open
    low: Fraction | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_open: bool = False
    # multiple, not_multiples: the value is a multiple of the one and of none of the others
    multiple: Fraction | None = None
    not_multiples: tuple[Fraction, ...] = ()
    excluded: frozenset[Fraction] = frozenset()  # values that are not allowed
    values: frozenset[Fraction] | None = None  # the only ones, None if any
    lexical_form: int = 0  # 1: without fraction and exponent; 2: with one of them; 0: any

    @property
    def lists_only(self) -> bool:
        """Whether a value is allowed if and only if it is listed."""
        only = Rule(values=self.values, lexical_form=self.lexical_form)
        return self.values is not None and self == only

    @property
    def is_whole(self) -> bool:
        """Whether the multiple asks for integers."""
        return self.multiple is not None and self.multiple.denominator == 1

    def allows(self, value: Fraction) -> bool:
        """Return whether a value is allowed, in whatever lexical form."""
        return (
            (self.values is None or value in self.values)
            and (self.low is None or value > self.low or value == self.low and not self.low_open)
            and (
                self.high is None or value < self.high or value == self.high and not self.high_open
            )
            and (self.multiple is None or (value / self.multiple).denominator == 1)
            and not any((value / m).denominator == 1 for m in self.not_multiples)
            and value not in self.excluded
        )


Magnitudes = Listed | Between | Multiples  # that a rule allows after one sign
_MOST_WRITTEN: Final = 10**100  # of a factor's denominator that is looked at digit by digit


@mypyc_attr(acyclic=True)
class Side:
    """What a rule asks of the magnitudes after one sign, without some values.

    Attributes:
        low, high: none is less, and none is more; ``None`` without a bound.
        is_solid: whether every multiple between the bounds is allowed but for a few.
        has_gaps: whether a few of these are not.
        is_free: whether nothing of the digits counts but whether there is a fraction.
        n_decimals: every multiple of ``10 ** -n_decimals`` between the bounds is allowed but for
            gaps, and no other value; ``None`` if it is not so for any number of decimals.
        slack: with so many digits of a fraction left, whatever they are, some number between the
            bounds is in no gap.
        is_free_to_decimals: whether nothing of the digits counts but how many the fraction has.
        enough: from it on, of an integer only what it leaves divided by ``period`` counts; ``None``
            if there is no such number.
        spacing: of so many integers one after the other between the bounds, one is allowed or a
            number between two of them; 0: not known.
    """

    def __init__(
        self, rule: Rule, without: Excluded, *, negative: bool, base: Side | None = None
    ) -> None:
        excluded = _find_excluded(rule, without, negative=negative)
        bounds = _bounds_of(rule, negative=negative)
        self.low, self.high, self.multiple = bounds.low, bounds.high, rule.multiple
        if base is not None and isinstance(base.allowed, Listed):
            self.allowed: Magnitudes = base.allowed.without(excluded)
        else:
            self.allowed = _find_allowed(rule, bounds, excluded, negative=negative)
        self.is_solid = rule.values is None and not rule.not_multiples
        self.has_gaps = bool(excluded)
        is_whole_side = self.is_solid and not self.has_gaps
        is_plain = is_whole_side and bounds.high is None
        self.has_zero = bounds.has_zero()
        self.n_decimals = _count_decimals(rule.multiple) if self.is_solid else None
        # A gap has few decimals: of each of its digits at most one number for each decimal.
        n_gaps = len(excluded) * (1 + (self.n_decimals or 0))
        self.slack = 1 + count_digits(n_gaps) if n_gaps else 0
        self.is_free = is_plain and self.has_zero and rule.multiple in (None, 1)
        self.is_free_to_decimals = is_plain and self.has_zero and self.n_decimals is not None
        factors = [*rule.not_multiples, *([] if rule.multiple is None else [rule.multiple])]
        is_periodic = rule.values is None and not self.has_gaps and bounds.high is None
        # An exponent that makes a number smaller makes no integer of it, but others above 0.
        is_periodic = is_periodic and (rule.multiple is not None or not bounds.low)
        is_periodic = is_periodic and all(factor.denominator == 1 for factor in factors)
        self.period = common_denominator(1 / factor for factor in factors) if is_periodic else 0
        first = math.ceil(bounds.low) + bounds.low_open
        self.enough = max(1, first) if self.period else None
        is_whole = rule.multiple in (None, 1) or self.n_decimals is not None
        self._takes_integers = is_whole_side and is_whole
        self._least = math.floor(bounds.low) + 1
        self._most = None if bounds.high is None else math.ceil(bounds.high) - 1
        self.spacing = 0 if isinstance(self.allowed, Listed) else _find_spacing(rule)
        self._first, self._last = first, self._most
        if bounds.high is not None and bounds.high.denominator == 1 and not bounds.high_open:
            self._last = bounds.high.numerator

    def is_inside(self, value: int) -> bool:
        """Return whether an integer is surely allowed; exact arithmetic takes much longer."""
        return (
            self._takes_integers
            and value >= self._least
            and (self._most is None or value <= self._most)
        )

    def takes_digits(self, digits: int, n_more: int) -> bool:
        """Return whether an integer of some digits, and up to so many more, can become allowed.

        It is one or begins one, whatever the digits that follow are; not complete.
        """
        if not self.spacing or self._last is None:
            return self.spacing > 0
        if self.has_gaps or self._last < digits:
            return False
        # With so many digits after the first ones an integer is as large as it may be.
        n_most = power_beyond(digits + 1, Fraction(self._last + 1), strict=True) - 1
        least_spacing = power_of_ten(max(n_most - n_more, 0))
        return (
            n_most >= n_more
            and least_spacing >= self.spacing
            and digits * power_of_ten(n_most) >= self._first
        )

    def takes_decimals(self, digits: int, n_decimals: int, *, scales: bool) -> bool:
        """Return whether ``digits × 10 ** -n_decimals`` can become allowed, whatever digits follow.

        It is not complete, and never says so where a multiple is wanted.

        Args:
            scales: whether an exponent takes what is above the upper bound below it.
        """
        if not isinstance(self.allowed, Between):
            return False
        low, high = Fraction(digits, 10**n_decimals), Fraction(digits + 1, 10**n_decimals)
        return low >= self.low and (scales or self.high is None or high <= self.high)

    def covers(self, digits: int, n_decimals: int) -> bool:
        """Return whether all that begins with ``digits × 10 ** -n_decimals`` is in the bounds."""
        low, high = Fraction(digits, 10**n_decimals), Fraction(digits + 1, 10**n_decimals)
        is_above = low > self.low or not low and self.has_zero
        return is_above and (self.high is None or high <= self.high)

    def is_between(self, digits: int, n_decimals: int) -> bool:
        """Return whether ``digits × 10 ** -n_decimals`` is surely allowed; not complete."""
        if self.n_decimals is None or self.has_gaps or n_decimals > self.n_decimals:
            return False
        value = Fraction(digits, 10**n_decimals)
        return value > self.low and (self.high is None or value < self.high)


def _count_decimals(factor: Fraction | None) -> int | None:
    """Return n if a factor is ``10 ** -n``, else ``None``.

    >>> _count_decimals(Fraction(1, 100))
    2
    """
    if factor is None or factor.numerator != 1:
        return None
    n = len(str(factor.denominator)) - 1 if factor.denominator < _MOST_WRITTEN else 0
    return n if factor.denominator == 10**n else None


def _find_spacing(rule: Rule) -> int:
    """Return ``spacing`` of a side whose values are not listed."""
    factor, others = rule.multiple, rule.not_multiples
    if not others:
        return 1 if factor is None else factor.numerator
    if factor is None:
        return 2  # fractions that are multiples of nothing lie between
    factors = [factor, *others]
    period = common_denominator(1 / each for each in factors)
    is_whole = all(each.denominator == 1 for each in factors)
    return period + 1 if period and not is_whole else period


def _bounds_of(rule: Rule, *, negative: bool) -> Bounds:
    low, low_open, high, high_open = rule.low, rule.low_open, rule.high, rule.high_open
    if negative:
        low, high = (None if high is None else -high), (None if low is None else -low)
        low_open, high_open = high_open, low_open
    if low is None or low < 0:
        low, low_open = Fraction(0), False
    return Bounds(low, low_open, high, high_open)


def _find_allowed(rule: Rule, bounds: Bounds, excluded: Decimals, *, negative: bool) -> Magnitudes:
    factor, not_factors = rule.multiple, rule.not_multiples
    is_never = factor is not None and any((factor / m).denominator == 1 for m in not_factors)
    if bounds.is_empty or is_never:
        return Listed(Listing([]), {})
    if rule.values is not None or bounds.low == bounds.high:
        values = rule.values
        if values is None:
            values = frozenset([-bounds.low if negative else bounds.low])
        if not rule.lists_only:
            values = frozenset(value for value in values if rule.allows(value))
        if negative:
            return Listed(Listing(-v for v in values if v.numerator <= 0), excluded)
        return Listed(Listing(v for v in values if v.numerator >= 0), excluded)
    others = tuple(map(Factor, not_factors))
    if factor is None:
        return Between(bounds, others, excluded)
    return Multiples(bounds, Factor(factor), others, excluded)


def _find_excluded(rule: Rule, without: Excluded, *, negative: bool) -> Decimals:
    more = without.of_sign(negative=negative)
    if not rule.excluded:
        return more
    sign = -1 if negative else 1
    excluded = by_digits(value * sign for value in rule.excluded if value * sign >= 0)
    return {**more, **{d: e | more.get(d, NO_EXPONENTS) for d, e in excluded.items()}}


def far_beyond(rule: Rule) -> int:
    """Return an exponent from which on powers of ten no longer differ for a rule.

    It exceeds the length of each number of the rule, and how often 2 and 5 divide it.
    """
    bounds = [v for v in (rule.low, rule.high, rule.multiple) if v is not None]
    values = chain(bounds, rule.not_multiples, rule.excluded, rule.values or ())
    sizes = [v.numerator.bit_length() + v.denominator.bit_length() for v in values]
    return 1 + max(sizes, default=0)
