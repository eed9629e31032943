"""What ``maskc verify`` found: a line and the counts of each experiment, then what failed.

It reads the report as the plain dictionary that ``--json`` prints::

    {"ok": bool, "experiments": [{"name": str, "ok": bool, "counts": {name: number},
                                  "failures": [{name: value}, …]}, …]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from maskc.report.render import format_count, make_console, make_facts

# Further failures are in the JSON.
N_SHOWN = 5


def print_report(report: Mapping[str, Any]) -> None:
    """Print it on standard output."""
    console = make_console()
    for experiment in report["experiments"]:
        passed = experiment["ok"]
        style = "bold green" if passed else "bold red"
        console.print(Text(f"{experiment['name']}: {'passed' if passed else 'FAILED'}", style))
        counts = [(name.replace("_", " "), n) for name, n in experiment["counts"].items()]
        console.print(make_facts((f"  {name}", _format_value(n)) for name, n in counts))
        failures = experiment["failures"]
        for number, failure in enumerate(failures[:N_SHOWN], 1):
            console.print(Text(f"  failure {number} of {len(failures)}", style="red"))
            facts = ((name.replace("_", " "), value) for name, value in failure.items())
            console.print(make_facts((f"    {name}", _format_value(v)) for name, v in facts))
        console.print()
    console.print("The artifact keeps its promise." if report["ok"] else "The artifact is WRONG.")


def _format_value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return value if isinstance(value, str) else repr(value)
