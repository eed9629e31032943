"""States that lead to each other, and nothing else, are a component."""

import pytest

from maskc.frontends.regex import read_pattern
from maskc.kit.patterns import Pattern
from maskc.runtime.link.automata import components
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.components import LEFT, find_component


def component_after(pattern, text=b""):
    automaton = Pattern(read_pattern(pattern))
    state = START
    for byte in text:
        state = automaton.moves(state)[byte]
    return automaton, find_component(automaton, state)


@pytest.mark.parametrize(("pattern", "text"), [("abc", b""), ("[a-z]{3}", b"ab"), ("a|b+", b"")])
def test_a_state_to_which_nothing_leads_back_has_none(pattern, text):
    assert component_after(pattern, text)[1] is None


def test_patterns_that_go_round_alike_have_one_key():
    keys = {
        component_after(pattern, text)[1].key
        for pattern, text in (
            ("[a-z]+", b"x"),
            ("[a-z]+@[0-9]", b"x"),
            ("<[a-z]*>", b"<"),
        )
    }
    assert len(keys) == 1
    assert component_after("[a-y]+", b"x")[1].key not in keys


def test_of_a_large_component_a_part_is_found(monkeypatch):
    whole = component_after(".*abcdef")[1]
    monkeypatch.setattr(components, "_MOST_STATES", 2)
    automaton, part = component_after(".*abcdef")
    assert 1 <= len(part.states) <= 2 < len(whole.states)
    assert part.states[0] == START
    for place, state in enumerate(part.states):
        for byte, after in automaton.moves(state).items():
            inside = part.table[place, byte]
            assert inside == (part.states.index(after) + 1 if after in part.states else LEFT)
