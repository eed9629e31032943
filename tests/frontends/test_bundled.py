"""Grammars by name, as paths and as texts."""

import pytest

import maskc
from maskc.frontends.bundled import find_grammar
from maskc.frontends.source import load_source


def test_a_name_is_a_grammar_that_comes_with_maskc(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_source("csv").name == "csv.lark"
    assert find_grammar("csv").is_file()
    assert find_grammar("./csv") == find_grammar("./csv")
    (tmp_path / "csv").write_text('start: "a"\n')
    assert load_source("csv").text == 'start: "a"\n'


def test_one_line_is_a_text_and_a_path_stays_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_source('start: "a"').name == "<text>"
    (tmp_path / "a:b.lark").write_text('start: "b"\n')
    assert load_source("a:b.lark").name == "a:b.lark"
    with pytest.raises(maskc.MaskcError, match=r"nothing\.lark"):
        load_source("nothing.lark")
