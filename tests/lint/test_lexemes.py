"""Lexemes that terminals share."""

import re

import interegular
from hypothesis import given
from hypothesis import strategies as st

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lint.lexemes import find_common_lexeme

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
