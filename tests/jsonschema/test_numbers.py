"""What a conjunction asks of a number, as one rule."""

from fractions import Fraction

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.numbers import build_rule

SPACE = Space()


def rule(*atoms):
    return build_rule([SPACE.make(kind, *args) for kind, *args in atoms], "/a")


def test_the_narrowest_bounds_win_and_an_open_one_is_narrower():
    found = rule(
        ("bounds", Fraction(1), False, Fraction(9), False),
        ("bounds", Fraction(1), True, Fraction(9), True),
        ("bounds", Fraction(0), True, Fraction(10), True),
    )
    assert (found.low, found.low_open, found.high, found.high_open) == (1, True, 9, True)


def test_factors_have_a_common_multiple():
    found = rule(("multiple", Fraction(4), True), ("multiple", Fraction(3, 2), True))
    assert (found.multiple, found.not_multiples) == (Fraction(12), ())


def test_negated_factors_and_values_are_excluded():
    found = rule(
        ("multiple", Fraction(3), False),
        ("novalues", frozenset([("number", Fraction(5))])),
        ("values", frozenset([("number", Fraction(n)) for n in (4, 5)])),
    )
    assert found.not_multiples == (3,)
    assert found.excluded == {5}
    assert found.values == {4, 5}


def test_a_multiple_of_too_many_digits_is_refused_where_it_is_asked():
    factors = [Fraction(3**31_000), Fraction(7**20_000)]
    with pytest.raises(SchemaError) as caught:
        rule(*(("multiple", factor, True) for factor in factors))
    assert (caught.value.pointer, caught.value.keyword) == ("/a", "multipleOf")
