"""Files of roles."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.bundled import list_styles
from maskc.frontends.roles import write_roles
from maskc.frontends.styles import load_style


def test_a_style_is_roles_by_name(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text('[roles]\n"a.B" = "c"\n')
    assert load_style(path) == {"a.B": "c"}


def test_the_styles_that_come_with_maskc_are_roles():
    assert list_styles() == ["python", "sql"]
    for name in list_styles():
        assert write_roles(name, "", load_style(name)).count("// maskc-terminal:") == 3


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a = [", "it is no TOML"),
        ("", r"it has no table \[roles\] of texts"),
        ('[rolls]\n"a.B" = "c"\n', "it has 'rolls', which is unknown"),
        ('[roles]\n"a.B" = 1\n', r"it has no table \[roles\] of texts"),
        ("[roles]\na.B = 'c'\n", r"it has no table \[roles\] of texts"),
        ("roles = 1\n", r"it has no table \[roles\] of texts"),
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
