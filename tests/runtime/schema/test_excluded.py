"""Numbers without some values: what they read."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.listed import Excluded
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.scans.digits import follow_number
from maskc.runtime.schema.tries import ROOT
from tests.examples import examples
from tests.runtime.schema.vocabularies import build_index

LETTERS = "0125.-e,"
TEXTS = [*LETTERS, *(a + b for a in LETTERS for b in LETTERS)]
TEXTS += [
    "2e9",
    "120",
    "1205",
    "12e9",
    *(a + b + c for a in "-125" for b in "015.e" for c in "05,e"),
]
INDEX = build_index(tuple(text.encode() for text in TEXTS))
# A sign, digits that do not end in 0, and an exponent.
DECIMALS = st.tuples(
    st.booleans(),
    st.sampled_from([1, 2, 5, 12, 15, 25, 1205]),
    st.sampled_from([-2, -1, 0, 1, 2, 9]),
)
VALUES = st.frozensets(DECIMALS | st.just((False, 0, 0)), max_size=8)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(),
        Rule(multiple=Fraction(1)),
        Rule(multiple=Fraction(2)),
        Rule(low=Fraction(0), high=Fraction(1)),
        Rule(low=Fraction(1), high=Fraction(2000), multiple=Fraction(1)),
        Rule(values=frozenset(map(Fraction, [1, 2, 12, 120, 1205, 12050, 2 * 10**9]))),
        Rule(low=Fraction(0), high=Fraction(20)),
        Rule(values=frozenset(map(Fraction, [0, 1, 2, 5, 10, 12, 15, 25, 120, -5]))),
        Rule(values=frozenset([Fraction(1, 2), Fraction(5, 2), Fraction(-1, 5)])),
    ],
)
@pytest.mark.parametrize("written", SPELLINGS)
@examples(100)
@given(
    VALUES,
    st.sampled_from(
        [b"", b"-", b"1", b"0", b"1.", b"2.5", b"-0", b"1e", b"0.", b"12", b"0e", b"120"]
    ),
)
@example(frozenset([(False, 1, 0), (False, 1, 1)]), b"")
def test_the_texts_of_a_number_without_values_are_those_that_it_reads(
    rule, written, values, before
):
    base = Numbers(rule, written=written)
    excluded = Excluded(values)
    numbers = base.without(excluded) if excluded else base
    state = numbers.read(before)
    if state is None:
        return
    found = follow_number(INDEX, INDEX.tokens, numbers, state, (ROOT,))
    alone = Numbers(rule, written=written, excluded=excluded)
    wanted = [p for p, text in enumerate(INDEX.texts) if alone.read(before + text)]
    assert sorted(found.list_texts()) == wanted
    for node in found.exits:
        assert alone.may_end(alone.read(before + INDEX.tokens.path(node)))
    ended = {INDEX.tokens.path(node) for node in found.exits}
    for text in TEXTS:
        head, comma, _ = text.partition(",")
        state = alone.read(before + head.encode())
        if comma and state is not None and alone.may_end(state):
            assert head.encode() in ended
