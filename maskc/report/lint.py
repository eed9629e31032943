"""What ``maskc lint`` found, for a person and for a program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from maskc.lint.model import Finding, Severity
from maskc.report.render import make_console

_MOST_SHOWN, _BEFORE = 96, 60  # characters of a long line, and before what is pointed at
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def to_dict(grammar: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings for ``--json``."""
    return {
        "grammar": grammar,
        "counts": count_findings(findings),
        "findings": [finding.to_dict() for finding in findings],
    }


def count_findings(findings: Sequence[Finding]) -> dict[str, int]:
    """Return severity → number of findings; each severity is there."""
    counts = Counter(finding.severity for finding in findings)
    return {f"{severity.value}s": counts[severity] for severity in Severity}


def print_findings(grammar: str, findings: Sequence[Finding], text: str = "") -> None:
    """Print the findings on standard output, each with its line, and how many there are.

    Args:
        grammar: what it is called.
        findings: of it.
        text: that the lines are of; without it none is shown.
    """
    console, lines = make_console(), text.splitlines()
    for finding in findings:
        line = f":{finding.place.line}" if finding.place.line is not None else ""
        heading = Text(f"{grammar}{line}: ")
        heading.append(finding.severity.value, _STYLES[finding.severity])
        heading.append(f" {finding.code}: {finding.place.kind} {finding.place.name}".rstrip())
        console.print(heading, soft_wrap=True)
        for shown in _point(finding, lines):
            console.print(shown, soft_wrap=True)
        console.print(f"  {finding.fact}", soft_wrap=True)
        if finding.witness is not None:
            console.print(f"  witness: {_show(finding)}", soft_wrap=True)
        console.print(f"  remedy: {finding.remedy}", soft_wrap=True)
    counts = count_findings(findings)
    summary = ", ".join(_count(n, name) for name, n in counts.items())
    console.print(f"{grammar}: {summary}", soft_wrap=True)


def find_column(finding: Finding, line: str) -> int:
    """Return the column, from 1, of what a finding is about in its line."""
    name = finding.place.name
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) if name else None
    return (found.start() if found else len(line) - len(line.lstrip())) + 1


def _point(finding: Finding, lines: Sequence[str]) -> list[str]:
    """Return the line of a finding with a caret below it; nothing if it has none."""
    number = finding.place.line
    if number is None or not 0 < number <= len(lines):
        return []
    line = lines[number - 1]
    column = find_column(finding, line)
    shown = "".join(c if c.isprintable() else " " for c in line)
    length = len(finding.place.name) if finding.place.name in line else 1
    start = max(0, column - 1 - _BEFORE)
    return [
        f"  {shown[start : start + _MOST_SHOWN]}",
        f"  {' ' * (column - 1 - start)}{'^' * max(1, min(length, _MOST_SHOWN))}",
    ]


def _show(finding: Finding) -> str:
    # Those of a vocabulary are quoted one by one.
    if finding.place.kind == "vocabulary":
        return str(finding.witness)
    return repr(finding.witness)


def _count(number: int, plural: str) -> str:
    return f"{number} {plural if number != 1 else plural[:-1]}"
