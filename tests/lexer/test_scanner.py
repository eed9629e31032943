"""Scanners: open lexemes as re reads them, states that are merged, and what states forget."""

import itertools
import re
import subprocess
import sys

import numpy as np
import pytest

from maskc.errors import UnsupportedTerminalError
from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.ids import DEAD
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.contextual import Contextual, build_dynamic_scanner, build_scanner
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton
from maskc.lexer.lookbehind_pruning import LookbehindPruning


def scanner_of(text, **settings):
    grammar, _ = load_grammar(load_source(text, **settings))
    return grammar, build_scanner(grammar.lexer)


def state_after(scanner, text):
    state = scanner.start
    for byte in text.encode():
        state = int(scanner.next[state, scanner.byte_class[byte]])
    return state


def ends_of(grammar, scanner, text):
    return {grammar.bnf.terminals[t] for t, _ in scanner.ends[state_after(scanner, text)]}


def test_a_keyword_is_told_from_a_name_by_its_end():
    grammar, scanner = scanner_of('start: "if" | NAME\nNAME: /[a-z]+/\n')
    assert ends_of(grammar, scanner, "if") == {"IF"}
    assert ends_of(grammar, scanner, "i") == {"NAME"}
    assert ends_of(grammar, scanner, "iff") == {"NAME"}


def test_equal_states_are_merged():
    _, scanner = scanner_of("start: A\nA: /x(ab|cb)y/\n")
    assert state_after(scanner, "xa") == state_after(scanner, "xc")
    assert scanner.n_states == 6


def test_states_that_no_text_can_end_from_are_dead():
    _, scanner = scanner_of("start: A | B\nA: /a/\nB: /b(?!x)(?=x)c/\n")
    assert state_after(scanner, "b") == DEAD


def test_the_condition_of_a_longer_match_runs_beside_the_next_lexeme():
    text = "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n"
    grammar, scanner = scanner_of(text)
    inside = state_after(scanner, "1")
    ((terminal, boundary),) = scanner.ends[inside]
    assert grammar.bnf.terminals[terminal] == "I"
    row = scanner.entries[scanner.enter[boundary, 0]]
    name_or_float = int(row[scanner.byte_class[ord("e")]])
    assert scanner.next[name_or_float, scanner.byte_class[ord("5")]] == DEAD
    assert scanner.next[name_or_float, scanner.byte_class[ord("x")]] != DEAD


def test_a_terminal_with_a_back_reference_is_refused():
    with pytest.raises(UnsupportedTerminalError, match="it refers back to group 1 by its number"):
        scanner_of(r"start: A" + "\n" + r"A: /(a)\1/" + "\n")


def test_a_grammar_whose_lexer_forbids_nothing_has_one_lookahead_a_terminal():
    grammar, scanner = scanner_of('start: ("a" | N)+\nN: /[0-9]+/\n%ignore " "\n')
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    assert all(len(lookaheads) == 1 for lookaheads in boundaries.of_terminal.values())


SCRIPT = """
import hashlib, sys
import maskc
artifact = maskc.compile_grammar(sys.argv[1], tokenizer="bytes")
artifact.save(sys.argv[2])
print(hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest())
"""


@pytest.mark.costly
def test_the_hash_seed_does_not_reach_the_artifact(tmp_path):
    text = (
        'start: (A | B | "ab" | c)+\nc: "(" start ")" | "[" [start] "]"\n'
        'A: /[a-z]+/\nB: /[0-9]+/\n%ignore " "\n'
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, text, str(tmp_path / "a.maskc")],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(digests) == 1


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


def scanner_by(text, parser, lexer):
    source = load_source(text, parser=parser, lexer=lexer)
    if lexer == "dynamic":
        grammar, _ = load_grammar(source)
        return build_dynamic_scanner(grammar.lexer, grammar.bnf.used_terminals)
    grammar, _ = load_lalr_grammar(source)
    return build_scanner(grammar.lexer)


@pytest.mark.parametrize("text", GRAMMARS.values(), ids=GRAMMARS)
@pytest.mark.parametrize(
    ("parser", "lexer"), [("lalr", "contextual"), ("lalr", "basic"), ("earley", "dynamic")]
)
def test_a_scanner_whose_states_forget_is_the_one_whose_states_remember(
    text, parser, lexer, monkeypatch
):
    forgetful = scanner_by(text, parser, lexer)
    with monkeypatch.context() as patch:
        patch.setattr(LookbehindPruning, "drop", lambda _self, state, _asked: state)
        remembering = scanner_by(text, parser, lexer)
    for name in ("byte_class", "next", "enter", "entries"):
        assert np.array_equal(getattr(forgetful, name), getattr(remembering, name)), name
    for name in ("ends", "end_of_text", "closed"):
        assert getattr(forgetful, name) == getattr(remembering, name), name


def test_a_string_has_few_states_beside_a_word_of_any_script():
    grammar, _ = load_lalr_grammar(load_source(GRAMMARS["a string and a word"], parser="lalr"))
    explored = Contextual(grammar.lexer)
    explored.find_all()
    strings = [
        state
        for state in explored.states
        if "STRING" in {grammar.lexer.terminals[t] for t in explored.terminals_in(state)}
    ]
    assert len(strings) < 40
