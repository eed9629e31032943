"""A grammar in another notation is translated when it is loaded, and nothing of it is lost."""

from dataclasses import replace
from pathlib import Path

import pytest

import maskc
from maskc.cli.main import run
from maskc.errors import GrammarError
from maskc.frontends.source import load_source, source_from_header

GRAMMARS = Path(__file__).parent / "grammars"


def test_a_suffix_says_the_dialect():
    assert load_source(GRAMMARS / "json.gbnf").dialect == "gbnf"
    assert load_source(GRAMMARS / "list.ebnf").dialect == "ebnf"
    assert load_source('start: "a"\n').dialect == "lark"


def test_an_argument_says_the_dialect_of_a_text():
    source = load_source('root ::= "a"\n', dialect="gbnf")
    assert (source.dialect, source.original) == ("gbnf", 'root ::= "a"\n')


@pytest.mark.parametrize("name", ["json.gbnf", "arithmetic.ebnf"])
def test_grammars_over_characters_are_read_by_earley_with_every_split(name):
    source = load_source(GRAMMARS / name)
    assert (source.parser, source.lexer) == ("earley", "dynamic_complete")


def test_the_start_symbol_is_given_in_the_words_of_the_grammar():
    source = load_source('root ::= "a" A-b\nA-b ::= "b"\n', dialect="gbnf", start="A-b")
    assert source.start == "a_b"


def test_an_artifact_carries_the_original_and_builds_the_same_source():
    artifact = maskc.compile_grammar(r"\d+", tokenizer="bytes", dialect="regex")
    header = artifact.header["grammar"]
    assert (header["dialect"], header["original"]) == ("regex", r"\d+")
    assert source_from_header(header) == load_source(r"\d+", dialect="regex")


def test_a_lark_grammar_is_its_own_original():
    header = maskc.compile_grammar('start: "a"\n', tokenizer="bytes").header["grammar"]
    assert "original" not in header
    assert source_from_header(header).dialect == "lark"


@pytest.mark.parametrize("path", sorted(GRAMMARS.iterdir()), ids=lambda path: path.name)
def test_a_translation_is_a_grammar_that_loads_as_it_is(path):
    source = load_source(path)
    again = load_source(source.text)
    expected = replace(source, name="<text>", dialect="lark", original=None, folder=None)
    assert again == expected


@pytest.mark.parametrize(
    "settings", [{"lexer": "basic"}, {"parser": "lalr"}, {"postlex": "a:B"}], ids=str
)
def test_a_dialect_decides_its_parser_and_lexer(settings):
    with pytest.raises(GrammarError, match="which decides its parser and lexer"):
        load_source(GRAMMARS / "json.gbnf", **settings)


def test_an_unknown_dialect_is_refused():
    with pytest.raises(GrammarError, match="unknown dialect 'abnf'; choose one of lark, gbnf"):
        load_source("a\n", dialect="abnf")


def test_compile_takes_a_pattern(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["compile", "--regex", r"a+\d", "--tokenizer", "bytes"]) == 0
    matcher = maskc.load("regex.bytes.maskc").matcher()
    assert matcher.accept_bytes(b"aa1")
    assert matcher.is_accepting
    assert run(["inspect", "regex.bytes.maskc"]) == 0
    assert "written as        regex" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--tokenizer", "bytes"], ["x.lark", "--regex", "a", "--tokenizer", "bytes"]]
)
def test_compile_takes_a_grammar_or_a_pattern(arguments, capsys):
    assert run(["compile", *arguments]) == 2
    assert "Give one of GRAMMAR, --regex PATTERN and --json-schema FILE." in capsys.readouterr().err


def test_compile_says_where_a_grammar_is_wrong(tmp_path, capsys):
    path = tmp_path / "bad.gbnf"
    path.write_text('root ::= word\n\nwrod ::= "a"\n')
    assert run(["compile", str(path), "--tokenizer", "bytes", "-o", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err == "maskc: bad.gbnf:1: there is no rule word; is it wrod?\n"
    assert not (tmp_path / "x").exists()
