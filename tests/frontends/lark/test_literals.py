import lark
import pytest

from maskc.errors import GrammarError, LimitError
from maskc.frontends.lark.literals import MOST_BACKSLASHES, MOST_BLANKS, check_literals

LONG = "\\" * 60


@pytest.mark.parametrize(
    "text",
    [
        f'start: "{LONG}"\n',
        f"start: /{LONG}/\n",
        'start: "' + '\\"' * 60 + "\n",
        f'start: "a" // "{LONG}\n',
        f'start: "a" # "{LONG}\n',
        'start: "\\\\" /[\\/"]/ "//" /#/\n',
        f'start: "{LONG}"i "{LONG}"\n// "\n',
        'start: "' + "\\" * MOST_BACKSLASHES + "\n",
        'start: "a"' + "\n" * MOST_BLANKS + "//x",
        "",
    ],
)
def test_what_lark_reads_or_refuses_soon_passes(text):
    try:
        check_literals(text, "x.lark")
    except LimitError:
        pytest.fail("it is within the limit")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'start: "{LONG}\n', "x.lark:1"),
        (f'start: "a"\nb: "{LONG}a\nc: "x"\n', "x.lark:2"),
        (f"start: /{LONG}\n", "x.lark:1"),
        (f'start: "a" /x/ "b" "{LONG}\n', "x.lark:1"),
    ],
)
def test_a_literal_that_nothing_closes_is_refused_with_its_line(text, place):
    with pytest.raises(GrammarError) as caught:
        check_literals(text, "x.lark")
    assert caught.value.name == place


def test_what_is_refused_for_a_literal_lark_refuses_too():
    short = 'start: "' + "\\" * 8 + "\n"
    with pytest.raises(lark.exceptions.GrammarError):
        lark.Lark(short)


def test_blank_lines_beyond_the_limit_are_refused():
    with pytest.raises(LimitError) as caught:
        check_literals('start: "a"\n' + " \n" * MOST_BLANKS, "x.lark")
    assert caught.value.place == "x.lark:1"
