"""Values that a number may not have beside what its rule says, such as those of earlier items.

An array gets one more value with each item, so a set is made from another with few changes, and
shares with it whatever did not change.

Values are also found by their *head*: the first digits, three at most, without zeros at their end.
A text that has been read can only become a value that has its head among the value's heads.

Example: ``Excluded.of([(False, 1205, -1)])`` excludes 120.5, whose heads are 1, 12 (of 120), and
what ``12.0`` begins has the head 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from maskc.runtime.schema.numbers.powers import count_digits, power_of_ten

# Whether it is negative, digits that do not end in 0, and an exponent.
Decimal = tuple[bool, int, int]
# A sign and a head; that of 0 is 0.
Head = tuple[bool, int]

_MOST_DIGITS: Final = 3  # of a head
_N_PARTS: Final = 64
_NUMBERS: Final = count(1)


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
