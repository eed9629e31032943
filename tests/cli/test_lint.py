import json

import pytest

GENERAL = 'root ::= root "+" root | [0-9]\n'
BAD = 'start: "a" | x\nx: x "b"\n'


@pytest.mark.parametrize(
    ("name", "text", "options", "status", "said"),
    [
        ("g.lark", 'start: "a" "b"\n', "", 0, "g.lark: 0 errors, 0 warnings, 0 notes\n"),
        ("g.lark", BAD, "", 1, "g.lark:2: error ML009: rule x\n"),
        ("g.lark", BAD, "", 1, "g.lark: 2 errors, 0 warnings, 0 notes\n"),
        # A warning keeps the status.
        ("g.lark", 'start: "a"\n%ignore / +/\n', "", 0, "g.lark: 0 errors, 1 warning, 0 notes\n"),
        (
            "g.lark",
            'start: "a"\n%ignore / +/ // maskc: allow=ML007 why not\n',
            "",
            0,
            "g.lark: 0 errors, 0 warnings, 0 notes\n",
        ),
        ("g.lark", 'start: "a" "b"\n', "--tokenizer tokenizer.json", 0, "ML008"),
        (
            "g.lark",
            'start: "a" "b"\n',
            "--tokenizer tokenizer.json",
            0,
            "2 of 4 tokens are never legal",
        ),
        (
            "g.lark",
            'top: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore /;/\n',
            "--start top --lexer basic",
            0,
            "can never be used as NAME",
        ),
        # The line, with a caret.
        (
            "g.lark",
            'start: "a" STRING\nSTRING: /".*"/\n',
            "",
            0,
            'g.lark:2: warning ML012: terminal STRING\n  STRING: /".*"/\n  ^^^^^^\n',
        ),
        (
            "s.schema.json",
            '{"properties": {"a": {"type": "null", "const": 1}}}',
            "",
            1,
            "s.schema.json: error ML101: schema /properties/a\n",
        ),
        ("g.gbnf", GENERAL, "", 0, "g.gbnf:1: warning ML014: rule root\n"),
        ("g.gbnf", GENERAL, "", 0, "witness: '0+0+0'"),
    ],
)
@pytest.mark.usefixtures("tokenizer_file")
def test_findings_are_printed_and_errors_make_the_status(
    command, tmp_path, name, text, options, status, said
):
    (tmp_path / name).write_text(text)
    outcome = command("lint", name, *options.split())
    assert (outcome.status, outcome.err) == (status, "")
    assert said in outcome.out


def test_json_has_all_of_a_finding(command, tmp_path):
    (tmp_path / "g.lark").write_text(BAD)
    outcome = command("lint", "g.lark", "--json")
    assert outcome.status == 1
    report = json.loads(outcome.out)
    assert report["counts"] == {"errors": 2, "warnings": 0, "notes": 0}
    assert report["findings"][1] == {
        "code": "ML009",
        "severity": "error",
        "location": {"kind": "rule", "name": "x", "line": 2},
        "fact": 'x -> x "b" is in no text: x never ends',
        "witness": None,
        "remedy": "give x an alternative without itself",
    }


def test_sarif_is_written_beside_what_is_printed(command, tmp_path):
    (tmp_path / "g.lark").write_text(BAD)
    outcome = command("lint", "g.lark", "--sarif", "g.sarif")
    assert outcome.status == 1
    assert "2 errors" in outcome.out
    (run,) = json.loads((tmp_path / "g.sarif").read_text())["runs"]
    assert [result["level"] for result in run["results"]] == ["error", "error"]
    assert json.loads(command("lint", "g.lark", "--sarif", "-").out)["runs"] == [run]


def test_a_pattern_is_linted(command):
    outcome = command("lint", "--regex", "a+b")
    assert (outcome.status, outcome.out) == (0, "<regex>: 0 errors, 0 warnings, 0 notes\n")
