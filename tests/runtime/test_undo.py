"""The states that a matcher can go back to."""

import sys

import pytest

from maskc.runtime.undo import CHUNK, MAX_STATES, UndoLog


class State:
    pass


@pytest.mark.parametrize("n", [1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK])
def test_an_undo_log_goes_back_over_chunks(n):
    log = UndoLog()
    for state in range(5 * CHUNK):
        log.append(state)
    assert log.back(n) == 5 * CHUNK - n
    assert log.n_states == 5 * CHUNK - n
    log.append("new")
    assert log.back(1) == "new"


def test_an_undo_log_has_an_end():
    log = UndoLog()
    log.append(1)
    with pytest.raises(ValueError, match="cannot go back 2 of 1"):
        log.back(2)


def test_an_undo_log_keeps_the_last_states_of_a_long_text_and_no_more():
    log = UndoLog()
    for number in range(4 * MAX_STATES):
        log.append(number)
        assert log.n_states <= 2 * MAX_STATES + 2 * CHUNK
    assert log.n_states >= MAX_STATES
    assert log.back(MAX_STATES) == 3 * MAX_STATES


def test_what_was_rolled_back_is_freed_with_the_next_states():
    log = UndoLog()
    states = [State() for _ in range(10 * CHUNK)]
    for state in states:
        log.append(state)
    log.back(9 * CHUNK)
    before = sys.getrefcount(states[5 * CHUNK])
    for number in range(10):
        log.append(number)
    after = sys.getrefcount(states[5 * CHUNK])
    assert after == before - 1
