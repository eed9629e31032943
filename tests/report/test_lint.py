from maskc.lint.model import Finding, Place, Severity
from maskc.report.lint import count_findings, print_findings, to_dict

WARNING = Finding(
    "ML001", Severity.WARNING, Place("terminal", "A", 3), "A is odd", "a\n", "write another"
)
NOTE = Finding("ML008", Severity.NOTE, Place("vocabulary", "bytes", None), "two are", "'a'", "none")


def test_each_severity_is_counted_whether_it_is_there_or_not():
    assert count_findings([WARNING, NOTE, NOTE]) == {"errors": 0, "warnings": 1, "notes": 2}


def test_a_finding_is_printed_with_its_line_witness_and_remedy(capsys):
    print_findings("g.lark", [WARNING])
    assert capsys.readouterr().out.splitlines() == [
        "g.lark:3: warning ML001: terminal A",
        "  A is odd",
        "  witness: 'a\\n'",
        "  remedy: write another",
        "g.lark: 0 errors, 1 warning, 0 notes",
    ]


def test_tokens_that_are_quoted_already_are_not_quoted_again(capsys):
    print_findings("g.lark", [NOTE])
    assert "  witness: 'a'\n" in capsys.readouterr().out


def test_severities_are_words_in_json():
    report = to_dict("g.lark", [WARNING])
    assert report["findings"][0]["severity"] == "warning"
    assert report["findings"][0]["place"] == {"kind": "terminal", "name": "A", "line": 3}
