"""States that lead to each other, and nothing else, are a loop."""

import pytest

from maskc.frontends.regex import read_pattern
from maskc.kit.patterns import Pattern
from maskc.runtime.link.automata import loops
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.loops import LEFT, find_loop


def loop_after(pattern, text=b""):
    automaton = Pattern(read_pattern(pattern))
    state = START
    for byte in text:
        state = automaton.moves(state)[byte]
    return automaton, find_loop(automaton, state)


@pytest.mark.parametrize(("pattern", "text"), [("abc", b""), ("[a-z]{3}", b"ab"), ("a|b+", b"")])
def test_a_state_to_which_nothing_leads_back_has_none(pattern, text):
    assert loop_after(pattern, text)[1] is None


def test_patterns_that_go_round_alike_have_one_key():
    keys = {
        loop_after(pattern, text)[1].component.key
        for pattern, text in (
            ("[a-z]+", b"x"),
            ("[a-z]+@[0-9]", b"x"),
            ("<[a-z]*>", b"<"),
        )
    }
    assert len(keys) == 1
    assert loop_after("[a-y]+", b"x")[1].component.key not in keys


def test_of_a_large_component_a_part_is_found(monkeypatch):
    whole = loop_after(".*abcdef")[1]
    monkeypatch.setattr(loops, "_MOST_STATES", 2)
    automaton, part = loop_after(".*abcdef")
    table = part.component.table
    assert 1 <= len(table) <= 2 < len(whole.component.table)
    states = [part.state_at(number, 0) for number in range(len(table))]
    assert states[0] == START
    for place, state in enumerate(states):
        for byte, after in automaton.moves(state).items():
            inside = table[place, byte]
            assert inside == (states.index(after) + 1 if after in states else LEFT)
            assert after in states or part.after(place, 0, byte) == after
