"""A compiling process: refusals, deaths, cancelled orders and the end of it all."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from maskc.errors import BudgetError, GrammarError, LimitError, MaskcError, SchemaError
from maskc.integrations import compile_lane, compile_process
from maskc.integrations.compile_lane import Lane, WorkerDiedError
from maskc.integrations.compile_messages import unpack, write_limits
from maskc.integrations.compile_process import Processes
from maskc.integrations.compile_ticket import BusyError, CancelledOrderError, Ticket
from maskc.jobs import SchemaJob
from maskc.kit.kit import REQUEST_LIMITS
from maskc.runtime.schema.plan.plan import Layout
from maskc.vocab import load_vocabulary

# Takes seconds to be written out, and is refused then.
ENDLESS = {"kind": "pattern", "text": "((a{1,500}){1,500}){1,500}(?!b)"}
CHEAP = {"kind": "pattern", "text": "a+"}


def make_lane():
    return Lane(Processes(load_vocabulary("bytes"), REQUEST_LIMITS, keeps_spare=False), niceness=0)


@pytest.fixture(scope="module")
def lane():
    made = make_lane()
    yield made
    made.close()


def ask(lane, order, ticket=None, **limits):
    return lane.ask(order, replace(REQUEST_LIMITS, **limits), ticket or Ticket())


def in_thread(work):
    """Return a thread that works, and the list that gets what it raises."""
    raised = []

    def run():
        try:
            work()
        except MaskcError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, raised


def note_beginning(lane):
    """Return an event that is set when the lane's process has begun with the next order."""
    begun, worker = threading.Event(), lane._worker
    hand_over = worker._hand_over

    def hand_it_over(*asked):
        hand_over(*asked)
        begun.set()

    worker._hand_over = hand_it_over
    return begun


def test_an_order_is_answered(lane):
    assert set(unpack(ask(lane, CHEAP))[1]) == {"byte_class", "after", "accepting"}


def test_a_refusal_comes_back_with_its_class_and_fields(lane):
    with pytest.raises(GrammarError) as raised:
        ask(lane, {"kind": "pattern", "text": "("})
    assert raised.value.name == "<regex>"
    job = SchemaJob({"type": "nothing"}, {}, Layout(), True)
    with pytest.raises(SchemaError) as raised:
        ask(lane, job.describe())
    assert (raised.value.pointer, raised.value.keyword) == ("", "type")


def test_what_takes_too_long_is_the_same_sentence_and_the_process_stays(lane):
    ask(lane, CHEAP)
    before = lane.n_started
    with pytest.raises(BudgetError, match=r"more than 0\.1 seconds of processor time; simplify it"):
        ask(lane, ENDLESS, seconds=0.1)
    assert ask(lane, CHEAP)
    assert lane.n_started == before


def test_a_process_that_is_killed_at_work_is_one_refused_order(lane):
    found = []
    for number in (signal.SIGTERM, signal.SIGKILL):
        ask(lane, CHEAP)
        begun = note_beginning(lane)
        thread, raised = in_thread(lambda: ask(lane, ENDLESS))
        assert begun.wait(10)
        os.kill(lane._worker._process.pid, number)
        thread.join()
        assert [type(error) for error in raised] == [WorkerDiedError]
        assert not raised[0].is_lasting
        found.append(str(raised[0]))
    assert found == [
        "the process that compiles requests ended with status -15; simplify it, or send it again",
        "the process that compiles requests was ended by the system, as one that takes too much "
        "memory is; simplify it, or send it again",
    ]
    assert ask(lane, CHEAP)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_order_goes_to_the_next_process_where_an_idle_one_has_died(lane, number):
    ask(lane, CHEAP)
    before = lane.n_started
    os.kill(lane._worker._process.pid, number)
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_an_order_goes_to_the_next_process_where_an_idle_one_is_stopped(lane, monkeypatch):
    ask(lane, CHEAP)
    before = lane.n_started
    monkeypatch.setattr(compile_process, "_MOST_IDLE", 1.0)
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_a_large_order_waits_for_a_stopped_process_no_longer_than_its_ticket(lane):
    ask(lane, CHEAP)
    large = {"kind": "pattern", "text": "a" * 5_000_000}  # more than a pipe holds
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(BusyError):
        ask(lane, large, Ticket(0.5))
    assert time.monotonic() - began < 10
    assert ask(lane, CHEAP)


def test_a_process_that_never_gets_ready_is_replaced():
    lane = make_lane()
    lane.start()
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    lane._worker._ready_by = time.monotonic() + 0.1
    assert ask(lane, CHEAP)
    assert lane.n_started == 2
    lane.close()


def test_processes_that_die_before_they_begin_are_an_error_in_the_end(lane, monkeypatch):
    ask(lane, CHEAP)

    def ask_nothing(*_):
        raise compile_process.UnbegunError

    monkeypatch.setattr(compile_process.Process, "ask", ask_nothing)
    with pytest.raises(WorkerDiedError):
        ask(lane, CHEAP)


def test_a_process_that_does_not_answer_is_replaced_and_nobody_blames_the_order(lane, monkeypatch):
    ask(lane, CHEAP)
    monkeypatch.setattr(compile_process, "_PATIENCE", 0.2)
    begun = note_beginning(lane)
    thread, raised = in_thread(lambda: ask(lane, ENDLESS))
    assert begun.wait(10)
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    thread.join()
    assert [str(error) for error in raised] == [
        "more than 1 seconds until it was compiled; send it again later"
    ]
    assert not raised[0].is_lasting
    monkeypatch.undo()
    assert ask(lane, CHEAP)


def test_a_cancelled_order_is_left_and_the_process_stays(lane):
    ask(lane, CHEAP)
    before = lane.n_started
    running, waiting = Ticket(), Ticket()
    threads = [
        in_thread(lambda ticket=ticket: ask(lane, ENDLESS, ticket)) for ticket in (running, waiting)
    ]
    time.sleep(0.1)
    waiting.cancel()
    running.cancel()
    for thread, raised in threads:
        thread.join()
        assert isinstance(raised[0], CancelledOrderError)
    assert ask(lane, CHEAP)
    assert lane.n_started == before
    running.cancel()  # of what is over


def test_an_interrupted_wait_leaves_no_answer_to_the_next_order(lane, monkeypatch):
    ask(lane, CHEAP)
    before = lane.n_started

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(lane._worker, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(lane, CHEAP)
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_more_than_a_number_do_not_wait(lane, monkeypatch):
    monkeypatch.setattr(compile_lane, "MOST_WAITING", 0)
    with pytest.raises(LimitError, match="more than 0 requests that wait to be compiled"):
        ask(lane, CHEAP)


def test_who_yields_goes_after_those_who_come_in_time(lane):
    ask(lane, CHEAP)
    running = Ticket()
    before, _ = in_thread(lambda: ask(lane, ENDLESS, running))
    time.sleep(0.1)
    served = []

    def wait(name, yields):
        lane.ask(CHEAP, REQUEST_LIMITS, Ticket(), yields=yields)
        served.append(name)

    threads = []
    for name, yields in (("dear", 30.0), ("dearer", 40.0), ("cheap", 0.0), ("less dear", 20.0)):
        threads.append(in_thread(lambda name=name, yields=yields: wait(name, yields))[0])
        time.sleep(0.05)
    running.cancel()
    for thread in (before, *threads):
        thread.join()
    assert served == ["cheap", "less dear", "dear", "dearer"]


def test_who_yields_a_second_goes_before_those_who_come_later(lane):
    ask(lane, CHEAP)
    running = Ticket()
    before, _ = in_thread(lambda: ask(lane, ENDLESS, running))
    time.sleep(0.1)
    served, threads = [], []

    def wait(name, yields):
        lane.ask(CHEAP, REQUEST_LIMITS, Ticket(), yields=yields)
        served.append(name)

    for name, yields in (("first", 0.1), ("later", 0.0)):
        threads.append(in_thread(lambda name=name, yields=yields: wait(name, yields))[0])
        time.sleep(0.3)
    running.cancel()
    for thread in (before, *threads):
        thread.join()
    assert served == ["first", "later"]


def test_a_ticket_whose_time_is_over_is_refused_and_the_process_stays(lane):
    ask(lane, CHEAP)
    before = lane.n_started
    threads = [in_thread(lambda: ask(lane, ENDLESS, Ticket(0.3))) for _ in range(2)]
    for thread, raised in threads:
        thread.join()
        assert isinstance(raised[0], BusyError)
        assert str(raised[0]) == "more than 0.3 seconds until it was compiled; send it again later"
    assert ask(lane, CHEAP)
    assert lane.n_started == before


def test_an_order_without_time_is_left_though_the_process_has_yet_to_begin_with_it(lane):
    ask(lane, CHEAP)
    order = {**ENDLESS, "nice": 0, "limits": write_limits(REQUEST_LIMITS)}
    for _ in range(20):
        message, _ = lane._worker.ask(order, REQUEST_LIMITS, 0.0)
        assert message["cancelled"]


def test_a_process_that_does_not_leave_an_order_in_time_is_replaced(lane):
    ask(lane, CHEAP)
    before = lane.n_started
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    with pytest.raises(BusyError):
        ask(lane, CHEAP, Ticket(0.1))
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_a_process_that_has_grown_is_replaced(lane, monkeypatch):
    ask(lane, CHEAP)
    before = lane.n_started
    monkeypatch.setattr(compile_lane, "_MOST_GROWN", -(1 << 40))
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_memory_is_bounded_by_the_budget_and_by_the_system():
    lane = make_lane()
    with pytest.raises(BudgetError, match="more than 5 MB of memory; simplify it"):
        ask(lane, ENDLESS, bytes=5_000_000)
    with open(f"/proc/{lane._worker._process.pid}/limits") as file:
        bounds = {line[:25].strip(): line.split()[3] for line in file}
    assert REQUEST_LIMITS.bytes < int(bounds["Max data size"]) < 10 * REQUEST_LIMITS.bytes
    lane.close()


@pytest.mark.costly
def test_a_process_that_dies_is_replaced_by_the_spare_one():
    processes = Processes(load_vocabulary("bytes"), REQUEST_LIMITS, keeps_spare=True)
    lane = Lane(processes, niceness=3)
    ask(lane, CHEAP)
    spare = processes._spare
    os.kill(lane._worker._process.pid, signal.SIGKILL)
    assert ask(lane, CHEAP)
    assert lane._worker is spare
    with open(f"/proc/{spare._process.pid}/stat") as file:
        niceness = file.read().rpartition(")")[2].split()[16]
    assert niceness == str(max(3, os.nice(0)))  # of the tests, if these are nicer
    lane.close()
    last = processes._spare
    assert last is not spare
    processes.close()
    assert spare._process.returncode is not None
    assert last._process.returncode is not None


def test_who_waits_for_a_process_that_starts_is_refused_in_time():
    lane = make_lane()
    with pytest.raises(BusyError):
        ask(lane, CHEAP, Ticket(0.01))
    assert ask(lane, CHEAP)
    assert lane.n_started == 1
    lane.close()


def test_a_closed_lane_refuses_and_has_no_process():
    lane = make_lane()
    lane.start()
    process = lane._worker._process
    lane.close()
    assert process.returncode is not None
    with pytest.raises(WorkerDiedError):
        ask(lane, CHEAP)


def test_a_process_ends_when_its_server_is_killed():
    program = """
import os
from maskc.integrations.compile_lane import Lane
from maskc.integrations.compile_process import Processes
from maskc.integrations.compile_ticket import Ticket
from maskc.kit.kit import REQUEST_LIMITS
from maskc.runtime.schema.plan.plan import Layout
from maskc.vocab import load_vocabulary
lane = Lane(Processes(load_vocabulary("bytes"), REQUEST_LIMITS, keeps_spare=False), niceness=0)
lane.ask({"kind": "pattern", "text": "a"}, REQUEST_LIMITS, Ticket())
print(lane._worker._process.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    found = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    pid = int(found.stdout)
    for _ in range(100):
        if not _is_running(pid):
            return
        time.sleep(0.05)
    pytest.fail("it still runs")


def _is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False
