import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.store.numbering import distinguish

numbers = st.one_of(st.integers(-3, 3), st.integers(-(1 << 31), (1 << 31) - 1))


@given(st.lists(st.tuples(numbers, numbers), max_size=40))
@example([])
@example([(0, -(1 << 31)), (0, (1 << 31) - 1)])
def test_lines_are_numbered_in_the_order_of_the_distinct_ones(lines):
    columns = np.array(lines, dtype=np.int64).reshape(-1, 2).T
    (ones, others), place = distinguish(*columns)
    distinct = sorted(set(lines))
    assert list(zip(ones.tolist(), others.tolist(), strict=True)) == distinct
    assert [distinct[n] for n in place.tolist()] == lines


def test_numbers_far_apart_are_numbered_as_those_close_together():
    far = np.array([1 << 40, 0, 1 << 40])
    (values,), place = distinguish(far)
    assert values.tolist() == [0, 1 << 40]
    assert place.tolist() == [1, 0, 1]
