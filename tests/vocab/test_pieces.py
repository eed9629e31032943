"""Bytes of the pieces of a tokenizer.json, by its decoder."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import decoders
from tokenizers.pre_tokenizers import ByteLevel

from maskc.errors import TokenizerError
from maskc.vocab.files import FileFormat, TokenizerFile
from maskc.vocab.pieces import build_piece_decoder, decode_byte_level

REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}


def decoder(contents):
    file = TokenizerFile("x", "tokenizer.json", Path(), FileFormat.HUGGINGFACE, b"", contents)
    return build_piece_decoder(file)


def sequence(*steps):
    return {"decoder": {"type": "Sequence", "decoders": list(steps)}}


def test_the_byte_alphabet_holds_every_byte_once():
    assert sorted(decode_byte_level(character) for character in ByteLevel.alphabet()) == [
        bytes([byte]) for byte in range(256)
    ]


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("Ġhi", b" hi"),
        ("Ċ", b"\n"),
        ("č", b"\r"),
        ("Ā", b"\0"),
        ("Ã©", b"\xc3\xa9"),
        ("Ń", b"\xad"),
        ("ł", b"\xa0"),
    ],
)
def test_a_byte_level_piece_is_read_by_gpt2s_alphabet(piece, expected):
    assert decode_byte_level(piece) == expected


@pytest.mark.parametrize("piece", ["a b", "日", "a\xad", "Ġ\u2581"])
def test_a_piece_outside_the_byte_alphabet_is_its_own_utf8(piece):
    assert decode_byte_level(piece) == piece.encode()


@given(st.text(st.sampled_from(sorted(ByteLevel.alphabet())) | st.characters(codec="utf-8")))
@example("Ġ ")
def test_byte_level_pieces_agree_with_the_tokenizers_package(piece):
    expected = decoders.ByteLevel().decode([piece])
    assert decode_byte_level(piece).decode("utf-8", "replace") == expected


def test_replacements_apply_in_order():
    second = {"type": "Replace", "pattern": {"String": " "}, "content": "_"}
    assert decoder(sequence(REPLACE, second))("▁a") == b"_a"


def test_a_byte_piece_is_one_byte():
    assert decoder(sequence(REPLACE, {"type": "ByteFallback"}))("<0xE9>") == b"\xe9"


def test_a_byte_piece_without_byte_fallback_is_text():
    assert decoder(sequence(REPLACE))("<0xE9>") == b"<0xE9>"


def test_byte_fallback_of_the_model_counts_only_without_a_decoder():
    model = {"model": {"byte_fallback": True}}
    assert decoder(sequence(REPLACE) | model)("<0x0A>") == b"<0x0A>"
    assert decoder({"pre_tokenizer": {"type": "Metaspace"}} | model)("<0x0A>") == b"\n"


def test_what_is_stripped_from_each_piece_is_no_part_of_its_bytes():
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    decode = decoder(sequence(REPLACE, strip, {"type": "ByteFallback"}))
    assert [decode(piece) for piece in ("▁a", "▁▁a", "▁", "<0x20>")] == [b"a", b" a", b"", b" "]


def test_a_byte_is_replaced_by_what_comes_after_it():
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
    assert decoder(sequence({"type": "ByteFallback"}, step))("<0x61>") == b"b"
    assert decoder(sequence(step, {"type": "ByteFallback"}))("<0x61>") == b"a"


@pytest.mark.parametrize("piece", ["<0x0G>", "<0x0A>a", "<0xA>", "<0x0A"])
def test_text_like_a_byte_piece_stays_text(piece):
    assert decoder(sequence({"type": "ByteFallback"}))(piece) == piece.encode()


def test_a_metaspace_decoder_writes_spaces():
    assert (
        decoder({"decoder": {"type": "Metaspace", "replacement": "_"}})("_a▁") == b" a\xe2\x96\x81"
    )


def test_what_happens_at_the_ends_of_the_text_is_passed_over():
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    assert decoder(sequence(REPLACE, {"type": "Fuse"}, strip))("▁a") == b" a"


def test_without_a_decoder_the_pre_tokenizer_tells():
    assert decoder({"pre_tokenizer": {"type": "ByteLevel"}})("Ġa") == b" a"
    assert decoder({"decoder": None, "pre_tokenizer": {"type": "Metaspace"}})("▁a") == b" a"


def test_sequences_nested_without_end_are_opened():
    step = {"type": "ByteLevel"}
    for _ in range(5000):
        step = {"type": "Sequence", "decoders": [step]}
    assert decoder({"decoder": step})("Ġa") == b" a"


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ({}, "has no decoder"),
        ({"decoder": "ByteLevel"}, "has no decoder"),
        ({"decoder": {"type": "WordPiece", "prefix": "##"}}, "has a WordPiece decoder"),
        ({"decoder": {"type": "BPEDecoder", "suffix": "</w>"}}, "has a BPEDecoder decoder"),
        ({"decoder": {"type": "CTC"}}, "has a CTC decoder"),
        ({"decoder": {}}, "has a None decoder"),
        (sequence({"type": "Strip", "content": " "}), "has a Strip decoder"),
        (
            sequence({"type": "Strip", "content": " ", "start": 0, "stop": 1}),
            "has a Strip decoder",
        ),
        (sequence({"type": "Fuse"}, {"type": "ByteFallback"}), "has a ByteFallback decoder"),
        (
            sequence(
                {"type": "Fuse"},
                {"type": "Replace", "pattern": {"String": "ab"}, "content": ""},
            ),
            "replaces 'ab' once the pieces are joined",
        ),
        (
            sequence({"type": "Replace", "pattern": {"Regex": "a*"}, "content": ""}),
            "has a Replace decoder",
        ),
        (sequence({"type": "Metaspace", "replacement": ""}), "has a Metaspace decoder without"),
        (sequence(REPLACE, {"type": "ByteLevel"}), "has a byte-level decoder with other"),
    ],
)
def test_a_decoder_without_exact_bytes_is_refused_by_name(contents, reason):
    with pytest.raises(TokenizerError) as caught:
        decoder(contents)
    assert str(caught.value).startswith(f"tokenizer x: tokenizer.json {reason}")
