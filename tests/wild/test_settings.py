"""Grammars of a folder, each with a file of settings."""

from pathlib import Path

import pytest

from maskc.frontends.source import load_source
from tests.wild.settings import read_entries


def write(folder: Path, name: str, settings: str) -> None:
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings)


def test_an_entry_says_nothing_more_than_lark_s_defaults(tmp_path):
    write(tmp_path, "a/b", 'repository = "owner/name"\n')
    (entry,) = read_entries(tmp_path)
    assert entry.name == "a/b"
    assert entry.grammar == tmp_path / "a" / "b.lark"
    assert entry.header() == "// maskc: parser=earley\n// maskc: start=start\n"


def test_the_header_s_settings_are_read_as_the_project_s(tmp_path):
    write(
        tmp_path,
        "x",
        'parser = "lalr"\nlexer = "basic"\nstart = ["a", "b"]\nflags = "im"\n'
        'priority = "invert"\n[postlex]\nkind = "indenter"\nNL_type = "_NL"\n'
        'INDENT_type = "_IN"\nDEDENT_type = "_DE"\nOPEN_PAREN_types = ["LPAR"]\n'
        'CLOSE_PAREN_types = ["RPAR"]\ntab_len = 4\n',
    )
    (entry,) = read_entries(tmp_path)
    source = load_source(entry.header() + "a: /x/\n")
    assert (source.parser, source.lexer, source.start) == ("lalr", "basic", "a,b")
    assert (source.flags, source.priority) == (2 | 8, "invert")
    assert source.postlex is not None
    assert (source.postlex.newline, source.postlex.opens) == ("_NL", ("LPAR",))


def test_rules_of_a_postlex_are_a_line_each(tmp_path):
    write(
        tmp_path,
        "x",
        'parser = "lalr"\n[postlex]\nkind = "rules"\nrule = ["drop:A:after:A", "drop:B"]\n'
        'always_accept = ["A"]\n',
    )
    (entry,) = read_entries(tmp_path)
    source = load_source(entry.header() + "a: /x/\n")
    assert source.postlex is not None
    assert [str(rule) for rule in source.postlex.rules] == ["drop:A:after:A", "drop:B"]
    assert source.postlex.always_accept == ("A",)


def test_a_postlex_in_words_is_no_setting(tmp_path):
    write(tmp_path, "x", 'postlex = "drops newlines in brackets"\n')
    (entry,) = read_entries(tmp_path)
    assert entry.postlex_in_words == "drops newlines in brackets"
    assert "postlex" not in entry.header()


def test_an_unknown_key_is_refused(tmp_path):
    write(tmp_path, "x", 'lexxer = "basic"\n')
    with pytest.raises(ValueError, match="lexxer is no setting"):
        list(read_entries(tmp_path))
