import pytest

from maskc.dump.stages import OF_LANGUAGE, limit_lines
from maskc.errors import StageError
from maskc.frontends.source import load_source
from maskc.lalr_path import build_language


def test_lines_beyond_the_limit_are_counted_with_what_shows_them_all():
    assert list(limit_lines(iter("abcde"), 2)) == ["a", "b", "… 3 more lines; --lines 5"]


def test_as_many_lines_as_the_limit_are_all_shown():
    assert list(limit_lines(iter("ab"), 2)) == ["a", "b"]


def test_a_stage_that_a_grammar_does_not_have_names_the_one_to_ask_for():
    language = build_language(load_source('start: "a"\n'))
    with pytest.raises(StageError) as refused:
        OF_LANGUAGE["productions"](language)
    assert refused.value.instead == "grammar"
