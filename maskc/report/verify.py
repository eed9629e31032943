"""What ``maskc verify`` found: counts and failures of each experiment, then a line for each.

It reads the report as the plain dictionary that ``--json`` prints::

    {"ok": bool, "unicode": {"artifact": str, "python": str} or None,
     "experiments": [{"name": str, "ok": bool, "checked": {name: number},
                      "counts": {name: number}, "failures": [{name: value}, …]}, …]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from maskc.report.render import format_count, make_console, make_facts, make_table

# Further failures are in the JSON.
N_SHOWN = 5


def print_report(report: Mapping[str, Any]) -> None:
    """Print it on standard output."""
    console = make_console()
    experiments = report["experiments"]
    for experiment in experiments:
        console.print(_format_outcome(experiment))
        counts = [(name.replace("_", " "), n) for name, n in experiment["counts"].items()]
        console.print(make_facts((f"  {name}", _format_value(n)) for name, n in counts))
        _print_failures(console, experiment)
        console.print()
    rows = []
    for experiment in experiments:
        checked = [f"{_format_value(n)} {name}" for name, n in experiment["checked"].items()]
        n_failures = _format_value(experiment["counts"].get("failures", 0))
        outcome = "passed" if experiment["ok"] else "FAILED"
        rows.append((experiment["name"], outcome, ", ".join(checked), n_failures))
    columns = ("experiment", "outcome", "checked", "failures")
    console.print(make_table("Summary", columns, rows, numbers={"failures"}))
    console.print(_conclude(report))


def _conclude(report: Mapping[str, Any]) -> str:
    kept = "The artifact keeps its promise." if report["ok"] else "The artifact is WRONG."
    versions = report.get("unicode")
    if not versions:
        return kept
    differ = (
        f"It was compiled with the characters of Unicode {versions['artifact']}, and this Python "
        f"has those of Unicode {versions['python']}"
    )
    if report["ok"]:
        return f"{kept} {differ}: in these texts that makes no difference."
    return (
        f"The artifact and this Python do not agree. {differ}: what \\w, \\d, \\s and the flag i "
        "match may differ. Verify it with the Python that compiled it, or compile it again with "
        "this one."
    )


def _format_outcome(experiment: Mapping[str, Any]) -> Text:
    if experiment["ok"]:
        return Text(f"{experiment['name']}: passed", "bold green")
    if experiment["failures"]:
        return Text(f"{experiment['name']}: FAILED", "bold red")
    return Text(f"{experiment['name']}: FAILED, for there was nothing to check", "bold red")


def _print_failures(console: Console, experiment: Mapping[str, Any]) -> None:
    """Print the first witnesses."""
    failures = experiment["failures"]
    n_failures = experiment["counts"].get("failures", len(failures))
    for number, failure in enumerate(failures[:N_SHOWN], 1):
        title = f"  failure {number} of {_format_value(n_failures)}"
        console.print(Text(title, style="red"))
        facts = ((name.replace("_", " "), value) for name, value in failure.items())
        console.print(make_facts((f"    {name}", _format_value(v)) for name, v in facts))


def _format_value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return value if isinstance(value, str) else repr(value)
