"""Does Python's garbage collector hold up a step?

Usage: python -m benchmarks.collector [WORKLOAD …] [--tokens N] [--others N] [--sequences N]

The collector walks all objects of a process that may hold others, each time that a quarter more of
them have come to stay. So what counts is how many a token leaves behind, and how many there are in
the process for other reasons: as many lists as ``--others`` says are made first, two million in the
default. As many sequences as ``--sequences`` says stand side by side, each reads a document of the
workload, with the mask before each token, and then the next one. With the workload ``python`` the
documents are the whole standard library, so that much of each is new.

Times are of the processor, so that what else runs does not count. The exit status is 1 if a step
took more than 5 ms, or if a token left behind 0.2 objects or more that the collector walks.
"""

from __future__ import annotations

import argparse
import gc
import sysconfig
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

ALLOWED_S, ALLOWED_OBJECTS = 5e-3, 0.2
_COLUMNS = ("workload", "tokens", "p50", "p99", "p99.99", "max", "collections", "longest", "stay")


class Collections:
    """How often the collector ran in each generation, and how long it took.

    Attributes:
        counts: of the generations.
        longest: in seconds of the processor, of any.
    """

    def __init__(self) -> None:
        self.counts = [0, 0, 0]
        self.longest = 0.0
        self._began = 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Be called by the collector, before and after it runs."""
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.counts[info["generation"]] += 1
            self.longest = max(self.longest, time.thread_time() - self._began)


def list_texts(name: str) -> Iterator[str]:
    """Yield a workload's documents, for python those of the whole standard library."""
    if name != "python":
        for _, text in WORKLOADS[name].documents():
            yield text
        return
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" not in path.parts:
            yield path.read_text(encoding="utf-8", errors="replace")


def encode(name: str, n_tokens: int) -> list[list[int]]:
    """Return the tokens of documents, as many as are wanted; from the first again if they end."""
    encoder = load_encoder(TOKENIZER)
    documents: list[list[int]] = []
    known = [encoder.encode(text) for text in list_texts(name)]
    while n_tokens > 0:
        documents.append(known[len(documents) % len(known)])
        n_tokens -= len(documents[-1])
    return documents


def run(path: Path, documents: list[list[int]], n_sequences: int) -> dict[str, Any]:
    """Read documents, and return times of steps in seconds, collections and what stays.

    A document that is refused is read up to there. The first step is not among them: it makes what
    the artifact's tables are read through.
    """
    artifact = maskc.load(path)
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    first = artifact.matcher()
    first.fill_bitmask(bitmask, 0)
    first.accept_token(documents[0][0])
    waiting = iter(documents)
    standing = [(artifact.matcher(), iter(document)) for document in islice(waiting, n_sequences)]
    times = np.zeros(sum(map(len, documents)))
    n = 0
    gc.collect()
    n_before = len(gc.get_objects())
    collections = Collections()
    gc.callbacks.append(collections)
    reads = True
    while reads:
        reads = False
        for place, (matcher, tokens) in enumerate(standing):
            for token in tokens:
                reads = True
                began = time.thread_time()
                matcher.fill_bitmask(bitmask, 0)
                taken = matcher.accept_token(token)
                times[n] = time.thread_time() - began
                n += 1
                if taken:
                    break
            else:
                document = next(waiting, None)
                if document is not None:
                    standing[place] = (artifact.matcher(), iter(document))
                    reads = True
    gc.callbacks.remove(collections)
    gc.collect()
    return {
        "tokens": n,
        "times": np.sort(times[:n]),
        "collections": collections,
        "stay": (len(gc.get_objects()) - n_before) / n,
    }


def main() -> None:
    """Print a table, and exit with 1 if a step took too long or too much stays."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collector")
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", default=["python"])
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--others", type=int, default=2_000_000)
    parser.add_argument("--sequences", type=int, default=32)
    options = parser.parse_args()
    others = [[number] for number in range(options.others)]
    rows = []
    failed = False
    for name in options.names:
        documents = encode(name, options.tokens)
        with compile_bundled(name) as path:
            found = run(path, documents, options.sequences)
        times, collections = found["times"], found["collections"]
        percentiles = np.quantile(times, (0.5, 0.99, 0.9999, 1))
        rows.append(
            (
                name,
                f"{found['tokens']:,}",
                *(f"{1e6 * seconds:,.1f} us" for seconds in percentiles),
                " + ".join(map(str, collections.counts)),
                f"{1e3 * collections.longest:.1f} ms",
                f"{found['stay']:.3f}",
            )
        )
        failed |= bool(times[-1] > ALLOWED_S) or found["stay"] >= ALLOWED_OBJECTS
    title = f"steps beside {options.others:,} other objects"
    make_console().print(make_table(title, _COLUMNS, rows, numbers=_COLUMNS[1:]))
    del others
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
