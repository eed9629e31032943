"""Lines, columns and blocks, as Lark's Indenter reads them; a tabulator counts two columns."""

import pytest

from maskc.ids import NO_LINE
from maskc.runtime.lalr.newlines import Newlines


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
