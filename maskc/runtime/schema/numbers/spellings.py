"""How a JSON number is written: the phases of its text, and which byte leads from one to another.

A layout has one of these spellings:

- ``plain``: an integer part and, if wanted, a fraction; no exponent.
- ``short``: as plain, without zeros that only pad: a fraction is ``.0``, or does not end in 0.
- ``usual``: as plain, also with an exponent that makes an integer larger (``1e300``), and one that
  makes a number smaller if the digits before it do not end in 0 (``1.5e-7``). Such a number is
  never an integer, so ``1.5`` where an integer is wanted is illegal at the ``5``, and ``1.5e3`` is
  not written.
- ``any``: as RFC 8259 has it.
"""

from __future__ import annotations

from typing import Final

# What has been read: sign, phase, digits as a number, digits of the fraction, whether the last
# digit is not 0, and the exponent without its sign.
State = tuple[bool, int, int, int, bool, int]

START: Final = 0
MINUS: Final = 1
ZERO: Final = 2
INTEGER: Final = 3
POINT: Final = 4
FRACTION: Final = 5
MARK: Final = 6
PLUS: Final = 7
LESS: Final = 8
LARGER: Final = 9
SMALLER: Final = 10
FIRST: Final[State] = (False, START, 0, 0, False, 0)
DIGITS: Final = frozenset(b"0123456789")
NUMBER_BYTES: Final = frozenset(b"-+.eE0123456789")
SPELLINGS: Final = ("usual", "plain", "short", "any")
_ENDS: Final = frozenset([ZERO, INTEGER, FRACTION, LARGER, SMALLER])


class NumberSpelling:
    """The spellings of a layout's numbers.

    Args:
        written: one of ``SPELLINGS``.
        lexical_form: as in :class:`maskc.runtime.schema.numbers.sides.Rule`.
    """

    def __init__(self, written: str, lexical_form: int) -> None:
        self.exponents = written in ("usual", "any") and lexical_form != 1
        self.is_any = written == "any" and self.exponents
        self.is_short = written == "short"
        self._lexical_form = lexical_form

    def may_end(self, state: State) -> bool:
        _, phase, _, n_fraction, last, exponent = state
        if phase not in _ENDS or self._lexical_form == 2 and phase in (ZERO, INTEGER):
            return False
        if phase == FRACTION and self.is_short:
            return last or n_fraction == 1
        return phase != SMALLER or exponent > 0 or self.is_any

    def may_pad(self, state: State) -> bool:
        """Return whether the fraction so far may end in the digits that it has, zeros included."""
        return not self.is_short or state[4] or state[3] < 2

    def may_raise(self, state: State) -> bool:
        """Return whether an exponent may make the number larger."""
        return state[3] == 0 or self.is_any

    def may_lower(self, state: State) -> bool:
        """Return whether an exponent may make the number smaller."""
        return state[4] or self.is_any

    def move(self, state: State, byte: int) -> State | None:
        """Return the state after a byte, whatever value the number has."""
        negative, phase, digits, n_fraction, last, exponent = state
        if byte not in DIGITS:
            return self._move_sign(state, byte)
        digit = byte - 0x30
        if phase in (START, MINUS):
            return (negative, INTEGER if digit else ZERO, digit, 0, digit > 0, 0)
        if phase == INTEGER:
            return (negative, INTEGER, digits * 10 + digit, 0, digit > 0, 0)
        if phase in (POINT, FRACTION):
            return (negative, FRACTION, digits * 10 + digit, n_fraction + 1, digit > 0, 0)
        if phase in (MARK, PLUS, LARGER) and self.may_raise(state):
            phase = LARGER
        elif phase in (LESS, SMALLER):
            phase = SMALLER
        else:
            return None
        return (negative, phase, digits, n_fraction, last, exponent * 10 + digit)

    def _move_sign(self, state: State, byte: int) -> State | None:
        negative, phase, digits, n_fraction, last, _ = state
        if byte == 0x2D and phase == START:
            return (True, MINUS, 0, 0, False, 0)
        if byte == 0x2E and phase in (ZERO, INTEGER) and self._lexical_form != 1:
            return (negative, POINT, digits, 0, False, 0)
        if not self.exponents:
            return None
        if byte in b"eE" and phase in (ZERO, INTEGER, FRACTION):
            return (negative, MARK, digits, n_fraction, last, 0)
        if byte == 0x2B and phase == MARK and self.may_raise(state):
            return (negative, PLUS, digits, n_fraction, last, 0)
        if byte == 0x2D and phase == MARK and self.may_lower(state):
            return (negative, LESS, digits, n_fraction, last, 0)
        return None


def power_of(state: State) -> int:
    """Return the power of ten by which a number's digits are multiplied."""
    _, phase, _, n_fraction, _, exponent = state
    return (-exponent if phase == SMALLER else exponent) - n_fraction
