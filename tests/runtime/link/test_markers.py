"""Words of bytes and of atoms, read symbol by symbol."""

from maskc.runtime.link.automata.automaton import NO_LABEL, START
from maskc.runtime.link.text.markers import ATOM, Markers

AB, ABC, ATOMIC = (97, 98), (97, 98, 99), (97, ATOM + 7)


def walk(automaton, text):
    state = START
    for byte in text:
        state = automaton.moves(state)[byte]
    return state


def test_a_word_has_its_label_where_it_ends():
    automaton = Markers([AB, ABC], [4, 5])
    assert automaton.label(walk(automaton, b"a")) == NO_LABEL
    assert automaton.label(walk(automaton, b"ab")) == 4
    assert automaton.label(walk(automaton, b"abc")) == 5


def test_only_the_words_go_on():
    automaton = Markers([AB, ABC, ATOMIC], [0, 1, 2])
    after = walk(automaton, b"a")
    assert set(automaton.moves(after)) == {98}
    assert set(automaton.atoms(after)) == {7}
    assert automaton.label(automaton.atoms(after)[7]) == 2
    assert automaton.moves(walk(automaton, b"abc")) == {}


def test_it_accepts_nowhere_as_a_word_turns_to_its_target():
    automaton = Markers([AB], [0])
    assert not any(automaton.accepts(walk(automaton, b"ab"[:n])) for n in range(3))
