"""Styles of parameters, whose texts must be told apart."""

import pytest

from maskc.tags.formats import STYLES as NAMES
from maskc.tags.styles import STYLES


def test_every_style_but_json_has_its_texts():
    assert set(STYLES) == set(NAMES) - {"json"}


@pytest.mark.parametrize("name", STYLES)
def test_a_style_has_a_delimiter_around_names_and_values(name):
    style = STYLES[name]
    assert style.before
    assert style.string
    assert style.close
    assert style.closes_by_name == ("{name}" in style.close)


def test_the_word_for_a_type_stands_between_name_and_value():
    style = STYLES["cohere_xml"]
    assert style.writes_types
    assert style.between("array", style.other) == '" type="list">'
    assert STYLES["kimi_k3_xml"].between("number", STYLES["kimi_k3_xml"].other) == (
        '" type="number"<|sep|>'
    )
