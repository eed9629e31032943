"""Minimal automata over code points, and their differences."""

import pytest

from maskc.frontends.characters import automaton
from maskc.frontends.characters.automaton import build_dfa, subtract
from maskc.frontends.characters.expressions import (
    EMPTY_TEXT,
    NOTHING,
    choice,
    literal,
    repeat,
    sequence,
)
from maskc.frontends.characters.positions import TooLargeError

A = literal("a")


def accepts(dfa, text):
    state = dfa.start
    for character in map(ord, text):
        moves = dfa.moves[state] if state is not None else {}
        state = next(
            (t for t, sets in moves.items() if any(a <= character <= b for a, b in sets)), None
        )
    return state is not None and dfa.accepts[state]


def test_an_automaton_is_minimal():
    assert len(build_dfa(sequence(A, repeat(literal("b"), 0, 1))).moves) == 3
    assert len(build_dfa(choice(literal("ax"), literal("bx"))).moves) == 3


@pytest.mark.parametrize(("expression", "n_states"), [(EMPTY_TEXT, 1), (NOTHING, 0)])
def test_the_empty_text_and_nothing_have_automata(expression, n_states):
    dfa = build_dfa(expression)
    assert len(dfa.moves) == n_states
    assert accepts(dfa, "") == (n_states == 1)


def test_a_difference_matches_what_one_has_and_the_other_has_not():
    dfa = subtract(repeat(A, 0, None), literal("aa"))
    assert [n for n in range(6) if accepts(dfa, "a" * n)] == [0, 1, 3, 4, 5]
    assert len(dfa.moves) == 4


def test_what_nothing_is_left_of_has_no_state():
    assert subtract(A, choice(A, literal("b"))).start is None


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(automaton, "MAX_STATES", 5)
    with pytest.raises(TooLargeError):
        build_dfa(literal("abcdefgh"))
