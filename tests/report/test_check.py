"""What is said of a file or a text that is wrong."""

import pytest

import maskc
from maskc.explain.checking import find_problem
from maskc.explain.model import Causes, Keyword, Refusal
from maskc.report.caret import point_at
from maskc.report.check import find_expected, say_problem
from maskc.report.check import to_dict as check_to_dict
from maskc.report.refusals import MAX_TEXT, quote, say_reason, say_refusal
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def lists():
    return compile_text('start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]+/\n%ignore " "\n')


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        (b"[a,]", "f:1:4: unexpected ']'", ("WORD",)),
        (b"[a", "f:1:3: the text ends too early", ("COMMA", "RSQB")),
        (b"[a;b]", "f:1:3: unexpected ';'; expected: ", ("COMMA", "RSQB")),
        ("[ä".encode(), "f:1:2: unexpected 'ä'; ", ("RSQB", "WORD")),
        (b"", "f:1:1: the text ends too early", ("LSQB",)),
    ],
)
def test_it_is_said_where_and_what_was_expected(lists, text, said, expected):
    problem = find_problem(lists, text)
    assert problem is not None
    assert say_problem("f", problem, text).startswith(said)
    assert find_expected(problem.explanation) == expected
    found = check_to_dict("f", problem, text)
    assert found["expected"] == list(expected)
    assert (found["line"], found["column"]) == (problem.line, problem.column)


def test_a_right_file_is_said_to_be_right(lists):
    found = check_to_dict("f", find_problem(lists, b"[a, b]"), b"[a, b]")
    assert found == {"file": "f", "is_right": True}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a":"x"}', 'f:1:6: unexpected \'"\'; forbidden by /properties/a/type: "integer"'),
        ('{"ä'.encode(), "f:1:3: unexpected 'ä'; forbidden by /additionalProperties: false"),
        (b"{}", "f:1:2: unexpected '}'; forbidden by /required: [\"a\"]"),
        (b"{x", "f:1:2: unexpected 'x'; no JSON text goes on so, or a key comes twice"),
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
    assert say_problem("f", problem, text).startswith(said)


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
    assert say_refusal(layout, b"{} ")[-1] == "  by the layout: blanks=compact"
    causes = Causes((Keyword("/required", ["a"]),), (), True)
    assert say_refusal(Refusal(1, ord("}"), (), causes), b"{}")[1:] == [
        "  by the schema; it would be legal without",
        '  - /required: ["a"]',
    ]
    (_, line) = say_refusal(Refusal(0, ord("x"), (), None), b"x")
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
        (Causes((), (), False), "the schema forbids it, and is too large to say where"),
    ],
)
def test_a_reason_names_what_forbids_alone_and_what_does_together(causes, said):
    assert say_reason(Refusal(0, ord("x"), (), causes)) == said
