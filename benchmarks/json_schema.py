"""Reads a folder of schemas with instances: are masks right, and how long do they take?

Usage: python -m benchmarks.json_schema FOLDER [--engine NAME …] [--sample N] [--seed N]

Each file of the folder is as MaskBench has it: ``schema``, and ``tests`` with ``data`` and
``valid``. An instance is read as llama3's tokens of ``json.dumps(data, ensure_ascii=False)``: a
valid one must be taken whole and may end, an invalid one must be refused somewhere or may not end.
The mask before each token is filled and must say what the engine does. A schema takes at most 5
seconds.

Times are of the processor, so that what else runs does not count: from the schema to the first
mask; masks of a schema's first instance (cold) and of its later ones (warm). Garbage is collected
before each schema. The engines are maskc, llguidance, xgrammar and glrmask, each in a process of
its own, one after the other, on the same schemas; without the option it is maskc. Beside the times
stands what a loop over a dictionary of 1,000 entries took in the same process, as a floor.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.engines import RefusedError, Schemas, SchemaSession
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Bitmask
from maskc.vocab import load_encoder

SECONDS = 5


class TooSlowError(BaseException):
    """A schema took longer than the limit."""


def on_alarm(*_: object) -> None:
    """End a schema that takes too long."""
    raise TooSlowError


def walk(
    session: SchemaSession, tokens: list[int], bitmask: Bitmask, times: list[float]
) -> tuple[bool, bool]:
    """Return whether all tokens are taken and the text may end, and whether masks say so."""
    agrees = True
    for token in tokens:
        began = time.thread_time()
        session.fill()
        times.append(time.thread_time() - began)
        legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        taken = bool(session.accept(token))
        agrees = agrees and legal == taken
        if not taken:
            return False, agrees
    return session.may_end(), agrees


def warm_up(schemas: Schemas) -> None:
    """Make what depends on the tokenizer alone, with a schema that no file has."""
    encode = load_encoder(TOKENIZER).encode
    schema = {"patternProperties": {"^\\d": {"pattern": "^[^q]*$"}}, "type": "object"}
    try:
        session = schemas.compile(schema)()
    except RefusedError:
        session = schemas.compile({"type": "object"})()
    walk(session, list(encode('{"1": "a", "b": 1')), schemas.bitmask, [])
    # A garbage collection that walks all of this takes a tenth of a second, in any mask.
    gc.collect()
    gc.freeze()


def measure_floor() -> float:
    """Return the seconds that a loop of 1,000 entries takes."""
    began, entries = time.thread_time(), {}
    for number in range(1_000):
        entries[(number, "x")] = number
    return time.thread_time() - began


def show(name: str, times: list[float], unit: float, sign: str) -> None:
    """Print percentiles."""
    ordered = sorted(times)
    if not ordered:
        return
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * q))] / unit for q in (0.5, 0.9, 0.99)]
    mean = sum(ordered) / len(ordered) / unit
    print(
        f"{name}: {len(ordered):,}, mean {mean:,.1f}, p50 {at[0]:,.1f}, p90 {at[1]:,.1f}, "
        f"p99 {at[2]:,.1f}, max {ordered[-1] / unit:,.1f} {sign}"
    )


class Reading:
    """What an engine does to a folder.

    Args:
        schemas: the engine.
    """

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._encode = load_encoder(TOKENIZER).encode
        self._classes: Counter[str] = Counter()
        self._first: list[float] = []
        self._whole: list[float] = []
        self._cold: list[float] = []
        self._warm: list[float] = []
        self._floors: list[float] = []

    def read(self, file: Path) -> None:
        """Read a schema with its instances."""
        gc.collect()  # what the schema before has left
        self._floors.append(measure_floor())
        try:
            entry = json.loads(file.read_text())
        except json.JSONDecodeError as error:
            self._classes["no JSON"] += 1
            print(f"{file.name}: {error}")
            return
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            try:
                outcome = self._judge(entry)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)  # which the alarm may still interrupt
        except RefusedError as error:
            outcome = "no value fits" if str(error) == "fits no value at all" else "refused"
        except TooSlowError:
            outcome = "timeout"
        self._classes[outcome] += 1
        if outcome not in ("right", "refused", "no value fits"):
            print(f"{file.name}: {outcome}")

    def _judge(self, entry: Any) -> str:
        began = time.thread_time()
        start = self._schemas.compile(entry["schema"])
        start().fill()
        self._first.append(time.thread_time() - began)
        tests = sorted(entry["tests"], key=lambda test: not test["valid"])
        for number, test in enumerate(tests):
            tokens = list(self._encode(json.dumps(test["data"], ensure_ascii=False)))
            times = self._warm if number else self._cold
            n_before = len(times)
            accepted, agrees = walk(start(), tokens, self._schemas.bitmask, times)
            if number == 0:
                self._whole.append(self._first[-1] + sum(self._cold[n_before:]))
            if not agrees:
                return "mask differs from matcher"
            if accepted != test["valid"]:
                return "valid refused" if test["valid"] else "invalid accepted"
        return "right"

    def show(self) -> None:
        """Print what came of it."""
        floor = sum(self._floors) / len(self._floors)
        print(f"{self._schemas.name}; a loop of 1,000 entries: {floor * 1e6:,.0f} µs")
        print(", ".join(f"{n:,} {name}" for name, n in self._classes.most_common()))
        show("schema to first mask", self._first, 1e-3, "ms")
        show("schema and all masks of its first instance", self._whole, 1e-3, "ms")
        show("mask, first instance", self._cold, 1e-6, "µs")
        show("mask, later instances", self._warm, 1e-6, "µs")


def main() -> None:
    """Read the folder with one engine, or with each in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if len(arguments.engine) > 1:
        options = [] if arguments.sample is None else ["--sample", str(arguments.sample)]
        for engine in arguments.engine:
            command = [sys.executable, "-m", "benchmarks.json_schema", str(arguments.folder)]
            command += ["--engine", engine, "--seed", str(arguments.seed), *options]
            subprocess.run(command, check=False)  # noqa: S603 - our own arguments
        return
    files = sorted(arguments.folder.glob("*.json"))
    if arguments.sample:
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    name = arguments.engine[0] if arguments.engine else "maskc"
    schemas: Schemas = importlib.import_module(f"benchmarks.engines.{name}_engine").read_schemas()
    # What depends on the tokenizer alone is made once, before any clock runs.
    warm_up(schemas)
    signal.signal(signal.SIGPROF, on_alarm)
    reading = Reading(schemas)
    for file in files:
        reading.read(file)
    reading.show()


if __name__ == "__main__":
    main()
