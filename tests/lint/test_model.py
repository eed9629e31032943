"""Findings as values."""

import pytest

from maskc.lint.model import Finding, Place, Severity


def test_a_finding_is_plain_data_for_json():
    place = Place("terminal", "NAME", 3)
    finding = Finding("ML003", Severity.NOTE, place, "a fact", "let", "a remedy")
    assert finding.to_dict() == {
        "code": "ML003",
        "severity": "note",
        "place": {"kind": "terminal", "name": "NAME", "line": 3},
        "fact": "a fact",
        "witness": "let",
        "remedy": "a remedy",
    }


def test_a_finding_does_not_change():
    finding = Finding("ML001", Severity.ERROR, Place("grammar", "", None), "f", None, "r")
    with pytest.raises(AttributeError):
        finding.code = "ML002"
