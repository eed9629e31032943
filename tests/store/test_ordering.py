"""A store's numbers do not depend on how it was walked."""

import numpy as np

from maskc.store.ordering import order_opens, order_paths


def ints(*values: int):
    return np.array(values, dtype=np.int32)


def test_shorter_paths_come_first_then_those_with_smaller_events():
    # b, a b, a
    found = order_paths(ints(0, 0, 3, 0), ints(0, 2, 2, 1), ints(0, 0, 0, 0), ints(1, 2, 3))
    assert found.number_of.tolist() == [0, 2, 3, 1]
    assert found.parent.tolist() == [0, 0, 0, 1]
    assert found.event.tolist() == [0, 1, 2, 2]


def test_paths_that_differ_in_a_column_only_are_in_order_of_it():
    found = order_paths(ints(0, 0, 0), ints(0, 1, 1), ints(0, 4, -2), ints(1, 2))
    assert found.number_of.tolist() == [0, 2, 1]
    assert found.column.tolist() == [0, -2, 4]


def test_a_path_that_no_row_goes_on_from_is_left_out():
    found = order_paths(ints(0, 0, 1, 0), ints(0, 1, 1, 2), ints(0, 0, 0, 0), ints(2, 2))
    assert found.number_of.tolist() == [0, 1, 2, -1]


def test_rows_that_complete_nothing_need_the_empty_path_alone():
    found = order_paths(ints(0, 0), ints(0, 1), ints(0, 0), ints(0))
    assert found.number_of.tolist() == [0, -1]
    assert found.parent.tolist() == [0]


def test_open_lexemes_are_in_order_of_their_numbers_and_columns():
    number, lexemes, columns = order_opens(ints(7, 4, 4, 9), ints(0, 0, -2, 0), ints(0, 1, 2))
    assert number.tolist() == [2, 1, 0, -1]
    assert lexemes.tolist() == [4, 4, 7]
    assert columns.tolist() == [-2, 0, 0]
