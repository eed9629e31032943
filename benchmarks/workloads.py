"""What is timed: a grammar, and documents that it parses.

A workload whose grammar file is not there is skipped, with a line that says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import maskc
from benchmarks import texts
from maskc.vocab import load_encoder

ROOT = Path(__file__).parent.parent
TOKENIZER = "llama3"


@dataclass(frozen=True, slots=True)
class Workload:
    """A grammar and its documents.

    Attributes:
        name: one word.
        grammar: path of maskc's grammar.
        documents: makes names and texts, the same on every call.
        about: what the documents are.
    """

    name: str
    grammar: Path
    documents: Callable[[], list[tuple[str, str]]]
    about: str


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload(
            "json",
            ROOT / "grammars" / "json_unbounded.lark",  # the peers' JSON has no bound either
            lambda: texts.generate("json", 50) + texts.find_json(),
            "generated API payloads, and JSON files of installed packages",
        ),
        Workload(
            "python",
            ROOT / "grammars" / "python.lark",
            texts.find_python,
            "standard-library files of 1 to 20 KB; the peers without indentation",
        ),
        Workload(
            "c",
            ROOT / "grammars" / "c.lark",
            partial(texts.generate, "c", 20),
            "generated programs as after the preprocessor",
        ),
        Workload(
            "sql",
            ROOT / "grammars" / "sql.lark",
            partial(texts.generate, "sql", 40),
            "generated scripts over the tables of a shop",
        ),
        Workload(
            "tiny_sql",
            ROOT / "benchmarks" / "grammars" / "tiny_sql.lark",
            partial(texts.generate, "tiny_sql", 16),
            "single SELECTs of a toy language",
        ),
        Workload(
            "toy_c",
            ROOT / "benchmarks" / "grammars" / "toy_c.gbnf",
            partial(texts.generate, "toy_c", 20),
            "generated programs; a general grammar, in GBNF",
        ),
        Workload(
            "llama_c",
            ROOT / "corpora" / "c.gbnf",
            partial(texts.generate, "toy_c", 20),
            "the same programs with grammars/c.gbnf of llama.cpp, put there by hand",
        ),
    )
}


def find_grammar(name: str) -> Path:
    """Return a grammar that comes with maskc, or a workload's."""
    bundled = ROOT / "grammars" / f"{name}.lark"
    return bundled if bundled.exists() else WORKLOADS[name].grammar


def compile_artifact(grammar: Path, artifact: Path) -> dict[str, float]:
    """Compile a grammar in a process of its own; return what it cost."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "maskc", "compile", str(grammar), "-o", str(artifact)]
    command += ["--tokenizer", TOKENIZER, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT)  # noqa: S603
    passes = json.loads(done.stdout)["passes"]
    return {
        "seconds": sum(record["seconds"] for record in passes),
        "process_seconds": time.perf_counter() - began,
        "peak_mb": max(record["peak_mb"] for record in passes),
        "mb": artifact.stat().st_size / 1e6,
    }


def load_artifact(name: str, **options: Any) -> maskc.Artifact:
    """Return a grammar's artifact, compiled in a process of its own and loaded in this one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.maskc"
        compile_artifact(find_grammar(name), path)
        return maskc.load(path, **options)


def encode_documents(name: str, n_tokens: int | None = None) -> list[list[int]]:
    """Return a workload's documents as tokens: all, or the first that have so many together."""
    encode, found, rest = load_encoder(TOKENIZER).encode, [], n_tokens
    for _, text in WORKLOADS[name].documents():
        if rest is not None and rest <= 0:
            break
        found.append(encode(text))
        rest = None if rest is None else rest - len(found[-1])
    return found


def add_names(parser: ArgumentParser, names: Collection[str], default: list[str]) -> None:
    """Let a benchmark be given some of its names; Python 3.11 takes no default beside ``choices``.

    Args:
        parser: whose arguments then have ``names``, a list.
        names: those that there are.
        default: what is taken where none is given.
    """

    def check(name: str) -> str:
        if name not in names:
            raise ArgumentTypeError(f"{name!r} is none of {', '.join(sorted(names))}")
        return name

    parser.add_argument("names", nargs="*", default=default, type=check, metavar="NAME")
