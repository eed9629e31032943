"""Which look-behinds match here: one automaton over the whole text."""

import re

import pytest

from maskc.automata.lookbehind import LookBehindStepper
from maskc.automata.nfa import Nfa
from maskc.automata.threads import ThreadStepper
from tests.automata.test_threads import match_end


def states_along(pattern, text):
    nfa = Nfa()
    nfa.add_pattern("T", pattern, 0, 0)
    threads = ThreadStepper(nfa)
    stepper = LookBehindStepper(threads)
    state = stepper.start()
    found = [state]
    for byte in text.encode():
        state = stepper.step(state, int(threads.byte_class[byte]))
        found.append(state)
    return found


def test_two_states_matter_for_one_character_before():
    states = states_along(r"(?<!\\)a", "a\\a\\\\")
    assert len(set(states)) == 2
    assert states[0] == states[1] == states[3]


def test_a_pattern_without_look_behinds_has_one_state():
    assert len(set(states_along("ab|c", "abc"))) == 1


def test_a_state_inside_a_character_matches_nothing():
    (_, inside, after) = states_along("(?<=é)a", "é")
    assert (inside.whole is None, bool(inside.matched)) == (False, False)
    assert (after.whole is None, bool(after.matched)) == (True, True)


@pytest.mark.parametrize("pattern", ["(?<=a)b", "(?<!a)b", r"(?<=\ba)b", "(?<=(?<!b)a)b"])
@pytest.mark.parametrize("text", ["ab", "b", "bab", "aab"])
def test_a_look_behind_sees_what_stands_before_the_match(pattern, text):
    start = text.rindex("b")
    found = re.compile(pattern).match(text, start)
    assert match_end(pattern, text, start) == (found.end() if found else None)
