from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers.powers import (
    Factor,
    ceil_scaled,
    count_digits,
    count_factor,
    decimal,
    power_beyond,
    read_digits,
    split_zeros,
    write_digits,
)

NUMBERS = st.integers(1, 10**40)
EXPONENTS = st.integers(-40, 40)


@given(NUMBERS)
@example(10**20)
@example(10**20 - 1)
def test_digits_are_counted(number):
    assert count_digits(number) == len(str(number))


@pytest.mark.parametrize("n", [1, 5_000, 100_000])
def test_a_power_of_ten_has_a_digit_more_than_the_number_before(n):
    assert (count_digits(10**n), count_digits(10**n - 1)) == (n + 1, n)


@given(NUMBERS, NUMBERS, NUMBERS, st.booleans())
@example(3, 300, 1, True)
@example(3, 300, 1, False)
def test_the_power_beyond_is_the_first_that_passes(digits, top, bottom, strict):
    bound = Fraction(top, bottom)
    n = power_beyond(digits, bound, strict=strict)
    passes, before = (digits * Fraction(10) ** k for k in (n, n - 1))
    assert (passes > bound, before <= bound) == (True, True) or not strict
    assert (passes >= bound, before < bound) == (True, True) or strict


@given(NUMBERS, st.integers(1, 10**6), st.sampled_from([1, 2, 5, 8, 10, 25, 3, 7]))
def test_a_factor_divides_from_the_first_power_that_it_divides(digits, top, bottom):
    factor = Fraction(top, bottom)
    first = Factor(factor).divides_from(digits)
    if first is None:
        assert digits * 10**40 / factor % 1 != 0
    else:
        assert digits * Fraction(10) ** first / factor % 1 == 0
        assert digits * Fraction(10) ** (first - 1) / factor % 1 != 0


@given(NUMBERS, EXPONENTS, NUMBERS)
def test_what_is_scaled_is_rounded_up(digits, power, top):
    unit = Fraction(top, 3)
    exact = digits * Fraction(10) ** power / unit
    assert exact <= ceil_scaled(digits, power, unit) < exact + 1


@given(st.integers(1, 10**6), st.sampled_from([2, 5, 10]), st.integers(0, 60))
def test_a_factor_is_counted(number, factor, n):
    found = count_factor(number * factor**n, factor)
    assert found >= n
    assert number * factor**n % factor ** (found + 1) != 0


@given(st.integers(0, 10**9), EXPONENTS)
def test_a_decimal_is_its_digits_and_its_exponent(digits, exponent):
    value = digits * Fraction(10) ** exponent
    short, shift = decimal(value)
    assert short * Fraction(10) ** shift == value
    assert short % 10 != 0 or value == 0


def test_a_third_has_no_digits():
    assert decimal(Fraction(1, 3)) is None


def test_zeros_are_split_off():
    assert split_zeros(7 * 10**5000) == (7, 5000)


@pytest.mark.parametrize("n", [1, 3_999, 4_000, 4_001, 9_000])
def test_numbers_of_any_length_are_written_and_read(n):
    text = "70" * n
    assert write_digits(read_digits(text)) == text
