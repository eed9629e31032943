"""What ``maskc verify`` found: counts and failures of each experiment, then a line for each.

It reads the report as the plain dictionary that ``--json`` prints::

    {"ok": bool, "wrong": bool, "unicode": {"artifact": str, "python": str} or None,
     "experiments": [
         {"name": str, "ok": bool, "outcome": str, "lack": str or None, "checked": {name: number},
          "counts": {name: number}, "failures": [{name: value}, …],
          "refused": [{"file", "line", "column", "reason", "expected"}, …], "refused_by": str}, …]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from maskc.report.render import format_count, make_console, make_facts, make_table

# Further failures and refused texts are in the JSON.
N_SHOWN = 5
N_REFUSED = 10
N_EXPECTED = 6
_ALLOW = "give --corpus texts of the grammar, or --allow-refused"


def print_report(report: Mapping[str, Any]) -> None:
    """Print it on standard output."""
    console = make_console()
    experiments = report["experiments"]
    for experiment in experiments:
        console.print(_format_outcome(experiment))
        counts = [(name.replace("_", " "), n) for name, n in experiment["counts"].items()]
        console.print(make_facts((f"  {name}", _format_value(n)) for name, n in counts))
        _print_failures(console, experiment)
        _print_refused(console, experiment["refused"])
        console.print()
    rows = []
    for experiment in experiments:
        checked = [f"{_format_value(n)} {name}" for name, n in experiment["checked"].items()]
        n_failures = _format_value(experiment["counts"].get("failures", 0))
        outcome = "FAILED" if experiment["failures"] else experiment["outcome"]
        rows.append((experiment["name"], outcome, ", ".join(checked), n_failures))
    columns = ("experiment", "outcome", "checked", "failures")
    console.print(make_table("Summary", columns, rows, numbers={"failures"}))
    console.print(Text(format_verdict(report)))


def format_verdict(report: Mapping[str, Any]) -> str:
    """Return the last line: whether the artifact is right, wrong, or was not verified, and why."""
    versions = report.get("unicode")
    differ = versions and (
        f"It was compiled with the characters of Unicode {versions['artifact']}, and this Python "
        f"has those of Unicode {versions['python']}"
    )
    if report["ok"]:
        kept = "The artifact keeps its promise."
        return f"{kept} {differ}: in these texts that makes no difference." if differ else kept
    if report["wrong"] and differ:
        return (
            f"The artifact and this Python do not agree. {differ}: what \\w, \\d, \\s and the flag "
            "i match may differ. Verify it with the Python that compiled it, or compile it again "
            "with this one."
        )
    if report["wrong"]:
        return "The artifact is WRONG."
    reasons = [_explain(experiment) for experiment in report["experiments"] if not experiment["ok"]]
    return f"The artifact was NOT VERIFIED: {'; '.join(reasons)}."


def _explain(experiment: Mapping[str, Any]) -> str:
    if experiment["lack"]:
        return f"{experiment['name']}: {experiment['lack']}"
    n_refused = len(experiment["refused"])
    texts = "1 file is" if n_refused == 1 else f"{format_count(n_refused)} files are"
    return f"{experiment['name']}: {texts} refused by {experiment['refused_by']} ({_ALLOW})"


def _format_outcome(experiment: Mapping[str, Any]) -> Text:
    if experiment["ok"]:
        return Text(f"{experiment['name']}: passed", "bold green")
    if experiment["failures"]:
        return Text(f"{experiment['name']}: FAILED", "bold red")
    return Text(f"{experiment['name']}: {experiment['outcome']}", "bold yellow")


def _print_refused(console: Console, refused: Sequence[Mapping[str, Any]]) -> None:
    """Print the first texts that Lark refuses, a line each."""
    for text in refused[:N_REFUSED]:
        console.print(Text(f"  {format_refused(text)}"), soft_wrap=True)
    if len(refused) > N_REFUSED:
        console.print(Text(f"  … and {format_count(len(refused) - N_REFUSED)} more, with --json"))


def format_refused(text: Mapping[str, Any]) -> str:
    """Return where a text was refused, and what was expected.

    >>> where = {"file": "a.json", "line": 1, "column": 4, "reason": "unexpected ','"}
    >>> format_refused({**where, "expected": ["STRING"]})
    "a.json:1:4: unexpected ','; expected STRING"
    """
    expected = list(text["expected"])
    more = len(expected) - N_EXPECTED
    names = ", ".join(expected[:N_EXPECTED]) + (f" or {more} others" if more > 0 else "")
    place = f"{text['file']}:{text['line']}:{text['column']}: {text['reason']}"
    return f"{place}; expected {names}" if names else place


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
