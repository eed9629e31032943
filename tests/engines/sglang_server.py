"""SGLang's server with a model of random weights, in a process of its own, on a CPU.

Example: ``with serving(folder, artifacts, "--reasoning-parser", "deepseek-r1") as server:`` starts
it, ``server.post("/generate", {…})`` sends a request, and the end of the block stops it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engines.hf_model import write_folder
from tests.engines.sglang_cpu import SETTINGS, prepare
from tests.engines.sglang_speculation import VARIABLE

START_S = 600.0  # on a busy machine


@dataclass(frozen=True, slots=True)
class Server:
    """A server that has started.

    Attributes:
        port: on this machine.
        log: what it has written.
    """

    port: int
    log: Path

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and the JSON of an answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def stream(self, path: str, body: dict[str, Any]) -> Iterator[Any]:
        """Yield the JSON of each server-sent event of an answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body | {"stream": True}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            for line in answer:
                data = line.decode().removeprefix("data:").strip()
                if data and data != "[DONE]":
                    yield json.loads(data)


@contextmanager
def serving(folder: Path, artifacts: Path, *options: str) -> Iterator[Server]:
    """Yield a server of a model of random weights, which is stopped after the block.

    Args:
        folder: for the model and the server's log.
        artifacts: the folder that requests name artifacts of.
        options: of ``sglang.launch_server``.

    Raises:
        TimeoutError: it does not answer in time, or has ended.
    """
    model = folder / "model"
    if not model.is_dir():
        write_folder(model)
    prepare(folder)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    log = folder / "server.log"
    command = [
        *(sys.executable, "-m", "sglang.launch_server", "--model-path", str(model)),
        *("--port", str(port), "--grammar-backend", "maskc", "--max-total-tokens", "16384"),
        *("--max-running-requests", "16", "--log-level", "info", *_list_settings(), *options),
    ]
    environment = os.environ | {"MASKC_ARTIFACTS": str(artifacts), "OMP_NUM_THREADS": "1"}
    if "--speculative-algorithm" in options:
        environment[VARIABLE] = "1"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=environment, start_new_session=True
        )
        server = Server(port, log)
        try:
            _wait(server, process)
            yield server
        finally:
            # Its processes are one group.
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _list_settings() -> list[str]:
    """Return the engine's settings as options of the command."""
    found = []
    for name, value in SETTINGS.items():
        found.append("--" + name.replace("_", "-"))
        if value is not True:
            found.append(str(value))
    return found


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    url = f"http://127.0.0.1:{server.port}/health"
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(f"SGLang did not start:\n{server.log.read_text()[-4000:]}")
