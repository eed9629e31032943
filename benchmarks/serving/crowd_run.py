"""Measure how long good requests wait for their first mask beside hostile ones.

Usage: python -m benchmarks.serving.crowd_run [--tokenizer llama3] [--seconds 120] [--hostile N]

A server without its model: a front end that has requests compiled, as the plug-in of vLLM does, and
an engine in a process of its own that makes their constraints on a thread, as vLLM does, and fills
a mask for each sequence of the batch, step by step, with ten milliseconds between, in place of the
model. Two clients send good requests, half of which nobody has sent before, first alone and then
beside clients that send those of ``hostile_requests``.

Printed are seconds from a request until it was compiled, until the engine had it, and until its
first mask; milliseconds of the engine's steps; and what the hostile ones took.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median, quantiles
from typing import Any

import maskc
from benchmarks.serving.hostile_requests import draw_hostile
from benchmarks.table.rows import list_legal
from maskc.errors import MaskcError
from maskc.integrations.compile_answers import recording, using
from maskc.integrations.compile_pool import holding
from maskc.integrations.compile_ticket import Ticket
from maskc.integrations.requests import REQUESTS_VARIABLE, RequestConstraints
from maskc.integrations.session import Session
from maskc.vocab import load_vocabulary

MODEL_SECONDS, MOST_TOKENS = 0.01, 40
_GRAMMAR = """
start: statement+
statement: "let" NAME_{n} "=" sum ";" | "print" sum ";" | "if" sum block
block: "{{" statement* "}}"
sum: atom (("+" | "-" | "*" | "/") atom)*
atom: NUMBER | NAME_{n} | STRING | "(" sum ")"
NAME_{n}: /[a-z_][a-z0-9_]*/
NUMBER: /[0-9]+/
STRING: /"[^"]*"/
%ignore /[ \\n]+/
"""


def draw_good(draw: random.Random, *, is_new: bool) -> tuple[str, str]:
    """Return the kind and the text of an honest request."""
    n = draw.randrange(10**9) if is_new else 0
    kinds = ("string", "integer", "boolean", "number")
    fields: dict[str, Any] = {f"field_{n}_{k}": {"type": kinds[k % 4]} for k in range(8)}
    fields["kind"] = {"enum": ["a", "b", f"c{n}"]}
    schema = {"type": "object", "properties": fields, "required": ["kind"]}
    content = {"type": "json_schema", "json_schema": schema}
    tag = {"type": "tag", "begin": f"<f{n}>", "content": content, "end": "</f>"}
    tags = {"type": "triggered_tags", "triggers": ["<f"], "tags": [tag]}
    return draw.choice(
        [
            ("json", json.dumps(schema)),
            ("json", json.dumps({"type": "array", "items": {"anyOf": [schema, {"const": n}]}})),
            ("regex", rf"(?:[a-z]+\.)*{n}[a-z]{{2,6}}"),
            ("choice", json.dumps(["left", "right", str(n)])),
            ("grammar", f'root ::= "x{n}" root | "y" [a-z]{{1,20}}'),
            ("grammar", _GRAMMAR.format(n=n)),
            ("structural_tag", json.dumps({"type": "structural_tag", "format": tags})),
        ]
    )


def draw_bad(draw: random.Random) -> tuple[str, str]:
    """Return the kind and the text of a hostile request."""
    ((kind, asked),) = draw_hostile(draw).items()
    return kind, asked if isinstance(asked, str) else json.dumps(asked)


def run_engine(pipe: Connection, tokenizer: str) -> None:
    """Make masks for what comes through a pipe, as an engine does, until it is told to stop."""
    vocabulary = load_vocabulary(tokenizer)
    constraints, thread = RequestConstraints(vocabulary), ThreadPoolExecutor(1)
    bitmask, end = maskc.allocate_bitmask(1, vocabulary.vocab_size), vocabulary.eos_ids[0]
    coming: dict[int, Future[tuple[Session, float]]] = {}
    batch: dict[int, list[Any]] = {}  # number → session, when it was made, its first mask, tokens
    draw, steps = random.Random(0), list[float]()

    def make(kind: str, text: str, answers: dict[str, bytes]) -> tuple[Session, float]:
        with using(answers):
            return Session(constraints.make(kind, text)), time.monotonic()

    while True:
        while pipe.poll(0 if batch else 0.002):
            message = pipe.recv()
            if message is None:
                return
            number, *asked = message
            if asked:
                coming[number] = thread.submit(make, *asked)
            else:
                pipe.send((number, steps))
                steps = []
        for number in [n for n, future in coming.items() if future.done()]:
            try:
                batch[number] = [*coming.pop(number).result(), 0.0, 0]
            except MaskcError:
                pipe.send((number, time.monotonic(), time.monotonic(), False))
        if not batch:
            continue
        began = time.monotonic()
        for number, (session, made, first, n_tokens) in list(batch.items()):
            session.fill(bitmask, 0)
            legal, first = list_legal(bitmask), first or time.monotonic()
            is_over = end in legal or n_tokens == MOST_TOKENS
            batch[number][2:] = first, n_tokens + 1
            if is_over or not session.accept(draw.choice(legal)):
                del batch[number]
                pipe.send((number, made, first, True))
        steps.append(time.monotonic() - began)
        time.sleep(MODEL_SECONDS)


class Crowd:
    """Clients, the front end that they send to, and what they waited for.

    Args:
        front: of the server.
        engine: the pipe to it.
    """

    def __init__(self, front: RequestConstraints, engine: Connection) -> None:
        self._front, self._engine, self._lock = front, engine, threading.Lock()
        self._waiting: dict[int, Future[list[Any]]] = {}
        self.waits: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        self.counts: Counter[str] = Counter()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                number, *found = self._engine.recv()
                self._waiting.pop(number).set_result(found)

    def exchange(self, number: int, *message: Any) -> list[Any]:
        """Return the engine's answer."""
        self._waiting[number] = answer = Future[list[Any]]()
        with self._lock:
            self._engine.send((number, *message))
        return answer.result()

    def send(self, who: str, number: int, kind: str, text: str) -> None:
        """Send a request and note how long it took."""
        began = time.monotonic()
        try:
            with holding(Ticket()), recording() as answers:
                self._front.make(kind, text)
        except MaskcError as error:
            self.counts[f"{who} refused"] += 1
            self.waits[f"{who}, refused"].append((time.monotonic() - began,))
            if who.startswith("good"):
                print(who, kind, error)
            return
        compiled = time.monotonic()
        made, first, is_good = self.exchange(number, kind, text, dict(answers))
        self.counts[f"{who} {'served' if is_good else 'failed in the engine'}"] += 1
        self.waits[who].append(tuple(at - began for at in (compiled, made, first)))


def run(crowd: Crowd, seconds: float, when: str, n_hostile: int) -> None:
    """Send good requests for some seconds, and hostile ones beside them."""
    until = time.monotonic() + seconds

    def client(number: int, who: str) -> None:
        draw = random.Random(number)
        while time.monotonic() < until:
            number += 100
            if who == "hostile":
                crowd.send(who, number, *draw_bad(draw))
                continue
            is_new = draw.random() < 0.5
            name = f"{who}, {'new' if is_new else 'known'}"
            crowd.send(name, number, *draw_good(draw, is_new=is_new))
            time.sleep(0.05)

    base, whos = (10**9 if n_hostile else 0), [f"good {when}"] * 2 + ["hostile"] * n_hostile
    with ThreadPoolExecutor(len(whos)) as clients:
        list(clients.map(client, range(base, base + len(whos)), whos))


def show(values: list[float], scale: float = 1.0) -> str:
    """Return the median, the 99th percentile and the most."""
    if len(values) < 2:
        return "–"
    cuts = [median(values), quantiles(values, n=100, method="inclusive")[98], max(values)]
    return " / ".join(f"{scale * value:.3g}" for value in cuts)


def main() -> None:
    """Run the server and its clients and print what they waited for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
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
        crowd.send("first", number, *draw_good(random.Random(number), is_new=False))
    for when, n_hostile in (("alone", 0), ("beside", options.hostile)):
        run(crowd, options.seconds / 2, when, n_hostile)
        print(f"{when}: steps of the engine, ms: {show(crowd.exchange(-1)[0], 1000)}")
    print("seconds, p50 / p99 / worst: until it was compiled; the engine had it; its first mask")
    for who, found in sorted(crowd.waits.items()):
        print(
            f"{who:24} {len(found):5} ",
            ";  ".join(show(list(each)) for each in zip(*found, strict=True)),
        )
    print(dict(sorted(crowd.counts.items())))
    front.close()
    ours.send(None)
    engine.join()


if __name__ == "__main__":
    main()
