"""Lexers of contexts made as parts of one, held against those that Lark makes by itself."""

import pytest
from lark import Lark
from lark.exceptions import LexError

from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.sharing_lexers import SHARING_CONTEXTS
from maskc.frontends.source import load_source

# Two rules that call each other and nobody else does are kept by Lark, and no state acts on E.
UNREACHED = 'start: "a"\nx: "b" y E\ny: x\nE: /c*/\n'


def _terminals(lark):
    lexer = lark.parser.lexer.lexer if lark.lexer_conf.postlex else lark.parser.lexer
    by_state = {state: [t.name for t in one.terminals] for state, one in lexer.lexers.items()}
    return by_state, [t.name for t in lexer.root_lexer.terminals]


def _tokens(lark, text):
    return [(token.type, str(token), token.line) for token in lark.lex(text)]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["json", "lua", "python"])
def test_contexts_have_the_terminals_that_lark_gives_them_in_its_order(name):
    source = load_source(name)
    shared = _terminals(build_lark(source, SHARING_CONTEXTS))
    by_state, all_terminals = _terminals(build_lark(source))
    assert sorted(map(tuple, shared[0].values())) == sorted(map(tuple, by_state.values()))
    assert shared[1] == all_terminals


def test_a_text_is_lexed_as_by_lark():
    grammar = 'start: ("if" NAME ";")*\nNAME: /[a-z]+/\n%ignore /\\s+/\n'
    shared = Lark(grammar, parser="lalr", _plugins=SHARING_CONTEXTS)
    text = "if ab ;\nif\n\nifx ;"
    assert _tokens(shared, text) == _tokens(Lark(grammar, parser="lalr"), text)
    assert shared.parse(text) == Lark(grammar, parser="lalr").parse(text)


@pytest.mark.parametrize("plugins", [{}, SHARING_CONTEXTS])
def test_a_terminal_that_no_state_acts_on_is_not_checked(plugins):
    assert Lark(UNREACHED, parser="lalr", _plugins=plugins).parse("a").data == "start"


@pytest.mark.parametrize("plugins", [{}, SHARING_CONTEXTS])
def test_a_terminal_that_can_be_empty_is_refused_with_larks_words(plugins):
    with pytest.raises(LexError) as caught:
        Lark('start: "a" E\nE: /c*/\n', parser="lalr", _plugins=plugins)
    assert str(caught.value) == "Lexer does not allow zero-width terminals. (E: 'c*')"
