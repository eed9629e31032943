"""What verify prints."""

import pytest

from maskc.report.verify import N_SHOWN, print_report

PASSED = {
    "name": "corpus",
    "ok": True,
    "checked": {"files": 300},
    "counts": {"files": 300, "tokens_walked": 1234567, "seconds": 12.34},
    "failures": [],
}
FAILURE = {"file": "a.py", "line": 1234, "before": "[red]x\n", "token": b"\xff"}


@pytest.fixture
def printed(capsys):
    def call(*experiments):
        ok = all(experiment["ok"] for experiment in experiments)
        print_report({"ok": ok, "experiments": list(experiments)})
        return capsys.readouterr().out

    return call


def test_the_counts_of_an_experiment_are_printed(printed):
    lines = [line.split() for line in printed(PASSED).splitlines()]
    assert lines[:4] == [
        ["corpus:", "passed"],
        ["files", "300"],
        ["tokens", "walked", "1,234,567"],
        ["seconds", "12.3"],
    ]
    assert "The artifact keeps its promise." in printed(PASSED)


def test_a_failure_is_printed_with_its_witness(printed):
    out = printed({**PASSED, "ok": False, "failures": [FAILURE]})
    assert "corpus: FAILED" in out
    assert "failure 1 of 1" in out
    assert "[red]x" in out
    assert r"b'\xff'" in out
    assert "The artifact is WRONG." in out


def test_many_failures_are_cut(printed):
    out = printed({**PASSED, "ok": False, "failures": [FAILURE] * (N_SHOWN + 3)})
    assert f"failure {N_SHOWN} of {N_SHOWN + 3}" in out
    assert f"failure {N_SHOWN + 1} of" not in out


def test_failures_that_are_counted_and_not_kept_are_told(printed):
    counts = {**PASSED["counts"], "failures": 1234}
    out = printed({**PASSED, "ok": False, "counts": counts, "failures": [FAILURE]})
    assert "failure 1 of 1,234" in out


def test_an_experiment_that_checked_nothing_says_so(printed):
    out = printed({**PASSED, "ok": False, "checked": {"files": 0}, "counts": {}})
    assert "corpus: FAILED, for there was nothing to check" in out


def test_the_summary_has_a_line_for_each_experiment(printed):
    counts = {"failures": 2}
    failed = {**PASSED, "name": "oracle", "ok": False, "counts": counts, "failures": [FAILURE] * 2}
    lines = [line.split() for line in printed(PASSED, failed).splitlines()]
    assert ["corpus", "passed", "300", "files", "0"] in lines
    assert ["oracle", "FAILED", "300", "files", "2"] in lines
