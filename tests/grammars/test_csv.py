"""csv.lark against the csv module: what is accepted is read by it as the same rows."""

import csv
import functools
import io

from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import LarkError

from tests.grammars.laws import GrammarLaws
from tests.grammars.walks import read_grammar


@functools.cache
def tree_parser() -> Lark:
    return Lark(read_grammar("csv"), parser="lalr", start="file")


def rows(text: str) -> list[list[str]] | None:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None


def parsed_rows(text: str) -> list[list[str]] | None:
    try:
        tree = tree_parser().parse(text)
    except LarkError:
        return None
    return [[value(field) for field in record.children] for record in tree.children]


def value(field) -> str:
    if field.data == "empty":
        return ""
    (token,) = field.children
    return token[1:-1].replace('""', '"') if token.type == "QUOTED" else str(token)


LEXEMES = {"PLAIN": ["a", " é"], "QUOTED": ['"x"', '""', '"a""b,\n"'], "_BREAK": ["\n", "\r\n"]}


class TestCsv(GrammarLaws):
    name = "csv"
    start = "file"
    lexemes = LEXEMES
    test_what_the_head_leaves_out_is_refused = None  # all that it names is refused by both
    accepted = ("a", ",", "a,b\r\n1,2\r\n", '"a ""b"" \n c",d', " a , b ", '""')
    refused = ("", "\n", "a\n\n", 'a"b"', '"a" ,b', '"a""', "a\rb", "a\0b")
    signs = 'a",\n\r\0 é'
    generated = (20, 60)

    def is_text(self, text):
        """Return whether the module reads the rows that the grammar reads."""
        found = parsed_rows(text)
        return found is not None and found == rows(text)

    def join(self, words, _separator=None):
        return "".join(words)


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
def test_what_is_accepted_is_read_by_the_csv_module_as_the_same_rows(text):
    found = parsed_rows(text)
    assert found is None or found == rows(text)


@given(
    st.lists(st.lists(fields, min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_back(table, line_break):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=line_break).writerows(table)
    assert parsed_rows(file.getvalue()) == table
