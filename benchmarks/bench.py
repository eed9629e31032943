"""Time fill, accept and step, cold and warm, beside the floors of the same run.

Usage: python -m benchmarks.bench [WORKLOAD …] [--peers] [--limit SECONDS] [--json FILE]

Each engine runs each workload in a fresh process, one thread, on the same tokens; ``--peers`` adds
llguidance, xgrammar and GLRMask. Ratios compare an engine with maskc on exactly the tokens that
both came to: a peer that refuses a document, or runs out of time, is compared on the rest.

Each pass is made twice, the cold one from a second load, and each position keeps the lesser time:
what it took longer is another process's doing.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import PEERS, read_engine
from benchmarks.workloads import ROOT, WORKLOADS, Workload, compile_artifact, encode_documents
from maskc.bench import N_FIRST, collect_rows, measure_floors
from maskc.bench.timing import (
    FIGURES,
    compute_figures,
    keep_least,
    measure_collections,
    measure_pass,
    walk,
)
from maskc.report import Table
from maskc.report.render import make_console, make_table

PEER_SECONDS = 180.0  # of the clock, for compiling, loading and two passes
FLOOR = "in order"  # the masks of the pass are copied, one after the other
TITLES = {"first": "cold, first 10,000", "cold": "cold", "warm": "warm"}
Times = dict[str, Any]


def main() -> None:
    """Run the workloads and print their tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("workloads", nargs="*", help=", ".join(WORKLOADS))
    parser.add_argument("--peers", action="store_true", help="llguidance, xgrammar and GLRMask too")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of a peer's pass")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    parser.add_argument("--worker", nargs=6, help=argparse.SUPPRESS)
    parser.add_argument("--tokens", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tokens:
        Path(options.tokens[1]).write_text(json.dumps(encode_documents(options.tokens[0])))
        return
    if options.worker:
        work(*options.worker)
        return
    unknown = set(options.workloads) - WORKLOADS.keys()
    if unknown:
        parser.error(f"no workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    report: dict[str, Any] = {}
    for name, workload in WORKLOADS.items():
        if options.workloads and name not in options.workloads:
            continue
        if not workload.grammar.is_file():
            print(f"{name}: skipped, {workload.grammar.relative_to(ROOT)} is not there")
            continue
        with tempfile.TemporaryDirectory() as folder:
            peers = PEERS if options.peers else ()
            report[name] = run_workload(workload, Path(folder), peers, options.limit)
        print_workload(name, report[name])
        if options.json:
            options.json.write_text(json.dumps(report, indent=2) + "\n")


def run_workload(workload: Workload, folder: Path, peers: tuple[str, ...], limit_s: float) -> Any:
    """Return all figures of a workload; artifact, tokens and times go to a folder."""
    artifact, tokens = folder / f"{workload.name}.maskc", folder / f"{workload.name}.json"
    compilation = compile_artifact(workload.grammar, artifact)
    # In a process of its own: the peak memory of a new one is at least that of the one that forks.
    run_self("--tokens", workload.name, str(tokens), check=True)
    documents = json.loads(tokens.read_text())
    engines: dict[str, Any] = {}
    ours: Times = {}
    for engine in ("maskc", *peers):
        about, times = run_worker(engine, workload.name, tokens, artifact, folder, limit_s)
        if times is None:
            engines[engine] = {"failed": about}
            continue
        ours = ours or times
        engines[engine] = {
            **about,
            "passes": {name: summarise(times, name) for name in TITLES},
            "ratios": {name: compare(ours, times, name) for name in ("cold", "warm")},
        }
    n_tokens = sum(map(len, documents))
    counts = {"documents": len(documents), "tokens": n_tokens}
    return {"about": workload.about, **counts, "compile": compilation, "engines": engines}


def run_worker(
    engine: str, workload: str, tokens: Path, artifact: Path, folder: Path, limit_s: float
) -> tuple[Any, Times | None]:
    """Return what an engine's process says, and its times; ``None`` if it failed."""
    result = folder / f"{workload}.{engine}.npz"
    limit, seconds = (limit_s, PEER_SECONDS) if engine in PEERS else (1e9, None)
    arguments = (engine, workload, str(tokens), str(artifact), str(limit), str(result))
    try:
        done = run_self("--worker", *arguments, check=False, seconds=seconds)
    except subprocess.TimeoutExpired:
        return f"not done after {PEER_SECONDS:.0f} s", None
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1], None
    with np.load(result) as stored:
        return json.loads(done.stdout.splitlines()[-1]), dict(stored)


def run_self(*arguments: str, check: bool, seconds: float | None = None) -> Any:
    """Run this module in a process of its own, and return what came of it."""
    command = [sys.executable, "-m", "benchmarks.bench", *arguments]
    return subprocess.run(  # noqa: S603 - our own arguments
        command, check=check, capture_output=True, text=True, cwd=ROOT, timeout=seconds
    )


def work(engine: str, workload: str, tokens: str, artifact: str, limit: str, result: str) -> None:
    """Time the passes of one engine; the times go to a file, what else there is is printed."""
    documents, known = json.loads(Path(tokens).read_text()), read_engine(engine)
    asked = ("workload", (workload, artifact))
    loads, measured = [], []
    for _ in range(2):
        began = time.perf_counter()
        start: Any = known.compile(*asked)
        loads.append(time.perf_counter() - began)
        measured.append(
            [measure_pass(start, documents, known.bitmask, limit_s=float(limit)) for _ in range(2)]
        )
    cold, warm = (keep_least(one, other) for one, other in zip(*measured, strict=True))
    pairs = {"cold": cold, "warm": warm}.items()
    times = {f"{name}_{part}": getattr(t, part) for name, t in pairs for part in ("fill", "accept")}
    np.savez(result, **times, **{f"{name}_taken": t.n_taken for name, t in pairs})
    about: dict[str, Any] = {
        "engine": known.name,
        "load_ms": min(loads) * 1000,
        "tokens": len(warm.fill),
        "refused": len(warm.refused),
        "begun": len(warm.n_taken),
        "out_of_time": cold.out_of_time or warm.out_of_time,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if engine == "maskc":
        start = known.compile(*asked)
        about["collections"] = {
            name: measure_collections(lambda: walk(start, documents)) for name in ("cold", "warm")
        }
        rows, order = collect_rows(start, documents, known.bitmask)
        about |= {"masks": len(rows), "floors": measure_floors(rows, order)}
    print(json.dumps(about))


def summarise(times: Times, name: str) -> dict[str, dict[str, float]]:
    """Return the figures of fill, accept and step of a pass, in microseconds."""
    of, n = ("cold", N_FIRST) if name == "first" else (name, None)
    return _figures_of(times[f"{of}_fill"][:n], times[f"{of}_accept"][:n])


def compare(ours: Times, theirs: Times, name: str) -> dict[str, dict[str, float]]:
    """Return how many times longer theirs takes, figure by figure, on the tokens of both.

    Documents are compared one by one, as far as both came.
    """
    picked: list[dict[str, list[Any]]] = [{"fill": [], "accept": []} for _ in range(2)]
    at = [0, 0]
    for counts in zip(ours[f"{name}_taken"], theirs[f"{name}_taken"], strict=False):
        for side, times in enumerate((ours, theirs)):
            for part, into in picked[side].items():
                into.append(times[f"{name}_{part}"][at[side] : at[side] + min(counts)])
            at[side] += int(counts[side])
    low, high = (_figures_of(*(np.concatenate(v) for v in p.values())) for p in picked)
    return {
        what: {figure: high[what][figure] / low[what][figure] for figure in low[what]}
        for what in low
    }


def _figures_of(fill: Any, accept: Any) -> dict[str, dict[str, float]]:
    parts = {"fill": fill, "accept": accept, "step": fill + accept}
    return {name: compute_figures(times) for name, times in parts.items()}


def print_workload(name: str, report: Mapping[str, Any]) -> None:
    """Print the times of all engines, the ratios, and the floors."""
    console, made = make_console(), report["compile"]
    console.print(f"{name}: {report['documents']} documents, {report['tokens']:,} tokens")
    console.print(
        f"  {report['about']}\n  maskc compiles it in {made['seconds']:.1f} s with "
        f"{made['peak_mb']:,.0f} MiB, to {made['mb']:.2f} MB"
    )
    columns = ("microseconds", *FIGURES, "p50 ÷ floor", "× mean", "× p99")
    rows: list[Sequence[str]] = []
    floors = report["engines"]["maskc"].get("floors", {})
    floor = floors.get(FLOOR, {}).get("p50", 0.0)
    for engine, found in report["engines"].items():
        console.print(f"  {_describe(engine, found, report)}")
        for which, kinds in found.get("passes", {}).items():
            for what, figures in kinds.items():
                ratio = found["ratios"].get(which, {}).get(what, {}) if engine != "maskc" else {}
                rows.append(_row(f"{engine} {TITLES[which]} {what}", figures, ratio, floor))
    rows += [_row(f"floor: {name}", found, {}, floor) for name, found in floors.items()]
    console.print(make_table(Table("", columns, rows, columns[1:])))


def _row(
    title: str, figures: Mapping[str, float], ratio: Mapping[str, float], floor: float
) -> Sequence[str]:
    times = [f"{figures[figure]:,.2f}" if figure in figures else "–" for figure in FIGURES]
    # The median is what other work on the machine disturbs least: it compares two runs.
    times.append(f"{figures['p50'] / floor:,.2f}" if floor and "p50" in figures else "")
    return (title, *times, *(f"{ratio[f]:,.1f}" if f in ratio else "" for f in ("mean", "p99")))


def _describe(engine: str, found: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    if "failed" in found:
        return f"{engine} failed: {found['failed']}"
    text = f"{found['engine']}: loads in {found['load_ms']:,.1f} ms, {found['peak_mb']:,.0f} MiB"
    if found["refused"]:
        text += f"; refuses {found['refused']} of {found['begun']} documents"
    if found["out_of_time"]:
        text += f"; out of time after {found['tokens']:,} of {report['tokens']:,} tokens"
    if "masks" in found:
        text += f"; {found['masks']:,} distinct masks"
    for name, collected in found.get("collections", {}).items():
        text += f"; garbage collection adds {collected['per_token_us']:.2f} us to a {name} step"
    return text


if __name__ == "__main__":
    main()
