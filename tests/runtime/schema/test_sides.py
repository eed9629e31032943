from fractions import Fraction

import pytest

from maskc.runtime.schema.numbers.excluded import NONE, Excluded
from maskc.runtime.schema.numbers.magnitudes import Range
from maskc.runtime.schema.numbers.sides import Rule, Side, far_beyond

EXACT = Range(0, 0)


@pytest.mark.parametrize(("negative", "held"), [(False, [0, 1, 2]), (True, [0, 1, 2, 3])])
def test_a_side_has_the_magnitudes_of_its_sign(negative, held):
    side = Side(Rule(low=Fraction(-3), high=Fraction(2)), NONE, negative=negative)
    assert [n for n in range(6) if side.allowed.holds(n, EXACT)] == held


def test_a_value_is_excluded_after_its_sign_only():
    rule = Rule(excluded=frozenset([Fraction(-20)]))
    assert Side(rule, NONE, negative=False).allowed.holds(20, EXACT)
    assert not Side(rule, NONE, negative=True).allowed.holds(20, EXACT)


def test_zero_is_excluded_after_both_signs():
    without = Excluded.of([(False, 0, 0)])
    for negative in (False, True):
        assert not Side(Rule(), without, negative=negative).allowed.holds(0, EXACT)


def test_values_are_the_only_ones_but_for_those_the_rule_refuses():
    rule = Rule(values=frozenset(map(Fraction, [1, 2, 3, 4])), low=Fraction(2))
    side = Side(rule, Excluded.of([(False, 3, 0)]), negative=False)
    assert [n for n in range(6) if side.allowed.holds(n, EXACT)] == [2, 4]


def test_a_multiple_of_what_no_multiple_may_be_is_none():
    rule = Rule(multiple=Fraction(6), not_multiples=(Fraction(3),))
    assert not Side(rule, NONE, negative=False).allowed.meets(1, Range(0, None), start=True)


@pytest.mark.parametrize(
    "rule",
    [Rule(low=Fraction(10**5000)), Rule(multiple=Fraction(1, 10**5000)), Rule()],
)
def test_far_is_beyond_every_exponent_of_a_rule(rule):
    assert far_beyond(rule) > (5000 if rule != Rule() else 0)


@pytest.mark.parametrize(
    ("digits", "n_places", "is_between"),
    [(150, 2, True), (1, 0, True), (50, 2, False), (20, 1, False), (1_501, 3, False)],
)
def test_a_decimal_of_few_places_is_between_the_bounds(digits, n_places, is_between):
    rule = Rule(low=Fraction(1, 2), high=Fraction(2), high_open=True, multiple=Fraction(1, 100))
    side = Side(rule, NONE, negative=False)
    assert side.is_between(digits, n_places) is is_between
