"""What does a batch of masks cost, beside one ``np.take`` of as many rows?

Usage: python -m benchmarks.batch [NAME …] [--json FILE]

Up to 1,024 matchers stand at different places of the documents of a workload. All masks are filled,
and then the same masks are taken with ``np.take`` from an array that holds each of them once, in
turn. The ratio is that of the least of both, and that of the medians: on a busy machine the rest of
the processor's cache is others'. *Moving on*, each matcher takes a token between two fills, as in a
server.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.bench.figures import compute_figures
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

BATCHES, N_MASKS, N_STEPS = (1, 32, 256, 1024), 50_000, 50
MOVING = ("fill_bitmasks", "np.take", "accept_token of each")


def place_matchers(
    artifact: maskc.Artifact, documents: list[list[int]], batch: int
) -> list[tuple[maskc.Matcher, list[int]]]:
    """Return matchers with the tokens that are still to come for each."""
    placed = []
    for number in range(batch):
        tokens = documents[number % len(documents)]
        here = (number * 37) % max(1, len(tokens) - N_STEPS)
        matcher = artifact.matcher()
        matcher.accept_tokens(tokens[:here])
        placed.append((matcher, tokens[here:]))
    return placed


def measure(name: str) -> list[dict[str, Any]]:
    """Return the figures of a workload by batch, microseconds for a whole batch."""
    encode = load_encoder(TOKENIZER).encode
    documents = [encode(text) for _, text in WORKLOADS[name].documents()]
    long = [tokens for tokens in documents if len(tokens) > 2 * N_STEPS]
    with compile_bundled(name) as path:
        artifact = maskc.load(path)
        return [measure_batch(artifact, long, batch) for batch in BATCHES]


def measure_batch(
    artifact: maskc.Artifact, documents: list[list[int]], batch: int
) -> dict[str, Any]:
    """Return the figures of one batch, microseconds for all of it."""
    bitmask = maskc.allocate_bitmask(batch, artifact.vocab_size)
    placed = place_matchers(artifact, documents, batch)
    matchers, rows = [matcher for matcher, _ in placed], list(range(batch))
    maskc.fill_bitmasks(matchers, bitmask, rows)
    masks, order = np.unique(bitmask, axis=0, return_inverse=True)
    order, n = order.ravel(), max(20, N_MASKS // batch)
    gc.collect()
    gc.disable()
    fills, takes = _time(
        n,
        lambda: maskc.fill_bitmasks(matchers, bitmask, rows),
        lambda: np.take(masks, order, axis=0, out=bitmask, mode="clip"),
    )
    (ids,) = _time(n, lambda: [matcher.mask_id() for matcher in matchers])
    moving = _time_moving(artifact, placed, bitmask)
    gc.enable()
    return {
        "batch": batch,
        "distinct masks": len(masks),
        "fill_bitmasks": compute_figures(fills),
        "np.take": compute_figures(takes),
        "mask_id of each": compute_figures(ids),
        **{f"{what}, moving on": compute_figures(times) for what, times in moving.items()},
        "least": float(fills.min() / takes.min()),
        "ratio": float(np.median(fills) / np.median(takes)),
    }


def _time_moving(
    artifact: maskc.Artifact, placed: list[tuple[maskc.Matcher, list[int]]], bitmask: Any
) -> dict[str, Any]:
    """Return nanoseconds of each step where a token is taken between two fills.

    The matchers go the same way twice, and the second one counts: no mask is new then.
    """
    rows = range(len(placed))
    for _ in range(2):
        matchers = [matcher.fork() for matcher, _ in placed]
        found = {what: np.zeros(N_STEPS, dtype=np.int64) for what in MOVING}
        for step in range(N_STEPS):
            begin = time.perf_counter_ns()
            maskc.fill_bitmasks(matchers, bitmask, rows)
            filled = time.perf_counter_ns()
            # Only now: the matchers know their masks.
            ids = np.array([matcher.mask_id() for matcher in matchers])
            masks, again = artifact.mask_table(), time.perf_counter_ns()
            np.take(masks, ids, axis=0, out=bitmask, mode="clip")
            copied = time.perf_counter_ns()
            for matcher, (_, tokens) in zip(matchers, placed, strict=True):
                matcher.accept_token(tokens[step])
            taken = time.perf_counter_ns()
            times = (filled - begin, copied - again, taken - copied)
            for what, took in zip(MOVING, times, strict=True):
                found[what][step] = took
    return found


def _time(n: int, *works: Callable[[], object]) -> Any:
    """Return int64[len(works), n], what each took, in turn."""
    found = np.zeros((len(works), n), dtype=np.int64)
    for number in range(n):
        for place, work in enumerate(works):
            begin = time.perf_counter_ns()
            work()
            found[place, number] = time.perf_counter_ns() - begin
    return found


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python"])
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = {name: measure(name) for name in options.names}
    columns = ("batch", "masks", "us for all", "p50", "mean", "p99")
    for name, found in report.items():
        rows = []
        for figures in found:
            ratio = f"fill_bitmasks ({figures['least']:.2f}, {figures['ratio']:.2f} × np.take)"
            begin = (f"{figures['batch']:,}", str(figures["distinct masks"]))
            for what, times in figures.items():
                if isinstance(times, dict):
                    shown = ratio if what == "fill_bitmasks" else what
                    rows.append((*begin, shown, *(f"{times[c]:,.1f}" for c in columns[3:])))
                    begin = ("", "")
        table = make_table(f"{name} (goal ≤ 1.5 × np.take)", columns, rows, numbers=columns[3:])
        make_console().print(table)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
