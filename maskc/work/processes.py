"""Who does what may never end? An executor whose processes the system ends when time is up.

:class:`ProcessExecutor` is a ``concurrent.futures.Executor``. What it is given may be a
:class:`Timed` call: before the process does it, it asks the system for an alarm that ends it. Where
a pattern of the grammar sends ``re`` through more ways than there is time for, that is one call of
C, and nothing else would end it. A thread for each process hands out the calls, so who waits for
the results can be interrupted at any time.

A ``Timed`` call means the same in any other executor, on any machine: there it is done in a process
below the one that the executor has.

Example: ``ProcessExecutor(2).submit(Timed(pow, "a power", 1.0), 2, 10).result()`` is 1024.

The processes see no Ctrl-C. If this process is killed, they find their pipe closed, or the alarm
finds them. Of exceptions, those of maskc come back; any other ends its process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

from maskc.errors import LimitError, MaskcError, WorkerError
from maskc.work.nursery import Nursery, open_nursery

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """A function, and how long a call of it may take.

    Attributes:
        function: what is called, in another process.
        place: what it is about, for who reads that it took too long.
        seconds: after which its process ends; 0: never, since it has bounds of its own.
    """

    function: Callable[..., T]
    place: str
    seconds: float

    def __call__(self, *args: Any, **kwargs: Any) -> T:
        """Return what the function returns in a process below this one.

        Raises:
            LimitError: it took longer than it may.
            MaskcError: it raised it.
            WorkerError: its process ended.
        """
        return _executor_below().submit(self, *args, **kwargs).result()


class ProcessExecutor(Executor):
    """Does calls in at most ``jobs`` processes of this machine, which are started as needed.

    As a context manager it ends them on the way out, whatever they are doing. The future of a call
    raises ``LimitError`` if it took longer than it may, and ``WorkerError`` if its process ended.
    """

    def __init__(self, jobs: int) -> None:
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._is_over = False
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(jobs, "maskc-worker", _block_signals)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return the future of a call; all of it must be picklable."""
        return self._threads.submit(self._do, fn, args, kwargs)

    # The signature is the base class's.
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """End the processes: when their calls are done, or at once where these are given up."""
        if not cancel_futures:
            self._threads.shutdown(wait)
            if not wait:
                return
        with self._lock:
            self._is_over = True
            workers = tuple(self._workers)
        for worker in workers:
            worker.kill()
        self._threads.shutdown(wait, cancel_futures=True)
        for worker in workers:
            worker.close()

    def __exit__(self, *_error: object) -> None:
        self.shutdown(cancel_futures=True)

    def _do(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        timed = call if isinstance(call, Timed) else Timed(call, "a call", 0)
        try:
            worker = self._idle.get_nowait()
        except Empty:
            worker = self._start()
        answer = worker.ask(timed, args, kwargs)
        self._idle.put(worker)
        if isinstance(answer, MaskcError):
            raise answer
        return answer

    def _start(self) -> _Worker:
        with self._lock:
            if self._is_over:
                raise WorkerError(None)
            nursery = open_nursery()
            worker = _Worker(nursery, *nursery.fork())
            self._workers.append(worker)
        worker.connection.send((os.getcwd(), dict(os.environ)))
        return worker


@dataclass(slots=True)
class _Worker:
    """A process, and this end of the pipe to it; the exit status of one that has ended."""

    nursery: Nursery
    pid: int
    connection: Connection
    status: int | None = None

    def ask(self, timed: Timed[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a call returns, or the error of maskc that it raises."""
        answer = self._exchange((timed.function, args, kwargs, timed.seconds))
        if answer is None:
            self.close()
            if self.status == -signal.SIGALRM:
                raise _took_too_long(timed)
            raise WorkerError(self.status)
        return answer[0]

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


def _took_too_long(timed: Timed[Any]) -> LimitError:
    return LimitError(
        "seconds for one part of the work",
        timed.seconds,
        "Lark tries a pattern of the grammar in too many ways, or the text is too much for it: "
        "write patterns that match in one way, leave the text out, or allow more with "
        "--part-limit SECONDS",
        timed.place,
    )


_below: dict[int, ProcessExecutor] = {}
_opening = Lock()


def _executor_below() -> ProcessExecutor:
    """Return the executor of this process for timed calls that another executor brought here."""
    with _opening:
        found = _below.get(os.getpid())
        if found is None:
            _below.clear()  # of a process that was forked, its parent's
            found = _below[os.getpid()] = ProcessExecutor(os.cpu_count() or 1)
        return found


def _block_signals() -> None:
    """Leave signals to the main thread; processes that this thread starts never see Ctrl-C."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def answer_calls(connection: Connection) -> None:
    """Do the calls that come through a pipe, until it is closed; in a process of its own."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM, signal.SIGTERM))
    try:
        folder, environment = connection.recv()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        while True:
            function, args, kwargs, seconds = connection.recv()
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                value = function(*args, **kwargs)
            except MaskcError as error:
                value = error
            signal.setitimer(signal.ITIMER_REAL, 0)
            connection.send((value,))
    except (EOFError, ConnectionError):
        return  # who asks has gone
