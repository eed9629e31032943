"""What is timed: a grammar, and documents that it parses.

A workload whose grammar file is not there is skipped, with a line that says so.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import (
    c_programs,
    json_payloads,
    python_files,
    sql_scripts,
    toy_c_programs,
)

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


def _json() -> list[tuple[str, str]]:
    return json_payloads.generate_payloads() + json_payloads.find_installed()


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload(
            "json",
            ROOT / "grammars" / "json_unbounded.lark",  # the peers' JSON has no bound either
            _json,
            "generated API payloads, and JSON files of installed packages",
        ),
        Workload(
            "python",
            ROOT / "grammars" / "python.lark",
            python_files.find_files,
            "standard-library files of 1 to 20 KB; the peers without indentation",
        ),
        Workload(
            "c",
            ROOT / "grammars" / "c.lark",
            c_programs.generate_programs,
            "generated programs as after the preprocessor",
        ),
        Workload(
            "sql",
            ROOT / "grammars" / "sql.lark",
            sql_scripts.generate_scripts,
            "generated scripts over the tables of a shop",
        ),
        Workload(
            "tiny_sql",
            ROOT / "benchmarks" / "grammars" / "tiny_sql.lark",
            sql_scripts.generate_tiny,
            "single SELECTs of a toy language",
        ),
        Workload(
            "toy_c",
            ROOT / "benchmarks" / "grammars" / "toy_c.gbnf",
            toy_c_programs.generate_programs,
            "generated programs; a general grammar, in GBNF",
        ),
        Workload(
            "llama_c",
            ROOT / "corpora" / "c.gbnf",
            toy_c_programs.generate_programs,
            "the same programs with grammars/c.gbnf of llama.cpp, put there by hand",
        ),
    )
}


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
