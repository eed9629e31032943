"""Findings of ``maskc lint`` as SARIF 2.1.0, which code hosts and editors read.

One run with one result for each finding; a rule for each code. Places in a grammar are lines and
columns; those of a JSON Schema are JSON pointers, as logical locations.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import maskc
from maskc.lint.model import Finding
from maskc.report.lint import find_column


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
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_to_result(uri, f, codes.index(f.code), lines) for f in findings],
            }
        ],
    }


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
    number = finding.place.line
    if number is not None and 0 < number <= len(lines):
        column = find_column(finding, lines[number - 1])
        physical["region"] = {"startLine": number, "startColumn": column}
    found: dict[str, Any] = {"physicalLocation": physical}
    if finding.place.name:
        kind = {"kind": "member"} if finding.place.kind != "schema" else {}
        found["logicalLocations"] = [{"fullyQualifiedName": finding.place.name, **kind}]
    return found
