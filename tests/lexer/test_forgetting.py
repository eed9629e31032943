r"""What the states in the middle of a character forget changes no scanner, and makes it small."""

import numpy as np
import pytest

from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.lexer.dynamic import build_dynamic_scanner
from maskc.lexer.forgetting import Forgetting
from maskc.lexer.scanner import _Builder, build_scanner

GRAMMARS = {
    "a string and a word": r"""
        start: (STRING | NOT | "a")+
        STRING: /"[^"]*"/
        NOT: /\bnot\b/
    """,
    "a comment after which a word may come": r"""
        start: (NOT | "a")+
        NOT: /\bnot\b/
        %ignore /#.*/
        %ignore "\n"
    """,
    "look-behinds of two characters, and one inside another": r"""
        start: (A | B | TEXT)+
        A: /(?<=é.)x/
        B: /(?<!(?<=ü)y)z/
        TEXT: /\[[^\]]*\]/
    """,
    "a look-behind in a look-ahead, in the condition of a lexeme's end": r"""
        start: (A | B | /[éab ]/)+
        A: /a(?=.*(?<=é)b)/
        B: /<[^>]*>/
    """,
    "a look-behind between two characters of one lexeme": r"""
        start: (A | B)+
        A: /'.(?<!ö).'/
        B: /[öa]+(?<=ö)/
    """,
    "a keyword that looks back": r"""
        start: (IF | NAME | " ")+
        IF: "if"
        NAME: /(?<!é)[a-zé]+/
    """,
    "a look-behind that owes what comes after": r"""
        start: (A | B)+
        A: /(?<=é(?=ab))a/
        B: /[éb]|"[^"]*"/
    """,
    "atomic groups and possessive quantifiers": r"""
        start: (A | B)+
        A: /(?>é|é\b)a++/
        B: /[éb]+?|(?:"[^"]*+")/
    """,
}


def scanner_of(text, parser, lexer):
    source = load_source(text, parser=parser, lexer=lexer)
    if lexer == "dynamic":
        grammar, _ = load_grammar(source)
        return build_dynamic_scanner(grammar.lexer, grammar.bnf.used_terminals())
    grammar, _ = load_lalr_grammar(source)
    return build_scanner(grammar.lexer)


@pytest.mark.parametrize("text", GRAMMARS.values(), ids=GRAMMARS)
@pytest.mark.parametrize(
    ("parser", "lexer"), [("lalr", "contextual"), ("lalr", "basic"), ("earley", "dynamic")]
)
def test_a_scanner_whose_states_forget_is_the_one_whose_states_remember(
    text, parser, lexer, monkeypatch
):
    forgetful = scanner_of(text, parser, lexer)
    with monkeypatch.context() as patch:
        patch.setattr(Forgetting, "drop", lambda _self, state, _asked: state)
        remembering = scanner_of(text, parser, lexer)
    for name in ("byte_class", "next", "enter", "entries"):
        assert np.array_equal(getattr(forgetful, name), getattr(remembering, name)), name
    for name in ("ends", "end_of_text", "closed"):
        assert getattr(forgetful, name) == getattr(remembering, name), name


def test_a_string_has_few_states_beside_a_word_of_any_script():
    grammar, _ = load_lalr_grammar(load_source(GRAMMARS["a string and a word"], parser="lalr"))
    builder = _Builder(grammar.lexer)
    builder.explore()
    strings = [
        pair
        for pair, (lexeme, _) in enumerate(builder.pairs)
        if "STRING" in {grammar.lexer.terminals[t] for t in builder.lexemes.terminals_in(lexeme)}
    ]
    assert len(strings) < 40
