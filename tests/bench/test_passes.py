"""What a pass takes note of; how long things take is nothing that a test can know."""

import inspect

import numpy as np
import pytest

from maskc import allocate_bitmask
from maskc.bench import N_FIRST, BenchOptions, BenchText, collect_rows, find_slowest, list_passes
from maskc.bench.timing import TimedSession, Times, compute_figures, keep_least, measure_pass, walk
from maskc.cli.texts import bench_command
from tests.compiled import compile_text

LEGAL, ILLEGAL = b"ab;", b"a;b"


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: ("a" "b" ";")+\n')


def session_of(artifact, bitmask):
    def start():
        matcher = artifact.matcher()
        return TimedSession(lambda: matcher.fill_bitmask(bitmask, 0), matcher.accept_token)

    return start


def times_of(fill, n_taken):
    fill = np.array(fill, dtype=np.int64)
    return Times(fill, fill * 2, n_taken, (), out_of_time=False)


def test_a_pass_times_each_token_up_to_the_first_illegal_one(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    times = measure_pass(session_of(artifact, bitmask), [LEGAL, ILLEGAL, LEGAL], bitmask)
    assert times.n_taken == (3, 1, 3)
    assert times.refused == (1,)
    assert len(times.fill) == len(times.accept) == 7
    assert (times.fill > 0).all()
    assert (times.step == times.fill + times.accept).all()


def test_a_token_that_is_taken_but_not_in_the_mask_is_a_refusal():
    bitmask = allocate_bitmask(1, 256)
    bitmask[:] = 0
    times = measure_pass(lambda: TimedSession(lambda: None, bool), [b"ab"], bitmask)
    assert times.refused == (0,)


def test_a_pass_ends_when_its_time_is_over(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    times = measure_pass(session_of(artifact, bitmask), [LEGAL, LEGAL], bitmask, limit_s=0)
    assert times.out_of_time
    assert times.n_taken == (1,)


def test_each_position_keeps_the_lesser_time():
    least = keep_least(times_of([5, 1, 9], (3,)), times_of([2, 4], (2,)))
    assert least.fill.tolist() == [2, 1]
    assert least.accept.tolist() == [4, 2]
    assert least.n_taken == (2,)


def test_a_walk_takes_what_is_legal(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    assert walk(session_of(artifact, bitmask), [LEGAL, ILLEGAL]) == 4


def test_rows_are_the_distinct_masks_in_the_order_of_the_pass(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    rows, order = collect_rows(session_of(artifact, bitmask), [LEGAL + LEGAL], bitmask)
    # Behind ";" the end is legal as well as "a".
    assert len(rows) == 4
    assert order.tolist() == [0, 1, 2, 3, 1, 2]


def test_the_first_pass_is_the_beginning_of_the_cold_one():
    cold = times_of([1000] * N_FIRST + [9000], (N_FIRST + 1,))
    passes = list_passes(cold, cold)
    assert passes["first"]["fill"]["max"] == 1.0
    assert passes["cold"]["fill"]["max"] == 9.0
    assert passes["cold"]["step"]["p50"] == 3.0


def test_no_times_have_no_figures():
    assert compute_figures(np.zeros(0, dtype=np.int64)) == {}


def test_the_slowest_fill_is_shown_where_it_happened(artifact):
    documents = [BenchText("one", tuple(LEGAL)), BenchText("two", tuple(LEGAL + LEGAL))]
    cold = times_of([1, 1, 1, 1, 1, 1, 7000, 1, 1], (3, 6))
    warm = times_of([1, 1, 8000, 1, 1, 1, 1, 1, 1], (3, 6))
    first, second = find_slowest(artifact, documents, cold, warm)[:2]
    position = {"file": "one", "line": 1, "before": "ab", "token": ";", "after": ""}
    assert first == {**position, "cold_us": 0.001, "warm_us": 8.0, "slower": "warm"}
    position = {"file": "two", "line": 1, "before": "ab;", "token": "a", "after": "b;"}
    assert second == {**position, "cold_us": 7.0, "warm_us": 0.001, "slower": "cold"}


@pytest.mark.parametrize("name", ["files", "max_bytes"])
def test_the_command_has_the_defaults_of_the_library(name):
    default = inspect.signature(BenchOptions).parameters[name].default
    assert {p.name: p.default for p in bench_command.params}[name] == default
