"""Which grammar a command reads, and how Lark reads it."""

import pytest

from maskc.cli.grammar import LarkOptions
from maskc.frontends.bundled import find_grammar

TEXT = '// maskc: start=one\none: "1"\ntwo: "2"\n'


def test_a_bare_name_is_a_grammar_of_maskc():
    assert find_grammar("json").name == "json.lark"
    assert find_grammar("json").is_file()


def test_a_file_of_the_name_wins_over_a_grammar_of_maskc(tmp_path, monkeypatch):
    (tmp_path / "json").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    assert str(find_grammar("json")) == "json"


@pytest.mark.parametrize(("options", "start"), [({}, "one"), ({"start": "two"}, "two")])
def test_the_command_line_wins_over_the_grammar(options, start):
    assert LarkOptions(**options).load(TEXT).start == start


def test_terminals_are_narrowed_where_they_play_a_role():
    source = LarkOptions(terminal=("one.ONE=1+",)).load(TEXT)
    assert [(role.title, role.pattern) for role in source.roles] == [("one.ONE", "1+")]


def test_a_terminal_that_is_given_wins_over_the_style(tmp_path):
    style = tmp_path / "house.toml"
    style.write_text('[roles]\n"one.ONE" = "1"\n"two.TWO" = "2+"\n')
    source = LarkOptions(style=str(style), terminal=("one.ONE=1+",)).load(TEXT)
    assert [(role.title, role.pattern) for role in source.roles] == [
        ("one.ONE", "1+"),
        ("two.TWO", "2+"),
    ]


def test_options_are_given_if_one_of_them_is():
    assert LarkOptions(style="python").is_given
    assert LarkOptions(terminal=("one.ONE=1+",)).is_given
    assert not LarkOptions().is_given
    assert LarkOptions(lexer="basic").is_given
