"""Shortest texts that the lexer reads as some terminals."""

import itertools

import pytest
from lark import Lark

from maskc.lint.texts import Texts
from tests.languages import language_of, terminal

NAMES = 'start: "if" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n'
BLOCKS = """start: (_NL | stmt)*
stmt: "a" _NL | "b" block
block: _NL _INDENT stmt+ _DEDENT
_NL: /(\\n[\\t ]*)+/
%declare _INDENT _DEDENT
"""


def text_of(grammar_text, *names, **settings):
    language = language_of(grammar_text, **settings)
    texts = Texts(language.lexed.grammar, language.lexed.scanner)
    return texts.find_text([terminal(language, name) for name in names])


def test_blanks_stand_only_where_they_are_needed():
    assert text_of(NAMES, "IF", "NAME") == "if a"
    assert text_of('start: "(" NAME ")"\nNAME: /[a-z]+/\n%ignore " "\n', "LPAR", "NAME") == "(a"


def test_a_name_is_no_keyword():
    assert text_of('start: NAME | IF\nNAME: /i[a-z]/\nIF: "if"\n', "NAME") == "ia"


def test_no_terminals_are_the_empty_text():
    assert text_of(NAMES) == ""


def test_what_the_parser_refuses_has_no_text():
    assert text_of(NAMES, "NAME", "NAME") is None


def test_what_cannot_be_lexed_apart_has_no_text():
    assert text_of("start: NAME NAME\nNAME: /[a-z]+/\n", "NAME", "NAME") is None


def test_an_indent_is_four_columns():
    found = text_of(BLOCKS, "B", "_NL", "_INDENT", "A", "_NL", postlex="tests.indenters:TwoColumns")
    assert found == "b\n    a\n    "


@pytest.mark.parametrize(
    "grammar",
    [
        'start: (A | AB | B)+\nA: "a"\nAB: "ab"\nB: "b"\n%ignore " "\n',
        "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n",
    ],
)
def test_lark_lexes_what_is_found_as_it_was_asked(grammar):
    lark = Lark(grammar, parser="lalr")
    language = language_of(grammar)
    names = [n for n in language.lexed.grammar.bnf.terminals if n not in ("$END", "__IGNORE_0")]
    n_found = 0
    for sequence in itertools.product(names, repeat=2):
        text = text_of(grammar, *sequence)
        if text is not None:
            n_found += 1
            assert [token.type for token in lark.lex(text)] == list(sequence)
    assert n_found > 3
