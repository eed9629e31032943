"""What ``maskc lint`` found: for a person, for a program, and as SARIF 2.1.0.

Code hosts and editors read SARIF: one run with one result for each finding, and a rule for each
code. Locations in a grammar are lines and columns; those of a JSON Schema are JSON pointers, as
logical locations.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 2020.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import maskc
from maskc.lint.model import Finding, Severity
from maskc.report.formats import count, point_at
from maskc.report.model import Line, Lines, Report

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def report_findings(grammar: str, findings: Sequence[Finding], text: str = "") -> Report:
    """Return the findings, each with its line of the text, and how many there are."""
    counts = Counter(finding.severity for finding in findings)
    data = {
        "grammar": grammar,
        "counts": {f"{severity.value}s": counts[severity] for severity in Severity},
        "findings": [finding.to_dict() for finding in findings],
    }
    lines = text.splitlines()
    shown = [line for finding in findings for line in _say_finding(grammar, finding, lines)]
    summary = ", ".join(count(counts[severity], severity.value) for severity in Severity)
    return Report(data, [Lines([*shown, f"{grammar}: {summary}"])])


def _say_finding(grammar: str, finding: Finding, lines: Sequence[str]) -> Iterator[Line]:
    location, severity = finding.location, finding.severity
    where = f":{location.line}" if location.line is not None else ""
    what = f" {finding.code}: {location.kind} {location.name}".rstrip()
    yield (f"{grammar}{where}: ", ""), (severity.value, _STYLES[severity]), (what, "")
    if location.line is not None and 0 < location.line <= len(lines):
        line = lines[location.line - 1]
        before = line[: find_column(finding, line) - 1]
        length = len(location.name) if location.name in line else 1
        yield from point_at(line.encode(), len(before.encode()), length)
    yield f"  {finding.fact}"
    if finding.witness is not None:
        # Those of a vocabulary are quoted one by one.
        is_quoted = location.kind == "vocabulary"
        yield f"  witness: {finding.witness if is_quoted else repr(finding.witness)}"
    yield f"  remedy: {finding.remedy}"


def find_column(finding: Finding, line: str) -> int:
    """Return the column, from 1, of what a finding is about in its line."""
    name = finding.location.name
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) if name else None
    return (found.start() if found else len(line) - len(line.lstrip())) + 1


def to_sarif(uri: str, findings: Sequence[Finding], text: str) -> dict[str, Any]:
    """Return findings as a SARIF log.

    Args:
        uri: the path of the file that they are about, as it was given.
        findings: of it.
        text: what the file holds.
    """
    codes = sorted({finding.code for finding in findings})
    rules = [{"id": code} for code in codes]
    driver = {"name": "maskc lint", "version": maskc.__version__, "rules": rules}
    lines = text.splitlines()
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_to_result(uri, f, codes.index(f.code), lines) for f in findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _to_result(uri: str, finding: Finding, rule: int, lines: Sequence[str]) -> dict[str, Any]:
    witness = f" (witness: {finding.witness!r})" if finding.witness is not None else ""
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": f"{finding.fact}{witness}; {finding.remedy}"},
        "locations": [_locate(uri, finding, lines)],
    }


def _locate(uri: str, finding: Finding, lines: Sequence[str]) -> Mapping[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(uri)}}
    number = finding.location.line
    if number is not None and 0 < number <= len(lines):
        column = find_column(finding, lines[number - 1])
        physical["region"] = {"startLine": number, "startColumn": column}
    found: dict[str, Any] = {"physicalLocation": physical}
    if finding.location.name:
        kind = {"kind": "member"} if finding.location.kind != "schema" else {}
        found["logicalLocations"] = [{"fullyQualifiedName": finding.location.name, **kind}]
    return found
