"""Compiles, verifies and times every grammar of ours, and writes the table of docs/performance.md.

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
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.wild.examine import ROOT, run_maskc
from tests.wild.page import replace

PAGE = ROOT / "docs" / "performance.md"
REPORT = ROOT / "corpora" / "collection.json"
CORPORA = ROOT / "tests" / "grammars" / "corpora"
NAMES = [
    *("json", "json_unbounded", "python", "sql", "c", "lua", "graphql", "toml", "regex", "csv"),
    "lark",
]
TOKENIZER, LIMIT_S = "llama3", 3_600
COLUMNS = {
    "grammar": "grammar",
    "terminals": "terminals",
    "productions": "productions",
    "lalr_states": "LALR states",
    "files": "files accepted",
    "tokens": "tokens walked",
    "oracle": "masks compared",
    "rows": "rows",
    "mb": "MB",
    "seconds": "compile, processor s",
    "cold": "cold fill p50 / p99, µs",
    "warm": "warm fill p50 / p99, µs",
}


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Return the figures of a grammar; ``failed`` says why there are no more."""
    row: dict[str, Any] = {"grammar": name}
    path, grammar = str(folder / f"{name}.maskc"), str(ROOT / "grammars" / f"{name}.lark")
    corpus = CORPORA / name.removesuffix("_unbounded")
    texts = ("--corpus", sysconfig.get_path("stdlib") if name == "python" else str(corpus))
    checks = ("--texts", "10", "--max-tokens", "100", "--positions", "60", "--files", "60")
    found = {}
    for command in (
        ("compile", grammar, "--tokenizer", TOKENIZER, "-o", path),
        ("verify", path, *texts, "--allow-refused", *checks),
        ("bench", path, *texts, "--files", "20"),
    ):
        found[command[0]] = said = run_maskc(*command, limit=LIMIT_S)
        if "error" in said:
            return row | {"failed": f"maskc {command[0]}: {said['error']}"}
    counts = found["compile"]["counts"]
    row |= {key: counts[key] for key in ("terminals", "productions", "lalr_states", "rows")}
    seconds = sum(record["cpu_seconds"] for record in found["compile"]["passes"])
    row |= {"seconds": seconds, "mb": Path(path).stat().st_size / 1e6}
    of = {e["name"]: e["counts"] for e in found["verify"]["experiments"]}
    walked = of["corpus"]
    row["files"] = f"{walked['files that Lark parses']} of {walked['files']}"
    row |= {"tokens": walked["tokens"], "oracle": of["oracle"].get("comparisons", 0)}
    broken = [e["name"] for e in found["verify"]["experiments"] if not e["ok"]]
    if broken:
        row["failed"] = f"maskc verify: {', '.join(broken)} failed"
    for when in ("cold", "warm"):
        fill = found["bench"]["passes"][when]["fill"]
        row[when] = f"{fill['p50']:.1f} / {fill['p99']:.1f}"
    return row


def format_cell(value: Any) -> str:
    """Return a cell of the table."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def format_table(rows: list[Mapping[str, Any]]) -> list[str]:
    """Return the table in Markdown, and what failed below it."""
    lines = ["| " + " | ".join(COLUMNS.values()) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(format_cell(row.get(c)) for c in COLUMNS) + " |" for row in rows]
    failures = [f"- `{row['grammar']}`: {row['failed']}" for row in rows if "failed" in row]
    return ["", *lines, *(["", *failures] if failures else []), ""]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("report", type=Path, nargs="?", default=REPORT)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    options = parser.parse_args()
    options.report.parent.mkdir(exist_ok=True)
    known = {}
    if options.report.is_file():
        known = {row["grammar"]: row for row in json.loads(options.report.read_text())}
    rows: list[Mapping[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            known[name] = measure(name, Path(folder))
            rows = [known[name] for name in NAMES if name in known]
            options.report.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
            print("  ".join(format_cell(known[name].get(c)) for c in COLUMNS), flush=True)
    replace(PAGE, "collection", format_table(rows))
    sys.exit(1 if any("failed" in row for row in rows) else 0)


if __name__ == "__main__":
    main()
