"""Keep up a server's use of matchers for minutes: memory may not grow, no text may be illegal.

Usage: python -m benchmarks.soak [NAME …] [--minutes M] [--sequences N] [--cache-mb N] [--json FILE]

The load is that of :mod:`tests.engines.soaking`. When the time is over, Lark and the oracle judge
the texts: each must be the beginning of one that Lark parses. Every text is new, so what the
runtime remembers grows up to ``--cache-mb`` for each artifact. The run fails if the most resident
memory of its second half is more than that of the first by a twentieth.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.workloads import load_artifact
from maskc.system import read_memory
from tests.engines.soaking import Soak, is_flat, judge

N_SAMPLES = 40
MIB = 1024 * 1024


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return the counts, and the resident memory over time."""
    cache = options.cache_mb * MIB
    artifacts = {name: load_artifact(name, cache_bytes=cache) for name in options.names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        with path.open("w") as texts:
            soak = Soak(artifacts, options.sequences, texts)
            samples = run(soak, options.minutes * 60)
        verdicts = judge(artifacts, path, options.judge_seconds)
    masks = {name: len(artifact.mask_table()) for name, artifact in artifacts.items()}
    return {"counts": soak.counts, "memory": samples, "masks": masks, "verdicts": verdicts}


def run(soak: Soak, seconds: float) -> list[tuple[float, float, int]]:
    """Return seconds, MiB resident and tokens, at times evenly apart."""
    begin, samples = time.monotonic(), list[tuple[float, float, int]]()
    while True:
        elapsed = time.monotonic() - begin
        if elapsed >= len(samples) * seconds / N_SAMPLES:
            gc.collect()
            samples.append((elapsed, read_memory() / MIB, soak.counts["tokens"]))
        if elapsed >= seconds:
            return samples
        soak.step()


def main() -> None:
    """Run, and print what was counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python", "sql"])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--sequences", type=int, default=64, help="at any time")
    parser.add_argument("--cache-mb", type=int, default=24, help="memory of a grammar")
    parser.add_argument("--judge-seconds", type=float, default=300, help="for Lark, at the end")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = measure(options)
    for title in ("counts", "masks", "verdicts"):
        print(title, ", ".join(f"{key} {number:,}" for key, number in report[title].items()))
    for seconds, mib, n_tokens in report["memory"]:
        print(f"{seconds:6,.0f} s  {mib:8,.1f} MiB resident  {n_tokens:12,} tokens")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    flat = is_flat(report["memory"])
    print("memory is flat" if flat else "memory still grows in the second half")
    raise SystemExit(0 if flat and not report["verdicts"]["illegal"] else 1)


if __name__ == "__main__":
    main()
