"""What ``maskc verify`` found: counts and failures of each experiment, then a line for each.

It reads what :meth:`maskc.verify.model.VerifyReport.to_dict` returns::

    {"ok": bool, "wrong": bool, "unicode": {"artifact": str, "python": str} or None,
     "experiments": [
         {"name": str, "ok": bool, "outcome": str, "lack": str or None, "checked": {name: number},
          "counts": {name: number}, "failures": [{name: value}, …],
          "refused": [{"file", "line", "column", "reason", "expected"}, …], "refused_by": str}, …]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from maskc.report.formats import format_count
from maskc.report.model import Block, Facts, Lines, Report, Table

# Further failures and refused texts are in the JSON.
N_SHOWN = 5
_N_REFUSED = 10
_N_EXPECTED = 6
_ALLOW = "give --corpus texts of the grammar, or --allow-refused"


def report_verification(found: Mapping[str, Any]) -> Report:
    return Report(found, _list_blocks(found))


def _list_blocks(found: Mapping[str, Any]) -> Iterator[Block]:
    rows = []
    for experiment in found["experiments"]:
        yield from _list_experiment(experiment)
        yield Lines([""])
        checked = [f"{_format_value(n)} {name}" for name, n in experiment["checked"].items()]
        n_failures = _format_value(experiment["counts"].get("failures", 0))
        outcome = "FAILED" if experiment["failures"] else experiment["outcome"]
        rows.append((experiment["name"], outcome, ", ".join(checked), n_failures))
    columns = ("experiment", "outcome", "checked", "failures")
    yield Table("Summary", columns, rows, ("failures",))
    yield Lines([format_verdict(found)])


def _list_experiment(experiment: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the outcome and counts of an experiment, the first witnesses and refused texts."""
    failures, refused = experiment["failures"], experiment["refused"]
    outcome, style = experiment["outcome"], "bold yellow"
    if experiment["ok"]:
        outcome, style = "passed", "bold green"
    elif failures:
        outcome, style = "FAILED", "bold red"
    yield Lines([((f"{experiment['name']}: {outcome}", style),)])
    yield _list_values(experiment["counts"], "  ")
    n_failures = _format_value(experiment["counts"].get("failures", len(failures)))
    for number, failure in enumerate(failures[:N_SHOWN], 1):
        yield Lines([((f"  failure {number} of {n_failures}", "red"),)])
        yield _list_values(failure, "    ")
    yield Lines([f"  {format_refused(text)}" for text in refused[:_N_REFUSED]])
    if len(refused) > _N_REFUSED:
        yield Lines([f"  … and {format_count(len(refused) - _N_REFUSED)} more, with --json"])


def _list_values(values: Mapping[str, Any], indent: str) -> Facts:
    return Facts([(indent + k.replace("_", " "), _format_value(v)) for k, v in values.items()])


def format_verdict(found: Mapping[str, Any]) -> str:
    """Return the last line: whether the artifact is right, wrong, or was not verified, and why."""
    versions = found.get("unicode")
    differ = versions and (
        f"It was compiled with the characters of Unicode {versions['artifact']}, and this Python "
        f"has those of Unicode {versions['python']}"
    )
    if found["ok"]:
        kept = "The artifact keeps its promise."
        return f"{kept} {differ}: in these texts the result is the same." if differ else kept
    if found["wrong"] and differ:
        return (
            f"The artifact and this Python do not agree. {differ}: what \\w, \\d, \\s and the flag "
            "i match may differ. Verify it with the Python that compiled it, or compile it again "
            "with this one."
        )
    if found["wrong"]:
        return "The artifact is WRONG."
    reasons = [_explain(experiment) for experiment in found["experiments"] if not experiment["ok"]]
    return f"The artifact was NOT VERIFIED: {'; '.join(reasons)}."


def _explain(experiment: Mapping[str, Any]) -> str:
    if experiment["lack"]:
        return f"{experiment['name']}: {experiment['lack']}"
    n_refused = len(experiment["refused"])
    texts = "1 file is" if n_refused == 1 else f"{format_count(n_refused)} files are"
    return f"{experiment['name']}: {texts} refused by {experiment['refused_by']} ({_ALLOW})"


def format_refused(text: Mapping[str, Any]) -> str:
    """Return where a text was refused, and what was expected.

    >>> where = {"file": "a.json", "line": 1, "column": 4, "reason": "unexpected ','"}
    >>> format_refused({**where, "expected": ["STRING"]})
    "a.json:1:4: unexpected ','; expected STRING"
    """
    expected = list(text["expected"])
    more = len(expected) - _N_EXPECTED
    names = ", ".join(expected[:_N_EXPECTED]) + (f" or {more} others" if more > 0 else "")
    where = f"{text['file']}:{text['line']}:{text['column']}: {text['reason']}"
    return f"{where}; expected {names}" if names else where


def _format_value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return value if isinstance(value, str) else repr(value)
