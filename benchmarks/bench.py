"""Times fill, accept and step, cold and warm, beside the floors of the same run.

Usage: python -m benchmarks.bench [WORKLOAD …] [--peers] [--limit SECONDS] [--json FILE]

Each engine runs each workload in a fresh process, one thread, on the same tokens; ``--peers`` adds
llguidance, xgrammar and GLRMask. Ratios compare an engine with maskc on exactly the tokens that
both came to: a peer that refuses a document, or runs out of time, is compared on the rest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import print_workload
from benchmarks.workloads import ROOT, WORKLOADS, Workload, compile_artifact
from maskc.bench.figures import compute_figures
from maskc.bench.model import N_FIRST

PEERS = ("llguidance", "xgrammar", "glrmask")
PEER_SECONDS = 180.0  # of the clock, for compiling, loading and two passes
Times = dict[str, Any]


def run_workload(workload: Workload, folder: Path, peers: tuple[str, ...], limit_s: float) -> Any:
    """Return all figures of a workload; artifact, tokens and times go to a folder."""
    artifact = folder / f"{workload.name}.maskc"
    compilation = compile_artifact(workload.grammar, artifact)
    tokens = folder / f"{workload.name}.json"
    run_module("benchmarks.tokenise", workload.name, str(tokens), check=True)
    documents = json.loads(tokens.read_text())
    report: dict[str, Any] = {
        "about": workload.about,
        "documents": len(documents),
        "tokens": sum(map(len, documents)),
        "compile": compilation,
        "engines": {},
    }
    ours: Times = {}
    for engine in ("maskc", *peers):
        about, times = run_worker(engine, workload.name, tokens, artifact, folder, limit_s)
        if times is None:
            report["engines"][engine] = {"failed": about}
            continue
        ours = ours or times
        report["engines"][engine] = {
            **about,
            "passes": {name: summarise(times, name) for name in ("first", "cold", "warm")},
            "ratios": {name: compare(ours, times, name) for name in ("cold", "warm")},
        }
    return report


def run_worker(
    engine: str, workload: str, tokens: Path, artifact: Path, folder: Path, limit_s: float
) -> tuple[Any, Times | None]:
    """Return what an engine's process says, and its times; ``None`` if it failed."""
    result = folder / f"{workload}.{engine}.npz"
    is_peer = engine in PEERS
    limit, seconds = (limit_s, PEER_SECONDS) if is_peer else (1e9, None)
    arguments = (engine, workload, str(tokens), str(artifact), str(limit), str(result))
    try:
        done = run_module("benchmarks.worker", *arguments, check=False, seconds=seconds)
    except subprocess.TimeoutExpired:
        return f"not done after {PEER_SECONDS:.0f} s", None
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1], None
    with np.load(result) as stored:
        times = dict(stored)
    return json.loads(done.stdout.splitlines()[-1]), times


def run_module(
    name: str, *arguments: str, check: bool, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process of its own, and return what it printed.

    Raises:
        subprocess.TimeoutExpired: it took longer than so many seconds, and was ended.
        subprocess.CalledProcessError: it failed, if that is to be checked.
    """
    command = [sys.executable, "-m", name, *arguments]
    return subprocess.run(  # noqa: S603 - our own arguments
        command, check=check, capture_output=True, text=True, cwd=ROOT, timeout=seconds
    )


def summarise(times: Times, name: str) -> dict[str, dict[str, float]]:
    """Return the figures of fill, accept and step of a pass, in microseconds."""
    of, n = ("cold", N_FIRST) if name == "first" else (name, None)
    fill, accept = times[f"{of}_fill"][:n], times[f"{of}_accept"][:n]
    return {
        "fill": compute_figures(fill),
        "accept": compute_figures(accept),
        "step": compute_figures(fill + accept),
    }


def compare(ours: Times, theirs: Times, name: str) -> dict[str, dict[str, float]]:
    """Return how many times longer theirs takes, figure by figure, on the tokens of both."""
    mine, other = pick_common(ours, theirs, name)
    found: dict[str, dict[str, float]] = {}
    for what in ("fill", "accept", "step"):
        low, high = (
            compute_figures(
                sum(t[part] for part in (("fill", "accept") if what == "step" else (what,)))
            )
            for t in (mine, other)
        )
        found[what] = {figure: high[figure] / low[figure] for figure in low}
    return found


def pick_common(ours: Times, theirs: Times, name: str) -> tuple[Times, Times]:
    """Return the times of both, document by document as far as both came."""
    taken = [times[f"{name}_taken"] for times in (ours, theirs)]
    picked: list[dict[str, list[Any]]] = [{"fill": [], "accept": []} for _ in range(2)]
    places = [0, 0]
    for counts in zip(*taken, strict=False):
        n = min(counts)
        for side, times in enumerate((ours, theirs)):
            for part in ("fill", "accept"):
                values = times[f"{name}_{part}"]
                picked[side][part].append(values[places[side] : places[side] + n])
            places[side] += int(counts[side])
    first, second = ({part: np.concatenate(v) for part, v in p.items()} for p in picked)
    return first, second


def main() -> None:
    """Run the workloads and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workloads", nargs="*", help=", ".join(WORKLOADS))
    parser.add_argument("--peers", action="store_true", help="llguidance and xgrammar as well")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of a peer's pass")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
