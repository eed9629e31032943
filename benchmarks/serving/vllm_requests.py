"""Requests with constraints of their own, good and hostile ones, against vLLM's server over HTTP.

    python -m benchmarks.serving.vllm_requests --engine PYTHON [--seconds 60]

The server is vLLM's own with ``MASKC_REQUESTS=all`` and a model of random weights. First good
requests of each kind are sent, and each text that ends is judged by ``json``, ``re`` or a list.
Then the same go on while those of ``hostile_requests`` come beside them.
Printed are the answers by status, and how long a good request took alone and
beside them. The exit status is 1 if a text is wrong, a good request is refused, or a hostile one
gets anything but an answer of 200 or 400.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.serving.guide import GuideServer
from benchmarks.serving.hostile_requests import draw_hostile
from benchmarks.serving.vllm_http import PROMPT, Server
from benchmarks.serving.vllm_run import engine_environment, run_python

EOS = 1
SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["a", "b"]}, "on": {"type": "boolean"}},
    "required": ["on"],
    "additionalProperties": False,
}
TAG = json.dumps(
    {
        "type": "structural_tag",
        "format": {
            "type": "tag",
            "begin": "<n>",
            "content": {"type": "regex", "pattern": "-?[0-9]{1,3}"},
            "end": "</n>",
        },
    }
)
_NAMED = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}


def _is_value(text: str) -> bool:
    return {"on"} <= set(json.loads(text)) <= {"name", "on"}


Good = tuple[dict[str, Any], Callable[[str], object]]
GOOD: tuple[Good, ...] = (
    ({"structured_outputs": {"json": SCHEMA}}, _is_value),
    ({"structured_outputs": {"regex": "[ab]{3}-[0-9]"}}, re.compile("[ab]{3}-[0-9]").fullmatch),
    ({"structured_outputs": {"choice": ["left", "right"]}}, {"left", "right"}.__contains__),
    ({"structured_outputs": {"grammar": 'root ::= "x" root | "y"'}}, re.compile("x*y").fullmatch),
    ({"response_format": _NAMED}, _is_value),
    ({"structured_outputs": {"grammar": 'start: "x" start | "y"'}}, re.compile("x*y").fullmatch),
    ({"structured_outputs": {"structural_tag": TAG}}, re.compile("<n>-?[0-9]+</n>").fullmatch),
)


class Load:
    """What was sent, and what came back.

    Args:
        server: to send to.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self.statuses: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seconds: dict[str, list[float]] = {
            "first": [],
            "alone": [],
            "beside": [],
            "hostile": [],
        }

    def _send(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        bias = {str(EOS): 50.0}
        body = {"prompt": PROMPT, "max_tokens": 40, "logit_bias": bias, "temperature": 1.0}
        return self._server.complete(**(body | asked))

    def send_good(self, number: int, when: str) -> None:
        """Send a good request and judge its text."""
        asked, judge = GOOD[number % len(GOOD)]
        began = time.perf_counter()
        status, answer = self._send(asked)
        self.seconds[when].append(time.perf_counter() - began)
        self.statuses[f"good {status}"] += 1
        if status != 200:
            self.wrong.append(f"{status}: {str(answer)[:300]}")
            return
        found = answer["choices"][0]
        if found["finish_reason"] == "stop" and not judge(found["text"]):
            self.wrong.append(f"{asked}: {found['text'][:200]!r}")

    def send_hostile(self, draw: random.Random) -> None:
        """Send a hostile request; whatever it is, there is an answer."""
        asked = draw_hostile(draw)
        began = time.perf_counter()
        status, answer = self._send({"structured_outputs": asked})
        self.seconds["hostile"].append(time.perf_counter() - began)
        self.statuses[f"hostile {status}"] += 1
        if status not in (200, 400):
            self.wrong.append(f"{status} for {str(asked)[:200]}: {str(answer)[:300]}")


def run(server: Server, seconds: float) -> Load:
    """Return what came back: one of each, good ones alone, and then both."""
    load = Load(server)
    for number in range(len(GOOD)):  # these make the kits
        load.send_good(number, "first")
    for when in ("alone", "beside"):
        until = time.monotonic() + seconds / 2
        work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (_repeat_good, (load, when, 0, until)),
            (_repeat_good, (load, when, 1, until)),
        ]
        if when == "beside":
            work += [(_repeat_hostile, (load, 0, until)), (_repeat_hostile, (load, 1, until))]
        threads = [threading.Thread(target=target, args=args) for target, args in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return load


def _repeat_good(load: Load, when: str, first: int, until: float) -> None:
    number = first
    while time.monotonic() < until:
        load.send_good(number, when)
        number += 1


def _repeat_hostile(load: Load, seed: int, until: float) -> None:
    draw = random.Random(seed)
    while time.monotonic() < until:
        load.send_hostile(draw)


def main() -> None:
    """Run the server and the load; exit with 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", required=True, help="the Python of vLLM's environment")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        environment = engine_environment(folder) | {"MASKC_REQUESTS": "all"}
        model = str(folder / "model")
        run_python(options.engine, "tests.engines.hf_model", model, **environment)
        log = folder / "serve.log"
        # The server's logits processor asks for a guide, though no request here names one.
        with (
            GuideServer({}, folder / "guide.sock"),
            Server(options.engine, model, log, environment) as server,
        ):
            load = run(server, options.seconds)
            health = server.get("/health")[0]
    for name, count in sorted(load.statuses.items()):
        print(f"{name:14} {count:6}")
    for when, times in load.seconds.items():
        shown = [1000 * value for value in (median(times), quantiles(times, n=100)[98], max(times))]
        print(f"{when:8} p50 {shown[0]:8.1f}  p99 {shown[1]:8.1f}  worst {shown[2]:8.1f} ms")
    print("health", health)
    for line in load.wrong[:20]:
        print("WRONG", line)
    raise SystemExit(1 if load.wrong or health != 200 else 0)


if __name__ == "__main__":
    main()
