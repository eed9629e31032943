"""Rows in pieces are read back, and pieces are kept once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.artifact.pieces import PIECE, cut_rows, read_rows


def cut(following, entries, n_classes):
    """Return the sections of two tables."""
    pieces, (one, other) = cut_rows(following, entries)
    byte_class = np.arange(256) % n_classes
    return {
        "byte_class": byte_class.astype(np.uint8),
        "scanner_piece": pieces,
        "scanner_next": one,
        "scanner_entries": other,
    }


@given(st.data(), st.integers(1, 2 * PIECE + 1))
def test_rows_are_read_back(data, n_classes):
    row = st.lists(st.integers(0, 2), min_size=n_classes, max_size=n_classes)
    tables = [
        np.array(data.draw(st.lists(row, max_size=5)), dtype=np.int32).reshape(-1, n_classes)
        for _ in range(2)
    ]
    arrays = cut(*tables, n_classes)
    for name, table in zip(("scanner_next", "scanner_entries"), tables, strict=True):
        assert np.array_equal(read_rows(arrays, name), table)


def test_a_piece_that_rows_have_in_common_is_kept_once():
    rows = np.zeros((3, PIECE + 1), dtype=np.int32)
    rows[1, 0] = rows[2, PIECE] = 1
    pieces, (numbers, none) = cut_rows(rows, rows[:0])
    assert len(pieces) == 2
    assert numbers.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert none.shape == (0, 2)
