"""Times fill, accept and step of maskc alone, beside the floors of the same run.

Usage: python benchmarks/bench.py [--json FILE]

Workloads: ``json``, 50 documents from a seeded script in the manner of API payloads; ``python``, 60
files of 1 to 20 KB of this Python's standard library. Vocabulary: llama3. Each document is
teacher-forced: fill the mask, look whether the next token is legal, accept it.
``cold`` is the first pass after loading, ``warm`` the second. One thread, garbage collection off.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from maskc.vocab import load_encoder

ROOT = Path(__file__).parent.parent
WORDS = [
    "id",
    "name",
    "user",
    "order",
    "total",
    "price",
    "status",
    "items",
    "created",
    "tags",
    "email",
    "note",
    "active",
    "city",
    "zip",
]


def json_documents(n_documents: int) -> list[str]:
    """Return documents in the manner of API payloads, pretty-printed and compact in turn."""
    draw = random.Random(20_26)

    def value(depth: int) -> Any:
        kind = draw.random()
        if depth < 4 and kind < 0.3:
            return {draw.choice(WORDS): value(depth + 1) for _ in range(draw.randint(1, 6))}
        if depth < 4 and kind < 0.45:
            return [value(depth + 1) for _ in range(draw.randint(0, 5))]
        if kind < 0.65:
            return " ".join(draw.choices([*WORDS, "Zoë", "naïve", "日本", '"x"', "a\\b"], k=3))
        if kind < 0.85:
            return draw.choice([draw.randint(-5, 10_000), round(draw.uniform(-9, 9e4), 3), 1e-9])
        return draw.choice([True, False, None])

    documents = []
    for number in range(n_documents):
        document = {word: value(1) for word in draw.sample(WORDS, 8)}
        indent = 2 if number % 2 else None
        documents.append(json.dumps(document, indent=indent, ensure_ascii=number % 4 == 0))
    return documents


def python_documents(n_documents: int) -> list[str]:
    """Return standard-library files that are small enough to be one answer of a model."""
    folder = Path(sysconfig.get_path("stdlib"))
    paths = [p for p in sorted(folder.glob("*.py")) if 1_000 <= p.stat().st_size <= 20_000]
    return [path.read_text(encoding="utf-8") for path in paths[:n_documents]]


def measure(artifact: maskc.Artifact, documents: list[list[int]]) -> dict[str, list[float]]:
    """Return microseconds of every fill and accept."""
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    clock = time.perf_counter_ns
    fills, accepts = [], []
    for tokens in documents:
        matcher = artifact.matcher()
        for token in tokens:
            start = clock()
            matcher.fill_bitmask(bitmask, 0)
            filled = clock()
            accepted = matcher.accept_token(token)
            done = clock()
            legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
            if not (accepted and legal):
                sys.exit(f"token {token} is illegal in a document that the grammar parses")
            fills.append((filled - start) / 1000)
            accepts.append((done - filled) / 1000)
    steps = [f + a for f, a in zip(fills, accepts, strict=True)]
    return {"fill": fills, "accept": accepts, "step": steps}


def floors(vocab_size: int) -> dict[str, float]:
    """Return microseconds of what no engine in CPython can go below."""
    n_words = -(-vocab_size // 32)
    row = np.zeros(n_words, dtype=np.int32)
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    many = np.zeros((50, n_words), dtype=np.int32)

    def each(work: Callable[[], object], times: int) -> float:
        start = time.perf_counter_ns()
        for _ in range(times):
            work()
        return (time.perf_counter_ns() - start) / 1000 / times

    return {
        "copy a row": each(lambda: np.copyto(bitmask[0], row), 20_000),
        "or of 50 rows": each(lambda: np.bitwise_or.reduce(many), 500),
    }


def summarise(values: list[float]) -> dict[str, float]:
    """Return the figures of the table."""
    found = np.array(values)
    return {
        "p50": float(np.percentile(found, 50)),
        "mean": float(found.mean()),
        "p90": float(np.percentile(found, 90)),
        "p99": float(np.percentile(found, 99)),
        "max": float(found.max()),
    }


def main() -> None:
    """Run the workloads and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    encoder = load_encoder("llama3")
    workloads = {"json": json_documents(50), "python": python_documents(60)}
    report: dict[str, Any] = {}
    for name, texts in workloads.items():
        start = time.perf_counter()
        compiled = maskc.compile_grammar(ROOT / "grammars" / f"{name}.lark", tokenizer="llama3")
        compile_seconds = time.perf_counter() - start
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "compiled.maskc"
            compiled.save(path)
            start = time.perf_counter()
            artifact = maskc.load(path)
            load_seconds = time.perf_counter() - start
            documents = [encoder.encode(text) for text in texts]
            gc.disable()
            passes = {"cold": measure(artifact, documents), "warm": measure(artifact, documents)}
            gc.enable()
            n_tokens = sum(map(len, documents))
            print(
                f"{name}: {len(documents)} documents, {n_tokens:,} tokens; compile "
                f"{compile_seconds:.1f} s, load {load_seconds * 1000:.1f} ms, "
                f"{path.stat().st_size / 1e6:.1f} MB"
            )
        print(f"  {'us':<12} {'p50':>8} {'mean':>8} {'p90':>8} {'p99':>8} {'max':>9}")
        report[name] = {"tokens": n_tokens, "compile_s": compile_seconds, "load_s": load_seconds}
        for when, figures in passes.items():
            for what, values in figures.items():
                row = summarise(values)
                report[name][f"{when} {what}"] = row
                cells = " ".join(f"{row[k]:>8.2f}" for k in ("p50", "mean", "p90", "p99"))
                print(f"  {when + ' ' + what:<12} {cells} {row['max']:>9.0f}")
    report["floors"] = floors(128_256)
    print("floors:", ", ".join(f"{k} {v:.2f} us" for k, v in report["floors"].items()))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
