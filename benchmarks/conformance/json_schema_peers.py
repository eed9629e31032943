"""What do peers say to the JSON Schema Test Suite? Each in a process of its own.

Usage: python -m benchmarks.conformance.json_schema_peers [ENGINE …]

The tests of draft 2020-12, required, optional and of formats, each instance as ``json.dumps``
writes it, read as llama3's tokens. The engines are those of ``benchmarks/engines`` that compile
schemas; none gets the documents that some schemas refer to. A process that dies counts as one
error and a test that takes more than 10 seconds as a timeout; the next test begins a new process.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import select
import subprocess
import sys
from collections import Counter
from typing import Any

from benchmarks.conformance.corpora import corpus
from benchmarks.conformance.json_schema import PARTS, SUITE, URIS
from benchmarks.engines import RefusedError, Schemas
from benchmarks.workloads import ROOT, TOKENIZER
from maskc.vocab import load_encoder

DRAFT = "draft2020-12"
ENGINES = ("maskc", "llguidance", "xgrammar", "glrmask")
SECONDS = 10
CLASSES = ("right", "refused", "valid refused", "invalid accepted", "error", "timeout")

Test = tuple[str, Any, Any, bool]  # part, schema, instance, whether it is valid


def list_tests() -> list[Test]:
    """Return all tests in a fixed order."""
    found: list[Test] = []
    for part, pattern in PARTS.items():
        for path in sorted((corpus(SUITE) / "json" / "tests" / DRAFT).glob(pattern)):
            for group in json.loads(path.read_text()):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema = {"$schema": URIS[DRAFT], **schema}
                found += [(part, schema, t["data"], t["valid"]) for t in group["tests"]]
    return found


def judge(schemas: Schemas, schema: Any, tokens: list[int], *, valid: bool) -> str:
    """Return the class of a test."""
    try:
        session = schemas.compile(schema)()
    except RefusedError as error:
        if str(error) == "fits no value at all":
            return "valid refused" if valid else "right"
        return "refused"
    taken = all(session.accept(token) for token in tokens) and bool(session.may_end())
    if taken == valid:
        return "right"
    return "invalid accepted" if taken else "valid refused"


def run_tests(engine: str, first: int) -> None:
    """Print the class of each test from one on, as soon as it is known."""
    schemas = importlib.import_module(f"benchmarks.engines.{engine}_engine").read_schemas()
    encode = load_encoder(TOKENIZER).encode
    print(schemas.name, flush=True)
    for _, schema, instance, valid in list_tests()[first:]:
        tokens = list(encode(json.dumps(instance, ensure_ascii=False)))
        print(judge(schemas, schema, tokens, valid=valid), flush=True)


def ask(engine: str, n_tests: int) -> tuple[str, list[str]]:
    """Return an engine's name with its version, and the class of each test."""
    name, found = engine, list[str]()
    while len(found) < n_tests:
        command = [sys.executable, "-m", "benchmarks.conformance.json_schema_peers", engine]
        command += ["--first", str(len(found))]
        with subprocess.Popen(  # noqa: S603 - our own arguments
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, text=True
        ) as process:
            if process.stdout is None:
                raise ValueError("a pipe was asked for")
            lines, timed_out = _read_lines(process.stdout.fileno())
            process.kill()
        if not lines:
            raise SystemExit(f"{engine} does not start; is it installed?")
        name = lines[0]
        found += lines[1:]
        if len(found) < n_tests:
            found.append("timeout" if timed_out else "error")
    return name, found


def _read_lines(pipe: int) -> tuple[list[str], bool]:
    """Return the lines that a process writes, and whether it kept us waiting for too long."""
    raw = b""
    while True:
        # The first line comes once the vocabulary is read.
        ready, _, _ = select.select([pipe], [], [], SECONDS if b"\n" in raw else 10 * SECONDS)
        piece = os.read(pipe, 1 << 16) if ready else b""
        if not piece:
            return raw.decode().split("\n")[:-1], not ready
        raw += piece


def main() -> None:
    """Ask the engines, or be one of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engines", nargs="*", default=ENGINES)
    parser.add_argument("--first", type=int)
    arguments = parser.parse_args()
    if arguments.first is not None:
        run_tests(arguments.engines[0], arguments.first)
        return
    tests = list_tests()
    for engine in arguments.engines:
        name, classes = ask(engine, len(tests))
        for part in PARTS:
            counts = Counter(c for c, test in zip(classes, tests, strict=True) if test[0] == part)
            summary = ", ".join(f"{counts[c]:,} {c}" for c in CLASSES if counts[c])
            print(f"{name}, {part}: {summary}", flush=True)


if __name__ == "__main__":
    main()
