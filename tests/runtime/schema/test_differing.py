import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.schema.plan.arrays import can_differ

GROUPS = st.lists(st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 5))), max_size=4)


def try_all(groups):
    choices = [values for n, values in groups for _ in range(n)]
    return any(len(set(items)) == len(items) for items in itertools.product(*choices))


@given(GROUPS)
@example([(1, frozenset({0})), (1, frozenset({0, 1})), (1, frozenset({1, 2}))])
@example([(2, frozenset({0, 1})), (1, frozenset({1}))])
def test_items_can_differ_iff_some_choice_of_their_values_does(groups):
    assert can_differ(groups) == try_all(groups)


@pytest.mark.parametrize(("last", "expected"), [(3_000, True), (2_999, False)])
def test_thousands_of_items_need_no_recursion(last, expected):
    """The last item takes the first one's value, who takes the second one's, and so on."""
    chain = [(1, (number, min(number + 1, last))) for number in range(3_000)]
    assert can_differ([*chain, (1, (0,))]) == expected


def test_more_items_than_values_cannot_differ():
    assert not can_differ([(1 << 40, range(5)), (1, range(5, 9))])
