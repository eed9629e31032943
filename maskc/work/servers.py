"""Servers that start workers: by forking a process that has loaded what they need, or apart.

A fork server forks workers in milliseconds. ``multiprocessing`` has such a process too; it talks
through a socket in the folder of temporary files, which has to be removed and whose path must be
short. Here it is a pair of sockets without a name. The process has one thread, so forking is safe
there, whatever this process does. It ends when it finds the socket closed, or this process gone.

Where the system has no fork that is safe, workers are started as processes of their own. A worker
loads what it needs by itself, which takes most of a second. It finds this process at a port of this
machine and proves that it was started here: by bytes that nobody else has, which it reads from its
standard input. What else comes to the port is closed.
"""

from __future__ import annotations

import hmac
import math
import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from maskc.work import (
    MOST_IDLE,
    MOST_STARTING,
    Server,
    Service,
    UnbegunError,
    Worker,
    answer_all,
    command_of,
    heed_signals,
    load_service,
    read_bytes,
    receive,
    send,
    wait_for,
)

_REQUEST, _ANSWER = struct.Struct("!ci"), struct.Struct("!i")
_FORK, _KILL, _WAIT = b"f", b"k", b"w"
_START_FORK = (
    "from maskc.work.servers import serve_forks; serve_forks(int(sys.argv[1]), sys.argv[2])"
)

_HOST = "127.0.0.1"
_N_SECRET = 32
_LOOK_EVERY = 0.1  # seconds, whether a process that starts is still there
_MOST_PROVING = 5.0  # seconds until who comes to the port has proved who it is
_START_SPAWN = (
    "from maskc.work.servers import serve_spawned; serve_spawned(int(sys.argv[1]), sys.argv[2])"
)
# On Windows a group of its own is what keeps Ctrl-C away; elsewhere the signal is blocked.
_WINDOWS_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


class ForkServer(Server):
    """The process that forks workers, as this one sees it; the program is called once."""

    def __init__(self, program: str, told: bytes = b"", *, is_apart: bool = False) -> None:
        self._is_ready = False
        self._ready_by = time.monotonic() + MOST_STARTING
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - it is this Python, nothing of a user's
                command_of(_START_FORK, str(theirs.fileno()), program),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if is_apart else None,
                process_group=0 if is_apart else None,
            )
        with suppress(OSError):  # who asks for a worker finds that it has ended
            send(self._socket, told)
        super().__init__()

    def start(self, seconds: float = math.inf) -> Worker:
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
        self._ask(_KILL, pid)

    def wait(self, pid: int) -> int:
        return self._ask(_WAIT, pid)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def _end(self) -> None:
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


def serve_forks(file: int, program: str) -> None:
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


class SpawnServer(Server):
    """Starts workers as processes of their own; each of them calls the program."""

    def __init__(self, program: str, told: bytes = b"", *, is_apart: bool = False) -> None:
        super().__init__()
        self._program, self._told, self._is_apart = program, told, is_apart
        self._is_closed = False
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, seconds: float = math.inf) -> Worker:
        if self._is_closed:
            raise UnbegunError
        until = time.monotonic() + min(seconds, MOST_STARTING)
        secret = secrets.token_bytes(_N_SECRET)
        with socket.create_server((_HOST, 0)) as listener:
            process, stream = self._spawn(listener.getsockname()[1]), None
            try:
                if process.stdin is not None:
                    # That it has ended is found out by who waits for it.
                    with suppress(OSError), process.stdin as stdin:
                        stdin.write(secret)
                stream = _accept(listener, process, secret, until)
                send(stream, self._told, until=until)
                receive(stream, until=until)
            except OSError as error:
                if stream is not None:
                    stream.close()
                self.kill(process.pid)
                self.wait(process.pid)
                is_late = isinstance(error, TimeoutError) and seconds < MOST_STARTING
                raise (TimeoutError if is_late else UnbegunError) from None
        return Worker(self, process.pid, stream)

    def kill(self, pid: int) -> None:
        process = self._processes.get(pid)
        if process is not None:
            process.kill()

    def wait(self, pid: int) -> int:
        process = self._processes.get(pid)
        if process is None:
            raise ChildProcessError("the process has ended before")
        status = process.wait()
        self._processes.pop(pid, None)
        return status

    @property
    def is_alive(self) -> bool:
        return not self._is_closed

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        super().close()

    def _end(self) -> None:
        for process in list(self._processes.values()):
            process.kill()
            process.wait()

    def _spawn(self, port: int) -> subprocess.Popen[bytes]:
        settings: dict[str, Any] = {"creationflags": _WINDOWS_GROUP} if _WINDOWS_GROUP else {}
        if self._is_apart and not _WINDOWS_GROUP:
            settings["process_group"] = 0
        with self._lock:
            if self._is_closed:
                raise UnbegunError
            process = subprocess.Popen(  # noqa: S603 - it is this Python, nothing of a user's
                command_of(_START_SPAWN, str(port), self._program),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL if self._is_apart else None,
                **settings,
            )
            self._processes[process.pid] = process
        return process


def _accept(
    listener: socket.socket, process: subprocess.Popen[bytes], secret: bytes, until: float
) -> socket.socket:
    """Return the pipe to the process, once it has proved who it is."""
    listener.settimeout(_LOOK_EVERY)
    while time.monotonic() < until:
        try:
            stream, _ = listener.accept()
        except TimeoutError:
            if process.poll() is not None:
                raise ConnectionResetError from None
            continue
        try:
            proof = read_bytes(stream, _N_SECRET, min(until, time.monotonic() + _MOST_PROVING))
        except OSError:
            proof = b""
        if hmac.compare_digest(proof, secret):
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return stream
        stream.close()
    raise TimeoutError


def serve_spawned(port: int, program: str) -> None:
    """Be a worker of who listens at a port."""
    secret = sys.stdin.buffer.read(_N_SECRET)
    status = 1
    with socket.create_connection((_HOST, port)) as stream, suppress(ConnectionError):
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream.sendall(secret)
        answer, most_grown = load_service(program, receive(stream))
        heed_signals()
        send(stream, b"")
        answer_all(stream, answer, most_grown)
        status = 0
    sys.exit(status)
