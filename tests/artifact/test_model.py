"""What must be true of an artifact's arrays."""

import numpy as np
import pytest

from maskc.artifact.model import Contents, check, column_after
from maskc.ids import NO_LINE, SAME


def with_array(contents, name, change):
    array = contents.arrays[name].copy()
    return Contents(contents.header, {**contents.arrays, name: change(array)})


def test_what_the_compiler_made_is_right(contents):
    assert check(contents) is None


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("shift_state", lambda a: a + 1000, "section shift_state has the value"),
        (
            "scanner_end_of_text",
            lambda a: a - 9,
            "section scanner_end_of_text has a value",
        ),
        ("root_first", lambda a: a[::-1], "section root_first does not ascend from 0"),
        ("live", lambda a: a.astype(np.int64), "section live is int64, 2-dimensional"),
        ("profile_of", lambda a: a[:-1], "section profile_of has"),
        ("shift_state", lambda a: a * 0, "section shift_state pushes the state at the bottom"),
    ],
)
def test_an_array_that_would_be_read_outside_is_named(contents, name, change, fault):
    assert check(with_array(contents, name, change)).startswith(fault)


def test_a_section_that_is_missing_or_unknown_is_named(contents):
    arrays = {name: array for name, array in contents.arrays.items() if name != "live"}
    assert check(Contents(contents.header, arrays)) == "section live is missing"
    more = {**contents.arrays, "x": np.zeros(1)}
    assert check(Contents(contents.header, more)) == "section x is unknown"


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (4, 8, 8),
        (4, SAME, 4),
        (4, SAME - 2, 6),
        (4, NO_LINE, NO_LINE),
        (NO_LINE, SAME - 2, NO_LINE),
    ],
)
def test_a_column_changes_relative_to_the_start_of_the_token(before, change, after):
    assert column_after(before, change) == after
