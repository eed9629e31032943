"""Punycode (RFC 3492): the length of a label in ASCII, and the characters that one stands for.

Of a label that is written in Unicode only the length is wanted. Characters are inserted in the
order of their numbers, each after as many steps as lie between two; a step goes past one index
with one number. How many digits that takes depends on what was inserted before, so one more
character at the end of a label can make it shorter, seldom and by little.
"""

from __future__ import annotations

from bisect import bisect_left
from copy import copy
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

BASE = 36
_FIRST, _FIRST_BIAS, _SKEW = 128, 72, 38
_DAMP, _HALF = 700, 2
DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"
_VALUES = {digit: value for value, digit in enumerate(DIGITS)}
_VALUES |= {digit.upper(): value for digit, value in _VALUES.items()}


@lru_cache(maxsize=1_024)
def punycode_length(text: str) -> int:
    """Return the number of letters of a text in Punycode.

    >>> punycode_length("bücher")
    9
    """
    return len(text.encode("punycode"))


def lengths_after(text: str, codes: Longs) -> Longs:
    """Return how long a text is in Punycode with one more character, for each of many.

    ``codes`` is int64[n], of characters that are not ASCII, ascending; so is what is returned.
    """
    basic_at = [n for n, character in enumerate(text) if character < "\x80"]
    n_basic = len(basic_at)
    others = sorted((ord(c), n) for n, c in enumerate(text) if c >= "\x80")
    slots: list[int] = []
    for _, n in others:
        slots.append(bisect_left(basic_at, n))
        basic_at.insert(slots[-1], n)
    numbers = [code for code, _ in others]
    cuts = [0, *np.searchsorted(codes, numbers).tolist(), len(codes)]
    found = np.zeros(len(codes), dtype=np.int64)
    length = n_basic + (n_basic > 0)
    number, index, bias = _FIRST, 0, _FIRST_BIAS
    for g in range(len(others) + 1):
        chosen, n_points = codes[cuts[g] : cuts[g + 1]], n_basic + g + 1
        if len(chosen):
            delta = (chosen - number) * n_points + n_points - 1 - index
            start = np.full(len(chosen), bias)
            total, biases = _write_all(delta, start, n_points, is_first=g == 0)
            last, at = chosen, n_points
            for later in range(g, len(others)):
                n_more = n_basic + later + 2
                delta = (numbers[later] - last) * n_more + slots[later] - at
                more, biases = _write_all(delta, biases, n_more, is_first=False)
                total = total + more
                last, at = np.full(len(chosen), numbers[later]), slots[later] + 1
            found[cuts[g] : cuts[g + 1]] = length + total
        if g < len(others):
            step = (numbers[g] - number) * n_points + slots[g] - index
            written = _write_all(np.array([step]), np.array([bias]), n_points, is_first=g == 0)
            length, bias = length + int(written[0][0]), int(written[1][0])
            number, index = numbers[g], slots[g] + 1
    return found


def _write_all(
    delta: Longs, bias: Longs, n_points: Longs | int, *, is_first: bool
) -> tuple[Longs, Longs]:
    """Return the number of digits of some steps, and the bias after each."""
    left, n_digits = delta, np.zeros(len(bias), dtype=np.int64)
    open_ = np.ones(len(bias), dtype=np.bool_)
    position = BASE
    while open_.any():
        least = np.clip(position - bias, 1, 26)
        n_digits += open_
        open_ = open_ & (left >= least)
        left = np.where(open_, (left - least) // (BASE - least), left)
        position += BASE
    scaled = delta // (_DAMP if is_first else _HALF)
    scaled = scaled + scaled // n_points
    steps = np.zeros(len(bias), dtype=np.int64)
    while (large := scaled > 455).any():
        scaled = np.where(large, scaled // (BASE - 1), scaled)
        steps += large * BASE
    return n_digits, steps + BASE * scaled // (scaled + _SKEW)


def threshold(position: int, bias: int) -> int:
    """Return below which value a digit is the last one of its number."""
    return min(max(position - bias, 1), 26)


def adapt(delta: int, n_points: int, *, is_first: bool) -> int:
    """Return the bias after a number."""
    delta //= _DAMP if is_first else _HALF
    delta += delta // n_points
    steps = 0
    while delta > 455:
        delta //= BASE - 1
        steps += BASE
    return steps + BASE * delta // (delta + _SKEW)


class Decoding:
    """What has been read of the numbers of a label in Punycode, after its basic characters."""

    def __init__(self, basic: str) -> None:
        self.codes = list(map(ord, basic))
        self._n_basic = len(basic)
        self._number, self._bias, self._index = _FIRST, _FIRST_BIAS, 0
        self._value, self._weight, self._position = 0, 1, 0

    @property
    def is_between(self) -> bool:
        """Whether no number is under way."""
        return self._position == 0

    @property
    def least(self) -> int:
        """The least character that can come next."""
        return self._number + (self._index + self._value) // (len(self.codes) + 1)

    def copy(self) -> Decoding:
        """Return the same, to be read on by itself."""
        made = copy(self)
        made.codes = self.codes.copy()
        return made

    def read(self, digit: str) -> int:
        """Go on by a digit; return the character that it ends, 0 if it ends none."""
        value = _VALUES[digit]
        self._position += BASE
        least = threshold(self._position, self._bias)
        self._value += value * self._weight
        if value >= least:
            self._weight *= BASE - least
            return 0
        n_points = len(self.codes) + 1
        is_first = len(self.codes) == self._n_basic
        self._bias = adapt(self._value, n_points, is_first=is_first)
        more, self._index = divmod(self._index + self._value, n_points)
        self._number += more
        self.codes.insert(self._index, self._number)
        self._index += 1
        self._value, self._weight, self._position = 0, 1, 0
        return self._number
