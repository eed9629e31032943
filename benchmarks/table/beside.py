"""Rows about what stands beside decoding: Python's collector, and other threads."""

from __future__ import annotations

import gc
import json
import sysconfig
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import maskc
from benchmarks.schemas import generate_schemas
from benchmarks.serving.hostile_requests import draw_hostile
from benchmarks.table.decoding import Read, read
from benchmarks.table.rows import Figures, make_prepared_kit, row, summarise
from benchmarks.workloads import TOKENIZER, encode_documents, load_artifact
from maskc.errors import MaskcError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.requests import make_constraint
from maskc.kit.file import make_kit
from maskc.vocab import load_encoder, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary


class Collections:
    """How often Python's collector ran in each generation, and its longest run in seconds."""

    def __init__(self) -> None:
        self.counts, self.longest, self._began = [0, 0, 0], 0.0, 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Be called by the collector, before and after it runs."""
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.counts[info["generation"]] += 1
            self.longest = max(self.longest, time.thread_time() - self._began)


# How a sequence begins, and the tokens of its document.
Begun = list[tuple[Callable[[], maskc.Matcher], list[int]]]


def read_library() -> tuple[Begun, int]:
    """Return a million tokens of Python's standard library."""
    artifact, encode = load_artifact("python"), load_encoder(TOKENIZER).encode
    found, n_tokens = Begun(), 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" not in path.parts and n_tokens < 1_000_000:
            tokens = encode(path.read_text(encoding="utf-8", errors="replace"))
            found.append((artifact.matcher, tokens))
            n_tokens += len(tokens)
    return found, artifact.vocab_size


def read_schemas() -> tuple[Begun, int]:
    """Return values of 1,000 generated schemas, each compiled before and kept."""
    kit, encode = make_prepared_kit(), load_encoder(TOKENIZER).encode
    return [
        (kit.json_schema(schema).matcher, encode(json.dumps(value, ensure_ascii=False)))
        for schema, value in generate_schemas(1_000)
    ], kit.vocab_size


def read_general() -> tuple[Begun, int]:
    """Return 25,000 tokens of a general grammar."""
    artifact = load_artifact("toy_c")
    documents = encode_documents("toy_c", 25_000)
    return [(artifact.matcher, tokens) for tokens in documents], artifact.vocab_size


def stays_below(objects: float, microseconds: float = float("inf")) -> Callable[[Figures], bool]:
    """Return whether a token leaves few objects, and no step takes longer."""
    return lambda found: (
        found["objects that stay, a token"] < objects and found["step"]["max"] <= microseconds
    )


@row(
    "collector python",
    "objects left to the collector",
    read_library,
    is_flat=stays_below(0.2, 5_000),
)
@row("collector schemas", "the same of schemas", read_schemas, is_flat=stays_below(3.5))
@row("collector toy_c", "the same of a general grammar", read_general, is_flat=stays_below(1))
def watch_collector(subject: tuple[Begun, int]) -> Figures:
    """Read 32 documents side by side beside two million other objects, in processor time.

    The collector walks all objects of a process each time that a quarter more have come to stay.
    So what counts is how many a token leaves behind. A document is read as far as it is legal.
    """
    documents, vocab_size = subject
    others = [[number] for number in range(2_000_000)]
    bitmask, waiting = maskc.allocate_bitmask(1, vocab_size), iter(documents)
    standing = [(start(), iter(tokens)) for start, tokens in islice(waiting, 32)]
    standing[0][0].fill_bitmask(bitmask, 0)  # makes what the tables are read through
    times = np.zeros(sum(len(tokens) for _, tokens in documents))
    gc.collect()
    before, collections, n = len(gc.get_objects()), Collections(), 0
    gc.callbacks.append(collections)
    while standing:
        going = []
        for matcher, tokens in standing:
            token = next(tokens, None)
            if token is not None:
                began = time.thread_time()
                matcher.fill_bitmask(bitmask, 0)
                taken = matcher.accept_token(token)
                times[n] = time.thread_time() - began
                n += 1
                if taken:
                    going.append((matcher, tokens))
                    continue
            going += [(start(), iter(rest)) for start, rest in islice(waiting, 1)]
        standing = going
    gc.callbacks.remove(collections)
    gc.collect()
    stay = len(gc.get_objects()) - before
    del others
    return {
        "tokens": n,
        "step": summarise(times[:n]),
        "collections of everything": collections.counts[2],
        "longest collection, ms": collections.longest * 1e3,
        "objects that stay, a token": stay / n,
    }


@row("threads", "threads by the clock", read, "json", "python")
def run_threads(subject: Read) -> Figures:
    """Decode in threads for three seconds, alone and beside one that makes constraints.

    Every thread has matchers of its own of one artifact. The other thread makes constraints of
    schemas that nobody asked for before, and fills their first masks.
    """
    kit, numbers, found = make_prepared_kit(), count(), Figures()
    decode = partial(_decode, subject)
    link = partial(_link, kit, numbers)
    for n_threads, n_linking in ((0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (4, 0), (4, 1)):
        works = [partial(decode, k) for k in range(n_threads)] + [link] * n_linking
        for seconds in (1.0, 3.0):  # to warm up, and then
            times = _run_together(works, seconds)
        steps = [t for part in times[:n_threads] for t in part]
        made = [t for part in times[n_threads:] for t in part]
        row = {"steps a second": len(steps) / 3, "step": summarise(steps)} if steps else {}
        if made:
            row |= {"constraints a second": len(made) / 3, "constraint": summarise(made)}
        found[f"{n_threads} decoding, {n_linking} linking"] = row
    return found


def _run_together(works: list[Any], seconds: float) -> list[list[float]]:
    stop, found = threading.Event(), [list[float]() for _ in works]
    threads = [
        threading.Thread(target=work, args=(stop, into))
        for work, into in zip(works, found, strict=True)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return found


def _decode(subject: Read, number: int, stop: threading.Event, into: list[float]) -> None:
    bitmask = maskc.allocate_bitmask(1, subject.artifact.vocab_size)
    while not stop.is_set():
        matcher, number = subject.artifact.matcher(), number + 1
        for token in subject.documents[number % len(subject.documents)]:
            began = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            matcher.accept_token(token)
            into.append(time.perf_counter() - began)
            if stop.is_set():
                return


def _link(kit: Any, numbers: Any, stop: threading.Event, into: list[float]) -> None:
    bitmask, kinds = maskc.allocate_bitmask(1, kit.vocab_size), ("string", "integer", "boolean")
    while not stop.is_set():
        fields = {f"field_{next(numbers)}_{k}": {"type": kinds[k % 3]} for k in range(12)}
        began = time.perf_counter()
        kit.json_schema({"type": "object", "properties": fields}).matcher().fill_bitmask(bitmask, 0)
        into.append(time.perf_counter() - began)


@row("pauses", "gaps while hostile requests are compiled", partial(load_vocabulary, TOKENIZER))
def time_pauses(vocabulary: Vocabulary) -> Figures:
    """Compile hostile requests for 30 seconds beside a thread that works a millisecond at a time.

    As an engine's loop does between its steps; the gaps from one step to the next are of the wall:
    with requests compiled in the same process, and in another one.
    """
    other, found = OtherProcess(vocabulary), Figures()
    for name, compiler in (("in this process", None), ("in another one", other)):
        kit, gaps, n_made = make_kit(vocabulary, compiler=compiler), list[float](), list[int]()
        kit.json_schema("{}")
        until = time.monotonic() + 30

        def work(kit: Any = kit, until: float = until, n_made: list[int] = n_made) -> None:
            draw = Random(0)
            while time.monotonic() < until:
                ((kind, asked),) = draw_hostile(draw).items()
                text = asked if isinstance(asked, str) else json.dumps(asked)
                with suppress(MaskcError):
                    make_constraint(kit, kind, text)
                n_made.append(1)

        thread = threading.Thread(target=work)
        thread.start()
        last = time.perf_counter()
        while thread.is_alive():
            while time.perf_counter() < last + 0.001:
                pass
            time.sleep(0)  # gives the interpreter away, as a call into torch does
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
        found[name] = {"requests": len(n_made), **summarise(gaps)}
    other.close()
    return found
