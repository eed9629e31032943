"""Numbers of a plan are read as they were written, in about as many characters as JSON takes."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers.powers import read_number, sort_numbers, write_numbers

decimals = st.builds(
    lambda digits, power: Fraction(digits) * Fraction(10) ** power,
    st.integers(-(10**20), 10**20),
    st.integers(-40, 40),
)


@given(st.lists(decimals | st.fractions(), max_size=8))
def test_numbers_are_read_as_they_were_written(values):
    assert list(map(read_number, write_numbers(values))) == sorted(values)


@given(st.lists(st.fractions(max_denominator=50), max_size=8))
def test_numbers_are_sorted(values):
    assert sort_numbers(values) == sorted(values)


def test_numbers_of_thousands_of_digits_are_written_in_decimal():
    large = Fraction(10**4500 + 1)
    (written,) = write_numbers([large])
    assert written == f"1{'0' * 4499}1e0"
    assert read_number(written) == large


def test_a_number_takes_about_what_json_takes():
    assert write_numbers([Fraction("0.125"), Fraction(7), Fraction(10) ** 300]) == [
        *("125e-3", 7),
        "1e300",
    ]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        1.5,
        True,
        "",
        "e1",
        "1e",
        "1e99999",
        "1.5e1",
        "-e1",
        "x/1",
        "1/0",
        "--1e1",
        "1" * 50_000,
    ],
)
def test_what_is_no_number_is_refused(entry):
    with pytest.raises(ValueError):  # noqa: PT011  # whoever reads a plan says where
        read_number(entry)
