"""Values as JSON Schema compares them."""

from decimal import Decimal
from fractions import Fraction

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.formulas import MAX_EXPONENT, freeze, sort_key, to_fraction


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (Decimal("1e2"), 100), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([1], (1,))],
)
def test_values_that_are_equal_are_one(left, right):
    assert freeze(left) == freeze(right)


@pytest.mark.parametrize(("left", "right"), [(1, True), (0, False), ("1", 1), ([1, 2], [2, 1])])
def test_values_that_differ_stay_apart(left, right):
    assert freeze(left) != freeze(right)


def test_a_float_is_what_it_is_written_as():
    assert to_fraction(0.1) == Fraction(1, 10)


@pytest.mark.parametrize("raw", ["1", None, True, Decimal("NaN"), Decimal(f"1e{MAX_EXPONENT + 1}")])
def test_what_is_no_number_or_beyond_the_bound_is_refused(raw):
    with pytest.raises(SchemaError) as caught:
        to_fraction(raw, "/a", "minimum")
    assert (caught.value.pointer, caught.value.keyword) == ("/a", "minimum")


def test_numbers_of_many_digits_have_an_order():
    large = ("number", Fraction(10**4_400))
    assert sort_key(("array", (large, ("null",)))).startswith("('array', ")
    assert sort_key(large) != sort_key(("number", Fraction(10**4_400 + 1)))
