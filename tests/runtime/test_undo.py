"""The states that a matcher can go back to."""

import sys
from random import Random
from weakref import ref

import pytest

from maskc.runtime.undo import CHUNK, MAX_STATES, N_RECENT, UndoLog


class State:
    """A state that says what was taken."""

    def __init__(self, *taken):
        self.taken = taken


def take(state, taken):
    return State(*state.taken, taken)


def log_of(n):
    """Return the log of a text of so many tokens."""
    log, state = UndoLog(), State()
    for number in range(n):
        log.append(state, number)
        state = take(state, number)
    return log


@pytest.mark.parametrize("n", [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3, 5 * CHUNK])
def test_an_undo_log_goes_back_over_chunks(n):
    log = log_of(5 * CHUNK)
    state = log.back(n, take)
    assert state.taken == tuple(range(5 * CHUNK - n))
    assert log.n_states == 5 * CHUNK - n
    log.append(state, b"new")
    assert log.back(1, take) is state


def test_an_undo_log_has_an_end():
    log = log_of(1)
    with pytest.raises(ValueError, match="cannot go back 2 of 1"):
        log.back(2, take)


def test_forks_go_back_each_in_its_own_text():
    draw = Random(1)
    texts = [()]
    logs = [UndoLog()]
    for number in range(3_000):
        which = draw.randrange(len(logs))
        log, text, kind = logs[which], texts[which], draw.random()
        if kind < 0.01 and len(logs) < 8:
            logs.append(log.fork())
            texts.append(text)
        elif kind < 0.03 and text:
            n = draw.randint(1, len(text))
            assert log.back(n, take).taken == text[: len(text) - n]
            texts[which] = text[: len(text) - n]
        else:
            log.append(State(*text), number)
            texts[which] = (*text, number)
        assert log.n_states == len(texts[which])


def test_going_back_that_is_interrupted_changes_nothing():
    log = log_of(5 * CHUNK)

    def interrupt(_state, _taken):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        log.back(4 * CHUNK - 1, interrupt)
    assert log.n_states == 5 * CHUNK
    assert log.back(4 * CHUNK, take).taken == tuple(range(CHUNK))


def test_an_undo_log_keeps_the_last_states_of_a_long_text_and_no_more():
    log = UndoLog()
    for number in range(4 * MAX_STATES):
        log.append(number, number)
        assert log.n_states <= 2 * MAX_STATES + 2 * CHUNK
    assert log.n_states >= MAX_STATES
    assert log.back(MAX_STATES, lambda _, taken: taken + 1) == 3 * MAX_STATES


def test_states_are_kept_for_the_newest_tokens_only():
    log, known = UndoLog(), []
    for number in range(10 * CHUNK):
        state = State()
        known.append(ref(state))
        log.append(state, number)
    kept = [number for number, state in enumerate(known) if state() is not None]
    n_recent = sum(number >= 9 * CHUNK for number in kept) - 1
    assert kept[:10] == [*range(0, 10 * CHUNK, CHUNK)]
    assert n_recent == N_RECENT
    assert kept[10:] == [*range(10 * CHUNK - n_recent, 10 * CHUNK)]


def test_what_was_rolled_back_is_freed_with_the_next_states():
    log = UndoLog()
    states = [State() for _ in range(10 * CHUNK)]
    for number, state in enumerate(states):
        log.append(state, number)
    log.back(9 * CHUNK, lambda state, _: state)
    before = sys.getrefcount(states[5 * CHUNK])
    for number in range(10):
        log.append(number, number)
    after = sys.getrefcount(states[5 * CHUNK])
    assert after == before - 1
