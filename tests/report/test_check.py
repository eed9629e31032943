"""What is said of a file that is wrong."""

import pytest

import maskc
from maskc.explain.checking import find_problem
from maskc.report.check import find_expected, say_problem, to_dict
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
    found = to_dict("f", problem, text)
    assert found["expected"] == list(expected)
    assert (found["line"], found["column"]) == (problem.line, problem.column)


def test_a_right_file_is_said_to_be_right(lists):
    assert to_dict("f", find_problem(lists, b"[a, b]"), b"[a, b]") == {
        "file": "f",
        "is_right": True,
    }


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
