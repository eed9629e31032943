"""csv.lark against the csv module: what is accepted is read by it as the same rows."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import LarkError

from tests.grammars.derive import accepts, conflicts
from tests.grammars.walks import (
    build_parser,
    generate,
    read_corpus,
    read_grammar,
    walk,
)

GRAMMAR = "csv"
CORPUS = read_corpus(GRAMMAR)


@pytest.fixture(scope="module")
def parser() -> Lark:
    return Lark(read_grammar("csv"), parser="lalr", start="file")


def rows(text: str) -> list[list[str]] | None:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None


def parsed_rows(parser: Lark, text: str) -> list[list[str]] | None:
    try:
        tree = parser.parse(text)
    except LarkError:
        return None
    return [[value(field) for field in record.children] for record in tree.children]


def value(field) -> str:
    if field.data == "empty":
        return ""
    (token,) = field.children
    return token[1:-1].replace('""', '"') if token.type == "QUOTED" else str(token)


def test_lark_makes_no_silent_choice():
    assert conflicts(read_grammar("csv"), "file") == []


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_read_as_the_csv_module_reads_it(parser, name):
    assert parsed_rows(parser, CORPUS[name]) == rows(CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


pieces = st.lists(
    st.sampled_from(["a", '"', ",", "\n", "\r\n", '""', " ", '"x"', "é", "\r", '"\n"', "\0"]),
    max_size=10,
).map("".join)
fields = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=5)


@given(pieces)
@example('a"b')
@example('"a"b')
@example('"a')
@example("")
@example("\n")
@example("a\n\nb")
@example(",\n,")
@example('""\n""')
@example("a\n")
def test_what_is_accepted_is_read_by_the_csv_module_as_the_same_rows(parser, text):
    found = parsed_rows(parser, text)
    assert found is None or found == rows(text)


@given(
    st.lists(st.lists(fields, min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_back(parser, table, line_break):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=line_break).writerows(table)
    assert parsed_rows(parser, file.getvalue()) == table


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("a", True),
        (",", True),
        ("a,b\r\n1,2\r\n", True),
        ('"a ""b"" \n c",d', True),
        (" a , b ", True),
        ('""', True),
        ("", False),
        ("\n", False),
        ("a\n\n", False),
        ('a"b"', False),
        ('"a" ,b', False),
        ('"a""', False),
        ("a\rb", False),
        ("a\0b", False),
    ],
)
def test_a_text_is_accepted_or_not(parser, text, accepted):
    assert accepts(parser, text) == accepted


def test_the_settings_are_in_the_file():
    assert accepts(build_parser("csv"), "a,b\n")


def test_generated_texts_are_read_by_the_csv_module_as_the_same_rows(parser, artifact):
    for text in generate(artifact, count=20, max_tokens=60):
        found = rows(text)
        assert found is not None
        assert parsed_rows(parser, text) == found
