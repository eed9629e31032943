"""A server of an engine in a process of its own, and what a client sends to it.

Example: with ``with serve(command, log, {}) as server:`` it answers ``/health`` when the block
begins, and the end of the block stops it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

START_S = 600.0  # on a busy machine
ANSWER_S = 600


@dataclass(frozen=True, slots=True)
class Server:
    """A server that has started.

    Attributes:
        port: on this machine.
        log: what it has written.
    """

    port: int
    log: Path

    def get(self, path: str) -> tuple[int, str]:
        """Return the status and the body."""
        with contextlib.closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def send(self, path: str, body: Mapping[str, Any]) -> HTTPResponse:
        """Return the response to a request, unread; to close it is to leave."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        return connection.getresponse()

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        with self.send(path, body) as response:
            return response.status, json.load(response)

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the JSON of each server-sent event of an answer."""
        with self.send(path, {**body, "stream": True}) as response:
            for line in response:
                data = line.decode().removeprefix("data:").strip()
                if data.startswith("{"):
                    yield json.loads(data)


@contextlib.contextmanager
def serve(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    *,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[Server]:
    """Yield a server, which is stopped after the block.

    Args:
        command: starts it, ``--port`` with a free one is added.
        log: where its output goes.
        environment: what it needs beside the environment of this process.
        stop: what ends its processes, which are one group.

    Raises:
        TimeoutError: it does not answer in time, or has ended.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            stdout=output,
            stderr=output,
            env=os.environ | dict(environment),
            start_new_session=True,
        )
        server = Server(port, log)
        try:
            _wait(server, process)
            yield server
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, stop)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            if server.get("/health")[0] == 200:
                return
        time.sleep(0.5)
    raise TimeoutError(f"the server did not start:\n{server.log.read_text()[-4000:]}")
