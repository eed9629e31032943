"""Who does the units: this process, or several others?

Each process maps the artifact and builds Lark's parser once, and is then handed one unit after
the other. The processes ignore Ctrl-C: it is this one that ends them. If this one is killed,
they find their pipe closed and end by themselves. Python starts them as ``python -c``, which looks
for modules in the current folder first: a ``random.py`` that lies there must not be run.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

from maskc.errors import MaskcError, WorkerError
from maskc.verify.model import Experiment, Unit, VerifyOptions
from maskc.verify.plan import run_unit
from maskc.verify.subject import Subject

_HELD = (signal.SIGINT, signal.SIGTERM)
_SAFE_PATH = "PYTHONSAFEPATH"  # as Python's option -P


@dataclass(frozen=True, slots=True)
class Worker:
    """A process, and this end of the pipe to it."""

    process: BaseProcess
    connection: Connection


class Workers:
    """Does units in ``jobs`` processes; in this one if there is one job. A context manager."""

    def __init__(self, path: str, options: VerifyOptions, folder: Path, jobs: int) -> None:
        self._arguments = (path, options, folder)
        self._jobs = jobs
        self._workers: list[Worker] = []
        self._subject: Subject | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def run(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, Experiment]]:
        """Yield each unit with what it shows, as they are done.

        Raises:
            MaskcError: a unit raised it.
            WorkerError: a process ended.
        """
        if self._jobs == 1:
            self._subject = self._subject or Subject(*self._arguments)
            for unit in units:
                yield unit, run_unit(self._subject, unit)
            return
        while len(self._workers) < min(self._jobs, len(units)):
            self._workers.append(_start(self._arguments))
        yield from self._share_out(units)

    def _share_out(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, Experiment]]:
        waiting = list(reversed(units))
        busy: dict[Connection, tuple[Worker, Unit]] = {}
        idle = list(self._workers)
        while waiting or busy:
            while waiting and idle:
                worker, unit = idle.pop(), waiting.pop()
                if not _send(worker, unit):
                    raise _ended(worker)
                busy[worker.connection] = (worker, unit)
            ready = wait(list(busy))
            for connection in [c for c in busy if c in ready]:
                worker, unit = busy.pop(connection)
                answer = _receive(connection)
                if answer is None:
                    raise _ended(worker)
                if isinstance(answer, MaskcError):
                    raise answer
                idle.append(worker)
                yield unit, answer


def _start(arguments: tuple[str, VerifyOptions, Path]) -> Worker:
    """Start a process. It is a new one, no fork, so that it inherits no thread's lock."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, *arguments), daemon=True)
    with _holding_signals(), _without_current_folder():
        process.start()
    theirs.close()
    return Worker(process, ours)


@contextmanager
def _holding_signals() -> Iterator[None]:
    """Keep Ctrl-C and SIGTERM waiting: they would leave a process that nobody knows of.

    A process that is started meanwhile never sees a Ctrl-C, and SIGTERM once it serves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    # They may come to a thread of a library's, and then Python asks its handlers all the same.
    is_main = threading.current_thread() is threading.main_thread()
    came: list[int] = []
    handlers = {s: signal.getsignal(s) for s in _HELD} if is_main else {}
    try:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, lambda number, _frame: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for one in came:
            signal.raise_signal(one)


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Keep a process that is started meanwhile from importing what lies in the current folder."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _serve(connection: Connection, path: str, options: VerifyOptions, folder: Path) -> None:
    """Do the units that come through a pipe, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    subject = Subject(path, options, folder)
    while True:
        try:
            unit = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: Experiment | MaskcError = run_unit(subject, unit)
        except MaskcError as error:
            answer = error
        try:
            connection.send(answer)
        except OSError:
            return


# An error that a closed pipe raised must end where it was raised: its frames hold a buffer of the
# pickler's, and Python 3.13 complains on standard error when the collector comes upon the two.


def _send(worker: Worker, unit: Unit) -> bool:
    """Hand a unit to a process; return whether its pipe is open."""
    try:
        worker.connection.send(unit)
    except OSError:
        return False
    return True


def _receive(connection: Connection) -> Experiment | MaskcError | None:
    """Return what a process answers, ``None`` if its pipe is closed."""
    try:
        answer: Experiment | MaskcError = connection.recv()
    except (EOFError, OSError):
        return None
    return answer


def _ended(worker: Worker) -> WorkerError:
    worker.process.join()
    return WorkerError(worker.process.exitcode)
