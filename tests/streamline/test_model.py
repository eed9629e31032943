"""Rows that become equal become one."""

import numpy as np

from maskc.ids import DROPPED
from maskc.store.token_sets import TokenSets
from maskc.streamline.model import merge
from tests.streamline.values import A, B, rows_of, tokens_of


def ints(*values):
    return np.array(values, dtype=np.int32)


def test_equal_rows_have_the_tokens_of_all():
    rows = rows_of([(2, A, (B,), 1, (1, 3)), (2, A, (A,), 1, (2, 3))])
    merged = merge(rows, rows.source, rows.first, ints(rows.sequence[0], rows.sequence[0]))
    assert tokens_of(merged) == [(2, A, [B], [1, 2, 3])]


def test_a_dropped_row_takes_its_tokens_with_it():
    rows = rows_of([(2, A, (B,), 1, (1,)), (2, A, (A,), 1, (2,))])
    merged = merge(rows, rows.source, rows.first, ints(DROPPED, rows.sequence[1]))
    assert tokens_of(merged) == [(2, A, [A], [2])]


def test_rows_come_in_order_of_source_event_and_sequence():
    rows = rows_of([(3, B, (), 1, (1,)), (2, B, (), 1, (2,)), (2, A, (), 1, (3,))])
    merged = merge(rows, rows.source, rows.first, rows.sequence)
    assert [row[:2] for row in tokens_of(merged)] == [(2, A), (2, B), (3, B)]


def test_rows_of_other_sources_stay_apart():
    rows = rows_of([(2, A, (), 1, (1,)), (3, A, (), 1, (1,))])
    assert len(merge(rows, rows.source, rows.first, rows.sequence)) == 2


def test_a_union_of_the_same_sets_is_made_once():
    sets = TokenSets([ints(1, 2), ints(2, 3)])
    number = sets.unite((0, 1))
    assert sets.read(number).tolist() == [1, 2, 3]
    assert sets.unite((0, 1)) == number
    assert sets.unite((1,)) == 1


def test_a_union_that_is_a_known_set_has_its_number():
    sets = TokenSets([ints(1), ints(2), ints(1, 2)])
    assert sets.unite((0, 1)) == 2


def test_sources_are_scanner_states_and_ends():
    rows = rows_of([(0, A, (), 1, (1,))])
    assert rows.n_sources == 4
