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
from maskc.integrations import compile_lane
from maskc.integrations.compile_lane import CancelledOrderError, Lane, Ticket, WorkerDiedError
from maskc.integrations.compile_messages import unpack
from maskc.kit.kit import REQUEST_LIMITS
from maskc.vocab import load_vocabulary

# Takes seconds to be written out, and is refused then.
ENDLESS = {"kind": "pattern", "text": "((a{1,500}){1,500}){1,500}(?!b)"}
CHEAP = {"kind": "pattern", "text": "a+"}


@pytest.fixture(scope="module")
def lane():
    made = Lane(load_vocabulary("bytes"), REQUEST_LIMITS, niceness=0)
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


def test_an_order_is_answered(lane):
    assert set(unpack(ask(lane, CHEAP))[1]) == {"byte_class", "after", "accepting"}


def test_a_refusal_comes_back_with_its_class_and_fields(lane):
    with pytest.raises(GrammarError) as raised:
        ask(lane, {"kind": "pattern", "text": "("})
    assert raised.value.name == "<regex>"
    plan = {"kind": "plan", "resources": {}, "layout": {}, "assert_formats": True}
    with pytest.raises(SchemaError) as raised:
        ask(lane, {**plan, "text": '{"type": "nothing"}'})
    assert (raised.value.pointer, raised.value.keyword) == ("", "type")


def test_what_takes_too_long_is_the_same_sentence_and_the_process_stays(lane):
    ask(lane, CHEAP)
    before = lane.n_started
    with pytest.raises(BudgetError, match=r"more than 0\.1 seconds of processor time; simplify it"):
        ask(lane, ENDLESS, seconds=0.1)
    assert ask(lane, CHEAP)
    assert lane.n_started == before


def test_a_killed_process_is_one_refused_order(lane):
    ask(lane, CHEAP)
    for number, error in ((signal.SIGTERM, WorkerDiedError), (signal.SIGKILL, BudgetError)):
        thread, raised = in_thread(lambda: ask(lane, ENDLESS))
        time.sleep(0.1)
        os.kill(lane._worker._process.pid, number)
        thread.join()
        assert [type(found) for found in raised] == [error]
    assert ask(lane, CHEAP)


def test_a_process_that_does_not_answer_is_replaced(lane, monkeypatch):
    ask(lane, CHEAP)
    monkeypatch.setattr(compile_lane, "_PATIENCE", 0.01)
    os.kill(lane._worker._process.pid, signal.SIGSTOP)
    with pytest.raises(BudgetError, match="5 seconds of processor time"):
        ask(lane, CHEAP)
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


def test_a_process_that_has_grown_is_replaced(lane, monkeypatch):
    ask(lane, CHEAP)
    before = lane.n_started
    monkeypatch.setattr(compile_lane, "_MOST_GROWN", -(1 << 40))
    assert ask(lane, CHEAP)
    assert lane.n_started == before + 1


def test_memory_is_bounded_by_the_budget_and_by_the_system():
    lane = Lane(load_vocabulary("bytes"), REQUEST_LIMITS, niceness=0)
    with pytest.raises(BudgetError, match="more than 5 MB of memory; simplify it"):
        ask(lane, ENDLESS, bytes=5_000_000)
    with open(f"/proc/{lane._worker._process.pid}/limits") as file:
        bounds = {line[:25].strip(): line.split()[3] for line in file}
    assert REQUEST_LIMITS.bytes < int(bounds["Max address space"]) < 10 * REQUEST_LIMITS.bytes
    lane.close()


def test_a_closed_lane_refuses_and_has_no_process():
    lane = Lane(load_vocabulary("bytes"), REQUEST_LIMITS, niceness=0)
    lane.start()
    process = lane._worker._process
    lane.close()
    assert process.returncode is not None
    with pytest.raises(WorkerDiedError):
        ask(lane, CHEAP)


def test_a_process_ends_when_its_server_is_killed():
    program = """
import os
from maskc.integrations.compile_lane import Lane, Ticket
from maskc.kit.kit import REQUEST_LIMITS
from maskc.vocab import load_vocabulary
lane = Lane(load_vocabulary("bytes"), REQUEST_LIMITS, niceness=0)
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
