"""What is printed of answers, times, findings, explanations, schemas and tokenizers."""

import pytest

import maskc
from maskc.cli.lint import report_findings, to_sarif
from maskc.cli.texts import report_bench
from maskc.compiler.pipeline import compile_contents
from maskc.explain import parse_token
from maskc.frontends.source import load_source
from maskc.kinds import kind_of
from maskc.lint import Finding, Severity, SourceLocation
from maskc.report.compile import list_origin, report_compilation
from maskc.report.explain import report_explanation
from maskc.report.render import print_report
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, explain

FIGURES = {"p50": 1.0, "mean": 2.0, "p90": 3.0, "p99": 4.0, "max": 5000.0}


COLLECTION = {"n_runs": 2, "per_token_us": 0.5, "longest_us": 1234.5}
MEASURED = {
    "artifact": "a.maskc",
    "tokenizer": "bytes",
    "vocab_size": 257,
    "documents": 3,
    "tokens": 40,
    "masks": 5,
    "skipped": 1,
    "refused": 2,
    "passes": {"cold": {"fill": FIGURES, "accept": FIGURES}, "warm": {"fill": FIGURES}},
    "floors": {"hot": FIGURES},
    "collections": {"cold": COLLECTION},
    "slowest": [
        {"file": "t", "line": 7, "before": "[", "token": "a", "after": "]"}
        | {"cold_us": 9.5, "warm_us": 1.0}
    ],
}


def test_times_floors_collections_and_the_slowest_fills_are_printed(capsys):
    print_report(report_bench(MEASURED))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for told in (
        *(f"{what} 1.00 2.00 3.00 4.00 5,000.00" for what in ("cold: fill", "warm: fill")),
        "copy one row 1.00 2.00 3.00 4.00 5,000.00",
        "skipped 1 files that are not texts of the grammar",
        "refused 2 documents, timed up to their illegal token",
        "cold 2 runs add 0.50 to the mean step; the longest takes 1,234",
        "1. t:7: cold 9.5, warm 1.0",
        "token 'a'",
    ):
        assert told in lines


@pytest.fixture(scope="module")
def compilation():
    source = load_source('start: "a" | "b"\n')
    contents, passes = compile_contents(source, Vocabulary((b"a", b"b", None), (2,), "test"))
    return "a.maskc", 1234, contents.header, 0.5, passes


def test_the_last_line_says_what_was_written(compilation, capsys):
    print_report(report_compilation(*compilation))
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "<text>: 3 terminals, 2 productions, parser=lalr, lexer=contextual"
    assert second == "test: 2 tokens"
    counts = compilation[2]["counts"]
    rows, masks = counts["rows"], counts["masks"]
    assert last.startswith(f"a.maskc: 1.23 kB, {rows} rows, {masks} masks, in ")


def test_pairs_that_no_text_has_are_told(capsys):
    source = load_source('start: NAME NAME | "x" ";"\nNAME: /[a-z]+/\n')
    contents, _ = compile_contents(source, Vocabulary((b"a", b"x", b";", None), (3,), "test"))
    print_report(report_compilation("a.maskc", 1, contents.header, 0.5))
    said = "1 pair of terminals cannot be lexed apart: maskc lint says which"
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_what_may_come_next_or_what_is_illegal_is_printed(capsys):
    artifact = compile_text('start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n')
    print_report(report_explanation(explain(artifact, b"[a")))
    out = capsys.readouterr().out
    assert out.startswith("after ")
    assert "the text may end here: no" in out
    print_report(report_explanation(explain(artifact, b"[,")))
    assert "  illegal at line 1, column 2\n    [,\n     ^\n" in capsys.readouterr().out
    report = report_explanation(explain(artifact, b"[", parse_token(r"b'\xc3'"))).data
    assert report["token"]["token"] == "\\xc3"


@pytest.fixture(scope="module")
def integers():
    return maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes", blanks="compact")


def test_the_facts_name_schema_layout_and_tokenizer(integers):
    facts = dict(list_origin("a.maskc", 2_000, integers.header))
    assert facts["layout"] == "key order any, blanks compact, escapes any, numbers usual"
    assert facts["tokenizer"] == "bytes"
    assert facts["size"] == "2.00 kB (2,000 bytes)"


def test_the_parts_of_the_plan_are_counted(integers):
    report = kind_of(integers.header).describe(integers.contents.arrays)
    assert (report["counts"]["positions"], report["counts"]["numbers"]) == (1, 1)


WARNING = Finding(
    "ML001",
    Severity.WARNING,
    SourceLocation("terminal", "A", 3),
    "A is odd",
    "a\n",
    "write another",
)
NOTE = Finding(
    "ML008", Severity.NOTE, SourceLocation("vocabulary", "bytes", None), "two are", "'a'", "none"
)


def test_a_finding_is_printed_with_its_line_witness_and_remedy(capsys):
    print_report(report_findings("g.lark", [WARNING]))
    assert capsys.readouterr().out.splitlines() == [
        "g.lark:3: warning ML001: terminal A",
        "  A is odd",
        "  witness: 'a\\n'",
        "  remedy: write another",
        "g.lark: 0 errors, 1 warning, 0 notes",
    ]


def test_tokens_that_are_quoted_already_are_not_quoted_again(capsys):
    print_report(report_findings("g.lark", [NOTE]))
    assert "  witness: 'a'\n" in capsys.readouterr().out


TEXT = 'start: "a"\nWS: / +/\n'


def result(finding, uri="my grammar.lark"):
    log = to_sarif(uri, [finding], TEXT)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [finding.code]
    (found,) = run["results"]
    return found


def test_a_finding_is_a_result_with_a_rule_a_level_and_a_place():
    location = SourceLocation("terminal", "WS", 2)
    found = result(Finding("ML007", Severity.WARNING, location, "fact", "  ", "remedy"))
    assert (found["ruleId"], found["ruleIndex"]) == ("ML007", 0)
    assert found["level"] == "warning"
    assert found["message"]["text"] == "fact (witness: '  '); remedy"
    (location,) = found["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20grammar.lark"},
        "region": {"startLine": 2, "startColumn": 1},
    }


def test_what_has_no_line_has_no_region():
    location = SourceLocation("schema", "/properties/a", None)
    found = result(Finding("ML103", Severity.NOTE, location, "fact", None, "remedy"))
    assert found["level"] == "note"
    (location,) = found["locations"]
    assert "region" not in location["physicalLocation"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/properties/a"}]


def test_each_code_is_one_rule():
    finding = Finding(
        "ML007", Severity.WARNING, SourceLocation("grammar", "", None), "f", None, "r"
    )
    run = to_sarif("g.lark", [finding, finding], TEXT)["runs"][0]
    assert len(run["tool"]["driver"]["rules"]) == 1
    assert len(run["results"]) == 2


ORIGIN = {
    "maskc": "1.2",
    "format": 6,
    "grammar": {"name": "t", "parser": "link", "dialect": "structural-tag", "sha256": "abc"},
    "link": {"settings": {}, "counts": {"words": 2}, "tokens": {}},
    "tokenizer": {"name": "bytes", "vocab_size": 257, "fingerprint": "def"},
}


def test_what_is_said_of_the_source_stands_between_the_file_and_the_tokenizer():
    facts = list_origin("a.maskc", 2_000, ORIGIN)
    assert [name for name, _ in facts] == [
        *("artifact", "size", "written by", "structural tag", "parts", "special tokens"),
        *("hash", "tokenizer", "vocabulary", "fingerprint"),
    ]
    assert dict(facts)["written by"] == "maskc 1.2, format 6"
    assert dict(facts)["parts"] == "2 words"
