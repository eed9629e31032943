"""Names of rules and terminals, and what cannot be captured."""

import pytest

import maskc
from maskc.captures.symbols import find_symbols
from maskc.errors import CaptureError, UnknownSymbolError
from tests.compiled import compile_text

LIST = 'start: "[" item* "]"\nitem: WORD\nWORD: /[a-z]+/\nWS: " "\n%ignore WS\n'


def test_rules_and_terminals_are_found_by_name():
    symbols = find_symbols(compile_text(LIST), ["item", "WORD", "LSQB"])
    assert sorted(symbols.rules.values()) == ["item"]
    assert sorted(symbols.terminals.values()) == ["LSQB", "WORD"]


def test_a_name_that_is_none_is_told_the_nearest():
    with pytest.raises(UnknownSymbolError, match=r"no rule or terminal 'WROD'.*WORD"):
        find_symbols(compile_text(LIST), ["WROD"])


def test_the_end_of_the_text_is_no_terminal():
    with pytest.raises(UnknownSymbolError):
        find_symbols(compile_text(LIST), ["$END"])


def test_an_ignored_terminal_cannot_be_captured():
    with pytest.raises(CaptureError, match=r"WS is ignored.*; take it out of %ignore"):
        find_symbols(compile_text(LIST), ["WS"])


def test_a_general_grammar_cannot_be_captured():
    with pytest.raises(CaptureError, match=r"several readings.*; compile it with parser=lalr"):
        find_symbols(compile_text(LIST, parser="earley", lexer="dynamic"), ["item"])


def test_a_json_schema_cannot_be_captured():
    artifact = maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes")
    with pytest.raises(CaptureError, match="a JSON Schema has no rules"):
        find_symbols(artifact, ["item"])


def test_a_structural_tag_cannot_be_captured():
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}
    artifact = maskc.compile_structural_tag(tag, tokenizer="bytes")
    with pytest.raises(CaptureError, match="a structural tag has no rules"):
        find_symbols(artifact, ["item"])
