"""Tokens that a walk finds become rows."""

import numpy as np

from maskc.store.collect import RowCollector


def ints(*values):
    return np.array(values, dtype=np.int32)


def rows(collector, found):
    """Return path, what stays open, tokens of each row."""
    return [
        (path, opened, collector.items.read(number).tolist())
        for path, opened, number in zip(*(column.tolist() for column in found), strict=True)
    ]


def join(collector, origins):
    """Return the rows of several origins; nothing comes before them."""
    return collector.join(origins, [0] * len(origins), lambda _, path: path)


def test_a_union_of_the_same_sets_is_made_once():
    collector = RowCollector()
    collector.add(2, ints(0, 1), ints(4, 4), ints(0, 0), ints(9, 7))
    join(collector, [0, 1])
    n_sets = len(collector.items)
    join(collector, [0, 1])
    assert len(collector.items) == n_sets == 3
