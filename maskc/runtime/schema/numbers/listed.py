"""Values that are taken one by one: those that a number may not have, and those that it may.

Values such as those of earlier items are excluded beside what a rule says. An array gets one more
with each item, so a set is made from another with few changes, and shares with it whatever did not
change. Values are also found by their *head*: the first digits, three at most, without zeros at
their end. A text that has been read can only become a value that has its head among the value's
heads. ``Excluded.of([(False, 1205, -1)])`` excludes 120.5, whose heads are 1, 12 (of 120), and what
``12.0`` begins has the head 12.

Magnitudes that a rule lists are a set that is asked for digits and powers of ten. They are sorted
once for a rule, and a set leaves some of them out, which are excluded. Where all are integers,
their texts are sorted, too.

Example: of 5, 12 and 120 the digits 1 begin two, and with 12 left out one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
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
# A sign and a head; that of 0 is 0.
Head = tuple[bool, int]

_MOST_DIGITS: Final = 3  # of a head
_N_PARTS: Final = 64
_NUMBERS: Final = count(1)
_VALUE_STEPS: Final = 4  # of each value that is listed
_ONE: Final = Fraction(1)
_MOST_BITS: Final = 13_000  # of an integer that Python writes at once


class Decimals:
    """Sets by a number, in parts, of which those that did not change are shared."""

    __slots__ = ("_parts", "n_keys")

    def __init__(self, parts: list[dict[int, frozenset[Any]]], n_keys: int) -> None:
        self._parts, self.n_keys = parts, n_keys

    def get(self, key: int) -> frozenset[Any]:
        return self._parts[key % _N_PARTS].get(key, _EMPTY)

    def items(self) -> Iterator[tuple[int, frozenset[Any]]]:
        for part in self._parts:
            yield from part.items()

    def change(
        self, more: Mapping[int, frozenset[Any]], less: Mapping[int, frozenset[Any]]
    ) -> Decimals:
        parts, copied, n_keys = self._parts.copy(), set(), self.n_keys
        for key in {**less, **more}:
            part = key % _N_PARTS
            if part not in copied:
                copied.add(part)
                parts[part] = parts[part].copy()
            before = parts[part].pop(key, _EMPTY)
            after = (before - less.get(key, _EMPTY)) | more.get(key, _EMPTY)
            if after:
                parts[part][key] = after
            n_keys += bool(after) - bool(before)
        return Decimals(parts, n_keys)


_EMPTY: frozenset[Any] = frozenset()
NOTHING: Final = Decimals([{}] * _N_PARTS, 0)


class Excluded:
    """Excluded values: the exponents by digits after each sign, and the values by their heads.

    Attributes:
        furthest: no fewer bits than digits and exponent of one take.
        number, before: of this set, and of the set that it was made from, 0 for none.
        changed: the heads in which it differs from that.
    """

    __slots__ = ("_heads", "_negative", "_positive", "before", "changed", "furthest", "number")

    def __init__(
        self, positive: Decimals, negative: Decimals, heads: Decimals, furthest: int
    ) -> None:
        self._positive, self._negative, self._heads = positive, negative, heads
        self.furthest = furthest
        self.number, self.before = next(_NUMBERS), 0
        self.changed: frozenset[Head] = frozenset()

    @classmethod
    def of(cls, values: Iterable[Decimal]) -> Excluded:
        return cls(NOTHING, NOTHING, NOTHING, 0).change(values, ())

    def change(self, more: Iterable[Decimal], less: Iterable[Decimal]) -> Excluded:
        come, removed = list(more), list(less)
        furthest = max([self.furthest, *[d.bit_length() + abs(e) for _, d, e in come]])
        heads = _by_head(come), _by_head(removed)
        made = Excluded(
            self._positive.change(*[_by_digits(some, negative=False) for some in (come, removed)]),
            self._negative.change(*[_by_digits(some, negative=True) for some in (come, removed)]),
            self._heads.change(*heads),
            furthest,
        )
        made.before = self.number
        made.changed = frozenset([(key < 0, abs(key)) for some in heads for key in some])
        return made

    def of_sign(self, *, negative: bool) -> Decimals:
        return self._negative if negative else self._positive

    def has(self, value: Decimal) -> bool:
        negative, digits, exponent = value
        return exponent in self.of_sign(negative=negative).get(digits)

    def with_head(self, head: Head) -> frozenset[Decimal]:
        negative, digits = head
        return self._heads.get(-digits if negative else digits)

    def list_heads(self) -> list[Head]:
        return [(key < 0, abs(key)) for key, _ in self._heads.items()]

    def begun(self, head: int, *, negative: bool) -> list[Decimal]:
        """Return the values that a text of some digits, not 0, may become, and perhaps others."""
        short = head
        while not short % 10:
            short //= 10
        n_digits = count_digits(short)
        found = []
        for value in self.with_head(head_of(head, negative=negative)):
            n_more = count_digits(value[1]) - n_digits
            if n_more >= 0 and value[1] // power_of_ten(n_more) == short:
                found.append(value)
        return found

    def __bool__(self) -> bool:
        return bool(self._positive.n_keys or self._negative.n_keys)


def head_of(digits: int, *, negative: bool) -> Head:
    """Return the head of what begins with some digits.

    >>> head_of(12034, negative=False)
    (False, 12)
    """
    if not digits:
        return (negative, 0)
    head = digits
    if head >= 1000:
        head //= power_of_ten(count_digits(head) - _MOST_DIGITS)
    while not head % 10:
        head //= 10
    return (negative, head)


def _by_digits(values: list[Decimal], *, negative: bool) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for sign, digits, exponent in values:
        if sign == negative or not digits:
            found[digits] = found.get(digits, _EMPTY) | {exponent}
    return found


def _by_head(values: list[Decimal]) -> dict[int, frozenset[Decimal]]:
    """Return values by their heads, those of negative ones negative; 0 has none."""
    found: dict[int, set[Decimal]] = {}
    for value in values:
        negative, digits, _ = value
        if digits >= 1000:
            digits //= power_of_ten(count_digits(digits) - _MOST_DIGITS)
        while digits:
            head = head_of(digits, negative=False)[1]
            found.setdefault(-head if negative else head, set()).add(value)
            digits //= 10
    return {head: frozenset(some) for head, some in found.items()}


NONE: Final = Excluded(NOTHING, NOTHING, NOTHING, 0)


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
