"""A fork server: a process that has loaded what workers need, and forks them in milliseconds.

``multiprocessing`` has such a process too; it talks through a socket in the folder of temporary
files, which has to be removed and whose path must be short. Here it is a pair of sockets without a
name. The process has one thread, so forking is safe there, whatever this process does. It ends when
it finds the socket closed, or this process gone.
"""

from __future__ import annotations

import atexit
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from threading import Lock

from maskc.work.workers import (
    MOST_IDLE,
    MOST_STARTING,
    Service,
    UnbegunError,
    Worker,
    answer_all,
    command_of,
    heed_signals,
    load_service,
    receive,
    send,
    wait_for,
)

_REQUEST, _ANSWER = struct.Struct("!ci"), struct.Struct("!i")
_FORK, _KILL, _WAIT = b"f", b"k", b"w"
_START = "from maskc.work.fork_server import serve; serve(int(sys.argv[1]), sys.argv[2])"


class ForkServer:
    """The process, as this one sees it. Threads may share it.

    Args:
        program: ``module:function``; called once with what it is told, it returns a ``Service``.
        told: bytes.
        is_apart: whether no signal of this process's terminal reaches the processes.
    """

    def __init__(self, program: str, told: bytes = b"", *, is_apart: bool = False) -> None:
        self._lock, self._is_ready, self._owner = Lock(), False, os.getpid()
        self._ready_by = time.monotonic() + MOST_STARTING
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - it is this Python, nothing of a user's
                command_of(_START, str(theirs.fileno()), program),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if is_apart else None,
                process_group=0 if is_apart else None,
            )
        with suppress(OSError):  # who asks for a worker finds that it has ended
            send(self._socket, told)
        atexit.register(self.close)

    def start(self, seconds: float = math.inf) -> Worker:
        """Return a new worker.

        Raises:
            TimeoutError: the process is not ready in so many seconds.
            UnbegunError: it has ended, or it should have been ready by now.
        """
        left = min(seconds, self._ready_by - time.monotonic())
        if not self.is_alive:
            raise UnbegunError
        if not self._is_ready and not wait_for(self._socket, max(0.0, left)):
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
                self._socket.settimeout(MOST_IDLE)
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
    workers: set[int] = set()
    parent = os.getppid()
    with socket.socket(fileno=file) as asked, suppress(ConnectionError):
        service = load_service(program, receive(asked))
        asked.settimeout(None)
        asked.sendall(_ANSWER.pack(0))
        while os.getppid() == parent:
            if not wait_for(asked):
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
        heed_signals()
        asked.close()
        answer_all(socket.socket(fileno=file), *service)
        status = 0
    finally:
        if status:
            sys.excepthook(*sys.exc_info())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
