"""What verify prints."""

import pytest

from maskc.report.verify import N_SHOWN, print_report

PASSED = {
    "name": "corpus",
    "ok": True,
    "outcome": "passed",
    "lack": None,
    "checked": {"files": 300},
    "counts": {"files": 300, "tokens_walked": 1234567, "seconds": 12.34},
    "failures": [],
    "refused": [],
    "refused_by": "Lark",
}
REFUSED = {
    "file": "bad.json",
    "line": 3,
    "column": 14,
    "reason": "unexpected COMMA ','",
    "expected": ["STRING", "the end"],
}
FAILURE = {"file": "a.py", "line": 1234, "before": "[red]x\n", "token": b"\xff"}


@pytest.fixture
def printed(capsys):
    def call(*experiments):
        ok = all(experiment["ok"] for experiment in experiments)
        wrong = any(experiment["failures"] for experiment in experiments)
        print_report({"ok": ok, "wrong": wrong, "experiments": list(experiments)})
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


@pytest.mark.parametrize(
    ("n_failures", "counts", "said", "unsaid"),
    [
        (1, {}, ("corpus: FAILED", "failure 1 of 1", "[red]x", r"b'\xff'"), ()),
        (N_SHOWN + 3, {}, (f"failure {N_SHOWN} of {N_SHOWN + 3}",), (f"failure {N_SHOWN + 1} of",)),
        # Counted, and not all kept.
        (1, {"failures": 1234}, ("failure 1 of 1,234",), ()),
    ],
)
def test_failures_are_printed_with_their_witness(printed, n_failures, counts, said, unsaid):
    failures = [FAILURE] * n_failures
    all_counts = {**PASSED["counts"], **counts}
    out = printed({**PASSED, "ok": False, "counts": all_counts, "failures": failures})
    assert all(text in out for text in (*said, "The artifact is WRONG."))
    assert not any(text in out for text in unsaid)


def test_an_experiment_that_checked_nothing_says_what_was_missing(printed):
    nothing = {"outcome": "nothing was checked", "lack": "no text was generated", "counts": {}}
    out = printed({**PASSED, "ok": False, "checked": {"files": 0}, **nothing})
    assert "corpus: nothing was checked" in out
    assert "The artifact was NOT VERIFIED: corpus: no text was generated." in out
    assert "WRONG" not in out


def test_texts_that_are_refused_are_named_with_their_place(printed):
    out = printed({**PASSED, "ok": False, "outcome": "texts were refused", "refused": [REFUSED]})
    assert "bad.json:3:14: unexpected COMMA ','; expected STRING, the end\n" in out
    assert "The artifact was NOT VERIFIED: corpus: 1 file is refused by Lark (give" in out
    allowed = printed({**PASSED, "refused": [REFUSED]})
    assert "bad.json:3:14: unexpected COMMA ','" in allowed
    assert "The artifact keeps its promise." in allowed


def test_many_refused_texts_and_expected_terminals_are_cut(printed):
    many = {**REFUSED, "expected": [f"T{i}" for i in range(20)]}
    out = printed({**PASSED, "refused": [many] * 300})
    assert out.count("bad.json:3:14") == 10
    assert "expected T0, T1, T2, T3, T4, T5 or 14 others\n" in out
    assert "… and 290 more, with --json" in out


def test_a_wrong_artifact_is_wrong_whatever_else_is_missing(printed):
    nothing = {**PASSED, "ok": False, "outcome": "nothing was checked", "lack": "no text"}
    out = printed(nothing, {**PASSED, "ok": False, "failures": [FAILURE]})
    assert "The artifact is WRONG." in out


def test_the_summary_has_a_line_for_each_experiment(printed):
    counts = {"failures": 2}
    failed = {**PASSED, "name": "oracle", "ok": False, "counts": counts, "failures": [FAILURE] * 2}
    lines = [line.split() for line in printed(PASSED, failed).splitlines()]
    assert ["corpus", "passed", "300", "files", "0"] in lines
    assert ["oracle", "FAILED", "300", "files", "2"] in lines
