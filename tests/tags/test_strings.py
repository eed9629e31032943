"""The ways to write a text: in bytes, and in the special tokens whose names stand in it."""

from maskc.runtime.link.text.markers import ATOM
from maskc.tags.formats import with_name
from maskc.tags.strings import Strings

IDS = {"<a>": 5, "<a><b>": 6, "<end>": 9}
ENDS = frozenset([9])
SPELLED, ALONE = (Strings(IDS, ENDS, spelled=spelled) for spelled in (True, False))


def test_a_text_without_names_is_its_bytes():
    (stretch,) = SPELLED.cut("é!")
    assert stretch.words == (tuple("é!".encode()),)
    assert SPELLED.cut("") == []


def test_a_name_is_the_token_or_its_characters():
    (stretch,) = SPELLED.cut("x<a>")
    assert set(stretch.words) == {tuple(b"x<a>"), (ord("x"), ATOM + 5)}
    assert stretch.text == b"x<a>"


def test_of_a_family_a_name_is_the_token_alone():
    assert ALONE.cut("x<a>y")[0].words == ((ord("x"), ATOM + 5, ord("y")),)


def test_the_longest_name_counts():
    assert ALONE.cut("<a><b>")[0].words == ((ATOM + 6,),)


def test_a_name_of_an_end_is_a_stretch_of_its_own():
    first, end = ALONE.cut("x<end>")
    assert first.text == b"x"
    assert ALONE.find_end(end) == 9
    assert ALONE.find_end(first) is None


def test_many_names_are_cut_so_that_no_stretch_has_many_ways():
    stretches = SPELLED.cut("<a>" * 12)
    assert b"".join(stretch.text for stretch in stretches) == b"<a>" * 12
    assert max(len(stretch.words) for stretch in stretches) <= 16


def test_a_template_is_cut_once_and_filled_for_each_name():
    for name in ("f", "get_é"):
        text = with_name("<a>{name}!", name)
        assert ALONE.cut(text) == ALONE.cut(str.__str__(text))
