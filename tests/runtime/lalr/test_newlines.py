"""Lines, columns and blocks, as Lark's Indenter reads them; a tabulator counts two columns."""

import numpy as np
import pytest

from maskc.ids import NO_LINE
from maskc.runtime.lalr.lexemes import Columns, Newlines


@pytest.fixture(scope="module")
def newlines(blocks_artifact):
    blocks = blocks_artifact.machine
    return Newlines(
        blocks_artifact.contents.arrays, blocks.tables, blocks.lookaheads, blocks.effects
    )


def is_legal(machine, text):
    return bool(machine.step(machine.start(), text))


@pytest.mark.parametrize(
    ("before", "byte", "after"),
    [
        (NO_LINE, "\n", 0),
        (5, "\n", 0),
        (0, " ", 1),
        (1, "\t", 3),
        (NO_LINE, " ", NO_LINE),
        (3, "#", 3),
    ],
)
def test_a_byte_changes_the_column(newlines, before, byte, after):
    assert newlines.next_column(before, ord(byte)) == after


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        (b"b:\n  x\nx\n", True),
        (b"b:\n  x\n  x\n", True),
        (b"b:\n  x\n x\n", False),
        (b"b:\n  x\n    x\n", False),
        (b"b:\nx\n", False),
        (b"b:\n\tx\n  x\n", True),
        (b"b:\n  b:\n    x\nx\n", True),
        (b"b:\n  b:\n    x\n x", False),
    ],
)
def test_a_line_belongs_to_a_block_by_its_column(blocks, text, legal):
    assert is_legal(blocks, text) == legal


def test_an_open_newline_leads_on_if_it_can_reach_an_open_block(blocks):
    assert is_legal(blocks, b"b:\n    x\n   ")
    assert not is_legal(blocks, b"b:\n    x\n   x")
    # It can still take another line break.
    assert is_legal(blocks, b"b:\n    x\n     ")


# One newline, one boundary: from the present column on every second one from 2, after a fresh line
# break columns 0 and 1 and then every third.
COLUMNS = Columns(
    {
        "column_first": np.array([0, 4]),
        "column_reset": np.array([[1], [1], [0], [0]], dtype=np.uint8),
        "column_more": np.array([[0], [0], [1], [0]], dtype=np.uint8),
        "column_period": np.array([[3, 2]]),
    }
)


@pytest.mark.parametrize(
    ("column", "after_line_break", "expected"),
    [
        (0, False, False),
        (2, False, True),
        (3, False, False),
        (100, False, True),
        (101, False, False),
        (0, True, True),
        (1, True, True),
        (2, True, False),
        (4, True, True),
        (5, True, False),
        (1_000_000, True, True),
    ],
)
def test_columns_repeat_after_those_that_are_listed(column, after_line_break, expected):
    assert COLUMNS.can_reach(0, 0, column, after_line_break=after_line_break) == expected


def test_a_column_is_exceeded_by_one_that_is_repeated_for_ever():
    assert COLUMNS.can_exceed(0, 0, 10**9, after_line_break=False)


def test_without_one_that_repeats_there_is_a_last_column():
    arrays = {
        "column_first": np.array([0, 3]),
        "column_reset": np.array([[1], [1], [0]], dtype=np.uint8),
        "column_more": np.array([[1], [1], [0]], dtype=np.uint8),
        "column_period": np.array([[1, 1]]),
    }
    last = Columns(arrays)
    assert last.can_exceed(0, 0, 0, after_line_break=True)
    assert not last.can_exceed(0, 0, 1, after_line_break=True)
