"""Reads a folder of schemas with instances: are masks right, and how long do they take?

Usage: python -m benchmarks.json_schema FOLDER [--engine NAME …] [--sample N] [--seed N]
    [--json FILE]

Each file of the folder is as MaskBench has it: ``schema``, and ``tests`` with ``data`` and
``valid``. An instance is read as llama3's tokens of ``json.dumps(data, ensure_ascii=False)``: a
valid one must be taken whole and may end, an invalid one must be refused somewhere or may not end.
The mask before each token is filled and must say what the engine does. A schema takes at most 5
seconds.

Times are of the processor, so that what else runs does not count: from the schema to the first
mask; masks of a schema's first instance (cold) and of its later ones (warm). Garbage is collected
before each schema. The engines are maskc, maskc_ahead (an artifact that a server has prepared),
llguidance, xgrammar, glrmask and maskforge, each in a process of its own, one after the other, on
the same schemas; without the option it is maskc. Beside the times stands what a loop over a
dictionary of 1,000 entries took in the same process, as a floor.

With ``--json FILE`` each schema's outcome and times are a line of the file once it is read, and
what the file already has of this engine is not read again: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.engines import TOKENIZER, AskedSchema, Engine, RefusedError, Session, read_engine
from benchmarks.engines.process import TooSlowError, within
from maskc.bench.timing import Bitmask
from maskc.vocab import load_encoder

SECONDS = 5


def walk(
    session: Session, tokens: list[int], bitmask: Bitmask, times: list[float]
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


def warm_up(engine: Engine) -> None:
    """Make what depends on the tokenizer alone, with a schema that no file has."""
    encode = load_encoder(TOKENIZER).encode
    schema = {"patternProperties": {"^\\d": {"pattern": "^[^q]*$"}}, "type": "object"}
    try:
        session = engine.compile("schema", AskedSchema(schema))()
    except RefusedError:
        session = engine.compile("schema", AskedSchema({"type": "object"}))()
    walk(session, list(encode('{"1": "a", "b": 1')), engine.bitmask, [])
    # A garbage collection that walks all of this takes a tenth of a second, in any mask.
    gc.collect()
    gc.freeze()


def measure_floor() -> float:
    """Return the seconds that a loop of 1,000 entries takes."""
    began, entries = time.thread_time(), {}
    for number in range(1_000):
        entries[(number, "x")] = number
    return time.thread_time() - began


@dataclass(slots=True)
class Record:
    """What an engine does to a file; times in seconds.

    Attributes:
        engine: the engine, with its version.
        file: the file's name.
        floor: what the loop took just before.
        outcome: a class of the table.
        why: what a refusal says.
        first: from the schema to the first mask, ``None`` without one.
        cold: each mask of the first instance.
        warm: each mask of the later ones.
    """

    engine: str
    file: str
    floor: float
    outcome: str = ""
    why: str = ""
    first: float | None = None
    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)

    def line(self) -> str:
        """Return the record as a line of JSON, times to a tenth of a microsecond."""
        return json.dumps(
            asdict(self)
            | {name: [round(t, 7) for t in getattr(self, name)] for name in ("cold", "warm")},
            separators=(",", ":"),
        )


class Reader:
    """What reads schemas with an engine.

    Args:
        engine: what compiles them.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._encode = load_encoder(TOKENIZER).encode

    def read(self, file: Path) -> Record:
        """Read a schema with its instances."""
        gc.collect()  # what the schema before has left
        record = Record(self._engine.name, file.name, measure_floor())
        try:
            entry = json.loads(file.read_text())
        except json.JSONDecodeError as error:
            record.outcome, record.why = "no JSON", str(error)
            return record
        try:
            with within(SECONDS):
                record.outcome = self._judge(entry, record)
        except RefusedError as error:
            record.why = str(error)
            fits_none = record.why == "fits no value"
            record.outcome = "no value fits" if fits_none else "refused"
        except TooSlowError:
            record.outcome = "timeout"
        return record

    def _judge(self, entry: Any, record: Record) -> str:
        began = time.thread_time()
        start = self._engine.compile("schema", AskedSchema(entry["schema"]))
        start().fill()
        record.first = time.thread_time() - began
        tests = sorted(entry["tests"], key=lambda test: not test["valid"])
        for number, test in enumerate(tests):
            tokens = list(self._encode(json.dumps(test["data"], ensure_ascii=False)))
            times = record.warm if number else record.cold
            accepted, agrees = walk(start(), tokens, self._engine.bitmask, times)
            if not agrees:
                return "mask differs from matcher"
            if accepted != test["valid"]:
                return "valid refused" if test["valid"] else "invalid accepted"
        return "right"


def load_records(file: Path | None, engine: str) -> dict[str, Record]:
    """Return the records of an engine in a file by the name of what was read."""
    if file is None or not file.exists():
        return {}
    records = (Record(**json.loads(line)) for line in file.read_text().splitlines())
    return {record.file: record for record in records if record.engine == engine}


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


def show_all(records: list[Record]) -> None:
    """Print what came of it."""
    floor = sum(record.floor for record in records) / len(records)
    print(f"{records[0].engine}; a loop of 1,000 entries: {floor * 1e6:,.0f} µs")
    classes = Counter(record.outcome for record in records)
    print(", ".join(f"{n:,} {name}" for name, n in classes.most_common()))
    first = {record.file: record.first for record in records if record.first is not None}
    whole = [first[r.file] + sum(r.cold) for r in records if r.cold and r.file in first]
    show("schema to first mask", list(first.values()), 1e-3, "ms")
    show("schema and all masks of its first instance", whole, 1e-3, "ms")
    show("all masks of its first instance", [sum(r.cold) for r in records if r.cold], 1e-3, "ms")
    show("mask, first instance", [t for record in records for t in record.cold], 1e-6, "µs")
    show("mask, later instances", [t for record in records for t in record.warm], 1e-6, "µs")


def read_all(name: str, files: list[Path], kept: Path | None) -> None:
    """Read files with an engine, and print what came of it."""
    engine = read_engine(name)
    known = load_records(kept, engine.name)
    warm_up(engine)
    reader, records = Reader(engine), list[Record]()
    with nullcontext() if kept is None else kept.open("a") as lines:
        for file in files:
            record = known.get(file.name) or reader.read(file)
            records.append(record)
            if lines is not None and file.name not in known:
                print(record.line(), file=lines, flush=True)
            if record.outcome not in ("right", "refused", "no value fits"):
                print(f"{file.name}: {record.outcome} {record.why}".rstrip(), flush=True)
    show_all(records)


def main() -> None:
    """Read the folder with one engine, or with each in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if len(arguments.engine) > 1:
        options = [] if arguments.sample is None else ["--sample", str(arguments.sample)]
        options += [] if arguments.json is None else ["--json", str(arguments.json)]
        for engine in arguments.engine:
            command = [sys.executable, "-m", "benchmarks.json_schema", str(arguments.folder)]
            command += ["--engine", engine, "--seed", str(arguments.seed), *options]
            subprocess.run(command, check=False)  # noqa: S603 - our own arguments
        return
    files = sorted(arguments.folder.glob("*.json"))
    if arguments.sample:
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    read_all(arguments.engine[0] if arguments.engine else "maskc", files, arguments.json)


if __name__ == "__main__":
    main()
