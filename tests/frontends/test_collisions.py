"""What is said of a grammar that is not LALR(1)."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.collisions import explain_collisions
from maskc.frontends.source import load_source


def refusal(text):
    with pytest.raises(GrammarError) as caught:
        build_lark(load_source(text))
    return str(caught.value)


def test_both_rules_are_named_with_their_lines_and_what_they_read():
    assert refusal('start: a | b\na: "x"\nb: "x"\n') == (
        "<text>: Lark refuses it: Reduce/Reduce collision, rule a (line 2) as `X` and rule b "
        "(line 3) as `X` can end at the same place before the end of the text; compile with "
        "--parser earley, which needs no decision there, or write both as one rule"
    )


def test_terminals_are_counted():
    found = refusal('start: (a | b) ("p" | "q" | "r")\na: "x"\nb: "x"\n')
    assert "before P and 2 other terminals;" in found
    assert "before P and another;" in refusal('start: (a | b) ("p" | "q")\na: "x"\nb: "x"\n')


def test_a_repetition_is_called_by_its_rule():
    found = refusal('start: a | list\na: "x"* "y" "z"\nlist: s* "y" "w"\ns: "x"\n')
    assert "a repetition in rule a (line 2)" in found
    assert "rule s (line 4) as `X`" in found
    assert "star" not in found


def test_what_helps_does():
    text = 'start: a | b\na: "x"\nb: "x"\n'
    assert build_lark(load_source(text, parser="earley")).parse("x")


def test_a_message_of_another_form_is_passed_on():
    assert explain_collisions("Reduce/Reduce something new") == (
        "Lark refuses it: Reduce/Reduce something new"
    )
