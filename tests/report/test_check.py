"""What is said of a text that is wrong, and of an artifact that was verified."""

import pytest

import maskc
from maskc.cli.verify import N_SHOWN, report_verification
from maskc.explain import Causes, Keyword, Refusal, find_problem
from maskc.report import MAX_TEXT, point_at, quote
from maskc.report.explain import find_expected, report_files, say_death, say_reason
from maskc.report.render import print_report
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def lists():
    return compile_text('start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n%ignore " "\n')


def said_of(problem, text):
    (line,) = report_files([("f", problem, text)]).blocks[0].lines
    return line


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        (b"[a,]", "f:1:4: unexpected ']'", ("WORD",)),
        (b"[a", "f:1:3: the text ends too early", ('","', '"]"')),
        (b"[a;b]", "f:1:3: unexpected ';'; expected: ", ('","', '"]"')),
        ("[ä".encode(), "f:1:2: unexpected 'ä'; ", ('"]"', "WORD")),
        (b"", "f:1:1: the text ends too early", ('"["',)),
    ],
)
def test_it_is_said_where_and_what_was_expected(lists, text, said, expected):
    problem = find_problem(lists, text)
    assert problem is not None
    assert said_of(problem, text).startswith(said)
    assert find_expected(problem.explanation) == expected
    (found,) = report_files([("f", problem, text)]).data
    assert found["expected"] == list(expected)
    assert (found["line"], found["column"]) == (problem.line, problem.column)


def test_a_right_file_is_said_to_be_right(lists):
    found = report_files([("f", find_problem(lists, b"[a, b]"), b"[a, b]")]).data
    assert found == [{"file": "f", "is_right": True}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a":"x"}', 'f:1:6: unexpected \'"\'; forbidden by /properties/a/type: "integer"'),
        ('{"ä'.encode(), "f:1:3: unexpected 'ä'; forbidden by /additionalProperties: false"),
        (b"{}", "f:1:2: unexpected '}'; forbidden by /required: [\"a\"]"),
        (b"{x", "f:1:2: unexpected 'x'; no JSON text continues this way, or a key is repeated"),
        (b'{"a" :1}', "f:1:5: unexpected ' '; forbidden by the layout: blanks=compact"),
        (b'{"a"', "f:1:5: the text ends too early; expected: ':'"),
    ],
)
def test_it_is_said_what_of_a_schema_forbids_a_file(text, said):
    schema = {
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
        "type": "object",
    }
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes", blanks="compact")
    problem = find_problem(artifact, text)
    assert problem is not None
    assert said_of(problem, text).startswith(said)


@pytest.mark.parametrize(
    ("text", "offset", "shown"),
    [
        (b"", 0, ["", "  ^"]),
        (b"ab\ncd", 4, ["  cd", "   ^"]),
        (b"ab\n", 2, ["  ab", "    ^"]),
        ("öü".encode(), 3, ["  öü", "   ^"]),  # inside the ü
        (b"a\tb\x00", 3, ["  a b", "     ^"]),
        (b"\xff\xfex", 2, ["  \ufffd\ufffdx", "    ^"]),
    ],
)
def test_the_caret_is_below_the_character(text, offset, shown):
    assert point_at(text, offset) == shown


def test_a_long_line_is_cut():
    line, caret = point_at(b"x" * 1_000_000 + b"y" + b"z" * 1_000_000, 1_000_000)
    assert len(line) < 80
    assert line[len(caret) - 1] == "y"


def test_the_end_of_a_long_text_is_quoted():
    assert quote(b"ab") == "'ab'"
    long = quote(b"x" * 200 + b"end")
    assert long.startswith("…")
    assert long.endswith("end'")
    assert len(long) == MAX_TEXT + 1


def test_a_refusal_names_the_layout_the_keywords_or_every_schema():
    layout = Refusal(2, ord(" "), ("blanks=compact",), None)
    assert list(say_death(layout, b"{} "))[-1] == "  by the layout: blanks=compact"
    causes = Causes((Keyword("/required", ["a"]),), (), True)
    assert list(say_death(Refusal(1, ord("}"), (), causes), b"{}"))[1:] == [
        "  by the schema; it would be legal without",
        '  - /required: ["a"]',
    ]
    (_, line) = say_death(Refusal(0, ord("x"), (), None), b"x")
    assert "every schema" in line


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        (
            Causes((Keyword("/a", 1), Keyword("/b", 2)), (), True),
            "forbidden by /a: 1 together with /b: 2",
        ),
        (
            Causes((), (Keyword("/a", 1), Keyword("/b", 2)), True),
            "forbidden by /a: 1, and by /b: 2",
        ),
        (Causes((), (), False), "the schema forbids it, but is too large to find the keyword"),
    ],
)
def test_a_reason_names_what_forbids_alone_and_what_does_together(causes, said):
    assert say_reason(Refusal(0, ord("x"), (), causes)) == said


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
    "reason": "unexpected \",\" ','",
    "expected": ["STRING", "the end"],
}
FAILURE = {"file": "a.py", "line": 1234, "before": "[red]x\n", "token": b"\xff"}


@pytest.fixture
def printed(capsys):
    def call(*experiments):
        ok = all(experiment["ok"] for experiment in experiments)
        wrong = any(experiment["failures"] for experiment in experiments)
        found = {"ok": ok, "wrong": wrong, "experiments": list(experiments)}
        print_report(report_verification(found))
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
    assert "bad.json:3:14: unexpected \",\" ','; expected STRING, the end\n" in out
    assert "The artifact was NOT VERIFIED: corpus: 1 file is refused by Lark (give" in out
    allowed = printed({**PASSED, "refused": [REFUSED]})
    assert "bad.json:3:14: unexpected \",\" ','" in allowed
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
