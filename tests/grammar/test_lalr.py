import pytest

from maskc.grammar.lalr import LalrState


def test_a_row_cannot_be_written():
    shifts = {1: 2}
    row = LalrState(shifts, {}, {})
    shifts[3] = 4
    assert dict(row.shifts) == {1: 2}
    with pytest.raises(TypeError):
        row.shifts[3] = 4
