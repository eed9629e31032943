"""Held against loops over the powers of ten, with exact fractions and no code in common."""

from fractions import Fraction
from math import ceil

from hypothesis import assume, example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers.listed import Listed, Listing
from maskc.runtime.schema.numbers.magnitudes import Between, Bounds, Multiples, by_digits
from maskc.runtime.schema.numbers.powers import Factor, Range
from tests.examples import examples

VALUES = st.builds(
    lambda digits, exponent: digits * Fraction(10) ** exponent,
    st.integers(0, 250),
    st.integers(-3, 3),
)
POSITIVE = VALUES.filter(bool)
BOUNDS = st.builds(Bounds, VALUES, st.booleans(), st.none() | POSITIVE, st.booleans()).filter(
    lambda bounds: bounds.high is None or bounds.low < bounds.high
)
POWERS = st.builds(lambda first, n: Range(first, first + n), st.integers(-8, 8), st.integers(0, 6))
DIGITS = st.integers(0, 1200)
FACTORS = st.lists(POSITIVE, max_size=2)
EXCLUDED = st.lists(VALUES, max_size=4)


def between(bounds, value):
    above = value > bounds.low or value == bounds.low and not bounds.low_open
    below = bounds.high is None or value < bounds.high
    return above and (below or value == bounds.high and not bounds.high_open)


def powers_of(powers):
    return [Fraction(10) ** n for n in range(powers.first, powers.last + 1)]


@given(st.lists(VALUES, max_size=6), EXCLUDED, DIGITS, POWERS, st.booleans())
@example([Fraction(0)], [], 0, Range(0, 0), True)
def test_listed_magnitudes_are_found(values, excluded, digits, powers, start):
    listed = Listed(Listing(values), by_digits(excluded))
    there = set(values) - set(excluded)
    scales = powers_of(powers)
    assert listed.holds(digits, powers) == any(digits * scale in there for scale in scales)
    assert listed.meets(digits, powers, start=start) == any(
        digits * scale < value < (digits + 1) * scale or start and value == digits * scale
        for value in there
        for scale in scales
    )


@given(BOUNDS, FACTORS, EXCLUDED, DIGITS, POWERS, st.booleans())
def test_all_magnitudes_between_two_bounds_are_found(bounds, nots, excluded, digits, powers, start):
    numbers = Between(bounds, tuple(map(Factor, nots)), by_digits(excluded))

    def allows(value):
        return (
            between(bounds, value)
            and value not in excluded
            and all(value / factor % 1 for factor in nots)
        )

    scales = powers_of(powers)
    held = any(allows(digits * scale) for scale in scales)
    assert numbers.holds(digits, powers) == held
    inside = any(
        max(digits * scale, bounds.low)
        < ((digits + 1) * scale if bounds.high is None else min((digits + 1) * scale, bounds.high))
        for scale in scales
    )
    assert numbers.meets(digits, powers, start=start) == (inside or start and held)


@given(BOUNDS, POSITIVE, FACTORS, EXCLUDED, DIGITS, POWERS, st.booleans())
@example(Bounds(Fraction(0), False, None, False), Fraction(400), [], [], 1, Range(0, 6), True)
def test_multiples_are_found(bounds, factor, nots, excluded, digits, powers, start):
    assume(all((factor / other).denominator > 1 for other in nots))
    numbers = Multiples(bounds, Factor(factor), tuple(map(Factor, nots)), by_digits(excluded))

    def allows(value):
        return (
            between(bounds, value)
            and value / factor % 1 == 0
            and value not in excluded
            and all(value / other % 1 for other in nots)
        )

    scales = powers_of(powers)
    assert numbers.holds(digits, powers) == any(allows(digits * scale) for scale in scales)

    def meets(scale):
        low, high = digits * scale, (digits + 1) * scale
        if bounds.high is not None and low > bounds.high:
            return False
        n = ceil(max(low, bounds.low) / factor)
        # Of so many in a row some are excluded, and the others leave all remainders.
        found = (n + k for k in range(60))
        return any(
            allows(k * factor) and (k * factor > low or start) for k in found if k * factor < high
        )

    assert numbers.meets(digits, powers, start=start) == any(map(meets, scales))


@examples(33)
@given(
    BOUNDS,
    POSITIVE,
    FACTORS,
    EXCLUDED,
    DIGITS,
    POWERS,
    st.booleans(),
    st.sampled_from([-2000, 2000]),
)
def test_a_set_that_is_ten_to_the_2000_larger_is_met_2000_powers_later(
    bounds, factor, nots, excluded, digits, powers, start, by
):
    assume(all((factor / other).denominator > 1 for other in nots))

    def build(by):
        scale = Fraction(10) ** by
        limits = Bounds(
            bounds.low * scale,
            bounds.low_open,
            None if bounds.high is None else bounds.high * scale,
            bounds.high_open,
        )
        others = tuple(Factor(other * scale) for other in nots)
        gone = by_digits(value * scale for value in excluded)
        return [
            Multiples(limits, Factor(factor * scale), others, gone),
            Between(limits, others, gone),
            Listed(Listing(value * scale for value in (factor, bounds.low)), gone),
        ]

    for near, far in zip(build(0), build(by), strict=True):
        later = powers.shifted(by)
        assert near.holds(digits, powers) == far.holds(digits, later)
        assert near.meets(digits, powers, start=start) == far.meets(digits, later, start=start)


def test_a_range_without_an_end_is_answered_at_once():
    even = Multiples(Bounds(Fraction(0), False, None, False), Factor(Fraction(10**5000)), (), {})
    assert even.meets(7, Range(0, None), start=True)
    assert even.holds(7, Range(0, None))
    assert not even.meets(7, Range(None, 4998), start=True)
    assert even.meets(9, Range(4998, 4999), start=True) is False
    assert even.meets(9, Range(4998, 5000), start=True) is True
