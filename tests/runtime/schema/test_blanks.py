import pytest

from maskc.runtime.schema.blanks import Blanks, at_most


def follow(choice, text, depth=1):
    blanks, gap = Blanks(choice), 0
    for byte in text:
        after = blanks.step(gap, byte, depth)
        if after is None:
            return None
        gap = after
    return blanks.may_go_on(gap)


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("compact", b"", True),
        ("compact", b" ", None),
        ("bounded", b" " * 8 + b"\r\n" + b" " * 8, True),
        ("bounded", b" " * 9, None),
        ("bounded", b"\r", False),
        ("any", b"\r" * 20, True),
        ("at most 9", b" \t\n" * 3, True),
        ("at most 9", b" " * 10, None),
        ("at most 9", b"\r", None),
    ],
)
def test_a_gap_is_read_as_its_layout_says(choice, text, expected):
    assert follow(choice, text) is expected


@pytest.mark.parametrize(
    "choice", ["", "at most", "at most 0", "at most -1", "at most 12345678901"]
)
def test_another_choice_is_refused(choice):
    with pytest.raises(ValueError, match="blanks is not one of compact, bounded, any"):
        Blanks(choice)


def test_no_blanks_are_the_compact_layout():
    assert (at_most(0), at_most(3)) == ("compact", "at most 3")
