"""Do fill and accept stay flat in deep nesting and in long texts?

Usage: python -m benchmarks.deep [--json FILE]

One matcher takes 100,000 opening brackets and as many closing ones; another a JSON document of
10 MB, token by token. Times at the end are compared with those at the beginning, memory is the
growth of the process's resident set, rollback and fork are timed where the text is deepest and
longest.
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
from benchmarks.memory import read_resident
from benchmarks.workloads import TOKENIZER
from maskc.bench.figures import compute_figures
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

DEPTH, N_BYTES, WINDOW = 100_000, 10_000_000, 10_000
N_BACK, N_TIMES = 1_000, 200


def write_document(n_bytes: int) -> str:
    """Return a JSON array of records, of about so many bytes."""
    records, size, number = [], 2, 0
    while size < n_bytes:
        record = json.dumps(
            {"id": number, "name": f"item {number}", "price": number / 7, "tags": ["a", "b"]}
        )
        records.append(record)
        size += len(record) + 2
        number += 1
    return f"[{', '.join(records)}]"


def walk(matcher: maskc.Matcher, tokens: list[int], bitmask: Any) -> dict[str, Any]:
    """Fill and accept every token; return figures of both ends, and the memory that it took."""
    clock = time.perf_counter_ns
    # As they are, the times take no memory while the walk does.
    times = np.zeros((2, len(tokens)), dtype=np.int64)
    before = read_resident()
    for number, token in enumerate(tokens):
        begin = clock()
        matcher.fill_bitmask(bitmask, 0)
        filled = clock()
        accepted = matcher.accept_token(token)
        done = clock()
        if not accepted:
            raise SystemExit(f"token {number} of {len(tokens)} is illegal")
        times[0, number], times[1, number] = filled - begin, done - filled
    grown = read_resident() - before - times.nbytes
    window = min(WINDOW, len(tokens) // 3)
    return {
        "tokens": len(tokens),
        "bytes_per_token": grown / len(tokens),
        **{
            f"{what} {where}": compute_figures(times[row, part])
            for row, what in enumerate(("fill", "accept"))
            for where, part in (
                # The very first tokens are cold: they are left out.
                ("begin", slice(window // 2, window + window // 2)),
                ("end", slice(-window, None)),
            )
        },
    }


def time_moves(matcher: maskc.Matcher, last: list[int]) -> dict[str, Any]:
    """Return figures of fork, and of a rollback of the last tokens, which are taken again."""
    forks = _time_each(matcher.fork, N_TIMES)
    backs = []
    for _ in range(N_TIMES // 10):
        backs.append(_time_each(lambda: matcher.rollback(N_BACK), 1)[0])
        matcher.accept_tokens(last[-N_BACK:])
    return {"fork": compute_figures(forks), "rollback": compute_figures(np.array(backs))}


def _time_each(work: Callable[[], object], n: int) -> Any:
    clock = time.perf_counter_ns
    found = np.zeros(n, dtype=np.int64)
    for number in range(n):
        begin = clock()
        work()
        found[number] = clock() - begin
    return found


def measure() -> dict[str, Any]:
    """Return all figures."""
    encoder = load_encoder(TOKENIZER)
    long = encoder.encode(write_document(N_BYTES))
    ids = {token: number for number, token in enumerate(encoder.tokens) if token}
    opening, closing = [ids[b"["]] * DEPTH, [ids[b"]"]] * DEPTH
    report: dict[str, Any] = {}
    with compile_bundled("json") as path:
        artifact = maskc.load(path)
        bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
        gc.collect()
        gc.disable()
        matcher = artifact.matcher()
        report["opening brackets"] = walk(matcher, opening, bitmask)
        report["deep"] = time_moves(matcher, opening)
        report["closing brackets"] = walk(matcher, closing, bitmask)
        matcher = artifact.matcher()
        report["long document"] = walk(matcher, long, bitmask)
        report["long"] = time_moves(matcher, long)
        gc.enable()
    return report


def list_goals(report: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return what was measured, the goal, and whether it is met."""
    rows = []
    for name in ("opening brackets", "closing brackets", "long document"):
        found = report[name]
        for what in ("fill", "accept"):
            begin, end = found[f"{what} begin"]["p50"], found[f"{what} end"]["p50"]
            title = f"{name}, {found['tokens']:,} tokens: {what} p50, begin → end"
            rows.append(
                (title, f"{begin:.2f} → {end:.2f} us", "flat (≤ × 1.5)", end <= 1.5 * begin)
            )
        rows.append((f"{name}: memory", f"{found['bytes_per_token']:.0f} bytes a token", "", True))
    for place in ("deep", "long"):
        fork, back = report[place]["fork"]["p50"], report[place]["rollback"]["p50"]
        rows.append((f"{place}: fork", f"{fork:.2f} us", "≤ 5 us", fork <= 5))
        rows.append((f"{place}: rollback of {N_BACK:,}", f"{back:.2f} us", "≤ 5 us", back <= 5))
    return [(title, value, goal, "yes" if met else "NO") for title, value, goal, met in rows]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = measure()
    columns = ("deep and long", "measured", "goal", "met")
    make_console().print(make_table("", columns, list_goals(report)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
