"""Compiles and verifies the grammars of a folder, each as its project loads it.

Usage: python -m tests.wild FOLDER [--only WORD …] [--new] [--page FILE] [--seconds N]

The folder holds grammars, each with a file of settings (:mod:`tests.wild.settings`); it is no
part of this repository. Results are kept in ``report.json`` there after each grammar, and what is
expected of each in ``expectations.json``: a state that is better than the one expected is written
there, a worse one makes the exit status 1, and so does every difference to Lark. With ``--page``
the figures go between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.wild.examine import STATES, Bounds, examine
from tests.wild.page import count_states, format_report, list_worse, replace
from tests.wild.settings import read_entries


def main() -> None:
    """Examine the grammars asked for, keep what was found, compare it with what is expected."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="parts of names")
    parser.add_argument("--new", action="store_true", help="those that the report lacks")
    parser.add_argument("--page", type=Path, help="gets the figures")
    parser.add_argument("--seconds", type=float, default=60, help="each step; default 60")
    parser.add_argument("--megabytes", type=int, default=3500, help="each step; default 3500")
    parser.add_argument("--tokenizer", default="llama3")
    options = parser.parse_args()
    path, wanted = options.folder / "report.json", options.folder / "expectations.json"
    report = json.loads(path.read_text()) if path.is_file() else {}
    expected = json.loads(wanted.read_text()) if wanted.is_file() else {}
    bounds = Bounds(options.seconds, options.megabytes, options.tokenizer)
    entries = list(read_entries(options.folder))
    names = {entry.name for entry in entries}
    report = {name: result for name, result in report.items() if name in names}
    chosen = [e for e in entries if any(word in e.name for word in options.only)]
    chosen = [e for e in chosen if not (options.new and e.name in report)]
    begin = time.perf_counter()
    for number, entry in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory() as folder:
            report[entry.name] = result = examine(entry, Path(folder), bounds)
        report = dict(sorted(report.items()))
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        why = f": {result['why']}" if "why" in result else ""
        seconds = time.perf_counter() - begin
        print(
            f"{seconds:5.0f} s  {number}/{len(chosen)}  {entry.name}: {result['state']}"
            f" {result.get('seconds', '')}{why}",
            flush=True,
        )
    worse = list_worse(report, expected, STATES)
    better = {
        name: result["state"]
        for name, result in report.items()
        if STATES.index(result["state"]) >= STATES.index(expected.get(name, STATES[0]))
    }
    wanted.write_text(json.dumps({**expected, **better}, indent=1, sort_keys=True) + "\n")
    if options.page:
        replace(options.page, "wild", format_report(report))
    print(count_states(report))
    if worse:
        sys.exit("\n".join(worse))


if __name__ == "__main__":
    main()
