"""Measure rows of the table, print their figures and write them down.

Usage: python -m benchmarks.table [NAME …] [--json FILE] [--page FILE] [--list]

Each row runs in a process of its own, so that no row has another's caches or memory. With
``--json`` the figures go to a file, each row with the commit, the machine and the date; rows that
are not measured stay in the file as they are. ``docs/figures.json`` is such a file, and pages say
its figures between marks: ``--page`` writes those of a row that it has marks for, and the tests
hold pages against the file. A name may be the first word of several rows.

The exit status is 1 if a row fails or does not keep its promise.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import maskc
from benchmarks.table.rows import ROWS
from benchmarks.workloads import ROOT
from tests.figures import MARK, format_figures
from tests.wild.page import replace

for module in ("decoding", "beside", "restrictions", "requests", "processes"):
    importlib.import_module(f"benchmarks.table.{module}")


def main() -> None:
    """Run the rows that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    parser.add_argument("--page", type=Path, help="gets the figures between the marks of a row")
    parser.add_argument("--list", action="store_true", help="list the rows and measure none")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        row = ROWS[options.one]
        figures = row.operation(row.setup())
        print(json.dumps({"kept": row.is_flat(figures), "figures": round_all(figures)}))
        return
    chosen = [row for row in ROWS.values() if _is_named(row.name, options.names)]
    if not chosen:
        parser.error(f"no row {', '.join(options.names)}; there are {', '.join(ROWS)}")
    if options.list:
        for row in chosen:
            print(f"{row.name:24} {row.about}")
        return
    is_good = True
    for row in chosen:
        found = measure(row.name)
        print_row(row.name, row.about, found)
        is_good &= found["kept"]
        if options.json:
            known = json.loads(options.json.read_text()) if options.json.is_file() else {}
            known[row.name] = found
            options.json.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
        if options.page:
            replace(options.page, MARK.format(row.name), format_figures(found))
    sys.exit(0 if is_good else 1)


def measure(name: str) -> dict[str, Any]:
    """Return the figures of a row, measured in a process of its own, and where they come from."""
    command = [sys.executable, "-m", "benchmarks.table", "--one", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)  # noqa: S603 - our own arguments
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        found: dict[str, Any] = {"kept": False, "figures": {}, "failed": lines[-1]}
    else:
        found = json.loads(done.stdout.splitlines()[-1])
    return {"command": f"python -m benchmarks.table '{name}'", **describe_run(), **found}


def round_all(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures with the digits that a measurement has; what is counted has all of them."""
    return {
        name: round_all(value)
        if isinstance(value, dict)
        else value
        if isinstance(value, int)
        else float(f"{value:.4g}")
        for name, value in figures.items()
    }


def describe_run() -> dict[str, str]:
    """Return what a figure depends on beside its command."""
    command = ("git", "describe", "--always", "--dirty", "--exclude", "*")
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)  # noqa: S603
    compiled = Path(maskc.runtime.lalr.masks.__file__).suffix != ".py"
    return {
        "commit": said.stdout.strip() or "unknown",
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}",
        "runtime": f"{'compiled' if compiled else 'pure'}, Python {platform.python_version()}",
    }


def print_row(name: str, about: str, found: dict[str, Any]) -> None:
    """Print the figures of a row."""
    title = f"{name}: {about}{'' if found['kept'] else ' — NOT KEPT'}"
    if "failed" in found:
        print(f"{title}: {found['failed']}")
        return
    print(title)
    for what, figures in group(found["figures"]):
        print(f"  {what:34}", "  ".join(f"{key} {value:,.2f}" for key, value in figures.items()))


def group(figures: dict[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the numbers that stand together, under the names of what holds them."""
    numbers = {key: value for key, value in figures.items() if not isinstance(value, dict)}
    if numbers:
        yield name, numbers
    for key, inner in figures.items():
        if isinstance(inner, dict):
            yield from group(inner, f"{name}, {key}" if name else key)


def _is_named(name: str, wanted: list[str]) -> bool:
    return not wanted or any(name == word or name.startswith(f"{word} ") for word in wanted)


if __name__ == "__main__":
    main()
