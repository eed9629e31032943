"""A worker and those who wait for it: turns, deaths, cancelled work and the end of it all."""

import os
import signal
import threading
import time

import pytest

from maskc import work
from maskc.errors import LimitError, MaskcError
from maskc.work import UnbegunError, Worker, servers
from maskc.work import worker_queue as module
from maskc.work.servers import ForkServer
from maskc.work.worker_queue import (
    BusyError,
    CancelledOrderError,
    Request,
    WorkerDiedError,
    WorkerQueue,
)

LONG = b"wait 60"


class Started(WorkerQueue):
    """A queue that counts the workers that it was given."""

    def __init__(self, server):
        super().__init__(self.start)
        self.server, self.n_started = server, 0

    def start(self, seconds):
        self.n_started += 1
        return self.server.start(seconds)


@pytest.fixture(scope="module")
def server():
    found = ForkServer("tests.work.workers:open_echo", b"some bytes", is_apart=True)
    yield found
    found.close()


@pytest.fixture
def queue(server):
    made = Started(server)
    made.ask(b"a", Request())
    yield made
    made.close()


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


def wait_until_served(queue, request):
    while queue._served is not request:
        time.sleep(0.005)
    time.sleep(0.05)  # it has begun by then


def test_a_message_is_answered_by_one_worker_again_and_again(queue):
    assert queue.ask(b"\x00\xff" * 100_000, Request()) == b"\x00\xff" * 100_000
    assert queue.ask(b"told", Request()) == b"some bytes"
    assert queue.n_started == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_that_is_killed_at_work_is_one_refused_message(queue, number):
    with pytest.raises(WorkerDiedError) as raised:
        queue.ask(f"signal {number}".encode(), Request())
    assert (raised.value.status, raised.value.is_lasting) == (-number, False)
    assert queue.ask(b"a", Request()) == b"a"


def test_what_ended_a_worker_is_said():
    assert [str(WorkerDiedError(status)) for status in (-15, -9, None)] == [
        "the process that compiles requests ended with status -15; simplify it, or send it again",
        "the process that compiles requests was ended by the system, as one that takes too much "
        "memory is; simplify it, or send it again",
        "the process that compiles requests ended; simplify it, or send it again",
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_message_goes_to_the_next_worker_where_an_idle_one_has_died(queue, number):
    os.kill(queue.worker.pid, number)
    assert queue.ask(b"a", Request()) == b"a"
    assert queue.n_started == 2


def test_a_message_goes_to_the_next_worker_where_an_idle_one_is_stopped(queue, monkeypatch):
    monkeypatch.setattr(work, "MOST_IDLE", 0.2)
    os.kill(queue.worker.pid, signal.SIGSTOP)
    assert queue.ask(b"a", Request()) == b"a"
    assert queue.n_started == 2


def test_a_large_message_waits_for_a_stopped_worker_no_longer_than_its_request(queue):
    os.kill(queue.worker.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(BusyError):
        queue.ask(b"a" * 5_000_000, Request(0.3))  # more than a pipe holds
    assert time.monotonic() - began < 10
    assert queue.ask(b"a", Request()) == b"a"


def test_workers_that_die_before_they_begin_are_an_error_in_the_end(queue, monkeypatch):
    def exchange(*_):
        raise UnbegunError

    monkeypatch.setattr(Worker, "exchange", exchange)
    with pytest.raises(WorkerDiedError):
        queue.ask(b"a", Request())
    assert queue.n_started == 3


def test_a_worker_that_does_not_answer_is_replaced_and_nobody_blames_the_message(queue):
    with pytest.raises(BusyError, match=r"more than 0\.2 seconds until it was compiled; send it"):
        queue.ask(LONG, Request(), patience=0.2)
    assert queue.ask(b"a", Request()) == b"a"


def test_cancelled_work_is_ended_and_who_waits_for_it_gives_up(queue):
    running, waiting = Request(), Request()
    threads = [in_thread(lambda: queue.ask(LONG, running))]
    wait_until_served(queue, running)
    threads.append(in_thread(lambda: queue.ask(LONG, waiting)))
    waiting.cancel()
    running.cancel()
    for thread, raised in threads:
        thread.join()
        assert isinstance(raised[0], CancelledOrderError)
    assert queue.ask(b"a", Request()) == b"a"
    worker = queue.worker
    running.cancel()  # of what is over
    assert queue.ask(b"a", Request()) == b"a"
    assert queue.worker is worker


def test_a_request_that_was_given_up_before_is_not_worked_on(queue):
    request = Request()
    request.cancel()
    with pytest.raises(CancelledOrderError):
        queue.ask(b"a", request)


def test_an_interrupted_wait_leaves_no_answer_to_the_next_message(queue, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "exchange", interrupted)
        with pytest.raises(KeyboardInterrupt):
            queue.ask(b"b", Request())
    assert queue.ask(b"a", Request()) == b"a"
    assert queue.n_started == 2


def test_more_than_a_number_do_not_wait(queue, monkeypatch):
    monkeypatch.setattr(module, "MOST_WAITING", 0)
    with pytest.raises(LimitError, match="more than 0 requests that wait to be compiled"):
        queue.ask(b"a", Request())


def serve_in_turn(queue, entries, pause):
    """Return the order in which messages are served that come one after the other."""
    running, served = Request(), []
    before, _ = in_thread(lambda: queue.ask(LONG, running))
    wait_until_served(queue, running)

    def ask(name, yields):
        queue.ask(b"a", Request(), yields=yields)
        served.append(name)

    threads = []
    for name, yields in entries:
        threads.append(in_thread(lambda name=name, yields=yields: ask(name, yields))[0])
        time.sleep(pause)
    running.cancel()
    for thread in (before, *threads):
        thread.join()
    return served


def test_who_yields_goes_after_those_who_come_in_time(queue):
    entries = [("dear", 30.0), ("dearer", 40.0), ("cheap", 0.0), ("less dear", 20.0)]
    served = serve_in_turn(queue, entries, 0.05)
    assert served == ["cheap", "less dear", "dear", "dearer"]


def test_who_yields_a_moment_goes_before_those_who_come_later(queue):
    assert serve_in_turn(queue, [("first", 0.1), ("later", 0.0)], 0.3) == ["first", "later"]


def test_a_request_whose_time_is_over_is_refused_at_work_and_in_the_queue(queue):
    threads = [in_thread(lambda: queue.ask(LONG, Request(0.3))) for _ in range(2)]
    for thread, raised in threads:
        thread.join()
        assert str(raised[0]) == "more than 0.3 seconds until it was compiled; send it again later"
    assert queue.ask(b"a", Request()) == b"a"


def test_a_closed_lane_refuses_and_ends_its_worker(queue):
    worker = queue.worker
    queue.close()
    assert worker.close() == -signal.SIGKILL
    with pytest.raises(WorkerDiedError):
        queue.ask(b"a", Request())


def test_a_worker_that_has_grown_is_replaced():
    server = ForkServer("tests.work.workers:open_grown", is_apart=True)
    queue = Started(server)
    queue.ask(b"a", Request())
    queue.worker.close()  # it has ended by itself
    assert queue.ask(b"a", Request()) == b"A"
    assert queue.n_started == 2
    queue.close()
    server.close()


def test_who_waits_for_a_server_that_gets_ready_is_refused_in_time():
    server = ForkServer("tests.work.workers:open_late", b"0.5", is_apart=True)
    queue = Started(server)
    with pytest.raises(BusyError):
        queue.ask(b"a", Request(0.05))
    assert queue.ask(b"a", Request()) == b"a"
    queue.close()
    server.close()


def test_a_server_that_never_gets_ready_or_has_ended_gives_no_worker(monkeypatch):
    monkeypatch.setattr(servers, "MOST_STARTING", 0.3)
    server = ForkServer("tests.work.workers:open_stopped", is_apart=True)
    for _ in range(2):
        with pytest.raises(UnbegunError):
            server.start(60)
    assert not server.is_alive
