"""The ways to write a text: in bytes, and in the special tokens whose names stand in it; styles."""

import pytest

from maskc.runtime.link.automata import ATOM
from maskc.tags.formats import Strings
from maskc.tags.styles import STYLES

IDS = {"<a>": 5, "<a><b>": 6, "<end>": 9}
ENDS = frozenset([9])
AS_TEXT, ALONE = (Strings(IDS, ENDS, names_as_text=as_text) for as_text in (True, False))


def test_a_text_without_names_is_its_bytes():
    (stretch,) = AS_TEXT.cut("é!")
    assert stretch.words == (tuple("é!".encode()),)
    assert AS_TEXT.cut("") == []


def test_a_name_is_the_token_or_its_characters():
    (stretch,) = AS_TEXT.cut("x<a>")
    assert set(stretch.words) == {tuple(b"x<a>"), (ord("x"), ATOM + 5)}
    assert stretch.text == b"x<a>"
    # Of a family, the token alone; the longest name counts.
    assert ALONE.cut("x<a>y")[0].words == ((ord("x"), ATOM + 5, ord("y")),)
    assert ALONE.cut("<a><b>")[0].words == ((ATOM + 6,),)


def test_a_name_of_an_end_is_a_stretch_of_its_own():
    first, end = ALONE.cut("x<end>")
    assert first.text == b"x"
    assert ALONE.find_end(end) == 9
    assert ALONE.find_end(first) is None


def test_many_names_are_cut_so_that_no_stretch_has_many_ways():
    stretches = AS_TEXT.cut("<a>" * 12)
    assert b"".join(stretch.text for stretch in stretches) == b"<a>" * 12
    assert max(len(stretch.words) for stretch in stretches) <= 16


@pytest.mark.parametrize("name", STYLES)
def test_a_style_has_a_delimiter_around_names_and_values(name):
    style = STYLES[name]
    assert style.before or style.separator
    assert style.string
    assert style.close or style.closing(style.string) or style.quotes
    assert style.closes_by_name == ("{name}" in style.close)


def test_the_word_for_a_type_stands_between_name_and_value():
    between = {
        name: STYLES[name].between(kind, STYLES[name].other)
        for name, kind in (("cohere_xml", "array"), ("kimi_k3_xml", "number"))
    }
    assert between == {"cohere_xml": '" type="list">', "kimi_k3_xml": '" type="number"<|sep|>'}
