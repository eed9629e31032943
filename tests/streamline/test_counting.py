"""Rows are counted once for each scanner state that reads them."""

import numpy as np

from maskc.streamline.counting import count_rows, count_sequences, percentiles
from tests.languages import rows_of as rows_after
from tests.languages import stages_of


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
