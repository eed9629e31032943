from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers import Numbers, Rule

BOUNDS = st.none() | st.fractions(-20, 120, max_denominator=4)
RULES = st.builds(
    Rule,
    low=BOUNDS,
    low_open=st.booleans(),
    high=BOUNDS,
    high_open=st.booleans(),
    multiple=st.none()
    | st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 2), Fraction(5, 4)]),
    not_multiples=st.just(()) | st.just((Fraction(2),)),
    excluded=st.frozensets(st.integers(0, 12).map(Fraction), max_size=3),
)
INTEGERS = st.integers(0, 130).map(str)
SPELLINGS = st.builds(
    lambda sign, whole, rest: sign + whole + rest,
    st.sampled_from(["", "-"]),
    INTEGERS,
    st.sampled_from(["", ".0", ".5", ".25", ".75", ".250", "e1", "E+2", "e0"]),
) | st.sampled_from(["0.5", "5e-1", "25e-2", "1.5e-1", "125e-2", "0.05"])


def read(numbers, text):
    state = numbers.start
    for byte in text.encode():
        state = numbers.step(state, byte)
        if state is None:
            return None
    return state


@given(RULES, SPELLINGS)
@example(Rule(high=Fraction(0)), "0")
@example(Rule(multiple=Fraction(3), not_multiples=(Fraction(3),)), "3")
def test_a_number_is_accepted_iff_its_value_is_allowed(rule, text):
    numbers = Numbers(rule, exponents=True)
    state = read(numbers, text)
    accepted = state is not None and numbers.may_end(state)
    assert accepted == rule.allows(Fraction(text.replace("E+", "e")))


@given(RULES, SPELLINGS, st.data())
def test_what_is_live_can_be_finished_in_a_few_digits(rule, text, data):
    numbers = Numbers(rule, exponents=True)
    prefix = text[: data.draw(st.integers(0, len(text)))]
    state = read(numbers, prefix)
    if state is None or not numbers.is_satisfiable:
        return
    level = [state]
    for _ in range(8):
        if any(map(numbers.may_end, level)):
            return
        level = list(
            dict.fromkeys(
                after
                for here in level
                for byte in b"-0123456789.e"
                if (after := numbers.step(here, byte)) is not None
            )
        )
    raise AssertionError((rule, prefix))


@pytest.mark.parametrize(
    ("text", "n_legal"), [("1.5", 2), ("15e-1", 3), ("1.5e3", 2), ("1e300", 5), ("1.000", 5)]
)
def test_an_integer_is_recognised_by_its_digits(text, n_legal):
    numbers = Numbers(Rule(multiple=Fraction(1)), exponents=True)
    legal = [n for n in range(len(text) + 1) if read(numbers, text[:n]) is not None]
    assert legal[-1] == n_legal


def test_the_digits_of_a_free_number_are_forgotten():
    numbers = Numbers(Rule(), exponents=True)
    assert read(numbers, "123") == read(numbers, "98765")
