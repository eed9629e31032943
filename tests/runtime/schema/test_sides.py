from fractions import Fraction

import pytest

from maskc.runtime.schema.numbers.listed import NONE
from maskc.runtime.schema.numbers.sides import Rule, Side, far_beyond


@pytest.mark.parametrize(
    "rule", [Rule(low=Fraction(10**5000)), Rule(multiple=Fraction(1, 10**5000)), Rule()]
)
def test_far_is_beyond_every_exponent_of_a_rule(rule):
    assert far_beyond(rule) > (5000 if rule != Rule() else 0)


@pytest.mark.parametrize(
    ("digits", "n_decimals", "is_between"),
    [(150, 2, True), (1, 0, True), (50, 2, False), (20, 1, False), (1_501, 3, False)],
)
def test_a_number_of_few_decimals_is_between_the_bounds(digits, n_decimals, is_between):
    rule = Rule(low=Fraction(1, 2), high=Fraction(2), high_open=True, multiple=Fraction(1, 100))
    side = Side(rule, NONE, negative=False)
    assert side.is_between(digits, n_decimals) is is_between
