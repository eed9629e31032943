import _thread
import gc
import itertools
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from maskc import Limits, bounded
from maskc.bounded import run_bounded
from maskc.budget import at, open_budget, poll, reserve
from maskc.errors import LimitError
from maskc.jsonschema.patterns import build_whole
from maskc.regular.nfa import Nfa

MEGABYTE = 1_000_000


def spin() -> None:
    while True:
        pass


def grow() -> None:
    kept = []
    while True:
        kept.append(b"x" * MEGABYTE)


def refused(work, **limits) -> LimitError:
    with pytest.raises(LimitError) as caught:
        run_bounded(work, Limits(**limits), name="x.lark")
    return caught.value


def test_work_within_the_limits_gives_its_value():
    assert run_bounded(lambda: 5, Limits(seconds=5)) == 5


def test_a_loop_without_a_call_ends_when_its_time_is_spent():
    error = refused(spin, seconds=0.1)
    assert str(error) == (
        "x.lark: more than 0.1 seconds of processor time; simplify it, or raise "
        "--time-limit SECONDS (seconds= of maskc.Limits)"
    )


def test_memory_that_grows_without_end_is_refused():
    error = refused(grow, bytes=150 * MEGABYTE)
    assert (error.what, error.limit) == ("MB of memory", 150)


def test_a_memory_error_is_told_as_the_limit():
    def allocate() -> None:
        raise MemoryError

    assert refused(allocate).what == "MB of memory"


def test_endless_recursion_is_told_as_a_limit():
    def deeper() -> int:
        return 1 + deeper()

    assert refused(deeper).limit == sys.getrecursionlimit()


def test_an_error_names_the_place_that_was_told_last():
    def work() -> None:
        at("pass store")
        at(lambda: "rule start")
        spin()

    error = refused(work, seconds=0.1)
    assert error.location == "x.lark: rule start"


def test_an_error_that_is_swallowed_is_raised_again():
    tries = []

    def work() -> None:
        while len(tries) < 2:
            try:
                spin()
            except BaseException:
                tries.append(1)
                if len(tries) == 2:
                    raise

    assert refused(work, seconds=0.1).limit == 0.1
    assert len(tries) == 2


def test_a_reservation_beyond_the_memory_is_refused_before_it_is_taken():
    error = refused(lambda: reserve(10**15, "tokens"))
    assert error.what == "MB of memory for tokens"


def test_a_reservation_within_the_memory_is_granted():
    assert run_bounded(lambda: reserve(1000, "tokens")) is None


def test_a_reservation_without_a_budget_is_granted():
    assert open_budget() is None
    assert reserve(10**15, "tokens") is None


def test_a_budget_inside_another_is_the_outer_one():
    def outer() -> None:
        run_bounded(spin, Limits(seconds=1000))

    assert refused(outer, seconds=0.1).limit == 0.1


def test_another_error_passes_through():
    def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_bounded(work)
    assert open_budget() is None


def test_after_a_refusal_the_next_work_is_done():
    refused(spin, seconds=0.1)
    assert open_budget() is None
    assert run_bounded(lambda: sum(range(100_000))) == 4999950000


def test_work_that_ends_as_its_time_is_spent_leaves_nothing_to_come(monkeypatch):
    monkeypatch.setattr(bounded, "LOOK_EVERY", 0.001)

    def work() -> int:
        start = time.thread_time()
        while time.thread_time() - start < 0.0105:
            pass
        return 1

    ended = 0
    for _ in range(100):
        try:
            ended += run_bounded(work, Limits(seconds=0.01))
        except LimitError:
            ended += 1
        for _ in range(1000):  # where an exception that is late would come
            pass
    assert ended == 100


def test_budgets_of_several_threads_do_not_touch_each_other():
    found: dict[str, object] = {}

    def small() -> None:
        found["small"] = refused(spin, seconds=0.1)

    def large() -> None:
        def work() -> str:
            while "small" not in found:
                pass
            return "done"

        found["large"] = run_bounded(work, Limits(seconds=60))

    threads = [threading.Thread(target=target) for target in (small, large)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(found["small"], LimitError)
    assert found["large"] == "done"


def test_the_watching_thread_ends_with_the_work():
    before, until = _thread._count(), time.monotonic() + 30
    run_bounded(lambda: None)
    while _thread._count() > before and time.monotonic() < until:
        time.sleep(0.001)
    assert _thread._count() == before


PROFILED = """
import cProfile
from maskc.bounded import run_bounded

profile = cProfile.Profile()
run_bounded(lambda: None)
profile.enable()
for _ in range(100):
    (lambda: None)()
profile.disable()
print("done")
"""


def test_a_process_can_be_profiled_after_bounded_work():
    """An exception taken back keeps CPython 3.11 looking for it: it never leaves the next call."""
    ran = subprocess.run(
        [sys.executable, "-c", PROFILED], check=False, capture_output=True, text=True, timeout=60
    )
    assert (ran.stdout, ran.stderr) == ("done\n", "")


def test_a_generator_is_closed_when_the_budget_is_spent():
    closed = []

    def numbers() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    refused(lambda: sum(numbers()), seconds=0.1)
    gc.collect()
    assert closed == [True]


def test_a_limit_error_survives_pickling():
    error = LimitError("seconds", 2.5, "wait", "x.lark")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.what, copy.limit, copy.remedy, copy.location) == ("seconds", 2.5, "wait", "x.lark")


@pytest.mark.parametrize("name", ["seconds", "bytes", "text", "work"])
def test_a_limit_of_nothing_is_refused(name):
    with pytest.raises(ValueError, match=name):
        Limits(**{name: 0})


def test_an_exception_that_is_lost_in_a_callback_is_not_reported_and_comes_again(
    capsys, monkeypatch
):
    """The collector calls back wherever it likes, and what is raised there goes nowhere."""
    monkeypatch.setattr(bounded, "RAISE_AGAIN_AFTER", 1000.0)  # it comes again for being lost

    class Lossy:
        def __del__(self):
            ended = time.thread_time() + 0.4
            while time.thread_time() < ended:
                pass

    def work():
        Lossy()
        spin()

    before = sys.unraisablehook
    with pytest.raises(LimitError):
        run_bounded(work, Limits(seconds=0.1))
    assert sys.unraisablehook is before
    assert "Exception ignored" not in capsys.readouterr().err


def test_who_polls_looks_at_the_clock_itself(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(bounded, "_thread_clock", lambda _: lambda: next(ticks))
    monkeypatch.setattr(bounded, "LOOK_EVERY", 1e6)
    polled = []

    def work():
        while True:
            polled.append(poll())

    assert refused(work, seconds=5).limit == 5
    assert len(polled) == 5


def test_who_polls_without_a_budget_goes_on():
    assert poll() is None


@pytest.mark.parametrize(
    "work",
    [lambda: Nfa().add_pattern("A", "(a{100}){100}", 0, 0), lambda: build_whole("a")],
    ids=["nodes of a pattern", "states of a schema's pattern"],
)
def test_loops_that_no_exception_may_reach_look_at_the_clock(monkeypatch, work):
    """Of the clock that is asked the second time, the time is spent."""
    ticks = itertools.count(step=100)
    monkeypatch.setattr(bounded, "_thread_clock", lambda _: lambda: next(ticks))
    monkeypatch.setattr(bounded, "LOOK_EVERY", 1e6)
    assert refused(work, seconds=5).limit == 5


def test_what_others_lose_in_a_callback_is_reported_as_before(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    class Broken:
        def __del__(self):
            raise KeyError("lost")

    run_bounded(lambda: Broken() and None, Limits(seconds=10))
    assert [lost.exc_type for lost in reported] == [KeyError]
