"""The spellings of a JSON number, digit by digit, and which of them can still become allowed.

A rule bounds the value, wants it to be a multiple, forbids values, or lists the only ones. What has
been read of a number bounds what it can become: after ``12`` come 12, 120 to 129.9…, and so on;
after ``12e`` come 12, 120, 1200, … We ask by exact arithmetic whether any of these is allowed.

The layout says which spellings there are:

- ``plain``: an integer part and, if wanted, a fraction; no exponent.
- ``usual``: also an exponent that makes an integer larger (``1e300``), and one that makes a number
  smaller if the digits before it do not end in 0 (``1.5e-7``). Such a number is never an integer,
  so ``1.5`` where an integer is wanted is illegal at the ``5``. ``1.5e3`` is not written.

Example: for multiples of 5 from 10 to 30, ``1`` leads to 10 and 15, ``4`` nowhere.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

# What has been read: sign, phase, digits as a number, digits of the fraction, whether the last
# digit is not 0, and the exponent.
State = tuple[bool, int, int, int, bool, int]

START, MINUS, ZERO, INTEGER, POINT, FRACTION, MARK, PLUS, LESS, LARGER, SMALLER = range(11)
_ENDS = frozenset([ZERO, INTEGER, FRACTION, LARGER, SMALLER])
_FIRST: State = (False, START, 0, 0, False, 0)
_DIGITS = frozenset(b"0123456789")
NUMBER_BYTES = frozenset(b"-+.eE0123456789")
# Beyond any bound of a schema (see maskc.jsonschema.values): larger exponents do not differ.
FAR = 40_000
_MOST_TRIED = 20_000


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked of a number.

    Attributes:
        low: the least value, ``None`` without a bound.
        low_open: whether ``low`` itself is excluded.
        high: the greatest value.
        high_open: whether ``high`` itself is excluded.
        multiple: the value is a multiple of it.
        not_multiples: and of none of these.
        excluded: values that are not allowed.
        values: the only ones, ``None`` if any.
        spelled: 1: without fraction and exponent; 2: with one of them; 0: as one likes.
    """

    low: Fraction | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_open: bool = False
    multiple: Fraction | None = None
    not_multiples: tuple[Fraction, ...] = ()
    excluded: frozenset[Fraction] = frozenset()
    values: frozenset[Fraction] | None = None
    spelled: int = 0

    def allows(self, value: Fraction) -> bool:
        """Return whether a value is allowed, however it is spelled."""
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


class Side:
    """The magnitudes that a rule allows after one sign."""

    def __init__(self, rule: Rule, *, negative: bool) -> None:
        sign = -1 if negative else 1
        low, low_open, high, high_open = rule.low, rule.low_open, rule.high, rule.high_open
        if negative:
            low, low_open, high, high_open = (
                None if high is None else -high,
                high_open,
                None if low is None else -low,
                low_open,
            )
        if low is None or low < 0:
            low, low_open = Fraction(0), False
        self.low, self.low_open, self.high, self.high_open = low, low_open, high, high_open
        self.multiple, self.not_multiples = rule.multiple, rule.not_multiples
        self.excluded = frozenset(sign * value for value in rule.excluded)
        self.values = None if rule.values is None else _sort(rule.values, sign)
        factor = self.multiple
        if factor is not None and any((factor / m).denominator == 1 for m in rule.not_multiples):
            self.values = []  # what is a multiple of the one is one of the other
        plain = not self.not_multiples and not self.excluded and self.values is None
        # Of digits nothing counts but whether there is a fraction.
        self.is_free = (
            plain and high is None and low == 0 and not low_open and self.multiple in (None, 1)
        )
        # Beyond the lower bound, nothing of an integer's digits counts.
        self.enough = (
            max(1, -(-low.numerator // low.denominator) + low_open)
            if plain and high is None and self.multiple == 1
            else None
        )

    def allows(self, value: Fraction) -> bool:
        """Return whether a magnitude is allowed."""
        return self.has(value, value, closed=True)

    def has(
        self, low: Fraction, high: Fraction | None, *, closed: bool, start: bool = True
    ) -> bool:
        """Return whether a magnitude in an interval is allowed.

        Args:
            low: where it begins.
            high: where it ends; ``None``: nowhere.
            closed: whether ``high`` is in it.
            start: whether ``low`` is in it.
        """
        low_in = start
        if self.low > low:
            low, low_in = self.low, not self.low_open
        elif self.low == low:
            low_in = low_in and not self.low_open
        if self.high is not None and (high is None or self.high < high):
            high, closed = self.high, not self.high_open
        elif self.high is not None and self.high == high:
            closed = closed and not self.high_open
        if high is not None and (low > high or low == high and not (low_in and closed)):
            return False
        if self.values is not None:
            first = (bisect_left if low_in else bisect_right)(self.values, low)
            if first == len(self.values):
                return False
            value = self.values[first]
            return high is None or value < high or value == high and closed
        if self.multiple is None:
            if low != high:
                return True  # infinitely many, of which finitely or discretely many are not
            return low not in self.excluded and not self._is_not(low)
        first = -(-low // self.multiple)
        if first * self.multiple == low and not low_in:
            first += 1
        return any(self._try(first, high, closed=closed))

    def _try(self, first: int, high: Fraction | None, *, closed: bool) -> Iterator[bool]:
        if self.multiple is None:
            return
        for n in range(first, first + _MOST_TRIED):
            value = n * self.multiple
            if high is not None and (value > high or value == high and not closed):
                return
            if value not in self.excluded and not self._is_not(value):
                yield True

    def _is_not(self, value: Fraction) -> bool:
        return any((value / m).denominator == 1 for m in self.not_multiples)

    def has_leading(self, low: Fraction, high: Fraction) -> bool:
        """Return whether ``[low, high) × 10^k`` holds an allowed magnitude for some k ≥ 0."""
        for _ in range(FAR):
            if self.high is not None and low > self.high:
                return False
            if self.has(low, high, closed=False):
                return True
            if self.high is None and low > self.low and self._is_far(high - low):
                return False
            low, high = low * 10, high * 10
        return False

    def _is_far(self, width: Fraction) -> bool:
        """Return whether an interval of this width would have had all there is to try."""
        if self.values is not None:
            return not self.values or self.values[-1] < width
        return self.multiple is None or width > self.multiple * _MOST_TRIED

    def has_smaller(self, low: Fraction, high: Fraction, *, start: bool) -> bool:
        """Return whether ``[low, high) × 10^-k`` holds one for some k ≥ 1; or ``(low, high)``."""
        if self.high is not None and self.high <= 0:
            return False
        for _ in range(FAR):
            low, high = low / 10, high / 10
            if high < self.low or self.multiple is not None and high < self.multiple:
                return False
            if self.has(low, high, closed=False, start=start):
                return True
            if self.values is not None and not self._has_value_below(high):
                return False
            is_dense = self.low == 0 and self.multiple is None and self.values is None
            if is_dense and (self.high is None or high < self.high):
                return low != high
        return False

    def _has_value_below(self, bound: Fraction) -> bool:
        """Return whether one of the listed values is above 0 and below a bound."""
        if self.values is None:
            return False
        first = bisect_right(self.values, Fraction(0))
        return first < len(self.values) and self.values[first] < bound

    def has_power(self, digits: int, low: int, high: int | None) -> bool:
        """Return whether ``digits × 10^k`` is allowed for some k from ``low`` to ``high``."""
        if digits == 0:
            return self.allows(Fraction(0))
        for k in range(low, FAR if high is None else min(high, FAR) + 1):
            value = Fraction(digits * 10**k)
            if self.high is not None and value > self.high:
                return False
            if self.allows(value):
                return True
            if self.high is None and k - low > 512 and value > self.low:
                return False
            if self.values is not None and self.values and value > self.values[-1]:
                return False
        return False

    def has_inverse_power(self, value: Fraction, low: int, high: int | None) -> bool:
        """Return whether ``value × 10^-k`` is allowed for some k from ``low`` to ``high``."""
        for k in range(max(low, 1), FAR if high is None else min(high, FAR) + 1):
            smaller = value / 10**k
            if smaller < self.low or self.multiple is not None and smaller < self.multiple:
                return False
            if self.allows(smaller):
                return True
            if self.values is not None and not self._has_value_below(smaller):
                return False
        return False


def _sort(values: Iterable[Fraction], sign: int) -> list[Fraction]:
    """Return the magnitudes of those values that have a sign, ascending."""
    kept = [value for value in values if value.numerator * sign >= 0]
    if all(value.denominator == 1 for value in kept):
        # Comparing fractions takes ten times as long.
        numerators = sorted(value.numerator * sign for value in kept)
        return [Fraction(numerator) for numerator in numerators]
    return sorted(value * sign for value in kept)


class Numbers:
    """The spellings of numbers that a rule allows.

    Args:
        rule: of the values.
        exponents: whether the layout has them.
    """

    def __init__(self, rule: Rule, *, exponents: bool) -> None:
        self.rule = rule
        self._spelled = rule.spelled
        self._exponents = exponents and rule.spelled != 1
        self._sides = (Side(rule, negative=False), Side(rule, negative=True))
        self._steps: dict[tuple[State, int], State | None] = {}
        self._ends: dict[State, bool] = {}

    @property
    def identity(self) -> tuple[Rule, bool]:
        """What tells it from others."""
        return self.rule, self._exponents

    @property
    def start(self) -> State:
        """The state before the first byte."""
        return _FIRST

    @property
    def is_satisfiable(self) -> bool:
        """Whether any number is allowed."""
        return any(self.step(_FIRST, byte) is not None for byte in b"-0123456789")

    def step(self, state: State, byte: int) -> State | None:
        """Return the state after a byte, ``None`` if no allowed number begins so."""
        key = (state, byte)
        if key not in self._steps:
            if len(self._steps) > 100_000:
                self._steps.clear()
            self._steps[key] = self._step(state, byte)
        return self._steps[key]

    def takes_digits(self, state: State, n_digits: int) -> bool:
        """Return whether up to so many digits may follow, whatever they are; not complete."""
        negative, phase, digits, n_fraction, _, _ = state
        side = self._sides[negative]
        if side.values is not None or side.not_multiples or self._spelled == 2:
            return False
        least, most = side.low, side.high
        # An interval this wide holds some power of ten times any number.
        is_wide = most is None or most > 10 * (least + 1)
        scales = self._exponents and side.multiple is None and is_wide
        if phase == FRACTION and side.multiple is None:
            low, high = Fraction(digits, 10**n_fraction), Fraction(digits + 1, 10**n_fraction)
            return low > least and (most is None or high <= most or scales)
        if phase != INTEGER or side.multiple not in (None, 1):
            return False
        if most is None or scales:
            return True
        if side.excluded or (digits + 1) * 10**n_digits > most:
            return False
        # Below the lower bound, zeros reach a number between it and ten times as much.
        return digits > least or is_wide

    def takes_no_digit(self, state: State) -> bool:
        """Return whether no digit may follow, whatever it is; not complete."""
        negative, phase, digits, *_ = state
        side = self._sides[negative]
        # No exponent makes an integer smaller and leaves it one.
        return (
            phase == INTEGER
            and side.multiple == 1
            and side.high is not None
            and digits * 10 > side.high
        )

    def may_end(self, state: State) -> bool:
        """Return whether the number may end here."""
        found = self._ends.get(state)
        if found is None:
            if len(self._ends) > 100_000:
                self._ends.clear()
            found = self._ends[state] = self._may_end(state)
        return found

    def _may_end(self, state: State) -> bool:
        negative, phase, digits, n_fraction, _, exponent = state
        if phase not in _ENDS or self._spelled == 2 and phase in (ZERO, INTEGER):
            return False
        side = self._sides[negative]
        value = Fraction(digits, 10**n_fraction)
        if phase == LARGER:
            return side.has_power(digits, exponent, exponent)
        if phase == SMALLER:
            return exponent > 0 and side.has_inverse_power(value, exponent, exponent)
        return side.allows(value)

    def _step(self, state: State, byte: int) -> State | None:
        after = self._move(state, byte)
        if after is None or after[1] != MINUS and not self._is_live(after):
            return None
        if after[1] == MINUS and not any(self.step(after, digit) for digit in b"0123456789"):
            return None
        return self._canonical(after)

    def _move(self, state: State, byte: int) -> State | None:
        """Return the state after a byte by syntax alone."""
        negative, phase, digits, n_fraction, last, exponent = state
        if byte not in _DIGITS:
            return self._move_sign(state, byte)
        digit = byte - 0x30
        if phase in (START, MINUS):
            return (negative, INTEGER if digit else ZERO, digit, 0, digit > 0, 0)
        if phase == INTEGER:
            return (negative, INTEGER, digits * 10 + digit, 0, digit > 0, 0)
        if phase in (POINT, FRACTION):
            return (negative, FRACTION, digits * 10 + digit, n_fraction + 1, digit > 0, 0)
        if phase in (MARK, PLUS, LARGER) and n_fraction == 0:
            return (negative, LARGER, digits, 0, last, min(exponent * 10 + digit, FAR))
        if phase in (LESS, SMALLER):
            return (negative, SMALLER, digits, n_fraction, last, min(exponent * 10 + digit, FAR))
        return None

    def _move_sign(self, state: State, byte: int) -> State | None:
        negative, phase, digits, n_fraction, last, _ = state
        if byte == 0x2D and phase == START:
            return (True, MINUS, 0, 0, False, 0)
        if byte == 0x2E and phase in (ZERO, INTEGER) and self._spelled != 1:
            return (negative, POINT, digits, 0, False, 0)
        if not self._exponents:
            return None
        if byte in b"eE" and phase in (ZERO, INTEGER, FRACTION):
            return (negative, MARK, digits, n_fraction, last, 0)
        if byte == 0x2B and phase == MARK and n_fraction == 0:
            return (negative, PLUS, digits, 0, last, 0)
        if byte == 0x2D and phase == MARK and last:
            return (negative, LESS, digits, n_fraction, last, 0)
        return None

    def _is_live(self, state: State) -> bool:
        """Return whether what has been read can become an allowed number."""
        negative, phase, digits, n_fraction, last, exponent = state
        side = self._sides[negative]
        low = Fraction(digits, 10**n_fraction)
        high = Fraction(digits + 1, 10**n_fraction)
        if phase == ZERO:
            if self._spelled == 1:
                return side.allows(low)
            return side.has(low, high, closed=False)
        if phase == INTEGER:
            # An exponent adds no value that digits do not reach, but smaller ones.
            if side.has_leading(low, high):
                return True
            return self._exponents and side.has_smaller(low, high, start=last)
        if phase in (POINT, FRACTION):
            if side.has(low, high, closed=False):
                return True
            return self._exponents and side.has_smaller(low, high, start=last)
        reach = list(_reach(exponent)) if phase in (LARGER, SMALLER) else [(0, None)]
        is_larger = phase in (MARK, PLUS, LARGER) and n_fraction == 0
        if is_larger and any(side.has_power(digits, first, most) for first, most in reach):
            return True
        if phase in (MARK, LESS, SMALLER) and last:
            return any(side.has_inverse_power(low, first, most) for first, most in reach)
        return False

    def _canonical(self, state: State) -> State:
        """Return a state that stands for all that have the same future."""
        negative, phase, digits, _, last, exponent = state
        side = self._sides[negative]
        if side.is_free:
            if phase == ZERO:
                return state
            is_fraction = phase in (FRACTION, MARK, LESS, SMALLER) and state[3] > 0
            if side.multiple is not None:
                last = False  # nothing smaller is an integer
            digits = (10 if is_fraction else 1) if digits or side.multiple is None else 0
            if phase in (MINUS, START):
                return state
            n_fraction = 1 if is_fraction else 0
            return (negative, phase, digits, n_fraction, last, min(exponent, 1))
        if side.enough is not None and phase == INTEGER and digits >= side.enough:
            return (negative, phase, side.enough, 0, False, 0)
        return state


def _reach(exponent: int) -> Iterator[tuple[int, int | None]]:
    """Yield the exponents that begin with these digits, as ranges."""
    if exponent == 0:
        yield 0, None  # zeros may lead
        return
    low, high = exponent, exponent
    while low < FAR:
        yield low, high
        low, high = low * 10, high * 10 + 9
    yield FAR, None
