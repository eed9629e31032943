"""Tokens that a walk finds become rows."""

import numpy as np

from maskc.ids import DROPPED
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


def test_tokens_with_one_path_and_one_open_lexeme_are_a_row():
    collector = RowCollector()
    collector.add(1, ints(0, 0, 0), ints(4, 4, 5), ints(1, 1, 1), ints(9, 7, 8))
    assert rows(collector, join(collector, [0])) == [(4, 1, [7, 9]), (5, 1, [8])]


def test_origins_that_come_later_are_counted_from_the_first_of_their_portion():
    collector = RowCollector()
    collector.add(2, ints(1), ints(0), ints(0), ints(3))
    collector.add(1, ints(0), ints(2), ints(0), ints(4))
    assert rows(collector, join(collector, [0])) == []
    assert rows(collector, join(collector, [1])) == [(0, 0, [3])]
    assert rows(collector, join(collector, [2])) == [(2, 0, [4])]


def test_equal_token_sets_are_kept_once():
    collector = RowCollector()
    collector.add(2, ints(0, 1), ints(0, 7), ints(0, 2), ints(3, 3))
    assert len(collector.items) == 1


def test_joined_origins_have_the_tokens_of_all():
    collector = RowCollector()
    collector.add(2, ints(0, 1, 1), ints(4, 4, 5), ints(0, 0, 0), ints(9, 7, 8))
    assert rows(collector, join(collector, [0, 1])) == [(4, 0, [7, 9]), (5, 0, [8])]
    assert rows(collector, join(collector, [])) == []


def test_a_union_of_the_same_sets_is_made_once():
    collector = RowCollector()
    collector.add(2, ints(0, 1), ints(4, 4), ints(0, 0), ints(9, 7))
    join(collector, [0, 1])
    n_sets = len(collector.items)
    join(collector, [0, 1])
    assert len(collector.items) == n_sets == 3


def test_rows_after_a_path_that_no_stack_takes_them_after_are_none():
    collector = RowCollector()
    collector.add(2, ints(0, 0, 1), ints(0, 4, 0), ints(0, 0, 0), ints(9, 7, 8))
    after = {(2, 0): 2, (2, 4): DROPPED, (3, 0): 3}

    def extend(before, path):
        pairs = zip(before.tolist(), path.tolist(), strict=True)
        return ints(*(after[pair] for pair in pairs))

    assert rows(collector, collector.join([0, 1], [2, 3], extend)) == [(2, 0, [9]), (3, 0, [8])]
