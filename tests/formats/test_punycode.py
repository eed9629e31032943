import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.formats.punycode import Decoding, adapt, lengths_after, punycode_length

CHARACTERS = st.one_of(
    st.sampled_from("ab-1ßéяяшקす例"), st.characters(min_codepoint=0x80, exclude_categories=["Cs"])
)
TEXTS = st.text(CHARACTERS, min_size=1, max_size=20).map(lambda text: text + "é")


@given(TEXTS)
def test_a_length_is_that_of_pythons_own_codec(text):
    assert punycode_length(text) == len(text.encode("punycode"))


@given(st.text(CHARACTERS, max_size=12), st.sets(st.integers(0x80, 0x10FFFF), min_size=1))
def test_lengths_with_one_more_character_are_those_of_each(before, codes):
    ordered = sorted(codes - {*range(0xD800, 0xE000)})
    wanted = [len((before + chr(code)).encode("punycode")) for code in ordered]
    assert lengths_after(before, np.array(ordered, dtype=np.int64)).tolist() == wanted


@given(TEXTS)
def test_what_is_encoded_is_decoded(text):
    basic, _, digits = text.encode("punycode").decode().rpartition("-")
    decoding = Decoding(basic)
    for digit in digits:
        decoding.read(digit)
    assert decoding.is_between
    assert "".join(map(chr, decoding.codes)) == text


def test_a_bias_is_that_of_the_standard():
    assert [adapt(0, 1, is_first=True), adapt(700 * 38, 1, is_first=True)] == [0, 24]


def test_one_more_character_can_make_a_label_shorter():
    """Found by hill climbing: so a label is read as far as each of its beginnings fits."""
    codes = (
        "ef 63 fd 67 9425 129 100 71 e6 911 6f f8 129 fb 227f0 44a 79 fb 67 bfb 30ba ea 186 30e6"
    )
    text = "".join(chr(int(code, 16)) for code in codes.split()) + "\u30eb"
    assert (punycode_length(text), punycode_length(text + "þ")) == (60, 58)
