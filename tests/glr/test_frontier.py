"""Of lines that agree one is kept, however large the numbers are."""

import numpy as np

from maskc.glr.frontier import Frontier, count_up


def frontier(*lines):
    return Frontier(*np.array(lines, dtype=np.int32).T)


def lines_of(found):
    columns = (found.origin, found.path, found.state, found.node)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_lines_in_the_dead_state_are_none():
    assert lines_of(frontier((0, 1, 0, 4), (0, 1, 3, 4))) == [(0, 1, 3, 4)]


def test_of_lines_that_agree_one_is_kept():
    found = frontier((1, 0, 5, 2), (0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3))
    small = found.find_distinct(2, 2, 6, 4)
    large = found.find_distinct(2, 2, 6, 1 << 60)
    assert small.tolist() == large.tolist()
    assert lines_of(found.take(small)) == [(0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3)]


def test_counting_begins_anew_for_each_count():
    assert count_up(np.array([2, 0, 3], dtype=np.int32)).tolist() == [0, 1, 0, 1, 2]
