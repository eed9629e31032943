"""The states that a matcher can go back to."""

import sys
from random import Random
from weakref import ref

import pytest

from maskc.runtime.undo import CHUNK, MAX_STATES, N_DENSE, STEP, UndoLog


class State:
    """A state that says what was taken."""

    def __init__(self, *taken):
        self.taken = taken


def take(state, taken):
    return State(*state.taken, taken)


def take_all(state, taken):
    """Return a state, and the one after each of what was taken."""
    return [state, *(State(*state.taken, *taken[:n]) for n in range(1, len(taken) + 1))]


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
    state = log.back(n, take_all)
    assert state.taken == tuple(range(5 * CHUNK - n))
    assert log.n_states == 5 * CHUNK - n
    log.append(state, b"new")
    assert log.back(1, take_all) is state


def test_an_undo_log_has_an_end():
    log = log_of(1)
    with pytest.raises(ValueError, match="cannot go back 2 of 1"):
        log.back(2, take_all)


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
            assert log.back(n, take_all).taken == text[: len(text) - n]
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
    assert log.back(4 * CHUNK, take_all).taken == tuple(range(CHUNK))


def test_an_undo_log_keeps_the_last_states_of_a_long_text_and_no_more():
    log = UndoLog()
    for number in range(4 * MAX_STATES):
        log.append(number, number)
        assert log.n_states <= 2 * MAX_STATES + 2 * CHUNK
    assert log.n_states >= MAX_STATES
    assert (
        log.back(MAX_STATES, lambda state, taken: [state, *(n + 1 for n in taken)])
        == 3 * MAX_STATES
    )


def test_few_states_are_kept_and_fewer_of_those_far_back():
    log, known = UndoLog(), []
    n_far, n = 10 * CHUNK, (10 + N_DENSE) * CHUNK
    for number in range(n + STEP):
        state = State()
        known.append(ref(state))
        log.append(state, number)
    kept = [number for number, state in enumerate(known) if state() is not None]
    assert kept == [*range(0, n_far, CHUNK), *range(n_far, n, STEP), *range(n, n + STEP)]


@pytest.mark.parametrize("n", [1, STEP, CHUNK + 1, 1_000, N_DENSE * CHUNK])
def test_few_tokens_are_taken_again_to_go_back_far(n):
    log, taken = log_of(2 * N_DENSE * CHUNK), []
    log.back(n, lambda state, some: taken.extend(some) or take_all(state, some))
    assert len(taken) < STEP


def test_what_is_far_back_is_logged_anew_when_a_matcher_comes_there():
    log = log_of(2 * N_DENSE * CHUNK)
    state = log.back((2 * N_DENSE - 3) * CHUNK + 5, take_all)
    for number in range(5 * CHUNK):
        log.append(state, number)
        state = take(state, number)
    taken = state.taken
    for n in (1, 2 * STEP, 3 * CHUNK, 2 * CHUNK):
        taken = taken[:-n]
        assert log.back(n, take_all).taken == taken


def test_what_was_rolled_back_is_freed_with_the_next_states():
    log = UndoLog()
    states = [State() for _ in range(10 * CHUNK)]
    for number, state in enumerate(states):
        log.append(state, number)
    log.back(9 * CHUNK, lambda state, _: [state])
    before = sys.getrefcount(states[5 * CHUNK])
    for number in range(10):
        log.append(number, number)
    after = sys.getrefcount(states[5 * CHUNK])
    assert after == before - 1
