import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.listed import Excluded
from maskc.runtime.schema.numbers.sides import Rule

BOUNDS = st.none() | st.integers(-80, 480).map(lambda n: Fraction(n, 4))
RULES = st.builds(
    Rule,
    low=BOUNDS,
    low_open=st.booleans(),
    high=BOUNDS,
    high_open=st.booleans(),
    multiple=st.none()
    | st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 2), Fraction(5, 4), Fraction(1, 100)]),
    not_multiples=st.just(()) | st.just((Fraction(2),)),
    excluded=st.frozensets(st.integers(0, 12).map(Fraction), max_size=3),
    lexical_form=st.sampled_from([0, 0, 0, 1, 2]),
).filter(lambda rule: rule.lexical_form != 1 or rule.is_whole)


def read(numbers, text):
    return numbers.read(text.encode())


WHOLE = "-?(?:0|[1-9][0-9]*)"
# How each spelling writes a number, read from docs/json-schema.md.
WRITTEN = {
    "plain": rf"{WHOLE}(?:\.[0-9]+)?",
    "short": rf"{WHOLE}(?:\.(?:0|[0-9]*[1-9]))?",
    "usual": rf"{WHOLE}(?:\.[0-9]+)?|{WHOLE}[eE]\+?[0-9]+"
    rf"|(?=[^eE]*[1-9][eE]){WHOLE}(?:\.[0-9]+)?[eE]-0*[1-9][0-9]*",
    "any": rf"{WHOLE}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
}
TEXTS = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(["", "-"]),
    st.integers(0, 130).map(str) | st.just("1200"),
    st.sampled_from(["", "", ".0", ".5", ".25", ".75", ".250", ".00", ".10", ".05", ".01"]),
    st.sampled_from(["", "", "e1", "E+2", "e0", "e-1", "E-02", "e-0", "e+00"]),
)


def has_form(rule, text):
    """Return whether a number has a fraction or an exponent as the rule asks."""
    return rule.lexical_form == 0 or text.lstrip("-").isdigit() == (rule.lexical_form == 1)


@pytest.mark.parametrize("written", WRITTEN)
@given(RULES, TEXTS)
@example(Rule(high=Fraction(0)), "0")
@example(Rule(multiple=Fraction(3), not_multiples=(Fraction(3),)), "3")
@example(Rule(multiple=Fraction(1)), "1.25E+2")
@example(Rule(multiple=Fraction(1, 100)), "1.250")
@example(Rule(multiple=Fraction(1), lexical_form=2), "120e-1")
@example(Rule(not_multiples=(Fraction(2),)), "1200e-1")
def test_a_number_is_accepted_iff_it_is_spelled_so_and_its_value_is_allowed(written, rule, text):
    numbers = Numbers(rule, written=written)
    state = read(numbers, text)
    accepted = state is not None and numbers.may_end(state)
    is_number = re.fullmatch(WRITTEN[written], text) is not None and has_form(rule, text)
    assert accepted == (is_number and rule.allows(Fraction(text)))


@pytest.mark.parametrize("written", WRITTEN)
@given(RULES, TEXTS, st.data())
def test_what_is_live_can_be_finished_in_a_few_digits(written, rule, text, data):
    numbers = Numbers(rule, written=written)
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
    ("rule", "text", "accepted"),
    [
        (Rule(), "6.02e23", True),
        (Rule(), "1.50E+0", True),
        (Rule(multiple=Fraction(1)), "1.5e3", True),
        (Rule(multiple=Fraction(1)), "1.5e0", False),
        (Rule(multiple=Fraction(1), high=Fraction(100)), "10000e-2", True),
        (Rule(values=frozenset([Fraction(15)])), "0.00150e4", True),
        (Rule(values=frozenset([Fraction(15)])), "0.00150e3", False),
        (Rule(low=Fraction(1), high=Fraction(2)), "0.000015e5", True),
        (Rule(high=Fraction(10**400), multiple=Fraction(7)), "7" + "0" * 500 + "e-101", True),
        (Rule(high=Fraction(10**400), multiple=Fraction(7)), "7" + "0" * 500 + "e-100", False),
        (Rule(high=Fraction(10**400), multiple=Fraction(7)), "7" + "0" * 500 + "e-501", False),
        (Rule(multiple=Fraction(1)), "0." + "0" * 500 + "1e500", False),
        (Rule(multiple=Fraction(1)), "0." + "0" * 500 + "1e501", True),
        (Rule(multiple=Fraction(1)), "0.0e-9", True),
    ],
)
def test_any_number_of_json_counts_by_its_value(rule, text, accepted):
    numbers = Numbers(rule, written="any")
    state = read(numbers, text)
    assert (state is not None and numbers.may_end(state)) is accepted


@pytest.mark.parametrize(
    ("text", "n_legal"), [("1.5", 2), ("15e-1", 3), ("1.5e3", 2), ("1e300", 5), ("1.000", 5)]
)
def test_an_integer_is_recognised_by_its_digits(text, n_legal):
    numbers = Numbers(Rule(multiple=Fraction(1)), written="usual")
    legal = [n for n in range(len(text) + 1) if read(numbers, text[:n]) is not None]
    assert legal[-1] == n_legal


def test_the_digits_of_a_free_number_are_forgotten():
    numbers = Numbers(Rule(), written="usual")
    assert read(numbers, "123") == read(numbers, "98765")


def test_of_an_integer_counts_what_it_leaves_divided_by_all_factors():
    numbers = Numbers(Rule(multiple=Fraction(3), not_multiples=(Fraction(5),)), written="usual")
    assert read(numbers, "482") == read(numbers, "2") == read(numbers, "17")
    assert read(numbers, "482") != read(numbers, "483")
    fraction = Numbers(Rule(multiple=Fraction(3, 2)), written="usual")
    assert read(fraction, "482") != read(fraction, "2")


HUGE = st.builds(
    lambda digits, exponent: digits * Fraction(10) ** exponent,
    st.integers(-99, 99),
    st.sampled_from([-4000, -3999, -3, 0, 2, 3998, 4000]),
)
HUGE_RULES = st.builds(
    Rule,
    low=st.none() | HUGE,
    low_open=st.booleans(),
    high=st.none() | HUGE,
    high_open=st.booleans(),
    multiple=st.none() | HUGE.filter(bool).map(abs),
    not_multiples=st.just(()) | st.just((Fraction(10**3999),)),
    excluded=st.frozensets(HUGE, max_size=3),
)
HUGE_SPELLINGS = st.builds(
    lambda sign, digits, exponent: f"{sign}{digits}e{exponent}",
    st.sampled_from(["", "-"]),
    st.integers(1, 9_999).filter(lambda n: n % 10) | st.just(1),
    st.sampled_from([*range(-4004, -3996), *range(-6, 0), *range(6), *range(3994, 4004)]),
)


@given(HUGE_RULES, HUGE_SPELLINGS)
@example(Rule(multiple=Fraction(10**4000)), "3e4000")
@example(Rule(multiple=Fraction(10**4000)), "3e3999")
def test_huge_numbers_are_accepted_iff_their_value_is_allowed(rule, text):
    numbers = Numbers(rule, written="usual")
    state = read(numbers, text)
    accepted = state is not None and numbers.may_end(state)
    assert accepted == rule.allows(Fraction(text))


@pytest.mark.parametrize(
    ("rule", "text", "n_legal"),
    [
        (Rule(multiple=Fraction(10**5000)), "3e4999", 6),  # 3e49990 is one
        (Rule(multiple=Fraction(10**5000), high=Fraction(10**5001)), "3e4999", 2),
        (Rule(low=Fraction(10**5000), high=Fraction(10**5000)), "10e4998", 6),
        (Rule(high=Fraction(1, 10**5000), low=Fraction(1, 10**5001)), "3e-5000", 6),
        (Rule(values=frozenset([Fraction(7, 10**5000)])), "7e-5001", 6),
        (Rule(values=frozenset([Fraction(7 * 10**5000)])), "70e4998", 6),
    ],
)
def test_what_no_digits_can_mend_is_illegal_at_once(rule, text, n_legal):
    numbers = Numbers(rule, written="usual")
    legal = [n for n in range(len(text) + 1) if read(numbers, text[:n]) is not None]
    assert legal[-1] == n_legal


def test_values_that_are_left_out_are_told_apart_however_large_they_are():
    numbers = Numbers(Rule(), written="usual", excluded=Excluded([(False, 1, 60_000)]))
    state = read(numbers, "1e60000")
    assert not numbers.may_end(state)
    assert numbers.may_end(read(numbers, "1e60001"))
    assert numbers.may_end(read(numbers, "1e600000"))
