"""Where Lark refuses a text, and what it expected."""

import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.general import build_oracle
from maskc.verify.grammar import TextRefusal, find_refusal, refuse_bytes

BLOCKS = """\
// maskc: postlex=indenter NL_type=_NL INDENT_type=_IN DEDENT_type=_DE tab_len=4
// maskc: OPEN_PAREN_types=LPAR CLOSE_PAREN_types=RPAR
start: (item _NL | "if" item _NL _IN start _DE)+
item: NAME | LPAR NAME RPAR | RPAR
NAME: /[a-z]/
LPAR: "("
RPAR: ")"
_NL: /(\\n *)+|#[^\\n]*/
%declare _IN _DE
%ignore " "
"""
NESTED = 'start: "a" start "b" | "c"\n'


def refusal(grammar, text, **settings):
    lark = build_lark(load_source(grammar, **settings))
    return find_refusal(lark, text, lambda: build_oracle(lark).steps)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason", "expected"),
    [
        ("[1,,2]", 1, 4, "unexpected COMMA ','", ("FALSE", "LBRACE", "LSQB", "NULL")),
        ('{"a"\n  "é" }', 2, 3, "unexpected STRING '\"é\"'", ("COLON",)),
        ("[1", 1, 3, "the text ends here", ("COMMA", "RSQB")),
        ("[1\n", 2, 1, "the text ends here", ("COMMA", "RSQB")),
        ("", 1, 1, "the text ends here", ("FALSE", "LBRACE", "LSQB", "NULL")),
        ("nope", 1, 1, "unexpected 'n'", ("FALSE", "LBRACE", "LSQB", "NULL")),
        ("[] []", 1, 4, "unexpected LSQB '['", ("the end",)),
    ],
)
def test_a_text_that_is_no_json_is_refused_at_its_place(text, line, column, reason, expected):
    with open("grammars/json.lark") as file:
        found = refusal(file.read(), text)
    assert (found.line, found.column, found.reason) == (line, column, reason)
    assert found.expected[:4] == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("if a\n    b\n  c\n", 3, 3, "Unexpected dedent to column 2. Expected dedent to 0"),
        ("a\n  b\n", 2, 3, "unexpected _IN"),
        ("if a\nb\n", 2, 1, "unexpected NAME 'b'"),
        (")\n", 1, 1, "a bracket is closed that was not opened"),
        ("a\nb#c", 2, 2, "a newline lexeme has no line break"),
        ("if a\n  b", 2, 4, "the text ends here"),
    ],
)
def test_what_an_indenter_refuses_has_a_place_too(text, line, column, reason):
    found = refusal(BLOCKS, text)
    assert (found.line, found.column, found.reason) == (line, column, reason)


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
@pytest.mark.parametrize(
    ("text", "column", "expected"), [("aacb", 5, ("B",)), ("aacbbb", 6, ()), ("", 1, ("A", "C"))]
)
def test_what_earley_refuses_has_a_place(lexer, text, column, expected):
    found = refusal(NESTED, text, parser="earley", lexer=lexer)
    assert (found.line, found.column, found.expected) == (1, column, expected)


def test_a_text_that_is_parsed_is_not_refused():
    assert refusal(BLOCKS, "if a\n  (b\n)\nc\n") is None
    assert refusal(NESTED, "acb", parser="earley") is None


def test_a_text_with_two_parses_that_end_differently_is_parsed():
    """Lark raises a RuntimeError for it."""
    text = 'start: "a" b*\nb: " "\n%ignore " "\n'
    assert refusal(text, "a ", parser="earley") is None


def test_bytes_that_are_no_text_are_refused_at_their_place():
    assert refuse_bytes("é\né".encode() + b"\xff", 5) == TextRefusal(
        2, 2, "byte 5 is not UTF-8", ()
    )


def test_a_refusal_is_plain_data():
    assert TextRefusal(1, 2, "why", ("A",)).to_dict("f") == {
        "file": "f",
        "line": 1,
        "column": 2,
        "reason": "why",
        "expected": ["A"],
    }
