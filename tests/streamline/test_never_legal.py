"""Sequences that no text has are dropped, whatever parser reads the grammar."""

import pytest

from tests.streamline.test_rows import rows_after

BASIC = {"lexer": "basic"}
GENERAL = {"parser": "earley"}


@pytest.mark.parametrize("settings", [BASIC, GENERAL])
def test_a_sequence_is_dropped_though_each_pair_of_it_may_stand(settings):
    # `a` may follow `x` and `b` may follow `a`, and no text has `xab`.
    text = 'start: "x" "a" "c" | "y" "a" "b"\n'
    rows = rows_after(text, (b"x", b"xab", b"ya", b"yab"), **settings)
    assert rows["never legal"][0] < rows["closings"][0]


def test_a_conflict_of_larks_does_not_keep_it_from_being_dropped():
    text = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'
    rows = rows_after(text, (b"p", b"pb", b"pc", b"pbc"), **BASIC)
    assert rows["never legal"][0] < rows["closings"][0]
    assert rows["always legal"] == rows["never legal"]
