"""What do peers say to the JSON Schema Test Suite? Each in a process of its own.

Usage: python -m benchmarks.conformance.json_schema_peers [ENGINE …] [--page FILE]

The tests of draft 2020-12, required, optional and of formats, each instance as ``json.dumps``
writes it, read as llama3's tokens. The engines are those of ``benchmarks/engines`` that compile
schemas; those that take other documents get the ones that some schemas refer to, and formats are
asserted in their own tests only, where an engine has the choice. A process that dies counts as one
error and a test that takes more than 10 seconds as a timeout; the next test begins a new process.

With ``--page`` two tables are written to a page: all tests, and the required ones by keyword.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.conformance.corpora import corpus
from benchmarks.conformance.json_schema import CLASSES, PARTS, SUITE, URIS, list_remotes
from benchmarks.engines import ENGINES, TOKENIZER, AskedSchema, Engine, RefusedError, read_engine
from benchmarks.workloads import ROOT
from maskc.vocab import load_encoder
from tests.wild.page import replace

DRAFT = "draft2020-12"
SECONDS = 10
# What a test may be, in the words of a narrow table.
SHORT = {
    "refused": "refused",
    "valid refused": "too strict",
    "invalid accepted": "too lax",
    "error": "errors",
    "timeout": "timeouts",
}


class Test(NamedTuple):
    """One test of the suite.

    Attributes:
        part: required, optional or format.
        keyword: the file that it stands in.
        asked: the schema.
        instance: a JSON value.
        valid: whether it is valid.
    """

    part: str
    keyword: str
    asked: AskedSchema
    instance: Any
    valid: bool


def list_tests() -> list[Test]:
    """Return all tests in a fixed order."""
    found: list[Test] = []
    remotes = list_remotes(DRAFT)
    for part, pattern in PARTS.items():
        for path in sorted((corpus(SUITE) / "json" / "tests" / DRAFT).glob(pattern)):
            for group in json.loads(path.read_text()):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema = {"$schema": URIS[DRAFT], **schema}
                asked = AskedSchema(schema, remotes, asserts_formats=part == "format")
                found += [
                    Test(part, path.stem, asked, t["data"], t["valid"]) for t in group["tests"]
                ]
    return found


def judge(engine: Engine, test: Test, tokens: list[int]) -> str:
    """Return the class of a test."""
    try:
        session = engine.compile("schema", test.asked)()
    except RefusedError as error:
        if str(error) == "fits no value at all":
            return "valid refused" if test.valid else "right"
        return "refused"
    taken = all(session.accept(token) for token in tokens) and bool(session.may_end())
    if taken == test.valid:
        return "right"
    return "invalid accepted" if taken else "valid refused"


def run_tests(engine: str, first: int) -> None:
    """Print the class of each test from one on, as soon as it is known."""
    known = read_engine(engine)
    encode = load_encoder(TOKENIZER).encode
    print(known.name, flush=True)
    for test in list_tests()[first:]:
        tokens = list(encode(json.dumps(test.instance, ensure_ascii=False)))
        print(judge(known, test, tokens), flush=True)


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


def format_parts(tests: Sequence[Test], classes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the table of all tests: per engine and part, how many are of each class."""
    parts = {part: [n for n, test in enumerate(tests) if test.part == part] for part in PARTS}
    titles = [f"{part} ({len(numbers):,})" for part, numbers in parts.items()]
    lines = [f"| | {' | '.join(titles)} |", "|---|" + "---|" * len(parts)]
    for name, found in classes.items():
        cells = [_say(Counter(found[n] for n in numbers)) for numbers in parts.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def format_keywords(tests: Sequence[Test], classes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the table of the required tests: per keyword and engine, what is not right."""
    files: dict[str, list[int]] = {}
    for number, test in enumerate(tests):
        if test.part == "required":
            files.setdefault(test.keyword, []).append(number)
    lines = [f"| | tests | {' | '.join(classes)} |", "|---|---:|" + "---|" * len(classes)]
    for keyword, numbers in files.items():
        wrong = (Counter(f[n] for n in numbers if f[n] != "right") for f in classes.values())
        cells = (_say(counts) or "all" for counts in wrong)
        lines.append(f"| {keyword} | {len(numbers)} | {' | '.join(cells)} |")
    return lines


def _say(counts: Counter[str]) -> str:
    """Return counts in words, the classes in order."""
    words = [f"{counts[kind]:,} {SHORT.get(kind, kind)}" for kind in CLASSES if counts[kind]]
    return ", ".join(words)


def main() -> None:
    """Ask the engines, or be one of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engines", nargs="*", default=ENGINES)
    parser.add_argument("--first", type=int)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    if arguments.first is not None:
        run_tests(arguments.engines[0], arguments.first)
        return
    tests, classes = list_tests(), dict[str, list[str]]()
    for engine in arguments.engines:
        name, found = ask(engine, len(tests))
        classes[name] = found
        for line in format_parts(tests, {name: found}):
            print(line, flush=True)
    if arguments.page is not None:
        replace(arguments.page, "peers", format_parts(tests, classes))
        replace(arguments.page, "keywords", format_keywords(tests, classes))


if __name__ == "__main__":
    main()
