"""Lark's own parser with a project's settings, and texts of its rules."""

import pytest
from lark.exceptions import UnexpectedInput

from tests.wild.derive import derive, load
from tests.wild.settings import read_entries


def entry(folder, grammar, settings=""):
    (folder / "x.lark").write_text(grammar)
    (folder / "x.toml").write_text(settings)
    (found,) = read_entries(folder)
    return found


def test_lark_has_the_settings_of_the_project(tmp_path):
    lark = load(entry(tmp_path, 'first: "a"\n', 'parser = "lalr"\nstart = ["first"]\nflags = "i"'))
    assert (lark.options.parser, lark.options.start) == ("lalr", ["first"])
    assert lark.parse("A").data == "first"
    with pytest.raises(UnexpectedInput):
        lark.parse("b")


def test_texts_are_derived_from_the_rules(tmp_path):
    lark = load(entry(tmp_path, 'start: "a" start "b" | "c"\n'))
    texts = derive(lark, "start", 4, 0)
    assert texts
    assert len(set(texts)) == len(texts) <= 4
    assert all(lark.parse(text) for text in texts)
