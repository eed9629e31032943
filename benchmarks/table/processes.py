"""Rows about processes: what a start, a kit and an artifact cost, how compiling grows, Ctrl-C."""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import maskc
from benchmarks.table.rows import Figures, row, time_once
from benchmarks.workloads import ROOT, TOKENIZER, compile_artifact, find_grammar
from maskc.artifact.container import encode
from maskc.compiler.pipeline import compile_contents
from maskc.errors import MaskcError
from maskc.frontends.source import load_source
from maskc.kit.file import make_kit, save_kit
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from tests.security.families import FAMILIES

N_STARTS = 9
# What a new process does: with numpy and msgpack, up to a first mask, or with files kept open.
_EMPTY = "import msgpack, numpy"
_FIRST = """
import sys, time
began = time.perf_counter()
import maskc
imported = time.perf_counter()
artifact = maskc.load(sys.argv[1])
loaded = time.perf_counter()
artifact.matcher().fill_bitmask(maskc.allocate_bitmask(1, artifact.vocab_size), 0)
filled = time.perf_counter()
print([1e3 * t for t in (imported - began, loaded - imported, filled - loaded)])
"""
_OPEN = """
import json, sys
from pathlib import Path
import numpy
import maskc, maskc.kit.file, maskc.runtime.artifact
from benchmarks.table.rows import read_megabytes
before, kept = read_megabytes(), []
for path in map(Path, sys.argv[1:]):
    for kit in sorted(path.glob("*.kit")) if path.is_dir() else [path] * (path.suffix == ".kit"):
        kept.append(maskc.load_kit(kit))
    for file in sorted(path.glob("*.maskc")) if path.is_dir() else [path] * (path.suffix != ".kit"):
        artifact = maskc.load(file)
        artifact.matcher().fill_bitmask(maskc.allocate_bitmask(1, artifact.vocab_size), 0)
        kept.append(artifact)
print(json.dumps({name: value - before[name] for name, value in read_megabytes().items()}))
"""


def run_program(program: str, *arguments: object) -> Any:
    """Return what a program in a process of its own prints as JSON."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    said = subprocess.check_output(command, text=True, cwd=ROOT)  # noqa: S603 - our own arguments
    return json.loads(said) if said.strip() else None


@row("processes", "what a new process pays", str, "json", "python")
def time_starts(name: str) -> Figures:
    """Start processes up to a first mask, the least of several, and load the artifact again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.maskc"
        compile_artifact(find_grammar(name), path)
        found: Figures = {"MB of disk": path.stat().st_size / 1e6}
        for what, program in {
            "python": "",
            "numpy and msgpack": _EMPTY,
            "first mask": _FIRST,
        }.items():
            whole, parts = list[float](), list[Any]()
            for _ in range(N_STARTS):
                began = time.perf_counter()
                parts.append(run_program(program, path) or (0, 0, 0))
                whole.append(1e3 * (time.perf_counter() - began))
            found[f"{what}, ms"] = min(whole)
        names = ("import", "load", "fill")
        found |= {
            f"{part}, ms": min(t) for part, t in zip(names, zip(*parts, strict=True), strict=True)
        }
        loads = []
        for _ in range(30):
            began = time.perf_counter()
            maskc.load(path)
            loads.append(1e3 * (time.perf_counter() - began))
        found["load again, ms"] = min(loads)
        found["a second process that opens it, MB"] = run_program(_OPEN, path)
    return found


@row("kits", "kits, and artifacts without a vocabulary", partial(str, TOKENIZER))
def time_kits(tokenizer: str) -> Figures:
    """Make a kit's file, load it, and open 100 artifacts with their vocabulary and without."""
    vocabulary = load_vocabulary(tokenizer)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "lean" / "a.kit"
        for kind in ("whole", "lean"):
            (folder / kind).mkdir()
        found: Figures = {"MB of disk": save_kit(make_kit(vocabulary), path) / 1e6}
        times = [1e3 * time_once(partial(maskc.load_kit, path)) for _ in range(9)]
        found["load, first in a process, processor ms"] = times[0]
        found["load again, processor ms"] = min(times[1:])
        kit = maskc.load_kit(path)
        found["prepare, processor ms"] = 1e3 * time_once(kit.prepare)
        found["a second process that opens it, MB"] = run_program(_OPEN, path)
        for number in range(100):
            source = load_source(f'start: "yes{number}" | "no{number}"\n', dialect="lark")
            artifact = Artifact(compile_contents(source, vocabulary, None)[0])
            artifact.save(folder / "whole" / f"{number}.maskc")
            artifact.save(folder / "lean" / f"{number}.maskc", kit=kit)
        for kind in ("whole", "lean"):
            size = sum(file.stat().st_size for file in (folder / kind).glob("*.maskc"))
            found[f"100 artifacts, {kind}"] = {
                "MB of disk": size / 1e6,
                "MB": run_program(_OPEN, folder / kind),
            }
    return found


@row("compile", "what an artifact holds", str, "json", "python", "sql")
def compile_grammar(name: str) -> Figures:
    """Compile a bundled grammar: what it comes to, and what that takes of the processor."""
    vocabulary = load_vocabulary(TOKENIZER)
    contents, passes = compile_contents(load_source(find_grammar(name)), vocabulary)
    counts = contents.header["counts"]
    kept = ("lalr_states", "refined_states", "rows", "nodes", "answers", "masks", "questions")
    return {
        **{key.replace("_", " "): counts[key] for key in kept},
        "MB of disk": len(encode(contents.header, contents.arrays)) / 1e6,
        "processor s": sum(record.cpu_seconds for record in passes),
        "peak MB": max(record.peak_mb for record in passes),
    }


@row("families", "grammars that grow", str, *FAMILIES)
def compile_family(family: str) -> Figures:
    """Compile a family of grammars at growing sizes for the tokenizer ``bytes``.

    The processor's seconds count. A size that takes longer than a minute is the last one.
    """
    write, sizes = FAMILIES[family]
    vocabulary, found = load_vocabulary("bytes"), Figures()
    for size in sizes:
        began = time.process_time()
        try:
            contents, _ = compile_contents(load_source(write(size)), vocabulary)
        except MaskcError:
            found[str(size)] = {"refused after, s": time.process_time() - began}
            break
        seconds = time.process_time() - began
        found[str(size)] = {
            "processor s": seconds,
            "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "scanner states": contents.header["counts"]["scanner_states"],
            "rows": contents.header["counts"]["rows"],
            "MB": len(encode(contents.header, contents.arrays)) / 1e6,
        }
        if seconds > 60:
            break
    return found


@row(
    "interrupts",
    "Ctrl-C while a command starts",
    lambda: str(Path(sys.executable).with_name("maskc")),
    is_flat=lambda found: "another ending" not in found,
)
def interrupt_starts(command: str) -> Figures:
    """Interrupt 40 starts of a command at random within half a second; count how they end.

    Before the command's own first line has run it is Python that answers, with a traceback.
    """
    draw, counts = random.Random(0), Counter[str]()
    for _ in range(40):
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            [command, "tokenizers"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        time.sleep(draw.uniform(0, 0.5))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        if "Traceback" in said or "KeyboardInterrupt" in said:
            counts["a traceback"] += 1
        elif process.returncode in (130, -signal.SIGINT):
            counts["status 130, no traceback"] += 1
        else:
            counts["ended before" if process.returncode == 0 else "another ending"] += 1
    return dict(counts)
