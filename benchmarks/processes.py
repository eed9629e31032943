"""What does a new process pay: until its first mask, and in memory for an artifact that others map?

Usage: python -m benchmarks.processes [NAME …] [--json FILE]

Started again and again: python alone; python with numpy and msgpack; maskc up to a loaded artifact
and a first filled mask. Then one process loads the artifact and walks a document, a second one does
the same, and its memory is split into what it shares with the first and what is its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.compiled import compile_bundled
from benchmarks.workloads import ROOT, TOKENIZER, WORKLOADS
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

N_STARTS, N_TOKENS = 15, 5_000
PROGRAMS = {
    "python": "",
    "numpy and msgpack": "import msgpack, numpy",
    "first mask": """
import sys, time
begin = time.perf_counter()
import maskc
imported = time.perf_counter()
artifact = maskc.load(sys.argv[1])
loaded = time.perf_counter()
matcher = artifact.matcher()
matcher.fill_bitmask(maskc.allocate_bitmask(1, artifact.vocab_size), 0)
filled = time.perf_counter()
print([1000 * t for t in (imported - begin, loaded - imported, filled - loaded)])
""",
}
LOADS = """
import sys, time
import maskc
times = []
for _ in range(30):
    begin = time.perf_counter()
    maskc.load(sys.argv[1])
    times.append(1000 * (time.perf_counter() - begin))
print(times)
"""
WALKER = """
import json, sys
from pathlib import Path
import maskc
from benchmarks.memory import read_mapping, read_resident
before = read_resident()
artifact = maskc.load(sys.argv[1])
bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
matcher = artifact.matcher()
for token in json.loads(Path(sys.argv[2]).read_text()):
    matcher.fill_bitmask(bitmask, 0)
    assert matcher.accept_token(token)
mapped = read_mapping(Path(sys.argv[1]))
print(json.dumps({"before": before, "after": read_resident(), **mapped}), flush=True)
sys.stdin.read()
"""


def time_starts(program: str, artifact: Path) -> tuple[float, list[list[float]]]:
    """Return the least milliseconds of the whole process, and what each run printed."""
    whole, printed = [], []
    for _ in range(N_STARTS):
        begin = time.perf_counter()
        done = _run(program, artifact)
        whole.append(1000 * (time.perf_counter() - begin))
        printed.append(json.loads(done) if done.strip() else [])
    return min(whole), printed


def measure_second(artifact: Path, tokens: Path) -> dict[str, float]:
    """Return the megabytes of a second process that maps what a first one maps."""
    command = [sys.executable, "-c", WALKER, str(artifact), str(tokens)]
    processes = []
    lines = []
    for _ in range(2):
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        processes.append(process)
        if process.stdout is not None:
            lines.append(process.stdout.readline())
    for process in processes:
        process.communicate()
    second = json.loads(lines[1])
    return {name: value / 1e6 for name, value in second.items()}


def _run(program: str, artifact: Path) -> str:
    return subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-c", program, str(artifact)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout


def measure(name: str) -> dict[str, Any]:
    """Return all figures of one artifact."""
    with compile_bundled(name) as artifact:
        tokens = artifact.with_suffix(".json")
        encode = load_encoder(TOKENIZER).encode
        documents = (encode(text) for _, text in WORKLOADS[name].documents())
        ids: list[int] = max(documents, key=len)
        tokens.write_text(json.dumps(ids[:N_TOKENS]))
        report: dict[str, Any] = {"mb": artifact.stat().st_size / 1e6}
        for title, program in PROGRAMS.items():
            whole, printed = time_starts(program, artifact)
            report[title] = {"process_ms": whole}
            if printed[0]:
                parts = zip(
                    ("import_ms", "load_ms", "fill_ms"), zip(*printed, strict=True), strict=True
                )
                report[title] |= {part: min(times) for part, times in parts}
        again = sorted(json.loads(_run(LOADS, artifact)))
        report["load again"] = {"min_ms": again[0], "p50_ms": again[len(again) // 2]}
        report["second process, MB"] = measure_second(artifact, tokens)
    return report


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python"])
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = {name: measure(name) for name in options.names}
    for name, found in report.items():
        rows = [
            (title, figure, f"{value:,.2f}")
            for title, figures in found.items()
            if isinstance(figures, dict)
            for figure, value in figures.items()
        ]
        title = f"{name}, {found['mb']:.2f} MB: least of {N_STARTS} starts"
        make_console().print(make_table(title, ("", "", "value"), rows, numbers=("value",)))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
