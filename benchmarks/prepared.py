"""What does it save to follow texts before the first request?

Usage: python -m benchmarks.prepared [WORKLOAD …] [--loads N]

Each artifact is loaded anew, prepared with so many tokens (``Artifact.prepare``), and then takes
the workload's first tokens, at most 10,000 and at most half of them. What it is prepared with are
the workload's other documents; for python also the modules of the standard library that are none of
the workload's. Of N loads each position keeps the lesser time.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from itertools import accumulate, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import maskc
from benchmarks.bench import compile_artifact
from benchmarks.corpora import python_files
from benchmarks.workloads import TOKENIZER, WORKLOADS, add_names
from maskc.bench.figures import compute_figures
from maskc.bench.model import N_FIRST
from maskc.bench.timing import Session, Times, keep_least, measure_pass
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

N_FOLLOWED = (0, 10_000, 30_000, 100_000, 300_000)
COLUMNS = ("followed", "seconds", "MB", "fill mean", "p99", "max", "accept mean", "accept p99")
Documents = list[list[int]]


def main() -> None:
    """Print a table for each workload."""
    parser = argparse.ArgumentParser(description="The first tokens, with and without preparation.")
    add_names(parser, WORKLOADS, ["python", "c", "sql"])
    parser.add_argument("--loads", type=int, default=4, help="passes, of which the least counts")
    given = parser.parse_args()
    for name in given.names:
        first, others = split_documents(name)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "a.maskc"
            compile_artifact(WORKLOADS[name].grammar, path)
            rows = list_rows(path, first, others, given.loads)
        n_first = sum(map(len, first))
        title = f"{name}: {n_first:,} tokens after so many of other texts, microseconds"
        make_console().print(make_table(title, COLUMNS, rows, numbers=COLUMNS))


def split_documents(workload: str) -> tuple[Documents, Documents]:
    """Return the documents that are measured, and those with which artifacts are prepared."""
    encode = load_encoder(TOKENIZER).encode
    documents = [encode(text) for _, text in WORKLOADS[workload].documents()]
    totals = list(accumulate(map(len, documents)))
    n_measured = min(N_FIRST, totals[-1] // 2)
    n = 1 + sum(1 for _ in takewhile(lambda total: total < n_measured, totals))
    others = documents[n:]
    if workload == "python":
        others += [encode(text) for _, text in python_files.find_others()]
    return documents[:n], others


def list_rows(path: Path, first: Documents, others: Documents, n_loads: int) -> list[list[str]]:
    """Return a row of the table for each number of tokens that there are to be followed."""
    rows, n_others = [], sum(map(len, others))
    for n_most in (*(n for n in N_FOLLOWED if n < n_others), n_others):
        seconds, times, n_bytes = float("inf"), None, 0
        for _ in range(n_loads):
            artifact = maskc.load(path)
            begin = time.process_time()
            artifact.prepare(take_tokens(others, n_most), seconds=600)
            seconds = min(seconds, time.process_time() - begin)
            n_bytes = artifact.remembered_bytes
            measured = measure(artifact, first)
            times = measured if times is None else keep_least(times, measured)
        if times is not None:
            rows.append(
                [f"{n_most:,}", f"{seconds:.2f}", f"{n_bytes / 1e6:.0f}", *format_of(times)]
            )
    return rows


def take_tokens(documents: Documents, n_tokens: int) -> Documents:
    """Return the first so many tokens of documents."""
    taken = []
    for tokens in documents:
        taken.append(tokens[:n_tokens])
        n_tokens -= len(taken[-1])
    return taken


def measure(artifact: maskc.Artifact, documents: Documents) -> Times:
    """Return the times of one pass."""
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)

    def start() -> Session:
        matcher = artifact.matcher()
        return Session(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)

    return measure_pass(start, documents, bitmask)


def format_of(times: Times) -> list[str]:
    """Return the figures of a row."""
    fill, accept = (compute_figures(part[:N_FIRST]) for part in (times.fill, times.accept))
    shown = (fill["mean"], fill["p99"], fill["max"], accept["mean"], accept["p99"])
    return [f"{value:.2f}" for value in shown]


if __name__ == "__main__":
    main()
