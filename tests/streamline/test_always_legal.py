"""Ends of sequences that every stack takes are cut off."""

from tests.streamline.test_rows import rows_after

TOKENS = (b"(", b"((", b"(a", b"((a", b")", b"a)")


def test_ends_are_cut_off_where_no_text_is_lost():
    rows = rows_after('start: "(" start ")" | "a"\n', TOKENS)
    assert rows["always legal"][0] < rows["never legal"][0]


def test_nothing_is_cut_off_where_terminals_cannot_be_lexed_apart():
    text = 'start: "(" start ")" | "a" | NAME NAME\nNAME: /[b-z]+/\n'
    rows = rows_after(text, TOKENS)
    assert rows["always legal"] == rows["never legal"]
