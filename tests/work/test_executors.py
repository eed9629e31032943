"""Executors by name, workers that are forked, and work within its limits in this process."""

import gc
import mmap
import os
import resource
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from socket import socketpair

import pytest

from maskc.bounded import run_dedicated
from maskc.errors import ExecutorError, GrammarError, LimitError
from maskc.limits import MEGABYTE, Limits
from maskc.system import read_memory
from maskc.work import UnbegunError, receive, send
from maskc.work.processes import ProcessExecutor, _open_server, gather, open_executor, result_of
from maskc.work.servers import ForkServer


def failed(error):
    future = Future()
    future.set_exception(error)
    return future


def test_without_a_name_processes_of_this_machine_do_the_work():
    with open_executor(None, 1) as executor:
        assert isinstance(executor, ProcessExecutor)
        assert executor.submit(len, "ab").result() == 2


def test_a_function_of_a_module_of_the_current_folder_makes_the_executor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (tmp_path / "some_cluster.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def reach():\n    return ThreadPoolExecutor(2)\n"
    )
    with open_executor("some_cluster:reach", 1) as executor:
        assert executor._max_workers == 2
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(len, "")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("cluster", "not of the form module:name"),
        (":open", "not of the form module:name"),
        (".cluster:open", "not of the form module:name"),
        ("no_such_module:open", "cannot be imported"),
        ("concurrent.futures:open", "cannot be imported"),
        ("builtins:dict", "makes a dict, not a"),
    ],
)
def test_what_is_no_executor_is_refused_by_name(spec, reason):
    with pytest.raises(ExecutorError, match=reason) as raised, open_executor(spec, 1):
        pass
    assert raised.value.executor == spec


def test_results_come_with_their_keys_and_the_first_error_gives_up_what_was_not_done():
    with ThreadPoolExecutor(2) as executor:
        futures = {executor.submit(len, text): text for text in ("a", "bb", "ccc")}
        assert dict(gather(futures)) == {"a": 1, "bb": 2, "ccc": 3}
    waiting = Future()
    with pytest.raises(GrammarError):
        list(gather({failed(GrammarError("g", "is odd")): 0, waiting: 1}))
    assert waiting.cancelled()


def test_what_breaks_in_an_executor_of_others_is_one_sentence():
    with pytest.raises(ExecutorError, match="executor BrokenProcessPool: a process died; give"):
        result_of(failed(BrokenProcessPool("a process died")))


@pytest.fixture(scope="module")
def server():
    found = ForkServer("tests.work.workers:open_echo", b"some bytes")
    yield found
    found.close()


def test_a_worker_answers_until_its_pipe_is_closed(server):
    worker = server.start()
    assert worker.exchange(b"told") == b"some bytes"
    assert [worker.exchange(b"pids"), worker.pid != server.process.pid] == [
        f"{server.process.pid} {worker.pid}".encode(),
        True,
    ]
    assert worker.close() == worker.close() == 0


def test_a_worker_that_is_killed_says_so(server):
    worker = server.start()
    worker.kill()
    with pytest.raises(UnbegunError):
        worker.exchange(b"a")
    assert worker.close() == -signal.SIGKILL


def test_a_worker_that_ends_at_work_is_told_from_one_that_has_not_begun(server):
    worker = server.start()
    with pytest.raises(ConnectionError):
        worker.exchange(b"end 7")
    assert worker.close() == 7


def test_a_number_that_is_no_workers_any_more_is_not_killed(server):
    worker = server.start()
    worker.close()
    worker.kill()
    server.kill(os.getpid())


def test_a_message_that_nobody_reads_or_that_stops_halfway_is_given_up_in_time():
    ours, theirs = socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        send(ours, b"a" * 5_000_000, until=time.monotonic() + 0.1)
    ours, theirs = socketpair()
    with ours, theirs:
        ours.sendall(bytes(7) + b"\x09{")
        with pytest.raises(TimeoutError):
            receive(theirs, until=time.monotonic() + 0.1)


def test_the_server_of_a_process_is_one_until_it_ends():
    first = _open_server()
    assert _open_server() is first
    os.kill(first.process.pid, signal.SIGKILL)
    while first.is_alive:
        time.sleep(0.01)
    with pytest.raises(UnbegunError):
        first.start()
    second = _open_server()
    assert second is not first
    assert second.start().close() == 0


def test_memory_is_bounded_while_the_work_goes_on():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    inside = run_dedicated(lambda: resource.getrlimit(resource.RLIMIT_DATA), Limits())
    assert inside[0] != before[0]
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_is_only_reserved_or_mapped_does_not_count(tmp_path):
    (tmp_path / "large").write_bytes(b"")
    os.truncate(tmp_path / "large", 1 << 30)

    def map_much():
        with open(tmp_path / "large", "rb") as file:
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ).close()
        return "mapped"

    assert run_dedicated(map_much, Limits(bytes=100 * MEGABYTE)) == "mapped"


def test_what_grows_bit_by_bit_grows_up_to_the_limit():
    grown = [0]
    base = read_memory()

    def grow():
        kept = []
        while True:
            kept.append([bytes(5_000) for _ in range(200)])
            grown[0] = max(grown[0], read_memory() - base)

    with pytest.raises(LimitError, match="more than 100 MB of memory"):
        run_dedicated(grow, Limits(bytes=100 * MEGABYTE))
    assert grown[0] > 99 * MEGABYTE


def test_the_collector_looks_more_seldom_while_the_work_goes_on():
    before = gc.get_threshold()
    assert run_dedicated(gc.get_threshold, Limits())[0] > before[0]
    assert gc.get_threshold() == before
    # One allocation beyond the bound fails at once.
    with pytest.raises(LimitError, match="MB of memory"):
        run_dedicated(lambda: bytearray(1 << 40), Limits(bytes=100 * MEGABYTE))
    assert gc.get_threshold() == before
