import os
import signal
import time

import pytest

from maskc.work.nursery import Nursery, open_nursery


@pytest.fixture(scope="module")
def nursery():
    found = Nursery()
    yield found
    found.close()


def begin(nursery):
    pid, connection = nursery.fork()
    connection.send((os.getcwd(), {"A": "1"}))
    return pid, connection


def test_a_worker_answers_until_its_pipe_is_closed(nursery):
    pid, connection = begin(nursery)
    connection.send((str.upper, ("a",), {}, 60))
    assert connection.recv() == ("A",)
    connection.close()
    assert nursery.wait(pid) == 0


def test_a_worker_that_is_killed_says_so(nursery):
    pid, connection = begin(nursery)
    nursery.kill(pid)
    assert nursery.wait(pid) == -signal.SIGKILL
    with pytest.raises((EOFError, ConnectionError)):
        connection.recv()


def test_a_number_that_is_no_workers_any_more_is_not_killed(nursery):
    pid, connection = begin(nursery)
    connection.close()
    nursery.wait(pid)
    nursery.kill(pid)
    nursery.kill(os.getpid())


def test_the_nursery_of_a_process_is_one_until_it_ends():
    first = open_nursery()
    assert open_nursery() is first
    os.kill(first._process.pid, signal.SIGKILL)
    while first.is_alive:
        time.sleep(0.01)
    with pytest.raises(OSError, match=r"has ended|[Pp]ipe|reset"):
        first.fork()
    second = open_nursery()
    assert second is not first
    pid, connection = begin(second)
    connection.close()
    assert second.wait(pid) == 0
