"""What a terminal is called."""

import pytest

from maskc.report.grammar import format_sequence, list_texts, name_unnamed, rebuild_grammar
from tests.report.example import HEADER

TEXTS = {"__ANON_1": '"+="', "__ANON_11": '"-="', "PLUS": '"+"'}


def test_the_texts_are_those_of_string_terminals():
    assert list_texts(rebuild_grammar(HEADER)) == {
        "COMMA": '","',
        "LSQB": '"["',
        "RSQB": '"]"',
        "__ANON_0": '"+="',
        "__ANON_1": '"-="',
    }


def test_a_postlex_is_not_imported():
    """An artifact may come from anywhere, and importing a module runs it."""
    header = {"grammar": {**HEADER["grammar"], "postlex": "no.such.module:Thing"}}
    assert rebuild_grammar(header) is not None


def test_a_grammar_that_lark_refuses_is_none():
    assert rebuild_grammar({"grammar": {**HEADER["grammar"], "text": "start: ("}}) is None
    assert list_texts(None) == {}


@pytest.mark.parametrize(
    ("sequence", "text"),
    [
        (["PLUS", "__ANON_1"], 'PLUS "+="'),
        (["__ANON_2"], "__ANON_2"),
        (["open: NAME | __ANON_11"], 'open: NAME | "-="'),
        (["an ignored lexeme", "open: anything"], "an ignored lexeme open: anything"),
    ],
)
def test_terminals_that_lark_had_to_name_are_called_by_their_texts(sequence, text):
    assert format_sequence(sequence, TEXTS) == text


def test_names_in_a_sentence_are_whole():
    assert name_unnamed("__ANON_11 ends __ANON_1", TEXTS) == '"-=" ends "+="'
