"""Of lines that agree one is kept, however large the numbers are."""

import numpy as np

from maskc.glr.frontier import Frontier


def frontier(*lines):
    return Frontier(*np.array(lines, dtype=np.int32).T)


def lines_of(found):
    columns = (found.origin, found.path, found.state, found.node)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_of_lines_that_agree_one_is_kept():
    found = frontier((1, 0, 5, 2), (0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3))
    small = found.find_distinct(2, 2, 6, 4)
    large = found.find_distinct(2, 2, 6, 1 << 60)
    assert small.tolist() == large.tolist()
    assert lines_of(found.take(small)) == [(0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3)]
