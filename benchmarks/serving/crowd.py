"""How long do good requests wait for their first mask beside hostile ones?

    python -m benchmarks.serving.crowd [--tokenizer llama3] [--seconds 120]

A server without its model: a front end that has requests compiled, as the plug-in of vLLM does, and
an engine in a process of its own that makes their constraints on a thread, as vLLM does, and
fills a mask for each sequence of the batch, step by step, with ten milliseconds between, in place
of the model. Two clients send good requests, half of which nobody has sent
before, first alone and then beside clients that send those of ``hostile_requests``.

Printed are seconds from a request until it was compiled, until the engine had it, and until its
first mask; milliseconds of the engine's steps; and what the hostile ones took.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import threading
import time
from collections import Counter
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median, quantiles
from typing import Any

from benchmarks.serving.crowd_engine import run_engine
from benchmarks.serving.hostile_requests import draw_hostile
from maskc.errors import MaskcError
from maskc.integrations.compile_answers import recording
from maskc.integrations.compile_pool import holding
from maskc.integrations.compile_ticket import Ticket
from maskc.integrations.requests import REQUESTS_VARIABLE, RequestConstraints
from maskc.vocab import load_vocabulary

_GRAMMAR = """
start: statement+
statement: "let" NAME_{n} "=" sum ";" | "print" sum ";" | "if" sum block
block: "{{" statement* "}}"
sum: product (("+" | "-") product)*
product: atom (("*" | "/") atom)*
atom: NUMBER | NAME_{n} | STRING | "(" sum ")"
NAME_{n}: /[a-z_][a-z0-9_]*/
NUMBER: /[0-9]+/
STRING: /"[^"]*"/
WS: /[ \\n]+/
%ignore WS
"""


def draw_good(draw: random.Random, *, is_new: bool) -> tuple[str, str]:
    """Return the kind and the text of an honest request."""
    n = draw.randrange(10**9) if is_new else 0
    kinds = ("string", "integer", "boolean", "number")
    fields: dict[str, Any] = {f"field_{n}_{k}": {"type": kinds[k % 4]} for k in range(8)}
    fields["kind"] = {"enum": ["a", "b", f"c{n}"]}
    schema = {"type": "object", "properties": fields, "required": ["kind"]}
    tag = {
        "type": "triggered_tags",
        "triggers": ["<f"],
        "tags": [
            {
                "type": "tag",
                "begin": f"<f{n}>",
                "content": {"type": "json_schema", "json_schema": schema},
                "end": "</f>",
            }
        ],
    }
    return draw.choice(
        [
            ("json", json.dumps(schema)),
            ("json", json.dumps({**schema, "required": sorted(fields)[:3]})),
            ("json", json.dumps({"type": "array", "items": {"anyOf": [schema, {"const": n}]}})),
            ("regex", rf"[ab]{{3}}-{n}[0-9]"),
            ("regex", rf"(?:[a-z]+\.)*{n}[a-z]{{2,6}}"),
            ("choice", json.dumps(["left", "right", str(n)])),
            ("grammar", f'root ::= "x{n}" root | "y" [a-z]{{1,20}}'),
            ("grammar", _GRAMMAR.format(n=n)),
            ("structural_tag", json.dumps({"type": "structural_tag", "format": tag})),
        ]
    )


def _draw_bad(draw: random.Random) -> tuple[str, str]:
    ((kind, asked),) = draw_hostile(draw).items()
    return kind, asked if isinstance(asked, str) else json.dumps(asked)


class Crowd:
    """Clients, the front end that they send to, and what they waited for.

    Args:
        front: of the server.
        engine: the pipe to it.
    """

    def __init__(self, front: RequestConstraints, engine: Connection) -> None:
        self._front, self._engine = front, engine
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[threading.Event, list[Any]]] = {}
        self.waits: dict[str, list[tuple[float, ...]]] = {}
        self.counts: Counter[str] = Counter()
        # Seconds to the first mask and until it was compiled, the kind, the text's beginning.
        self.slowest: list[tuple[float, float, str, str]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                number, *found = self._engine.recv()
                event, into = self._waiting.pop(number)
                into += found
                event.set()

    def exchange(self, number: int, *message: Any) -> list[Any]:
        """Return the engine's answer."""
        event, found = threading.Event(), list[Any]()
        self._waiting[number] = event, found
        with self._lock:
            self._engine.send((number, *message))
        event.wait()
        return found

    def stop(self) -> None:
        """End the engine."""
        with self._lock:
            self._engine.send(None)

    def send(self, who: str, number: int, kind: str, text: str) -> None:
        """Send a request and note how long it took."""
        began = time.monotonic()
        try:
            with holding(Ticket()), recording() as answers:
                self._front.make(kind, text)
        except MaskcError as error:
            self.counts[f"{who} refused"] += 1
            self._note(who, (time.monotonic() - began,))
            if who.startswith("good"):
                print(who, kind, error)
            return
        compiled = time.monotonic()
        made, first, is_good = self.exchange(number, kind, text, dict(answers))
        self.counts[f"{who} {'served' if is_good else 'failed in the engine'}"] += 1
        self._note(who, tuple(at - began for at in (compiled, made, first)))
        if who.startswith("good"):
            self.slowest.append((first - began, compiled - began, kind, text[:60]))

    def _note(self, who: str, found: tuple[float, ...]) -> None:
        with self._lock:
            self.waits.setdefault(who, []).append(found)


def run(crowd: Crowd, seconds: float, when: str, n_hostile: int) -> None:
    """Send good requests for some seconds, and hostile ones beside them."""
    until = time.monotonic() + seconds

    def client(number: int, draw: random.Random, who: str) -> None:
        while time.monotonic() < until:
            number += 100
            if who == "hostile":
                crowd.send(who, number, *_draw_bad(draw))
            else:
                is_new = draw.random() < 0.5
                name = f"{who}, {'new' if is_new else 'known'}"
                crowd.send(name, number, *draw_good(draw, is_new=is_new))
                time.sleep(0.05)

    base = 0 if n_hostile == 0 else 10**9
    whos = [f"good {when}"] * 2 + ["hostile"] * n_hostile
    threads = [
        threading.Thread(target=client, args=(base + k, random.Random(base + k), who))
        for k, who in enumerate(whos)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _show(name: str, values: list[float], scale: float = 1.0) -> str:
    if len(values) < 2:
        return f"{name} –"
    cuts = [median(values), quantiles(values, n=100, method="inclusive")[98], max(values)]
    return f"{name} " + " / ".join(f"{scale * value:.3g}" for value in cuts)


def main() -> None:
    """Run the server and its clients and print what they waited for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--hostile", type=int, default=2, help="clients that mean harm")
    options = parser.parse_args()
    os.environ[REQUESTS_VARIABLE] = "all"
    ours, theirs = get_context("spawn").Pipe()
    engine = get_context("spawn").Process(target=run_engine, args=(theirs, options.tokenizer))
    engine.start()
    theirs.close()
    front = RequestConstraints(load_vocabulary(options.tokenizer), fills_masks=False)
    crowd = Crowd(front, ours)
    for number in range(40):  # make the kits, and what is known from before
        kind, text = draw_good(random.Random(number), is_new=False)
        crowd.send("first", number, kind, text)
    for when, n_hostile in (("alone", 0), ("beside", options.hostile)):
        began = time.process_time()
        run(crowd, options.seconds / 2, when, n_hostile)
        steps = crowd.exchange(-1)[0]
        print(f"{when}: {_show('steps of the engine, ms: p50 / p99 / worst', steps, 1000)}")
        print(f"  processor time of the front end: {time.process_time() - began:.1f} s")
    print("seconds: p50 / p99 / worst until it was compiled; the engine had it; its first mask")
    for who, found in sorted(crowd.waits.items()):
        n = len(found)
        whole = [entry for entry in found if len(entry) == 3]
        refused = [entry[0] for entry in found if len(entry) == 1]
        parts = [_show("", [entry[k] for entry in whole]) for k in range(3)]
        print(f"{who:20} {n:5}  " + ";  ".join(parts), _show("; refused", refused))
    print("the slowest good ones: seconds to the first mask, until it was compiled")
    for whole, compiled, kind, text in sorted(crowd.slowest, reverse=True)[:8]:
        print(f"  {whole:.2f} {compiled:.2f} {kind} {text!r}")
    print(dict(sorted(crowd.counts.items())))
    print({k: v for k, v in front.statistics().items() if k == "processes_started"})
    front.close()
    crowd.stop()
    engine.join()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"the largest process beside the front end: {peak:.0f} MB")


if __name__ == "__main__":
    main()
