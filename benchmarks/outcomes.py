"""What a run that generates texts counts, and how it ends.

Each call of an engine gives counts, seconds and a list of failures under the same keys; a row of
the table is their sum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from maskc.report.render import make_console

N_SHOWN = 5


def add_up(calls: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of numbers, and lists one after the other, by key."""
    total: dict[str, Any] = {}
    for call in calls:
        for key, value in call.items():
            total[key] = total[key] + value if key in total else value
    return total


def finish(report: Mapping[str, Mapping[str, Any]], path: Path | None) -> NoReturn:
    """Show some failures, write the report, and exit: with 1 if there are failures."""
    failures = [failure for found in report.values() for failure in found["failures"]]
    for name, way, seed, text in failures[:N_SHOWN]:
        make_console().print(f"{name}, {way}, seed {seed}: {text!r}", markup=False)
    if path:
        path.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if failures else 0)
