from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.scans.digits import follow_number
from maskc.runtime.schema.tries import ROOT
from tests.examples import examples
from tests.runtime.schema.vocabularies import build_index

TEXTS = (
    *(str(n).encode() for n in range(0, 1000, 7)),
    b"-",
    b".",
    b"e",
    b"E+",
    b".0",
    b"-1",
    b"1,",
    b"0",
)
INDEX = build_index(TEXTS)
EMPTY = INDEX.pack([])
BOUND = (
    st.none()
    | st.integers(-200, 70_000).map(Fraction)
    | st.integers(-300, 2_000).map(lambda n: Fraction(n, 200))
)
RULES = st.builds(
    Rule,
    low=BOUND,
    low_open=st.booleans(),
    high=BOUND,
    high_open=st.booleans(),
    multiple=st.sampled_from(
        [None, Fraction(1), Fraction(5), Fraction(1, 4), Fraction(1, 10), Fraction(1, 100)]
    ),
    not_multiples=st.sampled_from(
        [(), (), (Fraction(1),), (Fraction(7),), (Fraction(10), Fraction(3, 2)), (Fraction(1, 8),)]
    ),
    excluded=st.frozensets(st.integers(0, 30).map(Fraction), max_size=2),
)


def read(numbers, text):
    state = numbers.start
    for byte in text:
        state = numbers.step(state, byte)
        if state is None:
            return None
    return state


@pytest.mark.parametrize("written", SPELLINGS)
@examples(15)
@given(
    rule=RULES, before=st.from_regex(rb"-?(0|[1-9][0-9]{0,2})(\.[0-9]{0,3})?|-?", fullmatch=True)
)
def test_the_texts_that_stay_in_a_number_are_those_that_it_reads(written, rule, before):
    numbers = Numbers(rule, written=written)
    state = read(numbers, before)
    if state is None:
        return
    found = follow_number(INDEX, INDEX.tokens, numbers, state, (ROOT,))
    wanted = [p for p, text in enumerate(INDEX.texts) if read(numbers, before + text) is not None]
    assert sorted(found.list_texts()) == wanted
    words = INDEX.set_bits(np.bitwise_or.reduce([EMPTY, *found.part.rows]), found.part.few)
    assert np.array_equal(words, INDEX.pack([INDEX.ids[n] for n in wanted]))


@pytest.mark.parametrize("written", SPELLINGS)
@examples(200)
@given(RULES, st.integers(1, 99_999), st.booleans())
@example(Rule(high=Fraction(100), multiple=Fraction(1, 4)), 12, False)
@example(Rule(high=Fraction(3_000), multiple=Fraction(400)), 12, False)
@example(Rule(values=frozenset([Fraction(120)])), 12, False)
def test_digits_that_are_known_at_once_are_those_that_may_follow(written, rule, digits, negative):
    numbers = Numbers(rule, written=written)
    state = read(numbers, f"{'-' * negative}{digits}".encode())
    live = None if state is None else numbers.live_digits(state)
    if live is not None:
        assert live == {b for b in b"0123456789" if numbers.step(state, b) is not None}


def test_a_number_may_end_where_something_else_follows():
    index = build_index((b"1", b"1,", b"2", b","))
    numbers = Numbers(Rule(multiple=Fraction(1)), written="usual")
    found = follow_number(index, index.tokens, numbers, read(numbers, b"4"), (ROOT,))
    assert {index.tokens.path(node) for node in found.exits} == {b"", b"1"}


def test_numbers_that_take_all_digits_share_the_row_of_these():
    numbers = Numbers(Rule(multiple=Fraction(1), high=Fraction(10**9)), written="plain")
    index = build_index(tuple(str(n).encode() for n in range(150)))
    found = [
        follow_number(index, index.tokens, numbers, read(numbers, text), (ROOT,))
        for text in (b"12", b"345")
    ]
    assert [len(one.part.rows) for one in found] == [1, 1]
    assert found[0].part.rows[0] is found[1].part.rows[0]


@pytest.mark.parametrize(
    ("before", "n_digits", "takes"),
    [(b"12", 3, True), (b"1234567890", 2, False), (b"12.", 2, True), (b"12.", 3, False)],
)
def test_digits_of_an_amount_between_bounds_are_taken_at_once(before, n_digits, takes):
    amounts = Rule(low=Fraction(0), high=Fraction(99_999_999_999, 100), multiple=Fraction(1, 100))
    numbers = Numbers(amounts, written="usual")
    assert numbers.takes_digits(read(numbers, before), n_digits) is takes


@pytest.mark.parametrize(
    ("before", "n_digits"),
    [(b"300", 2), (b"4", 3), (b"327", 0), (b"3", 0), (b"32767", 0), (b"-4", 0), (b"0", 0)],
)
def test_so_many_digits_follow_and_no_more(before, n_digits):
    numbers = Numbers(Rule(multiple=Fraction(1), high=Fraction(32_767)), written="usual")
    assert numbers.exact_digits(read(numbers, before)) == n_digits
