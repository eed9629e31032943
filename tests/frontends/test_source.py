"""Where a grammar's text comes from, and what belongs to it."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.source import load_source, source_from_header

TEXT = '// maskc: start=list\nlist: "a"+\nother: "b"\n'


def header_of(source, **changes):
    return {
        "name": source.name,
        "text": source.text,
        "imports": dict(source.imports),
        "start": source.start,
        "lexer": source.lexer,
        "postlex": None,
        "parser": source.parser,
        **changes,
    }


def test_an_argument_wins_over_the_text_and_the_text_over_larks_default():
    assert load_source(TEXT).start == "list"
    assert load_source(TEXT, start="other").start == "other"
    assert load_source('start: "a"\n').start == "start"


def test_a_suffix_is_a_notation(tmp_path):
    path = tmp_path / "a.gbnf"
    path.write_text('root ::= "a"\n')
    source = load_source(path)
    assert (source.name, source.dialect, source.original) == ("a.gbnf", "gbnf", 'root ::= "a"\n')
    with pytest.raises(GrammarError, match="leave parser, lexer and postlex out"):
        load_source(path, lexer="basic")


def test_a_pattern_has_no_start():
    assert load_source("a+", dialect="regex").dialect == "regex"
    with pytest.raises(GrammarError, match="has no start symbol"):
        load_source("a+", dialect="regex", start="x")


def test_a_source_is_read_back_from_a_header():
    source = load_source(TEXT)
    assert source_from_header(header_of(source)) == load_source(TEXT)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"text": 3}, "has no text that is a text"),
        ({"imports": {"a": 1}}, "has no imports that are texts"),
        ({"postlex": "os:system"}, "what a file names is not imported"),
        ({"parser": "schema"}, "is a JSON Schema"),
    ],
)
def test_a_header_that_says_something_else_is_refused(changes, fact):
    with pytest.raises(GrammarError, match=fact):
        source_from_header(header_of(load_source(TEXT), **changes))


def test_a_file_that_is_not_utf_8_is_refused_at_its_byte(tmp_path):
    path = tmp_path / "a.lark"
    path.write_bytes(b'start: "\xff"\n')
    with pytest.raises(GrammarError, match="byte 8 is not UTF-8"):
        load_source(path)
