"""Processes that do calls, and are ended: by us, by the system, by their alarm."""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest

from maskc.errors import GrammarError, LimitError, WorkerError
from maskc.work.processes import ProcessExecutor, Timed

HANGING = (r"(a+)+b", "a" * 40)


def fail(error):
    raise error


@pytest.fixture
def executor():
    with ProcessExecutor(1) as made:
        yield made


def test_every_call_is_done_once():
    with ProcessExecutor(2) as executor:
        futures = [executor.submit(divmod, n, 7) for n in range(20)]
        assert [future.result() for future in futures] == [divmod(n, 7) for n in range(20)]


def test_a_process_is_another_one_and_is_used_again_and_again(executor):
    first, second = (executor.submit(os.getpid).result() for _ in range(2))
    assert first == second != os.getpid()
    assert executor.submit(sorted, [1, 2], reverse=True).result() == [2, 1]


def test_a_pattern_that_is_tried_in_too_many_ways_is_ended(executor):
    before = time.monotonic()
    with pytest.raises(LimitError) as raised:
        executor.submit(Timed(re.match, "the text", 0.2), *HANGING).result()
    assert time.monotonic() - before < 30
    assert (raised.value.location, raised.value.limit) == ("the text", 0.2)
    assert "--part-limit SECONDS" in raised.value.remedy
    # Another process does what comes next.
    assert executor.submit(len, "a").result() == 1


def test_an_error_or_the_end_of_a_process_is_raised_here(executor):
    with pytest.raises(GrammarError, match=r"g\.lark: is odd"):
        executor.submit(fail, GrammarError("g.lark", "is odd")).result()
    with pytest.raises(WorkerError, match="ended with status 7; run it again") as raised:
        executor.submit(os._exit, 7).result()
    assert raised.value.status == 7


def test_no_process_is_left_when_the_work_ends_before_its_time():
    with ProcessExecutor(2) as executor:
        futures = [executor.submit(len, "a"), executor.submit(re.match, *HANGING)]
        assert next(as_completed(futures)).result() == 1
        # One process may do both.
        while not futures[1].running():
            time.sleep(0.01)
    pids = [worker.pid for worker in executor._workers]
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_calls_are_done_before_an_executor_that_waits_is_over():
    executor = ProcessExecutor(1)
    futures = [executor.submit(len, "a" * n) for n in range(5)]
    executor.shutdown()
    assert [future.result() for future in futures] == [0, 1, 2, 3, 4]
    assert all(worker.status is not None for worker in executor._workers)


def test_a_timed_call_has_a_process_of_its_own_in_any_executor():
    with ThreadPoolExecutor(2) as executor:
        pid = executor.submit(Timed(os.getpid, "", 60)).result()
        assert pid != os.getpid()
        with pytest.raises(LimitError, match=r"the text: more than 0\.2 seconds"):
            executor.submit(Timed(re.match, "the text", 0.2), *HANGING).result()


def is_gone(group):
    """Return whether no process of a group is left, within ten seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("seconds", [0, 1], ids=["idle", "at work"])
def test_the_processes_of_one_that_is_killed_go_away(seconds):
    """They notice that their pipe is closed; or the alarm ends them."""
    code = (
        "from tests.work.test_processes import *\n"
        "if __name__ == '__main__':\n"
        "    executor = ProcessExecutor(1)\n"
        "    print(executor.submit(os.getpid).result(), flush=True)\n"
        f"    timed = Timed(re.match, '', {seconds})\n"
        f"    executor.submit(timed, *HANGING).result() if {seconds} else input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert int(process.stdout.readline())
    process.kill()
    process.communicate()
    assert is_gone(process.pid)
