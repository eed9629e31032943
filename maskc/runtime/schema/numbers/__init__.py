"""The spellings of a JSON number, digit by digit, and which of them can still become allowed.

A rule bounds the value, wants it to be a multiple, forbids values, or lists the only ones. What has
been read of a number bounds what it can become: after ``12`` come 12, 120 to 129.9…, and so on;
after ``12e`` come 12, 120, 1200, … We ask by exact arithmetic whether any of these is allowed.

Which spellings there are, the layout says (:mod:`maskc.runtime.schema.numbers.spellings`).

Example: for multiples of 5 from 10 to 30, ``1`` leads to 10 and 15, ``4`` nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maskc.runtime.schema.numbers.listed import NONE, Decimal, Excluded
from maskc.runtime.schema.numbers.magnitudes import Multiples
from maskc.runtime.schema.numbers.powers import (
    Range,
    count_factor,
    power_beyond,
    power_of_ten,
    scale,
)
from maskc.runtime.schema.numbers.sides import Rule, Side, far_beyond
from maskc.runtime.schema.numbers.spellings import (
    DIGITS,
    FIRST,
    FRACTION,
    INTEGER,
    LARGER,
    LESS,
    MARK,
    MINUS,
    PLUS,
    POINT,
    SMALLER,
    START,
    ZERO,
    NumberSpelling,
    State,
    power_of,
)

_ZERO: Final = frozenset(b"0")
# What is remembered of one rule, in bytes, before all of it is forgotten.
_MOST_REMEMBERED: Final = 32 << 20


class Numbers:
    """The spellings of numbers that a rule allows, ``base`` without ``excluded`` if it is given."""

    def __init__(
        self, rule: Rule, *, written: str, base: Numbers | None = None, excluded: Excluded = NONE
    ) -> None:
        self.rule, self.base, self.excluded = rule, base, excluded
        self._written, self._lexical_form = written, rule.lexical_form
        self.spelling = NumberSpelling(written, rule.lexical_form)
        self._exponents, self._is_any = self.spelling.exponents, self.spelling.is_any
        # By sign, made when a number is first read: most rules of a schema are never asked.
        self._sides: list[Side | None] = [None, None]
        self._beyond: int | None = None
        self._steps: dict[tuple[State, int], State | None] = {}
        self._ends: dict[State, bool] = {}
        self._size = 0

    def without(self, excluded: Excluded) -> Numbers:
        return Numbers(self.rule, written=self._written, base=self, excluded=excluded)

    def only_excluded(self, state: State) -> Numbers:
        """Return numbers that are written as these are, with the excluded values that may come."""
        values = self.excluded.list_begun(state[2], negative=state[0])
        fractions = frozenset([scale(-d if negative else d, e) for negative, d, e in values])
        rule = Rule(values=fractions, lexical_form=self._lexical_form)
        return Numbers(rule, written=self._written)

    @property
    def runs_on(self) -> bool:
        """Whether mostly any digits may follow digits, whatever values are excluded."""
        sides = (self.side(negative) for negative in (False, True))
        return all(
            side.is_solid and side.high is None and not side.n_decimals or side.high == 0
            for side in sides
        )

    def canonical(self, state: State) -> State:
        """Return a state after all digits as these numbers have it, with the same future."""
        return self._canonical(self._cap(state))

    @property
    def identity(self) -> tuple[Rule, str]:
        return self.rule, self._written

    @property
    def start(self) -> State:
        return FIRST

    @property
    def has_bounds_only(self) -> bool:
        """Whether nothing but bounds is asked of a value."""
        rule = self.rule
        return (
            rule.multiple is None
            and rule.values is None
            and not (rule.not_multiples or rule.excluded or self.excluded or rule.lexical_form)
        )

    @property
    def is_satisfiable(self) -> bool:
        """Whether any number is allowed."""
        return any(self.step(FIRST, byte) is not None for byte in b"1023456789-")

    def step(self, state: State, byte: int) -> State | None:
        """Return the state after a byte, ``None`` if no allowed number begins so."""
        key = (state, byte)
        if key not in self._steps:
            self._evict_all(state)
            self._steps[key] = self._step(state, byte)
        return self._steps[key]

    def read(self, text: bytes) -> State | None:
        state: State | None = self.start
        for byte in text:
            state = None if state is None else self.step(state, byte)
        return state

    def has_value(self, value: Decimal) -> bool:
        negative, digits, exponent = value
        if self._lexical_form == 1 and exponent < 0:
            return False
        return self.side(negative).allowed.holds(digits, Range(exponent, exponent))

    def side(self, negative: int) -> Side:
        side = self._sides[negative]
        if side is None:
            base = None if self.base is None else self.base.side(negative)
            side = Side(self.rule, self.excluded, negative=bool(negative), base=base)
            self._sides[negative] = side
        return side

    def far(self) -> int:
        if self._beyond is None:
            of_rule = far_beyond(self.rule) if self.base is None else self.base.far()
            self._beyond = max(of_rule, 1 + self.excluded.furthest)
        return self._beyond

    def _evict_all(self, state: State) -> None:
        if self._size > _MOST_REMEMBERED:
            self._steps.clear()
            self._ends.clear()
            self._size = 0
        self._size += 300 + state[2].bit_length() // 4

    def takes_digits(self, state: State, n_digits: int) -> bool:
        """Return whether up to so many digits may follow, whatever they are; not complete."""
        negative, phase, digits, n_fraction, _, _ = state
        side = self.side(negative)
        if self._lexical_form == 2:
            return False
        if phase == INTEGER and side.takes_digits(digits, n_digits):
            return True
        least, most = side.low, side.high
        # An interval this wide holds some power of ten times any number.
        is_wide = most is None or most > 10 * (least + 1) or not least and most > 0
        scales = self._exponents and side.multiple is None and is_wide
        if phase in (POINT, FRACTION) and side.takes_decimals(digits, n_fraction, scales=scales):
            return True
        if not side.is_solid:
            return False
        if phase in (POINT, FRACTION) and side.n_decimals is not None:
            # A short fraction has a last digit that is not 0.
            n_left = side.n_decimals - n_fraction - max(side.slack, self.spelling.is_short)
            if n_digits <= n_left and side.covers(digits, n_fraction):
                return True
            if not self._is_any:
                return False
        if phase in (POINT, FRACTION, INTEGER) and self._is_scaled_between(side, state):
            return True
        if (phase == INTEGER or self._is_any and phase in (POINT, FRACTION)) and (
            most is None or scales
        ):
            return True  # enough of them make an interval that is wide enough
        if phase != INTEGER or most is None:
            return False
        if side.multiple is not None and side.n_decimals is None:
            return False
        if side.has_gaps or (digits + 1) * 10**n_digits > most:
            return False
        # Below the lower bound, zeros reach a number between it and ten times as much.
        return digits > least or is_wide

    def _is_scaled_between(self, side: Side, state: State) -> bool:
        """Return whether all that begins with these digits is allowed at some power of ten.

        More digits do not leave that interval. An exponent gets there, after one more digit that
        is not 0 if need be, and where an integer is too small, more digits do; a usual fraction is
        never made larger.
        """
        _, phase, digits, n_fraction, _, _ = state
        if not self._exponents or side.multiple is not None or not side.low or side.high is None:
            return False
        if not digits:
            return False
        power = power_beyond(digits, side.low, strict=True)
        if phase != INTEGER and power > -n_fraction and not self._is_any:
            return False
        return power_beyond(digits + 1, side.high, strict=True) > power

    def zeros_after(self, state: State) -> int:
        """Return 1 if zeros may follow exact digits, and -1 if the last of these is not 0.

        See :meth:`exact_digits`; 0: neither.
        """
        if state[1] not in (POINT, FRACTION):
            return 0
        if not self.spelling.is_short:
            return 1
        return 0 if state[3] == 0 and self.side(state[0]).n_decimals == 1 else -1

    def live_digits(self, state: State) -> frozenset[int] | None:
        """Return the digits that may follow, ``None`` if that is not known at once."""
        negative, phase, digits, *_ = state
        allowed = self.side(negative).allowed
        if phase != INTEGER or self._is_any or self._lexical_form == 2:
            return None
        if not isinstance(allowed, Multiples):
            return None
        return allowed.next_digits(digits, lowers=self._exponents)

    def forbidden_digits(self, state: State) -> frozenset[int]:
        """Return digits that surely may not follow; not complete."""
        negative, phase, digits, n_fraction, *_ = state
        side = self.side(negative)
        is_above = side.high is not None and digits * 10 > side.high
        if self._is_any:
            # An integer has all digits but zeros at the end, whatever the exponent.
            is_whole = side.multiple is not None and side.multiple.denominator == 1
            is_mantissa = phase in (INTEGER, POINT, FRACTION)
            return DIGITS - _ZERO if is_mantissa and is_whole and is_above else frozenset()
        if phase in (POINT, FRACTION) and side.n_decimals is not None:
            more = frozenset() if self.spelling.is_short and n_fraction else _ZERO
            return DIGITS - more if n_fraction >= side.n_decimals else frozenset()
        live = self.live_digits(state)
        if live is not None:
            return DIGITS - live
        # No usual exponent makes an integer smaller and leaves it one.
        is_larger = not self._exponents or side.multiple == 1
        return DIGITS if phase == INTEGER and is_larger and is_above else frozenset()

    def exact_digits(self, state: State) -> int:
        """Return how many digits may follow, whatever they are; 0: it is not known.

        After each of them the number may end or go on; after all of them it ends, but for zeros,
        see :meth:`zeros_after`.
        """
        negative, phase, digits, n_fraction, *_ = state
        side = self.side(negative)
        if self._is_any or side.has_gaps or self._lexical_form == 2:
            return 0
        if phase in (POINT, FRACTION) and side.n_decimals is not None:
            n_left = max(0, side.n_decimals - n_fraction)
            return n_left if side.covers(digits, n_fraction) else 0
        if phase != INTEGER or side.multiple != 1 or side.high is None:
            return 0
        n_digits, low, high = 0, digits * 10, digits * 10 + 9
        while side.is_inside(low) and side.is_inside(high):
            n_digits, low, high = n_digits + 1, low * 10, high * 10 + 9
        return n_digits if low > side.high else 0

    def may_end(self, state: State) -> bool:
        """Return whether the number may end here."""
        found = self._ends.get(state)
        if found is None:
            self._evict_all(state)
            found = self._ends[state] = self._may_end(state)
        return found

    def _may_end(self, state: State) -> bool:
        negative, phase, digits, n_fraction, _, _ = state
        if not self.spelling.may_end(state):
            return False
        if phase == FRACTION and self.side(negative).is_between(digits, n_fraction):
            return True
        power = power_of(state)
        return self.side(negative).allowed.holds(digits, Range(power, power))

    def _step(self, state: State, byte: int) -> State | None:
        after = self.spelling.move(state, byte)
        if after is None:
            return None
        after = self._cap(after)
        return self._canonical(after) if self.is_live(after) else None

    def _cap(self, state: State) -> State:
        negative, phase, digits, n_fraction, last, exponent = state
        if not exponent:
            return state
        capped = min(exponent, self._far_from(state))
        return (negative, phase, digits, n_fraction, last, capped)

    def _far_from(self, state: State) -> int:
        """Return an exponent from which on all have the same future."""
        return self.far() + state[2].bit_length() + state[3]

    def is_live(self, state: State) -> bool:
        """Return whether what has been read can become an allowed number."""
        negative, phase, digits, n_fraction, last, exponent = state
        if phase == MINUS:
            return any(self.step(state, digit) for digit in b"0123456789")
        side = self.side(negative)
        allowed = side.allowed
        exact = Range(-n_fraction, -n_fraction)
        if phase == ZERO and self._lexical_form == 1:
            return allowed.holds(digits, exact)
        if phase == INTEGER and side.is_inside(digits):
            return True
        start = self.spelling.may_pad(state)
        if start and phase in (POINT, FRACTION) and side.is_between(digits, n_fraction):
            return True
        if phase in (ZERO, INTEGER, POINT, FRACTION):
            if self._is_any:
                return allowed.meets(digits, Range(None, None), start=True)
            # An exponent adds no value that digits do not reach, but smaller ones.
            longer = Range(0, None) if phase == INTEGER else exact
            smaller = Range(None, -n_fraction - 1)
            return allowed.meets(digits, longer, start=start) or (
                self._exponents and phase != ZERO and allowed.meets(digits, smaller, start=last)
            )
        reach = [Range(0, None)]
        if phase in (LARGER, SMALLER):
            reach = list(_reach(exponent, self._far_from(state)))
        is_larger = phase in (MARK, PLUS, LARGER) and self.spelling.may_raise(state)
        if is_larger and any(allowed.holds(digits, p.shifted(-n_fraction)) for p in reach):
            return True
        if phase in (MARK, LESS, SMALLER) and self.spelling.may_lower(state):
            least = 0 if self._is_any else 1
            return any(allowed.holds(digits, _below(-n_fraction, p, least)) for p in reach)
        return False

    def _canonical(self, state: State) -> State:
        """Return a state that stands for all that have the same future."""
        negative, phase, digits, n_fraction, last, exponent = state
        if phase in (START, MINUS, ZERO):
            return state
        side = self.side(negative)
        if self._is_any and side.multiple is not None:
            if not side.is_free or not digits:
                return state
            # An exponent that makes it smaller may take the zeros at the end.
            zeros = power_of_ten(count_factor(digits, 10))
            return (negative, phase, zeros, n_fraction, last, exponent)
        if side.is_free:
            is_fraction = phase in (FRACTION, MARK, PLUS, LESS, LARGER, SMALLER) and n_fraction > 0
            if side.multiple is not None:
                last = False  # nothing smaller is an integer
            digits = (10 if is_fraction else 1) if digits or side.multiple is None else 0
            n_fraction = min(n_fraction, 2 if self.spelling.is_short else 1) if is_fraction else 0
            return (negative, phase, digits, n_fraction, last, min(exponent, 1))
        if side.is_free_to_decimals and side.n_decimals is not None and not self._exponents:
            return (negative, phase, 1, min(n_fraction, side.n_decimals), last, 0)
        if self._is_any or phase != INTEGER:
            return state
        if side.enough is not None and digits >= side.enough:
            rest = (digits - side.enough) % side.period
            return (negative, phase, side.enough + rest, 0, last and side.multiple is None, 0)
        return state


def _reach(exponent: int, far: int) -> Iterator[Range]:
    """Yield the exponents that begin with these digits, as ranges."""
    if exponent == 0:
        yield Range(0, None)  # zeros may lead
        return
    low, high = exponent, exponent
    while low < far:
        yield Range(low, high)
        low, high = low * 10, high * 10 + 9
    yield Range(far, None)


def _below(power: int, exponents: Range, least: int) -> Range:
    """Return the powers that exponents after a minus sign leave, from a least one on."""
    last = power - max(exponents.first or 0, least)
    return Range(None if exponents.last is None else power - exponents.last, last)
