"""Two rows side by side are asked about once for each pair of values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.lexer.joining_rows import JoinedRows
from tests.examples import examples


def test_each_pair_of_values_is_asked_about_once_in_the_order_of_the_classes():
    joined, asked = JoinedRows(), []

    def ask(one, other):
        asked.append((one, other))
        return 10 * one + other

    found = joined.join(joined.read([1, 1, 2]), joined.read([5, 6, 6]), ask)
    assert found.tolist() == [15, 16, 26]
    assert asked == [(1, 5), (1, 6), (2, 6)]


@examples(100)
@given(st.lists(st.tuples(*[st.tuples(*[st.integers(-1, 4)] * 6)] * 2), max_size=8))
def test_a_joined_row_is_what_is_asked_class_by_class(rows):
    joined = JoinedRows()
    for one, other in rows:
        found = joined.join(joined.read(one), joined.read(other), lambda a, b: 10 * a + b)
        assert found.dtype == np.int32
        assert found.tolist() == [10 * a + b for a, b in zip(one, other, strict=True)]
