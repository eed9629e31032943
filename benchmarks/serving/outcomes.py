"""What a run that generates texts counts, how it is printed, and how it ends.

Each call of an engine gives counts and a list of failures under the same keys, and where it is
timed also ``steps`` of the model, ``rows`` (masks that were asked for), ``seconds`` and those of
``masking``; a row of the table is their sum.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from benchmarks.serving.scenarios import NAMES
from maskc.report import Table
from maskc.report.render import make_console, make_table

N_SHOWN = 5
COUNTS = ("outputs", "ended", "parsed", "tokens")
Report = dict[str, dict[str, Any]]


def parse_options(about: str) -> argparse.ArgumentParser:
    """Return the options that such runs have in common."""
    parser = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", default=list(NAMES))
    parser.add_argument("--per-way", type=int, default=24, help="outputs for each row of the table")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    return parser


def count(
    name: str, way: str, text: str, n_tokens: int, *, ended: bool, wrong: object
) -> dict[str, Any]:
    """Return the counts of one output; ``wrong`` says why it is a failure, if it is one."""
    return {
        "outputs": 1,
        "ended": int(ended),
        "parsed": int(ended and not wrong),
        "tokens": n_tokens,
        "failures": [(name, way, wrong, text)] if wrong else [],
    }


def add_up(calls: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of numbers, and lists one after the other, by key."""
    total: dict[str, Any] = {}
    for call in calls:
        for key, value in call.items():
            total[key] = total[key] + value if key in total else value
    return total


def show(title: str, report: Mapping[str, Mapping[str, Any]]) -> int:
    """Print the table and some failures; return how many failures there are."""
    console = make_console()
    rows = []
    for name, found in report.items():
        cells = [f"{found[key]:,}" for key in COUNTS]
        if "steps" in found:
            cells.append(f"{found['seconds'] / found['steps'] * 1e3:.1f}")
            cells.append(f"{found['masking'] / found['seconds']:.1%}")
            cells.append(f"{found['masking'] / found['rows'] * 1e6:.0f}")
        rows.append((name, *cells, *[""] * (len(COUNTS) + 3 - len(cells))))
    columns = ("", *COUNTS, "ms a step", "masking", "us a mask")
    console.print(make_table(Table(title, columns, rows, columns[1:])))
    failures = [failure for found in report.values() for failure in found["failures"]]
    for name, way, why, text in failures[:N_SHOWN]:
        console.print(f"{name}, {way}, {why}: {text!r}", markup=False)
    return len(failures)


def finish(title: str, report: Mapping[str, Mapping[str, Any]], path: Path | None) -> NoReturn:
    """Print the table, write the report; exit with 1 if there are failures."""
    n_failures = show(title, report)
    if path:
        path.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if n_failures else 0)
