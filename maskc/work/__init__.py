"""Who does a part of the work: processes of this machine, or any executor that is named.

A worker is a process that answers one message after the other. A message is bytes behind their
length. The worker says that it begins with one, by an empty
message, and then answers: so who asks knows whether an idle worker has died, and another one may
take the message, or whether this one did at work.
"""

from __future__ import annotations

import atexit
import importlib
import json
import math
import os
import signal
import socket
import struct
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from threading import Lock

from maskc.system import read_memory

# What answers messages, and by how many bytes a worker may have grown after one.
Service = tuple[Callable[[bytes], bytes], float]

MOST_STARTING = 60.0  # seconds until a process is ready
MOST_IDLE = 10.0  # seconds until it begins with a message, which takes some hundredths at most
_LENGTH = struct.Struct("!Q")
_MAX_MESSAGE = 1 << 30
_LEAST_SECONDS = 0.001  # for what needs no waiting
LOOK_EVERY = 5.0  # seconds, whether who started a process is still there


class UnbegunError(Exception):
    """The process has ended or does not answer, and has not begun with what it is asked."""


def send(stream: socket.socket, data: bytes, *, until: float = math.inf) -> None:
    """Send a message, until a time of :func:`time.monotonic`.

    Raises:
        TimeoutError: the other end does not read; what it gets next makes no sense.
        OSError: the other end is closed.
    """
    _set_timeout(stream, until)
    stream.sendall(_LENGTH.pack(len(data)) + data)


def receive(stream: socket.socket, *, until: float = math.inf) -> bytes:
    """Return a message.

    Raises:
        TimeoutError: not all of it came in time.
        OSError: the other end is closed, or the message is too long.
    """
    (n_bytes,) = _LENGTH.unpack(read_bytes(stream, _LENGTH.size, until))
    return read_bytes(stream, n_bytes, until)


def read_bytes(stream: socket.socket, n_bytes: int, until: float) -> bytes:
    """Return so many bytes; raises as :func:`receive`."""
    if n_bytes > _MAX_MESSAGE:
        raise OSError("a message is too long")
    data = bytearray(n_bytes)
    rest = memoryview(data)
    while rest:
        _set_timeout(stream, until)
        n_read = stream.recv_into(rest)
        if not n_read:
            raise ConnectionResetError
        rest = rest[n_read:]
    return bytes(data)


def _set_timeout(stream: socket.socket, until: float) -> None:
    left = until - time.monotonic()
    stream.settimeout(None if left == math.inf else max(left, _LEAST_SECONDS))


class Server(ABC):
    """Starts workers, ends them and waits for them. Threads may share it."""

    def __init__(self) -> None:
        self._lock, self._owner = Lock(), os.getpid()
        atexit.register(self.close)

    @abstractmethod
    def start(self, seconds: float = math.inf) -> Worker:
        """Return a new worker.

        Raises:
            TimeoutError: none is ready in so many seconds.
            UnbegunError: what starts it has ended, or it should have been ready by now.
        """

    @abstractmethod
    def kill(self, pid: int) -> None:
        """End a worker, if it has not ended by itself."""

    @abstractmethod
    def wait(self, pid: int) -> int:
        """Return the exit status of a worker that has ended; a signal's number is negative."""

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether it can start workers."""

    def close(self) -> None:
        """End it; its workers end when they have nothing to do, or before."""
        atexit.unregister(self.close)
        if self._owner == os.getpid():  # else this process was forked, and it is its parent's
            self._end()

    @abstractmethod
    def _end(self) -> None:
        """End the processes that are this one's."""


@dataclass(slots=True, eq=False)
class Worker:
    """A worker, and this end of the pipe to it; the exit status of one that has ended."""

    server: Server
    pid: int
    stream: socket.socket
    status: int | None = None

    def exchange(self, data: bytes, until: float = math.inf, *, seconds: float = math.inf) -> bytes:
        """Return the answer to a message.

        Args:
            until: by :func:`time.monotonic`.
            seconds: how long the worker may work on it.

        Raises:
            UnbegunError: the worker has not begun with it; another one may take it.
            TimeoutError: there is no answer in time.
            ConnectionError: the worker has ended while it worked.
        """
        begun_by = until if until == math.inf else min(until, time.monotonic() + MOST_IDLE)
        try:
            send(self.stream, data, until=begun_by)
            receive(self.stream, until=begun_by)
        except TimeoutError:
            raise (TimeoutError if begun_by == until else UnbegunError) from None
        except OSError:
            raise UnbegunError from None
        try:
            return receive(self.stream, until=min(until, time.monotonic() + seconds))
        except TimeoutError:
            raise
        except OSError:
            raise ConnectionResetError from None

    def kill(self) -> None:
        """End the process, whatever it does."""
        with suppress(ChildProcessError):  # with the server it ends, too
            self.server.kill(self.pid)

    def close(self) -> int | None:
        """Wait until the process has ended; return its exit status, a signal's negative."""
        if self.stream.fileno() >= 0:
            self.stream.close()
            with suppress(ChildProcessError):
                self.status = self.server.wait(self.pid)
        return self.status


def command_of(start: str, *words: str) -> list[str]:
    """Return the command that runs a line of Python with words in ``sys.argv[1:]``.

    The process imports from where this one does, but for the current folder: a ``random.py`` that
    lies there must not be run.
    """
    paths = json.dumps([path for path in sys.path if path])
    prepare = "import sys, json; sys.path[:] = json.loads(sys.argv.pop()); "
    return [sys.executable, "-P", "-c", prepare + start, *words, paths]


def load_service(program: str, told: bytes) -> Service:
    """Return what answers messages, in the process that does."""
    # `re` warns of `[[a]` wherever a pattern is read, and one process that says so is enough.
    warnings.simplefilter("ignore", FutureWarning)
    module, _, name = program.partition(":")
    service: Service = getattr(importlib.import_module(module), name)(told)
    return service


def heed_signals() -> None:
    """Let a worker be ended, whatever the process that started it ignores or waits with."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        numbers = {signal.SIGTERM, *filter(None, [getattr(signal, "SIGALRM", None)])}
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def wait_for(stream: socket.socket, seconds: float = LOOK_EVERY) -> bool:
    """Return whether something comes in so many seconds."""
    return bool(wait([stream], seconds))


def answer_all(stream: socket.socket, answer: Callable[[bytes], bytes], most_grown: float) -> None:
    """Answer what comes through a pipe, until it is closed or this process has grown too far."""
    parent, base = os.getppid(), read_memory()
    with suppress(ConnectionError):  # who asks has gone
        while os.getppid() == parent:
            if wait_for(stream):
                data = receive(stream)
                send(stream, b"")
                send(stream, answer(data))
                if read_memory() - base > most_grown:
                    return


def open_server(program: str, told: bytes = b"", *, is_apart: bool = False) -> Server:
    """Return what starts workers of a program: by fork, where the system has one that is safe.

    On macOS the system's own libraries may have threads in any process, which a fork loses.

    Args:
        program: ``module:function``; called with what it is told, it returns a ``Service``.
        told: bytes.
        is_apart: whether no signal of this process's terminal reaches the processes.
    """
    if hasattr(os, "fork") and sys.platform != "darwin":
        from maskc.work.servers import ForkServer

        return ForkServer(program, told, is_apart=is_apart)
    from maskc.work.servers import SpawnServer

    return SpawnServer(program, told, is_apart=is_apart)
