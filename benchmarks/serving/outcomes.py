"""What a run that generates texts counts, and how it ends.

Each call of an engine gives counts, seconds and a list of failures under the same keys; a row of
the table is their sum. ``rows`` are the masks that were asked for, ``steps`` the model's steps.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from maskc.report.render import make_console, make_table

N_SHOWN = 5


def parse_options(about: str) -> argparse.ArgumentParser:
    """Return the options that such runs have in common."""
    parser = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", default=["json", "python", "sql"])
    parser.add_argument("--per-way", type=int, default=24, help="outputs for each row of the table")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    return parser


def add_up(calls: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of numbers, and lists one after the other, by key."""
    total: dict[str, Any] = {}
    for call in calls:
        for key, value in call.items():
            total[key] = total[key] + value if key in total else value
    return total


def finish(title: str, report: Mapping[str, Mapping[str, Any]], path: Path | None) -> NoReturn:
    """Print the table and some failures, write the report; exit with 1 if there are failures."""
    console, counts = make_console(), ("outputs", "ended", "parsed", "tokens")
    rows = [
        (
            name,
            *(f"{found[key]:,}" for key in counts),
            f"{found['seconds'] / found['steps'] * 1e3:.1f}",
            f"{found['masking'] / found['seconds']:.1%}",
            f"{found['masking'] / found['rows'] * 1e6:.0f}",
        )
        for name, found in report.items()
    ]
    columns = ("", *counts, "ms a step", "masking", "us a mask")
    console.print(make_table(title, columns, rows, numbers=columns[1:]))
    failures = [failure for found in report.values() for failure in found["failures"]]
    for name, way, seed, text in failures[:N_SHOWN]:
        console.print(f"{name}, {way}, seed {seed}: {text!r}", markup=False)
    if path:
        path.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if failures else 0)
