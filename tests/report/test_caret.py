import pytest

from maskc.report.caret import point_at


@pytest.mark.parametrize(
    ("text", "offset", "shown"),
    [
        (b"", 0, ["", "  ^"]),
        (b"ab\ncd", 4, ["  cd", "   ^"]),
        (b"ab\n", 2, ["  ab", "    ^"]),
        ("öü".encode(), 3, ["  öü", "   ^"]),  # inside the ü
        (b"a\tb\x00", 3, ["  a b", "     ^"]),
        (b"\xff\xfex", 2, ["  \ufffd\ufffdx", "    ^"]),
    ],
)
def test_the_caret_is_below_the_character(text, offset, shown):
    assert point_at(text, offset) == shown


def test_a_long_line_is_cut():
    line, caret = point_at(b"x" * 1_000_000 + b"y" + b"z" * 1_000_000, 1_000_000)
    assert len(line) < 80
    assert line[len(caret) - 1] == "y"
