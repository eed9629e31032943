"""One open lexeme, compared with ``re`` itself."""

import itertools
import re

import pytest

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton

ALTERNATIVES = (
    ("ab*", "ac"),
    ("a|ab", "b+"),
    ("a+?b", "a+"),
    ("(?:ab)+", "a(?!b)"),
    ("a(?=b)", "ab?", "b"),
    ("[ab]{2}", "(?<!a)b"),
    (r"a\b", "[abc]+c"),
)


def automaton_of(text, **settings):
    grammar, _ = load_grammar(load_source(text, **settings))
    return grammar, LexemeAutomaton(grammar.lexer)


def read(automaton, state, text):
    """Return the state after some bytes, ``NO_STATE`` if the lexeme ended before."""
    for byte in text.encode():
        if state == NO_STATE:
            break
        state = automaton.row(state)[automaton.threads.byte_class[byte]]
    return state


@pytest.mark.parametrize("patterns", ALTERNATIVES)
def test_a_text_that_is_one_lexeme_is_the_terminal_that_re_matches(patterns):
    names = [f"T{i}" for i in range(len(patterns))]
    rules = "".join(f"{name}: /{p}/\n" for name, p in zip(names, patterns, strict=True))
    grammar, automaton = automaton_of(f"start: ({' | '.join(names)})+\n{rules}")
    order = [grammar.bnf.terminals[t] for t in grammar.lexer.contexts[0].alternatives]
    joined = re.compile("|".join(f"(?P<{n}>{patterns[names.index(n)]})" for n in order))
    for length in range(1, 6):
        for text in map("".join, itertools.product("abc", repeat=length)):
            match = joined.match(text)
            expected = match.lastgroup if match and match.end() == length else None
            state = read(automaton, automaton.start_of_text(), text)
            found = None if state == NO_STATE else automaton.end_of_text(state)
            assert (None if found is None else grammar.bnf.terminals[found]) == expected


def test_the_condition_of_a_longer_match_is_broken_when_it_matches():
    text = "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n"
    _, automaton = automaton_of(text)
    state = read(automaton, automaton.start_of_text(), "1")
    ((_, demands),) = automaton.ends(state)
    # The look-behinds play no part here: there are none.
    condition = automaton.condition(0, demands)
    classes = automaton.threads.byte_class
    after_e = automaton.condition_row(condition)[classes[ord("e")]]
    assert automaton.condition_row(after_e)[classes[ord("5")]] == NO_STATE
    assert automaton.condition_row(after_e)[classes[ord("x")]] == automaton.free
    assert automaton.condition_holds_at_end(after_e)
