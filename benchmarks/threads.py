"""What do threads that fill masks get, and what do they and one that links do to each other?

Usage: python -m benchmarks.threads [NAME …] [--threads N …] [--seconds S] [--json FILE]

Threads share one artifact. Each decodes documents of a workload with matchers of its own: it fills
a mask, takes a token, and so on, for some seconds after a warm-up. Then the same beside one more
thread that makes constraints of JSON Schemas which nobody asked for before and fills their first
mask. Printed: steps a second of all threads together and of one, and what a step takes by the
clock; and constraints a second of the thread that links, alone and beside the others.

With the interpreter's lock, threads share one core's worth of Python. A build without it says so
in the first line.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.bench.figures import compute_figures
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder, load_vocabulary

WARM_UP = 1.0  # seconds

Work = Callable[[threading.Event], list[int]]


def decode(artifact: maskc.Artifact, documents: list[list[int]], number: int) -> Work:
    """Return the work of one thread that decodes: nanoseconds of each step."""

    def work(stop: threading.Event) -> list[int]:
        bitmask, steps = maskc.allocate_bitmask(1, artifact.vocab_size), list[int]()
        for at in count(number):
            matcher = artifact.matcher()
            for token in documents[at % len(documents)]:
                if stop.is_set():
                    return steps
                began = time.perf_counter_ns()
                matcher.fill_bitmask(bitmask, 0)
                matcher.accept_token(token)
                steps.append(time.perf_counter_ns() - began)
        raise AssertionError("it counts for ever")

    return work


def link(kit: Kit, numbers: count[int]) -> Work:
    """Return the work of a thread that links: nanoseconds of each constraint."""

    def work(stop: threading.Event) -> list[int]:
        bitmask, made = maskc.allocate_bitmask(1, kit.vocab_size), list[int]()
        while not stop.is_set():
            schema = make_schema(next(numbers))
            began = time.perf_counter_ns()
            kit.json_schema(schema).matcher().fill_bitmask(bitmask, 0)
            made.append(time.perf_counter_ns() - began)
        return made

    return work


def make_schema(number: int) -> dict[str, Any]:
    """Return a schema of its own for each number: a record with a nested one."""
    kinds = ("string", "integer", "boolean", "number")
    inner = {f"inner_{number}_{n}": {"type": kinds[n % 4]} for n in range(4)}
    outer: dict[str, Any] = {f"field_{number}_{n}": {"type": kinds[n % 4]} for n in range(8)}
    nested = {"type": "object", "properties": inner, "additionalProperties": False}
    outer["nested"] = {"type": "array", "items": nested, "maxItems": 5}
    return {"type": "object", "properties": outer, "required": sorted(outer)[:4]}


def run_together(works: list[Work], seconds: float) -> list[list[int]]:
    """Return what each of some works found in so many seconds, after as many to warm up."""
    for length in (WARM_UP, seconds):
        found: list[list[int]] = [[] for _ in works]
        stop = threading.Event()

        def run(number: int, found: list[list[int]] = found, stop: threading.Event = stop) -> None:
            found[number] = works[number](stop)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
        gc.collect()
        for thread in threads:
            thread.start()
        time.sleep(length)
        stop.set()
        for thread in threads:
            thread.join()
    return found


def describe(works: list[list[int]], seconds: float) -> dict[str, Any]:
    """Return how often some threads did their work, and what it took by the clock."""
    times = np.array([t for part in works for t in part], dtype=np.int64)
    return {"per second": len(times) / seconds, **compute_figures(times)}


def measure(name: str, kit: Kit, threads: list[int], seconds: float) -> list[dict[str, Any]]:
    """Return a row for each number of threads, and one more for each beside a thread that links."""
    encode = load_encoder(TOKENIZER).encode
    documents = [encode(text) for _, text in WORKLOADS[name].documents()]
    numbers, rows = count(), list[dict[str, Any]]()
    with compile_bundled(name) as path:
        artifact = maskc.load(path)
        alone = describe(run_together([link(kit, numbers)], seconds), seconds)
        rows.append({"threads": 0, "steps": None, "constraints": alone})
        for n in threads:
            decoding = [decode(artifact, documents, number) for number in range(n)]
            steps = describe(run_together(decoding, seconds), seconds)
            rows.append({"threads": n, "steps": steps, "constraints": None})
            both = run_together([*decoding, link(kit, numbers)], seconds)
            steps, made = describe(both[:-1], seconds), describe(both[-1:], seconds)
            rows.append({"threads": n, "steps": steps, "constraints": made})
    return rows


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    kit = make_kit(load_vocabulary(TOKENIZER))
    kit.prepare()
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    console = make_console()
    console.print(f"Python {sys.version.split()[0]}, {'with' if is_locked else 'without'} the lock")
    report = {name: measure(name, kit, options.threads, options.seconds) for name in options.names}
    columns = ("decoding", "steps/s", "p50 us", "p99 us", "max us", "linking", "made/s", "p50 ms")
    for name, rows in report.items():
        shown = []
        for row in rows:
            steps, made = row["steps"], row["constraints"]
            cells = [str(row["threads"])]
            cells += (
                ["", "", "", ""]
                if steps is None
                else [
                    f"{steps['per second']:,.0f}",
                    *(f"{steps[which]:,.1f}" for which in ("p50", "p99", "max")),
                ]
            )
            cells += (
                ["", "", ""]
                if made is None
                else ["1", f"{made['per second']:,.0f}", f"{made['p50'] / 1000:,.1f}"]
            )
            shown.append(tuple(cells))
        console.print(make_table(name, columns, shown, numbers=columns))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
