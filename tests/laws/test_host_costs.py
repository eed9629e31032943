"""The cost of a label of ``idn-hostname`` bounds its Punycode: the worst case, computed.

Characters are inserted in the order of their numbers. Each step writes a number, of more digits the
larger it is and the worse the bias suits it; all steps of a label together go as far as the
greatest character. So a table of the least way by bias and digits, one step after the other, finds
how many digits some characters take at most. It goes over all labels, and some that do not exist:
a step may change the bias to any value that a number of as many digits leads to.
"""

from functools import cache, lru_cache

import numpy as np
import pytest

from maskc.formats.character_sets import kinds
from maskc.formats.punycode import BASE, adapt, threshold
from maskc.jsonschema.host_names import MOST_COST

FIRST, LOW_END, LAST, N_DIGITS, FIRST_BIAS = 0x80, 0x7FF, 0xD7A3, 70, 72
FAR = 1 << 30


@cache
def least_number(bias, n_digits):
    """Return the least number that is written with so many digits."""
    found = 0
    for position in reversed(range(BASE, BASE * n_digits, BASE)):
        least = threshold(position, bias)
        found = least + found * (BASE - least)
    return found


def count_digits(number, bias):
    position, n_digits = BASE, 1
    while number >= (least := threshold(position, bias)):
        number = (number - least) // (BASE - least)
        position, n_digits = position + BASE, n_digits + 1
    return n_digits


def test_the_least_number_of_some_digits_has_so_many():
    for bias in (0, 11, 25, 72, 180):
        for n_digits in (2, 3, 5):
            number = least_number(bias, n_digits)
            assert count_digits(number, bias) == n_digits
            assert count_digits(number - 1, bias) == n_digits - 1


@lru_cache(maxsize=None)
class Biases:
    """The biases that a later step of a label of ``n`` characters leads to, and with which numbers.

    ``least`` and ``most`` are int64[k]: of the numbers that lead to each of ``values``.
    """

    def __init__(self, n, most):
        numbers = sorted({0, *(self._first(n, scaled) for scaled in self._cuts(n, most))})
        numbers = [number for number in numbers if number <= most]
        found = [adapt(number, n, is_first=False) for number in numbers]
        kept = [n for n, bias in enumerate(found) if n == 0 or bias != found[n - 1]]
        self.least = np.array([numbers[n] for n in kept])
        self.most = np.array([*(self.least[1:] - 1), FAR])
        self.values = np.array([found[n] for n in kept])

    @staticmethod
    def _first(n, scaled):
        """Return the least number that is so large once it was halved and a part was added."""
        half = max(0, scaled * n // (n + 1) - 2)
        while half + half // n < scaled:
            half += 1
        return 2 * half

    @staticmethod
    def _cuts(n, most):
        power = 1
        while power <= most + most // n:
            yield from (value * power for value in range(457))
            power *= BASE - 1


def follow(way, n, span):
    """Return the least ways after one more character, the n-th of its label.

    ``way`` is int64[biases, digits]: how far characters have gone at least, ``FAR`` if none does.
    """
    reached = Biases(n, (span + 1) * n + n)
    after = np.full((256, N_DIGITS), FAR)
    for bias in np.flatnonzero((way <= span).any(axis=1)).tolist():
        for n_digits in range(1, 9):
            low = least_number(bias, n_digits)
            number = np.maximum(reached.least, low)
            fits = number <= np.minimum(reached.most, least_number(bias, n_digits + 1) - 1)
            step = np.maximum(-(-number // n) - 1, 0)
            fits &= step <= span
            if low // n > span + 1:
                break
            made = way[bias, : N_DIGITS - n_digits] + step[fits, None]
            np.minimum.at(after[:, n_digits:], reached.values[fits], made)
    return np.where(after <= span, after, FAR)


def begin(n, low, high):
    """Return the least ways after the first character that is not ASCII, of some range."""
    way = np.full((256, N_DIGITS), FAR)
    numbers = np.arange((low - FIRST) * n, (high + 1 - FIRST) * n)
    n_digits = np.searchsorted([least_number(FIRST_BIAS, d) for d in range(1, 9)], numbers, "right")
    scaled = numbers // 700
    scaled += scaled // n
    cuts = np.flatnonzero(np.diff(scaled, prepend=-1) | np.diff(n_digits, prepend=-1))
    for number, digits in zip(numbers[cuts].tolist(), n_digits[cuts].tolist(), strict=True):
        at = adapt(number, n, is_first=True), digits
        way[at] = min(way[at], number // n + FIRST - low)
    return way


def most_digits(way):
    return int(np.flatnonzero((way < FAR).any(axis=0)).max())


def most_octets(n_ascii):
    """Return the octets of the longest label with so many characters of ASCII.

    The characters below U+0800 are inserted first, then the others, which go on from any of them.
    """
    found, made, way = 0, None, None
    for n_low in range((MOST_COST - n_ascii) // 3 + 1):
        n = n_ascii + n_low
        if n_low:
            way = begin(n, FIRST, LOW_END) if way is None else follow(way, n, LOW_END - FIRST)
            found, made = max(found, most_digits(way)), np.where(way < FAR, 0, FAR)
        for _ in range((MOST_COST - n_ascii - 3 * n_low) // 4):
            n += 1
            made = begin(n, LOW_END + 1, LAST) if made is None else follow(made, n, LAST - FIRST)
            found = max(found, most_digits(made))
    return 4 + n_ascii + (n_ascii > 0) + found


def test_costs_are_those_that_the_worst_case_is_computed_for():
    others = {low: kind for low, kind in kinds().items() if low >= 0x80 and kind.name}
    assert {kind.cost for low, kind in others.items() if low <= LOW_END} == {3}
    assert {kind.cost for low, kind in others.items() if low > LOW_END} == {4}
    assert LAST + 1 in kinds()
    assert max(others) <= LAST


def test_a_label_with_much_ascii_has_62_octets_at_most():
    assert max(map(most_octets, range(42, MOST_COST))) <= 62


@pytest.mark.costly
def test_every_label_has_62_octets_at_most():
    assert max(map(most_octets, range(0, MOST_COST, 7))) <= 62  # all of them take a minute
