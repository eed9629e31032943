"""What ``maskc lint`` found, for a person and for a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from maskc.lint.model import Finding, Severity
from maskc.report.render import make_console

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


def print_findings(grammar: str, findings: Sequence[Finding]) -> None:
    """Print the findings on standard output, and how many there are."""
    console = make_console()
    for finding in findings:
        line = f":{finding.place.line}" if finding.place.line is not None else ""
        heading = Text(f"{grammar}{line}: ")
        heading.append(finding.severity.value, _STYLES[finding.severity])
        heading.append(f" {finding.code}: {finding.place.kind} {finding.place.name}".rstrip())
        console.print(heading, soft_wrap=True)
        console.print(f"  {finding.fact}", soft_wrap=True)
        if finding.witness is not None:
            console.print(f"  witness: {_show(finding)}", soft_wrap=True)
        console.print(f"  remedy: {finding.remedy}", soft_wrap=True)
    counts = count_findings(findings)
    summary = ", ".join(_count(n, name) for name, n in counts.items())
    console.print(f"{grammar}: {summary}", soft_wrap=True)


def _show(finding: Finding) -> str:
    # Those of a vocabulary are quoted one by one.
    if finding.place.kind == "vocabulary":
        return str(finding.witness)
    return repr(finding.witness)


def _count(number: int, plural: str) -> str:
    return f"{number} {plural if number != 1 else plural[:-1]}"
