"""What a run over a folder says."""

import pytest

from tests.wild.examine import STATES
from tests.wild.page import count_states, format_report, list_worse, replace

GOOD = {
    "repository": "owner/name",
    "path": "x.lark",
    "parser": "lalr",
    "lexer": "basic",
    "state": "verified",
    "seconds": 1.0,
    "megabytes": 0.5,
    "peak": 90,
}
BAD = {
    "repository": "owner/name",
    "path": "y.lark",
    "parser": "earley",
    "lexer": "dynamic",
    "state": "refused",
    "why": "a | b",
}


def test_states_are_counted():
    assert count_states({"a": GOOD, "b": GOOD, "c": BAD}) == "1 refused, 2 verified"


def test_a_worse_state_is_named_and_a_better_one_is_not():
    report = {"a": BAD, "b": GOOD}
    assert list_worse(report, {"a": "compiles", "b": "refused"}, STATES) == [
        "a: refused, and was compiles"
    ]


def test_a_difference_is_named_whatever_was_expected():
    assert list_worse({"a": {"state": "differs"}}, {}, STATES) == ["a: differs from Lark"]


def test_the_page_says_how_many_compile_of_those_that_have_texts():
    none = {**BAD, "state": "no text"}
    lines = format_report(
        {
            "a": GOOD,
            "b": none,
            "c": BAD,
            "d": {**BAD, "state": "Lark refuses it"},
            "e": {**BAD, "state": "not loaded"},
        }
    )
    assert [line for line in lines if "aim" in line] == [
        "Of the 1 grammars for `lalr` that Lark loads, and of which it parses any text, 1 compile: "
        "100.0% (aim: 98%).",
        "Of the 1 grammars for `earley` that Lark loads, and of which it parses any text, 0 "
        "compile: 0.0% (aim: 95%).",
    ]


def test_the_page_counts_by_parser_and_names_what_is_refused_and_where_grammars_are_from():
    lines = format_report({"a": GOOD, "b": GOOD, "c": BAD})
    assert "| lalr, basic | 2 | 2 | 2 | 2 | 0 | 0 |" in lines
    assert "| all | 3 | 3 | 2 | 2 | 0 | 0 |" in lines
    assert "| `c` | refused: a ¦ b |" in lines
    assert lines[-1] == "- owner/name: `x.lark`, `y.lark`"


def test_only_what_stands_between_the_marks_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n")
    replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n"


def test_a_page_without_marks_is_refused_and_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x: begin -->\n")
    with pytest.raises(ValueError, match="x: end"):
        replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\n"
