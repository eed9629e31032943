"""A process that has loaded what workers need, and forks them: each starts in milliseconds.

``multiprocessing`` has such a process too; it talks through a socket in the folder of temporary
files, which has to be removed and whose path must be short. Here it is a pair of sockets without a
name. The process has one thread, so forking is safe there, whatever this process does.

It is started when the first worker is, lives as long as this process, and ends when it finds the
socket closed. It imports from where this process does, but for the current folder: a ``random.py``
that lies there must not be run.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock

_REQUEST, _ANSWER = struct.Struct("!ci"), struct.Struct("!i")
_FORK, _KILL, _WAIT = b"f", b"k", b"w"
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from maskc.work.nursery import serve; serve(int(sys.argv[1]))"
)


class Nursery:
    """The process, as this one sees it. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket, theirs = socket.socketpair()
        paths = json.dumps([path for path in sys.path if path])
        self._process = subprocess.Popen(  # noqa: S603 - it is this Python, and nothing of a user's
            [sys.executable, "-P", "-c", _START, str(theirs.fileno()), paths],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        atexit.register(self.close)

    def fork(self) -> tuple[int, Connection]:
        """Return a new worker's process id, and this end of the pipe to it."""
        ours, theirs = Pipe()
        with theirs:
            return self._ask(_FORK, 0, (theirs.fileno(),)), ours

    def kill(self, pid: int) -> None:
        """End a worker, if it has not ended by itself."""
        self._ask(_KILL, pid)

    def wait(self, pid: int) -> int:
        """Return the exit status of a worker that has ended; a signal's number is negative."""
        return self._ask(_WAIT, pid)

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def close(self) -> None:
        """Let the process end, and wait until it has."""
        self._socket.close()
        self._process.wait()

    def _ask(self, what: bytes, pid: int, files: tuple[int, ...] = ()) -> int:
        with self._lock:
            socket.send_fds(self._socket, [_REQUEST.pack(what, pid)], files)
            data = self._socket.recv(_ANSWER.size, socket.MSG_WAITALL)
        if len(data) < _ANSWER.size:
            raise ChildProcessError("the process that starts workers has ended")
        (number,) = _ANSWER.unpack(data)
        return int(number)


_opened: dict[int, Nursery] = {}
_opening = Lock()


def open_nursery() -> Nursery:
    """Return the nursery of this process."""
    with _opening:
        found = _opened.get(os.getpid())
        if found is None or not found.is_alive:
            _opened.clear()  # of a process that was forked, its parent's
            found = _opened[os.getpid()] = Nursery()
        return found


def serve(file: int) -> None:
    """Fork a worker whenever the socket asks for one, until it is closed."""
    from maskc.work.processes import answer_calls

    # `re` warns of `[[a]` wherever a pattern is read, and one process that says so is enough.
    warnings.simplefilter("ignore", FutureWarning)
    workers: set[int] = set()
    with socket.socket(fileno=file) as asked:
        while True:
            try:
                data, files, _, _ = socket.recv_fds(asked, _REQUEST.size, 1)
            except ConnectionError:
                return
            if len(data) < _REQUEST.size:
                return
            what, pid = _REQUEST.unpack(data)
            if what == _WAIT:
                answer = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                workers.remove(pid)
            elif what == _KILL:
                if pid in workers:  # until somebody waits for it, its number is its own
                    os.kill(pid, signal.SIGKILL)
                answer = 0
            else:
                answer = _fork(answer_calls, asked, files[0])
                workers.add(answer)
            asked.sendall(_ANSWER.pack(answer))


def _fork(answer: Callable[[Connection], None], asked: socket.socket, file: int) -> int:
    """Return the process id of a child that serves a pipe, and never returns here."""
    pid = os.fork()
    if pid:
        os.close(file)
        return pid
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        asked.close()
        answer(Connection(file))
        status = 0
    finally:
        if status:
            sys.excepthook(*sys.exc_info())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
