"""Values that a number may not have beside what its rule says, such as those of earlier items.

An array gets one more value with each item, so a set is made from another with few changes.

Example: ``Excluded.of([(False, 15, -1)])`` excludes 1.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# Whether it is negative, digits that do not end in 0, and an exponent.
Decimal = tuple[bool, int, int]
# By digits that do not end in 0, the exponents.
Decimals = Mapping[int, frozenset[int]]


class Excluded:
    """Excluded values, by sign and digits.

    Args:
        positive: those without a minus sign, 0 included.
        negative: the magnitudes of the others, 0 included.
        furthest: no fewer bits than digits and exponent of one take.
    """

    __slots__ = ("_negative", "_positive", "furthest")

    def __init__(
        self,
        positive: dict[int, frozenset[int]],
        negative: dict[int, frozenset[int]],
        furthest: int,
    ) -> None:
        self._positive, self._negative, self.furthest = positive, negative, furthest

    @classmethod
    def of(cls, values: Iterable[Decimal]) -> Excluded:
        """Return some values."""
        return cls({}, {}, 0).change(values, ())

    def change(self, more: Iterable[Decimal], less: Iterable[Decimal]) -> Excluded:
        """Return these with some more values, and without some that are among them."""
        made = Excluded(self._positive.copy(), self._negative.copy(), self.furthest)
        for is_negative, digits, exponent in less:
            for side in (False, True):
                if side == is_negative or not digits:
                    known = made._negative if side else made._positive
                    left = known.pop(digits) - {exponent}
                    if left:
                        known[digits] = left
        for is_negative, digits, exponent in more:
            for side in (False, True):
                if side == is_negative or not digits:
                    known = made._negative if side else made._positive
                    known[digits] = known.get(digits, frozenset()) | {exponent}
            made.furthest = max(made.furthest, digits.bit_length() + abs(exponent))
        return made

    def of_sign(self, *, negative: bool) -> Decimals:
        """Return the magnitudes after a sign."""
        return self._negative if negative else self._positive

    def __bool__(self) -> bool:
        return bool(self._positive or self._negative)

    def values(self) -> set[Decimal]:
        """Return the values; 0 is positive."""
        found = {(False, d, e) for d, exponents in self._positive.items() for e in exponents}
        for digits, exponents in self._negative.items():
            if digits:
                found.update((True, digits, exponent) for exponent in exponents)
        return found


NONE = Excluded({}, {}, 0)
