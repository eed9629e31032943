"""The lexemes of one terminal for ``dynamic_complete``, compared with ``re`` itself."""

import itertools
import re

import pytest

from maskc.errors import UnsupportedTerminalError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lexer.pieces import build_lexemes

PATTERNS = ("a(bc)*", "a|ab", "a+?", "a*b", "(?:a|b)+c?", "[ab]{2,3}", "(?:ab|a)(?:c|bc)")


def lexemes_of(pattern):
    grammar, _ = load_grammar(load_source(f"start: A\nA: /{pattern}/\n", parser="earley"))
    found, threads = build_lexemes(grammar.lexer, grammar.bnf.used_terminals())
    ((_, lexemes),) = found.items()
    return lexemes, threads.byte_class


def accepts(lexemes, byte_class, text):
    state = lexemes.start
    for byte in text.encode():
        state = lexemes.next[state][byte_class[byte]]
    return lexemes.accepts[state]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_lexeme_is_a_text_whose_first_match_is_all_of_it(pattern):
    lexemes, byte_class = lexemes_of(pattern)
    for length in range(1, 7):
        for text in map("".join, itertools.product("abc", repeat=length)):
            match = re.match(pattern, text)
            whole = match is not None and match.end() == length
            assert accepts(lexemes, byte_class, text) == whole, text


@pytest.mark.parametrize("pattern", ["a(?=b)", "a$", "(?>ab|a)b", "a++b"])
def test_what_sees_where_the_text_was_cut_is_refused(pattern):
    with pytest.raises(UnsupportedTerminalError, match="terminal A"):
        lexemes_of(pattern)


def test_a_look_behind_that_sees_in_front_of_the_lexeme_is_refused():
    with pytest.raises(UnsupportedTerminalError, match="in front of the lexeme"):
        lexemes_of("(?<!b)a")


def test_a_look_behind_inside_the_lexeme_is_followed():
    lexemes, byte_class = lexemes_of(r"a[ab]*(?<=b)c")
    assert accepts(lexemes, byte_class, "abc")
    assert not accepts(lexemes, byte_class, "aac")
