"""Compiles, verifies and times every grammar of ours, and writes the table of docs/grammars.md.

Usage: python -m tests.outside.collection [REPORT] [--only NAME …]

REPORT is a JSON file, corpora/collection.json if none is named. With ``--only`` the grammars named
are measured and the others keep the figures that they have in it, so that a run can be made in
parts.

Vocabulary: llama3. Each figure comes from a command that can be run alone: ``maskc compile``,
``maskc verify`` and ``maskc bench``, all with ``--json``. What fails is told below the table, and
the exit status is 1 then. The corpora are in tests/grammars/corpora; Python's is the standard
library.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "grammars.md"
REPORT = ROOT / "corpora" / "collection.json"
CORPORA = ROOT / "tests" / "grammars" / "corpora"
NAMES = [
    *("json", "json_unbounded", "python", "sql", "c", "lua", "graphql", "toml", "regex", "csv"),
    "lark",
]
TOKENIZER = "llama3"
BEGIN, END = "<!-- collection.py writes from here -->", "<!-- to here -->"
COLUMNS = {
    "grammar": "grammar",
    "terminals": "terminals",
    "productions": "productions",
    "states": "LALR states",
    "files": "files accepted",
    "tokens": "tokens walked",
    "oracle": "masks compared",
    "rows": "rows",
    "mb": "MB",
    "seconds": "compile, processor s",
    "cold": "cold fill p50 / p99, µs",
    "warm": "warm fill p50 / p99, µs",
}


class CommandError(Exception):
    """A command of maskc's did not do what it should."""


def run(*arguments: str) -> dict[str, Any]:
    """Return what a command prints as JSON.

    Raises:
        CommandError: it printed none.
    """
    command = [sys.executable, "-m", "maskc.cli", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise CommandError(f"maskc {arguments[0]}: {lines[-1].removeprefix('maskc: ')}") from None
    return dict(found)


def processor_seconds() -> float:
    """Return what all commands run so far took of the processor: others may use it too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def corpus_of(name: str) -> Path:
    """Return the texts that a grammar is measured on."""
    if name == "python":
        return Path(sysconfig.get_path("stdlib"))
    return CORPORA / name.removesuffix("_unbounded")


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Return the figures of a grammar; ``failed`` says why there are no more."""
    row: dict[str, Any] = {"grammar": name}
    path = str(folder / f"{name}.maskc")
    corpus = str(corpus_of(name))
    grammar = str(ROOT / "grammars" / f"{name}.lark")
    try:
        start = processor_seconds()
        compiled = run("compile", grammar, "--tokenizer", TOKENIZER, "-o", path)
        row["seconds"] = processor_seconds() - start
        counts = compiled.get("counts", {})
        row["terminals"] = counts.get("terminals")
        row["productions"] = counts.get("productions")
        row["states"] = counts.get("lalr_states")
        row["rows"] = counts.get("rows")
        row["mb"] = Path(path).stat().st_size / 1e6
        checks = ("--texts", "10", "--max-tokens", "100", "--positions", "60", "--files", "60")
        verified = run("verify", path, "--corpus", corpus, "--allow-refused", *checks)
        experiments = {e["name"]: e for e in verified["experiments"]}
        walked = experiments["corpus"]["counts"]
        row["files"] = f"{walked['files that Lark parses']} of {walked['files']}"
        row["tokens"] = walked["tokens"]
        row["oracle"] = experiments["oracle"]["counts"].get("comparisons", 0)
        if not verified["ok"]:
            broken = [e["name"] for e in verified["experiments"] if not e["ok"]]
            row["failed"] = f"maskc verify: {', '.join(broken)} failed"
        timed = run("bench", path, "--corpus", corpus, "--files", "20")
        for when in ("cold", "warm"):
            fill = timed["passes"][when]["fill"]
            row[when] = f"{fill['p50']:.1f} / {fill['p99']:.1f}"
    except CommandError as error:
        row["failed"] = str(error)
    return row


def format_cell(value: Any) -> str:
    """Return a cell of the table."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def format_table(rows: list[Mapping[str, Any]]) -> str:
    """Return the table in Markdown, and what failed below it."""
    lines = ["| " + " | ".join(COLUMNS.values()) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(format_cell(row.get(c)) for c in COLUMNS) + " |" for row in rows]
    failures = [f"- `{row['grammar']}`: {row['failed']}" for row in rows if "failed" in row]
    return "\n".join([*lines, *(["", *failures] if failures else [])])


def write_page(table: str) -> None:
    """Put the table between its two marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, nargs="?", default=REPORT)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    options = parser.parse_args()
    options.report.parent.mkdir(exist_ok=True)
    known = {}
    if options.report.is_file():
        known = {row["grammar"]: row for row in json.loads(options.report.read_text())}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            known[name] = measure(name, Path(folder))
            rows = [known[name] for name in NAMES if name in known]
            options.report.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
            print("  ".join(format_cell(known[name].get(c)) for c in COLUMNS), flush=True)
    write_page(format_table(rows))
    sys.exit(1 if any("failed" in row for row in rows) else 0)


if __name__ == "__main__":
    main()
