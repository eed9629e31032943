"""Terminals that the grammar puts side by side and the lexer cannot tell apart."""

import re

from maskc.store.adjacency import find_adjacencies, shortest_lexemes
from tests.languages import language_of

NAME = "NAME: /[a-z]+/\n"


def pairs_of(text):
    language = language_of(text)
    lexed = language.lexed
    found = find_adjacencies(lexed.grammar.lexer, lexed.scanner, lexed.boundaries, language.table)
    return {(pair.first, pair.second): pair.witness for pair in found}


def test_two_names_are_one_with_a_witness():
    found = pairs_of(f'start: NAME ("." | NAME)\n{NAME}')
    assert set(found) == {("NAME", "NAME")}
    assert re.fullmatch(b"[a-z]{2}", found["NAME", "NAME"])


def test_a_blank_that_is_ignored_keeps_them_apart():
    assert pairs_of(f'start: NAME ("." | NAME)\n{NAME}%ignore " "\n') == {}


def test_terminals_that_never_meet_are_no_pair():
    assert pairs_of(f'start: NAME "." NAME\n{NAME}') == {}


def test_each_terminal_has_a_shortest_lexeme():
    language = language_of("start: A | B\nA: /a+b/\nB: /[x-z]{3}/\n")
    names = language.lexed.grammar.bnf.terminals
    found = {names[t]: text for t, text in shortest_lexemes(language.lexed.scanner).items()}
    assert found["A"] == b"ab"
    assert re.fullmatch(b"[x-z]{3}", found["B"])
