"""An executor whose processes are ended when time is up.

:class:`ProcessExecutor` is a ``concurrent.futures.Executor``. What it is given may be a
:class:`Timed` call: after its time the process is ended from here, and by an alarm of the system's
where this process is gone. Where a pattern of the grammar sends ``re`` through more ways than there
is time for, that is one call of C, and nothing else would end it. A thread for each process hands
out the calls, so who waits for the results can be interrupted at any time.

A ``Timed`` call means the same in any other executor, on any machine: there it is done in a process
below the one that the executor has.

The processes see no Ctrl-C. If this process is killed, they find their pipe closed, or the alarm
finds them. Of exceptions, those of maskc come back; any other ends its process.
"""

from __future__ import annotations

import faulthandler
import importlib
import math
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

from maskc.errors import ExecutorError, LimitError, MaskcError, WorkerError
from maskc.work import Server, Service, UnbegunError, Worker, open_server

_ALARMED = -getattr(signal, "SIGALRM", 14)  # the status of a process that its alarm ended
_STDERR, _LATER = 2, 5.0
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """A function, and how long a call of it may take."""

    function: Callable[..., T]  # what is called, in another process
    subject: str  # what it is about, for who reads that it took too long
    seconds: float  # after which its process ends; 0: never, since it has bounds of its own

    def __call__(self, *args: Any, **kwargs: Any) -> T:
        """Return what the function returns in a process below this one.

        Raises:
            LimitError: it took longer than it may.
            MaskcError: it raised it.
            WorkerError: its process ended.
        """
        with _opening:
            below = _below.get(os.getpid())
            if below is None:
                _below.clear()  # of a process that was forked, its parent's
                below = _below[os.getpid()] = ProcessExecutor(os.cpu_count() or 1)
        return below.submit(self, *args, **kwargs).result()


class ProcessExecutor(Executor):
    """Does calls in at most ``jobs`` processes of this machine, which are started as needed.

    As a context manager it ends them on the way out, whatever they are doing. The future of a call
    raises ``LimitError`` if it took longer than it may, and ``WorkerError`` if its process ended.
    """

    def __init__(self, jobs: int) -> None:
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._workers: list[Worker] = []
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
        asked = (os.getcwd(), dict(os.environ), timed.function, args, kwargs, timed.seconds)
        try:
            data = worker.exchange(pickle.dumps(asked), seconds=timed.seconds or math.inf)
        except TimeoutError:
            worker.kill()
            worker.close()
            raise _took_too_long(timed) from None
        except (UnbegunError, ConnectionError):
            status = worker.close()
            if status == _ALARMED:
                raise _took_too_long(timed) from None
            raise WorkerError(status) from None
        self._idle.put(worker)
        answer = pickle.loads(data)  # noqa: S301 - of our own process
        if isinstance(answer, MaskcError):
            raise answer
        return answer

    def _start(self) -> Worker:
        with self._lock:
            if self._is_over:
                raise WorkerError(None)
            try:
                worker = _open_server().start()
            except UnbegunError:
                raise WorkerError(None) from None
            self._workers.append(worker)
        return worker


def _took_too_long(timed: Timed[Any]) -> LimitError:
    return LimitError(
        "seconds for one part of the work",
        timed.seconds,
        "Lark tries a pattern of the grammar in too many ways, or the text is too much for it: "
        "write patterns that match in one way, leave the text out, or allow more with "
        "--part-limit SECONDS",
        timed.subject,
    )


# By the process, since this one may be forked.
_servers: dict[int, Server] = {}
_below: dict[int, ProcessExecutor] = {}
_opening = Lock()


def _open_server() -> Server:
    with _opening:
        found = _servers.get(os.getpid())
        if found is None or not found.is_alive:
            for ended in _servers.values():
                ended.close()
            _servers.clear()
            found = _servers[os.getpid()] = open_server("maskc.work.processes:open_calls")
        return found


def _block_signals() -> None:
    """Leave signals to the main thread; processes that this thread starts never see Ctrl-C."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def open_calls(_told: bytes) -> Service:
    """Return what does a pickled call in a worker; those of the caller's may grow."""
    return _call, math.inf


def _call(data: bytes) -> bytes:
    folder, environment, function, args, kwargs, seconds = pickle.loads(data)  # noqa: S301
    os.chdir(folder)
    if environment != dict(os.environ):
        os.environ.clear()
        os.environ.update(environment)
    _set_alarm(seconds)
    try:
        value = function(*args, **kwargs)
    except MaskcError as error:
        value = error
    _set_alarm(0)
    return pickle.dumps(value)


def _set_alarm(seconds: float) -> None:
    """Have this process ended after so many seconds, should nobody else do it; 0: no more."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds + _LATER, exit=True, file=_STDERR)
    else:
        faulthandler.cancel_dump_traceback_later()


K = TypeVar("K")


@contextmanager
def open_executor(spec: str | None, jobs: int) -> Iterator[Executor]:
    """Yield the executor that a user names, else one of so many processes of this machine.

    ``module:name`` names a function without arguments that returns a
    ``concurrent.futures.Executor``; it is imported from the current folder too. What goes wrong in
    an executor of others is one sentence, and what goes wrong in our own work is the same error
    that it is without one.

    Example: with this in ``cluster.py``, ``--executor cluster:open`` works on a Dask cluster::

        def open():
            return distributed.Client("tcp://scheduler:8786").get_executor()

    Where the block is left by an exception, what was not done is given up.

    Raises:
        ExecutorError: it cannot be imported, or is none.
    """
    if spec is None:
        with ProcessExecutor(jobs) as own:
            yield own
        return
    executor = _call_factory(spec)
    is_done = False
    try:
        yield executor
        is_done = True
    finally:
        # Not every executor takes `cancel_futures`; whoever gathers results cancels the rest.
        executor.shutdown(wait=is_done)


def gather(futures: Mapping[Future[T], K]) -> Iterator[tuple[K, T]]:
    """Yield what calls returned, each with its key, as they are done.

    Raises:
        ExecutorError: the executor failed.
        MaskcError: a call raised it.
    """
    try:
        for future in as_completed(futures):
            yield futures[future], result_of(future)
    finally:
        for future in futures:
            future.cancel()


def result_of(future: Future[T]) -> T:
    """Return what a call returned."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, MaskcError) or not isinstance(error, Exception):
        raise error
    raise ExecutorError(type(error).__name__, str(error)) from error


def _call_factory(spec: str) -> Executor:
    module_name, colon, name = spec.partition(":")
    if not colon or not module_name or module_name.startswith("."):
        raise ExecutorError(spec, "is not of the form module:name")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        factory = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise ExecutorError(spec, f"cannot be imported ({error})") from None
    made = factory() if callable(factory) else factory
    if not isinstance(made, Executor):
        raise ExecutorError(
            spec, f"makes a {type(made).__name__}, not a concurrent.futures.Executor"
        )
    return made
