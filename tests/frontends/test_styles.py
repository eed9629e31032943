"""Files of roles and rules."""

import pytest
from lark.exceptions import UnexpectedInput

from maskc.errors import GrammarError
from maskc.frontends.bundled import list_styles
from maskc.frontends.lark.build import build_lark
from maskc.frontends.roles import write_roles
from maskc.frontends.source import load_source
from maskc.frontends.styles import Style, load_style


def test_a_style_is_roles_by_name(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text('[roles]\n"a.B" = "c"\n')
    assert load_style(path) == Style(roles={"a.B": "c"})


def test_rules_of_a_style_are_written_at_the_end_of_the_grammar(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text("rules = '%override one: \"2\"'\n")
    style = load_style(path)
    assert style == Style(rules='%override one: "2"')
    source = load_source('start: one\none: "1"\n', roles=style.roles, rules=style.rules)
    assert source.text == 'start: one\none: "1"\n%override one: "2"'


def test_the_styles_that_come_with_maskc_are_roles():
    assert list_styles() == ["python", "python_documented", "sql"]
    for name in list_styles():
        assert write_roles(name, "", load_style(name).roles).count("// maskc-terminal:") >= 3


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a = [", "it is no TOML"),
        ("", r"it has no table \[roles\] and no rules"),
        ('[rolls]\n"a.B" = "c"\n', "it has 'rolls', which is unknown"),
        ('[roles]\n"a.B" = 1\n', r"its \[roles\] is no table of texts"),
        ("[roles]\na.B = 'c'\n", r"its \[roles\] is no table of texts"),
        ("roles = 1\n", r"its \[roles\] is no table of texts"),
        ("rules = 1\n", "its rules are no text"),
        ("a=" + "[" * 100_000, "it is no TOML"),
    ],
)
def test_what_is_no_style_is_refused(tmp_path, text, fact):
    path = tmp_path / "house.toml"
    path.write_text(text)
    with pytest.raises(GrammarError, match=f"house.toml: {fact}"):
        load_style(path)


def test_a_style_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(GrammarError, match=r"pyton: .*; give the path of a style, or one of"):
        load_style("pyton")


def test_a_style_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(GrammarError, match="is a folder"):
        load_style(tmp_path)


def test_the_documented_style_asks_for_docstrings():
    style = load_style("python_documented")
    source = load_source("python", roles=style.roles, rules=style.rules)
    lark = build_lark(source)
    lark.parse('def f():\n    """Return one."""\n    return 1\n')
    lark.parse('class A:\n    r"""An A."""\n    def f(self):\n        """Return 1."""\n')
    for text in ("def f():\n    return 1\n", "class A: pass\n", "def f():\n    'one'\n"):
        with pytest.raises(UnexpectedInput):
            lark.parse(text)
