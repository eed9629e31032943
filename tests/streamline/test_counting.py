"""Rows are counted once for each scanner state that reads them."""

import numpy as np

from maskc.streamline.counting import count_rows, count_sequences, percentiles
from tests.languages import rows_of as rows_after
from tests.languages import stages_of
from tests.streamline.values import A, B, rows_of


def test_rows_after_an_end_count_for_each_state_that_ends_so():
    # State 0 reads the rows after A, state 1 those after A and B.
    rows = rows_of([(2, A, (), 1, (1,)), (2, A, (B,), 1, (2,)), (3, B, (), 1, (3,))])
    assert count_rows(rows) == [2, 3]


def test_equal_questions_of_one_state_count_once():
    rows = rows_of([(2, A, (B,), 1, (1,)), (3, A, (B,), 1, (2,))])
    assert count_rows(rows) == [1, 1]


def test_own_rows_of_a_state_count_beside_those_after_its_ends():
    rows = rows_of([(0, 0, (), 1, (1,)), (2, A, (), 1, (2,))])
    assert count_rows(rows) == [2, 1]


def test_a_row_of_a_state_that_one_of_its_ends_has_too_counts_once():
    rows = rows_of([(0, A, (), 1, (1,)), (2, A, (), 1, (2,)), (0, A, (B,), 1, (2,))])
    assert count_rows(rows) == [2, 1]


def test_raw_counts_each_closing_terminal_by_itself():
    stages = stages_of('start: "if" | NAME\nNAME: /[a-z]+/\n', (b"i", b"if"))
    rows, boundaries = rows_after(stages, "raw"), stages.language.lexed.boundaries
    start = stages.language.lexed.scanner.start
    # Both tokens leave a lexeme that may become IF or NAME.
    assert count_rows(rows)[start] == 1
    assert count_sequences(rows, boundaries, None)[start] == 2
    assert count_sequences(rows, boundaries, None)[0] == 0


def test_percentiles_are_among_the_counts():
    found = percentiles([5, 1, 3])
    assert (found[0], found[50], found[100]) == (1, 3, 5)
    assert len(found) == 101
    assert set(found) == {1, 3, 5}


def test_no_counts_are_all_zero():
    assert set(percentiles([])) == {0}


def test_counts_are_those_of_a_plain_loop():
    stages = stages_of(
        'start: "a" start "b" | "c" | start "+" start\n', (b"a", b"ac", b"cb", b"b+")
    )
    rows = rows_after(stages, "never legal")
    expected = []
    keys = list(zip(rows.first.tolist(), rows.sequence.tolist(), strict=True))
    for state, ends in enumerate(rows.ends_of):
        read = np.flatnonzero(np.isin(rows.source, [state, *ends])).tolist()
        expected.append(len({keys[row] for row in read}))
    assert count_rows(rows) == expected
