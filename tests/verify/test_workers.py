"""Processes that answer requests, and are ended: by us, by the system, by their alarm."""

import gc
import multiprocessing
import os
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from maskc.errors import GrammarError, LimitError, WorkerError
from maskc.verify.workers import Task, Workers, _Worker

HANGING = (r"(a+)+b", "a" * 40)


def answer(request):
    """Do in a worker what a request asks for."""
    what, value = request
    if what == "match":
        return re.match(*value) is not None
    if what == "raise":
        raise GrammarError("g.lark", value)
    if what == "exit":
        os._exit(value)
    return os.getpid() if what == "pid" else value


def give_answer():
    return answer


@pytest.fixture
def workers():
    with Workers(give_answer, jobs=1) as made:
        yield made


def task(what, value=None, seconds=60):
    return Task((what, value), f"the text {what}", seconds)


def test_every_request_is_answered_once():
    with Workers(give_answer, jobs=2) as workers:
        tasks = [task("echo", n) for n in range(20)]
        assert sorted(value for _, value in workers.run(tasks)) == list(range(20))


def test_a_worker_is_another_process_and_answers_again_and_again(workers):
    first, second = workers.ask(task("pid")), workers.ask(task("pid"))
    assert first == second != os.getpid()


def test_a_pattern_that_is_tried_in_too_many_ways_is_ended(workers):
    before = time.monotonic()
    with pytest.raises(LimitError) as raised:
        workers.ask(task("match", HANGING, seconds=0.2))
    assert time.monotonic() - before < 30
    assert (raised.value.place, raised.value.limit) == ("the text match", 0.2)
    assert "--part-limit SECONDS" in raised.value.remedy
    # Another process answers what comes next.
    assert workers.ask(task("match", ("a", "a")))


def test_an_error_of_maskc_is_raised_here(workers):
    with pytest.raises(GrammarError, match=r"g\.lark: is odd"):
        workers.ask(task("raise", "is odd"))


def test_a_process_that_ends_is_an_error_of_one_sentence(workers):
    with pytest.raises(WorkerError, match="ended with status 7; run it again") as raised:
        workers.ask(task("exit", 7))
    assert raised.value.status == 7


def test_no_process_is_left_when_the_work_ends_before_its_time():
    tasks = [task("echo", 1), task("match", HANGING)]
    with Workers(give_answer, jobs=2) as workers:
        assert next(workers.run(tasks))[1] == 1
        pids = [worker.pid for worker in workers._workers]
        assert len(pids) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_an_error_of_a_closed_pipe_holds_no_buffer(monkeypatch):
    """Python 3.13 says so on standard error when the collector comes upon both."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    ours, theirs = multiprocessing.Pipe()
    theirs.close()
    assert _Worker(None, 0, ours)._exchange("a") is None
    gc.collect()
    assert complaints == []


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
        "from tests.verify.test_workers import *\n"
        "if __name__ == '__main__':\n"
        "    workers = Workers(give_answer, jobs=1)\n"
        "    print(workers.ask(task('pid')), flush=True)\n"
        f"    workers.ask(task('match', HANGING, {seconds})) if {seconds} else input()\n"
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


def test_who_makes_the_answers_is_made_in_the_worker():
    with Workers(partial(partial, divmod, 7), jobs=1) as workers:
        assert workers.ask(Task(2, "", 60)) == (3, 1)
