"""What does a batch of masks cost, beside one ``np.take`` of as many rows?

Usage: python -m benchmarks.batch [NAME …] [--json FILE]

256 matchers stand at different places of the documents of a workload. All masks are filled, then
the same masks are taken with ``np.take`` from an array that holds each of them once.
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

BATCH, N_TIMES, N_STEPS = 256, 100, 50


def place_matchers(artifact: maskc.Artifact, documents: list[list[int]]) -> list[Any]:
    """Return matchers with the tokens that are still to come for each."""
    placed = []
    for number in range(BATCH):
        tokens = documents[number % len(documents)]
        here = (number * 37) % max(1, len(tokens) - N_STEPS)
        matcher = artifact.matcher()
        matcher.accept_tokens(tokens[:here])
        placed.append((matcher, tokens[here:]))
    return placed


def measure(name: str) -> dict[str, Any]:
    """Return the figures of a workload, microseconds for a whole batch."""
    encode = load_encoder(TOKENIZER).encode
    documents = [encode(text) for _, text in WORKLOADS[name].documents()]
    long = [tokens for tokens in documents if len(tokens) > 2 * N_STEPS]
    with compile_bundled(name) as path:
        artifact = maskc.load(path)
        bitmask = maskc.allocate_bitmask(BATCH, artifact.vocab_size)
        placed = place_matchers(artifact, long)
        matchers = [matcher for matcher, _ in placed]
        rows = list(range(BATCH))
        maskc.fill_bitmasks(matchers, bitmask, rows)
        masks, order = np.unique(bitmask, axis=0, return_inverse=True)
        order = order.ravel()
        gc.collect()
        gc.disable()
        fills = _time(lambda: maskc.fill_bitmasks(matchers, bitmask, rows), N_TIMES)
        takes = _time(lambda: np.take(masks, order, axis=0, out=bitmask, mode="clip"), N_TIMES)
        steps = []
        for step in range(N_STEPS):
            begin = time.perf_counter_ns()
            maskc.fill_bitmasks(matchers, bitmask, rows)
            for matcher, tokens in placed:
                matcher.accept_token(tokens[step])
            steps.append(time.perf_counter_ns() - begin)
        gc.enable()
    return {
        "distinct masks": len(masks),
        "fill_bitmasks": compute_figures(fills),
        "np.take": compute_figures(takes),
        "fill and accept, moving on": compute_figures(np.array(steps)),
        "ratio": float(np.median(fills) / np.median(takes)),
    }


def _time(work: Callable[[], object], n: int) -> Any:
    found = np.zeros(n, dtype=np.int64)
    for number in range(n):
        begin = time.perf_counter_ns()
        work()
        found[number] = time.perf_counter_ns() - begin
    return found


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python"])
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = {name: measure(name) for name in options.names}
    columns = (f"us for {BATCH}", "p50", "mean", "p99")
    for name, found in report.items():
        rows = [
            (what, *(f"{figures[c]:,.1f}" for c in columns[1:]))
            for what, figures in found.items()
            if isinstance(figures, dict)
        ]
        title = (
            f"{name}: {found['distinct masks']} masks, {found['ratio']:.2f} × np.take (goal ≤ 2)"
        )
        make_console().print(make_table(title, columns, rows, numbers=columns[1:]))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
