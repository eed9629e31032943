"""A fork server: a process that has loaded what workers need, and forks them in milliseconds.

``multiprocessing`` has such a process too; it talks through a socket in the folder of temporary
files, which has to be removed and whose path must be short. Here it is a pair of sockets without a
name. The process has one thread, so forking is safe there, whatever this process does. It ends when
it finds the socket closed, or this process gone. It imports from where this process does, but for
the current folder: a ``random.py`` that lies there must not be run.

A worker answers one message after the other; a message is bytes behind their length. The worker
says that it begins with one, by an empty message, and then answers: so who asks knows whether an
idle worker has died or was stopped, and another one may take the message, or whether this one did
at work.

Example: ``ForkServer("maskc.work.processes:open_calls").fork().exchange(pickled)`` returns the
answer's bytes.
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
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from threading import Lock

from maskc.budget import read_memory

# What answers messages, and by how many bytes a worker may have grown after one.
Service = tuple[Callable[[bytes], bytes], float]

_LENGTH, _REQUEST, _ANSWER = struct.Struct("!Q"), struct.Struct("!ci"), struct.Struct("!i")
_FORK, _KILL, _WAIT = b"f", b"k", b"w"
_MAX_MESSAGE = 1 << 30
_LEAST_SECONDS = 0.001  # for what needs no waiting
_MOST_STARTING = 60.0  # seconds until the server is ready
_MOST_IDLE = 10.0  # seconds until it or a worker begins, which takes some hundredths at most
_LOOK_EVERY = 5.0  # seconds, whether who started a process is still there
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from maskc.work.fork_server import serve; serve(int(sys.argv[1]), sys.argv[3])"
)


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
    (n_bytes,) = _LENGTH.unpack(_read(stream, _LENGTH.size, until))
    return _read(stream, n_bytes, until)


def _read(stream: socket.socket, n_bytes: int, until: float) -> bytes:
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


@dataclass(slots=True, eq=False)
class Worker:
    """A worker, and this end of the pipe to it; the exit status of one that has ended."""

    server: ForkServer
    pid: int
    stream: socket.socket
    status: int | None = None

    def exchange(self, data: bytes, until: float = math.inf) -> bytes:
        """Return the answer to a message.

        Raises:
            UnbegunError: the worker has not begun with it; another one may take it.
            TimeoutError: there is no answer in time.
            ConnectionError: the worker has ended while it worked.
        """
        begun_by = until if until == math.inf else min(until, time.monotonic() + _MOST_IDLE)
        try:
            send(self.stream, data, until=begun_by)
            receive(self.stream, until=begun_by)
        except TimeoutError:
            raise (TimeoutError if begun_by == until else UnbegunError) from None
        except OSError:
            raise UnbegunError from None
        try:
            return receive(self.stream, until=until)
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


class ForkServer:
    """The process, as this one sees it. Threads may share it.

    Args:
        program: ``module:function``; called once with what it is told, it returns a ``Service``.
        told: bytes.
        is_apart: whether no signal of this process's terminal reaches the processes.
    """

    def __init__(self, program: str, told: bytes = b"", *, is_apart: bool = False) -> None:
        self._lock, self._is_ready, self._owner = Lock(), False, os.getpid()
        self._ready_by = time.monotonic() + _MOST_STARTING
        self._socket, theirs = socket.socketpair()
        paths = json.dumps([path for path in sys.path if path])
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - it is this Python, nothing of a user's
                [sys.executable, "-P", "-c", _START, str(theirs.fileno()), paths, program],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if is_apart else None,
                process_group=0 if is_apart else None,
            )
        with suppress(OSError):  # who asks for a worker finds that it has ended
            send(self._socket, told)
        atexit.register(self.close)

    def fork(self, seconds: float = math.inf) -> Worker:
        """Return a new worker.

        Raises:
            TimeoutError: the process is not ready in so many seconds.
            UnbegunError: it has ended, or it should have been ready by now.
        """
        left = min(seconds, self._ready_by - time.monotonic())
        if not self.is_alive:
            raise UnbegunError
        if not self._is_ready and not wait([self._socket], max(0.0, left)):
            if left == seconds:
                raise TimeoutError
            self.close()
            raise UnbegunError
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                return Worker(self, self._ask(_FORK, 0, (theirs.fileno(),)), ours)
            except ChildProcessError:
                ours.close()
                raise UnbegunError from None

    def kill(self, pid: int) -> None:
        """End a worker, if it has not ended by itself."""
        self._ask(_KILL, pid)

    def wait(self, pid: int) -> int:
        """Return the exit status of a worker that has ended; a signal's number is negative."""
        return self._ask(_WAIT, pid)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        """End the process; its workers end when they have nothing to do."""
        atexit.unregister(self.close)
        if self._owner == os.getpid():  # else this process was forked, and it is its parent's
            self.process.kill()
            self.process.wait()
            self._socket.close()

    def _ask(self, what: bytes, pid: int, files: tuple[int, ...] = ()) -> int:
        with self._lock:
            try:
                if not self._is_ready:
                    self._is_ready = bool(self._socket.recv(_ANSWER.size))
                self._socket.settimeout(_MOST_IDLE)
                socket.send_fds(self._socket, [_REQUEST.pack(what, pid)], files)
                data = self._socket.recv(_ANSWER.size, socket.MSG_WAITALL)
            except OSError:
                data = b""
        if len(data) < _ANSWER.size:
            self.process.kill()
            raise ChildProcessError("the process that starts workers has ended")
        (number,) = _ANSWER.unpack(data)
        return int(number)


def serve(file: int, program: str) -> None:
    """Fork a worker whenever the socket asks for one, until it is closed."""
    # `re` warns of `[[a]` wherever a pattern is read, and one process that says so is enough.
    warnings.simplefilter("ignore", FutureWarning)
    workers: set[int] = set()
    parent = os.getppid()
    with socket.socket(fileno=file) as asked, suppress(ConnectionError):
        module, _, name = program.partition(":")
        service: Service = getattr(importlib.import_module(module), name)(receive(asked))
        asked.settimeout(None)
        asked.sendall(_ANSWER.pack(0))
        while os.getppid() == parent:
            if not wait([asked], _LOOK_EVERY):
                continue
            data, files, _, _ = socket.recv_fds(asked, _REQUEST.size, 1)
            if len(data) < _REQUEST.size:
                return
            what, pid = _REQUEST.unpack(data)
            number = 0
            if what == _WAIT:
                number = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                workers.remove(pid)
            elif what == _FORK:
                number = _fork(service, asked, files[0])
                workers.add(number)
            elif pid in workers:  # until somebody waits for it, its number is its own
                os.kill(pid, signal.SIGKILL)
            asked.sendall(_ANSWER.pack(number))


def _fork(service: Service, asked: socket.socket, file: int) -> int:
    """Return the process id of a child that serves a pipe, and never returns here."""
    pid = os.fork()
    if pid:
        os.close(file)
        return pid
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM, signal.SIGTERM))
        asked.close()
        _answer_all(socket.socket(fileno=file), *service)
        status = 0
    finally:
        if status:
            sys.excepthook(*sys.exc_info())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _answer_all(stream: socket.socket, answer: Callable[[bytes], bytes], most_grown: float) -> None:
    """Answer what comes through a pipe, until it is closed or this process has grown too far."""
    parent, base = os.getppid(), read_memory()
    with suppress(ConnectionError):  # who asks has gone
        while os.getppid() == parent:
            if wait([stream], _LOOK_EVERY):
                data = receive(stream)
                send(stream, b"")
                send(stream, answer(data))
                if read_memory() - base > most_grown:
                    return
