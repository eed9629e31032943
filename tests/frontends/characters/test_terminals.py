"""Every text of a terminal is its own first match."""

import re
from itertools import product

import pytest

from maskc.frontends.characters.automaton import build_dfa
from maskc.frontends.characters.expressions import (
    EMPTY_TEXT,
    NOTHING,
    choice,
    literal,
    repeat,
    sequence,
)
from maskc.frontends.characters.longest import write_longest
from maskc.frontends.characters.patterns import write_pattern
from maskc.frontends.characters.terminals import write_terminal

A = literal("a")
EXPRESSIONS = [
    choice(A, literal("ab")),
    choice(repeat(literal("aa"), 0, None), repeat(literal("aaa"), 0, None)),
    sequence(repeat(A, 0, 2), choice(literal("b"), literal("ab"))),
    repeat(choice(literal("ab"), A), 1, 3),
]


def texts_of(expression):
    pattern = re.compile(write_pattern(expression))
    words = ("".join(w) for n in range(1, 6) for w in product("ab", repeat=n))
    return {word for word in words if pattern.fullmatch(word)}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_first_match_of_each_text_is_all_of_it(expression):
    pattern = re.compile(write_terminal(expression))
    for text in texts_of(expression):
        assert pattern.match(text).end() == len(text)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_automaton_written_again_has_the_same_texts(expression):
    assert texts_of(write_longest(build_dfa(expression))) == texts_of(expression)


def test_the_empty_text_is_left_out():
    assert write_terminal(EMPTY_TEXT) == ""
    assert write_terminal(NOTHING) == ""
    assert write_terminal(repeat(A, 0, 1)) == "a"


def test_a_longer_word_comes_before_its_beginning():
    assert write_terminal(choice(literal("do"), literal("double"))) in (
        "(?:double|do)",
        "do(?:uble)?",
    )
