import pytest

from maskc.errors import GrammarError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source


def refusal(text):
    with pytest.raises(GrammarError) as caught:
        build_lark(load_source(f"{text}\n"))
    return str(caught.value)


def test_two_rules_that_end_alike_are_named_with_a_text():
    said = refusal('start: a | b\na: "x" y\nb: "x" z\ny: "k"\nz: "k"')
    assert said == (
        '<text>: after "x" "k", at the end of the text, rule y (line 4) as `"k"` and rule z '
        '(line 5) as `"k"` may have ended, and Lark\'s LALR parser cannot choose between them '
        "(a reduce/reduce conflict); "
        "write one rule for both, or use --parser earley, which reads any grammar"
    )


def test_the_next_terminal_is_named():
    said = refusal('start: y ";" | z ";" "!"\ny: NAME\nz: NAME\nNAME: /[a-z]+/')
    assert (
        'after NAME, before ";", rule y (line 2) as `NAME` and rule z (line 3) as `NAME` may'
        in said
    )


def test_repetitions_have_no_name_of_larks():
    said = refusal('start: "a"+ "!" | x+ "!"\nx: "a"')
    assert 'a repetition in rule start (line 1) as `"a"` and rule x (line 2) as `"a"`' in said
    assert "__" not in said


def test_the_first_of_several_is_told_and_how_many_more_there_are():
    said = refusal('start: (a | b) "1" | (a | b) "2"\na: "k"\nb: "k"')
    assert 'before "1", rule a (line 2) as' in said
    assert "(and 1 such place more)" in said


def test_what_lark_refuses_otherwise_is_said_in_its_words():
    assert "nothing defines it" in refusal("start: x")


def test_a_text_with_a_line_break_is_shown_on_one_line():
    text = 'start: a | b\na: "\\n" y\nb: "\\n" z\ny: "\\t"\nz: "\\t"\n'
    with pytest.raises(GrammarError) as refused:
        load_grammar(load_source(text))
    assert "\n" not in str(refused.value)
    assert r'after "\n" "\t"' in str(refused.value)
