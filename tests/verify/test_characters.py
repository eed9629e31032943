import pytest

from maskc.verify.characters import CharacterClasses, completion_range, split_cut


@pytest.fixture(scope="module")
def characters():
    return CharacterClasses([("[a-f]", 0), (r"\d", 0), ("é", 0)])


def test_characters_of_the_same_atoms_have_one_representative(characters):
    assert sorted(characters.representatives) == ["0", "a", "g", "é"]
    assert characters.canonical("fx9é€٣") == "ag0ég0"


def test_an_atom_holds_the_representatives_that_re_finds_in_it(characters):
    assert characters.members(("[a-f]", 0)) == ("a",)


def test_no_canonical_text_holds_the_absent_character(characters):
    assert characters.absent not in characters.representatives


def test_a_character_that_is_cut_stands_for_one_of_each_class(characters):
    """C3 begins é and others; E2 begins no character that an atom holds."""
    assert len(characters.completions(b"\xc3")) == 2
    assert "é" in characters.completions(b"\xc3")
    assert len(characters.completions(b"\xe2\x82")) == 1


def test_surrogates_are_no_characters(characters):
    assert characters.class_of[0xD800] == -1
    low, high = completion_range(b"\xed\xa0")
    assert low == high


@pytest.mark.parametrize(
    ("data", "split"),
    [
        (b"", ("", b"")),
        ("né".encode(), ("né", b"")),
        ("a€".encode()[:-1], ("a", b"\xe2\x82")),
        (b"\xed\xa0", None),
        (b"a\x80", None),
        (b"\xc0", None),
        (b"\xf4\x90", None),
    ],
)
def test_bytes_are_text_and_the_beginning_of_a_character(data, split):
    assert split_cut(data) == split
