"""Who does what may never end? Processes that the system ends when their time is up.

A worker answers requests, one after the other. Before each it asks the system for an alarm that
ends it: where a pattern of the grammar sends ``re`` through more ways than there is time for, that
is one call of C, and nothing else would end it. A thread for each worker hands out the requests, so
who waits for the answers can be interrupted at any time.

Workers see no Ctrl-C. If this process is killed, they find their pipe closed, or the alarm finds
them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Generic, Self, TypeVar

from maskc.errors import LimitError, MaskcError, WorkerError
from maskc.verify.nursery import Nursery, open_nursery

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Task(Generic[Q]):
    """A request.

    Attributes:
        request: what the worker gets.
        place: what it is about, for who reads that it took too long.
        seconds: after which its worker ends; 0: never, since it has bounds of its own.
    """

    request: Q
    place: str
    seconds: float


class Workers(Generic[Q, A]):
    """Answers requests in ``jobs`` processes. A context manager, which ends them.

    Args:
        make: called once in each process; returns what answers a request there.
        jobs: processes.
    """

    def __init__(self, make: Callable[[], Callable[[Q], A]], jobs: int) -> None:
        self._make = make
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._is_over = False
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(jobs, "maskc-worker", _block_signals)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._is_over = True
            workers = tuple(self._workers)
        for worker in workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()

    def ask(self, task: Task[Q]) -> A:
        """Return the answer to a request, as :meth:`run` does."""
        return self._threads.submit(self._do, task).result()

    def run(self, tasks: Sequence[Task[Q]]) -> Iterator[tuple[Q, A]]:
        """Yield each request with its answer, as they are done.

        Raises:
            LimitError: a request took longer than it may.
            MaskcError: answering one raised it.
            WorkerError: a process ended.
        """
        asked: dict[Future[A], Q] = {self._threads.submit(self._do, t): t.request for t in tasks}
        for done in as_completed(asked):
            yield asked[done], done.result()

    def _do(self, task: Task[Q]) -> A:
        try:
            worker = self._idle.get_nowait()
        except Empty:
            worker = self._start()
        answer: A = worker.ask(task)
        self._idle.put(worker)
        return answer

    def _start(self) -> _Worker:
        with self._lock:
            if self._is_over:
                raise WorkerError(None)
            nursery = open_nursery()
            worker = _Worker(nursery, *nursery.fork())
            self._workers.append(worker)
        worker.connection.send((os.getcwd(), dict(os.environ), self._make))
        return worker


@dataclass(slots=True)
class _Worker:
    """A process, and this end of the pipe to it; the exit status of one that has ended."""

    nursery: Nursery
    pid: int
    connection: Connection
    status: int | None = None

    def ask(self, task: Task[Any]) -> Any:
        answer = self._exchange((task.request, task.seconds))
        if answer is None:
            self.close()
            if self.status == -signal.SIGALRM:
                raise _took_too_long(task)
            raise WorkerError(self.status)
        (value,) = answer
        if isinstance(value, MaskcError):
            raise value
        return value

    def kill(self) -> None:
        """End the process."""
        self.nursery.kill(self.pid)

    def close(self) -> None:
        """Wait until the process has ended."""
        if self.status is None:
            self.status = self.nursery.wait(self.pid)
            self.connection.close()

    def _exchange(self, message: object) -> tuple[Any] | None:
        """Return the answer, ``None`` if the pipe is closed.

        The error of a closed pipe must end here: its frames hold a buffer of the pickler's, and
        Python 3.13 complains on standard error when the collector comes upon the two.
        """
        try:
            self.connection.send(message)
            answer: tuple[Any] = self.connection.recv()
        except (EOFError, OSError):
            return None
        return answer


def _took_too_long(task: Task[Any]) -> LimitError:
    return LimitError(
        "seconds for one part of the work",
        task.seconds,
        "Lark tries a pattern of the grammar in too many ways, or the text is too much for it: "
        "write patterns that match in one way, leave the text out, or allow more with "
        "--part-limit SECONDS",
        task.place,
    )


def _block_signals() -> None:
    """Leave signals to the main thread; processes that this thread starts never see Ctrl-C."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def answer_requests(connection: Connection) -> None:
    """Answer the requests that come through a pipe, until it is closed; in a worker."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM, signal.SIGTERM))
    answer: Callable[[Any], Any] | None = None
    try:
        folder, environment, make = connection.recv()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        while True:
            request, seconds = connection.recv()
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                answer = answer or make()
                value = answer(request)
            except MaskcError as error:
                value = error
            signal.setitimer(signal.ITIMER_REAL, 0)
            connection.send((value,))
    except (EOFError, ConnectionError):
        return  # who asks has gone
