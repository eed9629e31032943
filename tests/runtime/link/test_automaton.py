"""An automaton over bytes is made state by state, and its arrays say what its maps say."""

import random

import numpy as np
import pytest

from maskc.runtime.link.automata import START, Words
from tests.examples import seeds


def follow(automaton, text):
    state = START
    for byte in text:
        state = automaton.moves(state).get(byte, -1)
        if state < 0:
            return None
    return state


def test_no_state_is_made_before_it_is_needed():
    automaton = Words([b"abc", b"bcd"])
    assert automaton.n_states == 1
    automaton.moves(START)
    assert automaton.n_states == 3


@pytest.mark.parametrize("seed", seeds(20))
def test_many_states_move_at_once_as_one_by_one(seed):
    draw = random.Random(seed)
    words = sorted({bytes(draw.choices(b"abc", k=draw.randint(1, 6))) for _ in range(30)})
    automaton = Words(words)
    for word in words:
        follow(automaton, word)
    states = np.array([draw.randrange(automaton.n_states) for _ in range(50)], dtype=np.int32)
    bytes_ = np.array(draw.choices(b"abcd", k=50), dtype=np.uint8)
    expected = [
        automaton.moves(state).get(byte, -1)
        for state, byte in zip(states.tolist(), bytes_.tolist(), strict=True)
    ]
    assert automaton.step_all(states, bytes_).tolist() == expected
