"""ML001, ML002, ML003, ML005: what the lexer makes of the terminals."""

import re

import interegular
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lint.lexemes import find_common_lexeme

TWO_NUMBERS = """\
start: INT | HEX
INT: /[0-9]+/
HEX: /[0-9a-f]+/
"""
PATTERNS = [
    "[0-9]+",
    "[0-9a-f]+",
    "0x[0-9]+|0",
    "a(b|c)*",
    "a*b",
    "[a-c]{2,3}",
    "ab|ac",
    "x+",
    "[^a]",
]


def test_two_patterns_of_one_lexeme_and_one_priority_collide(lint):
    (finding,) = lint(TWO_NUMBERS, "ML001")
    assert finding.place.name == "INT"
    assert finding.place.line == 2
    assert finding.witness == "0"
    assert finding.fact.startswith("HEX and INT match the same text")
    assert finding.severity.value == "warning"


def test_a_priority_is_the_authors_word(lint):
    assert lint(TWO_NUMBERS.replace("INT:", "INT.1:"), "ML001") == []


def test_terminals_of_different_contexts_do_not_collide(lint):
    assert lint(TWO_NUMBERS.replace("INT | HEX", 'INT "x" HEX'), "ML001") == []


def test_a_keyword_is_no_collision(lint):
    assert lint('start: "if" NAME | NAME\nNAME: /[a-z]+/\n', "ML001") == []


def test_patterns_that_exclude_each_other_do_not_collide(lint):
    text = "start: INT | NAME\nINT: /[0-9]+/\nNAME: /(?![0-9])[0-9a-f]+/\n"
    assert lint(text, "ML001") == []


@given(st.sampled_from(PATTERNS), st.sampled_from(PATTERNS))
def test_two_patterns_meet_where_interegular_says_so(first, second):
    text = f"start: A | B\nA: /{first}/\nB: /{second}/\n"
    grammar, _ = load_grammar(load_source(text))
    pair = [grammar.bnf.terminals.index(name) for name in "AB"]
    one, other = (interegular.parse_pattern(p).to_fsm() for p in (first, second))
    lexeme = find_common_lexeme(grammar.lexer, pair)
    assert (lexeme is None) == (one & other).empty()
    if lexeme is not None:
        assert all(re.fullmatch(p, lexeme.decode()) for p in (first, second))


def test_a_terminal_behind_one_of_higher_priority_is_shadowed(lint):
    text = 'start: WORD NAME | NAME\nWORD: /if|in/\nNAME.1: /[a-z]+/\n%ignore " "\n'
    (finding,) = lint(text, "ML002")
    assert finding.place.name == "WORD"
    assert finding.place.line == 2
    assert finding.severity.value == "error"
    assert finding.witness == "if"
    assert "NAME is taken instead" in finding.fact


def test_a_terminal_that_some_context_lexes_is_not_shadowed(lint):
    text = 'start: WORD NAME | "!" NAME\nWORD: /if|in/\nNAME.1: /[a-z]+/\n%ignore " "\n'
    assert lint(text, "ML002") == []


def test_a_keyword_that_is_a_name_elsewhere_is_noted(lint):
    (finding,) = lint('start: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML003")
    assert finding.place.name == "NAME"
    assert "LET is itself in 1 of 2 contexts" in finding.fact
    assert finding.witness == "let"
    assert finding.severity.value == "note"


def test_the_witness_of_a_keyword_leads_to_where_it_is_no_name(lint):
    (finding,) = lint('start: "#" ("let" NAME | NAME)\nNAME: /[a-z]+/\n%ignore " "\n', "ML003")
    assert finding.witness == "#let"


def test_a_reserved_word_can_nowhere_be_a_name(lint):
    (finding,) = lint(
        '// maskc: lexer=basic\nstart: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML003"
    )
    assert finding.fact == "LET can nowhere be written as NAME"


def test_a_string_that_no_pattern_matches_is_no_keyword(lint):
    assert lint('start: "+" NAME | NAME\nNAME: /[a-z]+/\n', "ML003") == []


def test_neighbours_that_are_one_lexeme_are_found(lint):
    text = 'start: NAME NAME | "x"\nNAME: /[a-z]+/\n'
    (finding,) = lint(text, "ML005")
    assert finding.place.name == "NAME"
    assert finding.witness == "aa"
    assert finding.severity.value == "warning"


@pytest.mark.parametrize("ignored", ['%ignore " "', "%ignore /[ \\n]+/"])
def test_neighbours_that_a_blank_keeps_apart_are_fine(lint, ignored):
    assert lint(f"start: NAME NAME\nNAME: /[a-z]+/\n{ignored}\n", "ML005") == []
