import re
from random import Random

import pytest

from maskc.verify.lexemes import LexemeSearch
from maskc.verify.patterns import ParsedTerminal

PATTERNS = [
    r"[a-z_]\w*",
    r'"(?:\\.|[^"\\\n])*"',
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?",
    r"//[^\n]*",
    r"(?i:select)",
    r"(?s:/\*.*?\*/)",
    r"[^\x00-\x7f]+",
    r"(a)?(?(1)b|c)",
    r"(?>ab|a)c",
    r"\s",
]


def draw_some(pattern, count=40, *, is_string=False, search=tuple):
    pattern = ParsedTerminal("T", pattern, 0)
    lexemes = LexemeSearch(pattern, is_string=is_string, search=search, encoding="utf-8")
    draw = Random(0)
    return [lexemes.draw(draw) for _ in range(count)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_lexeme_is_matched_from_start_to_end(pattern):
    for lexeme in draw_some(pattern):
        assert lexeme
        assert re.match(pattern, lexeme).end() == len(lexeme)


def test_names_are_mostly_words():
    names = draw_some(r"[a-zA-Z_]\w*")
    assert {"value", "get_item"} & set(names)
    assert len(set(names)) > 10


def test_strings_hold_words_with_blanks():
    texts = draw_some(r'"(?:\\.|[^"\\])*"')
    assert any(" " in text and text.strip('"').replace(" ", "").isalpha() for text in texts)


def test_blanks_come_by_ones():
    assert {len(text) for text in draw_some(r"[ \t\n]+")} <= {1, 2}
    assert " " in draw_some(r"[ \t\n]+")


def test_the_case_of_a_keyword_is_changed_only_if_it_does_not_count():
    assert set(draw_some("(?i:from)", is_string=True)) == {"from", "FROM"}
    assert set(draw_some("from", is_string=True)) == {"from"}


def test_what_a_look_around_refuses_is_not_drawn():
    assert set(draw_some(r"(?!aa)[ab]{2}", 80)) == {"ab", "ba", "bb"}


def test_what_draws_do_not_find_is_searched():
    found = draw_some(r"(?=zebra)[a-z]{5}", 3, search=lambda: ("", "zebra"))
    assert found == ["zebra"] * 3


def test_a_terminal_without_a_lexeme_has_none():
    assert draw_some(r"(?!a)a", 2) == [None, None]


def test_a_long_repetition_is_left_to_the_search():
    assert draw_some("(?:ab){100000}", 1) == [None]


def test_the_same_choices_give_the_same_lexemes():
    assert draw_some(PATTERNS[1]) == draw_some(PATTERNS[1])
