"""Bytes of the pieces of a tokenizer.json, by its decoder; what is said of its normalizer."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import decoders
from tokenizers.pre_tokenizers import ByteLevel

from maskc.vocab.files import FileFormat, TokenizerFile
from maskc.vocab.huggingface import build_piece_decoder, decode_byte_level, describe_normalizer
from tests.vocab.conftest import refusal

REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}


SECOND = {"type": "Replace", "pattern": {"String": " "}, "content": "_"}
A_TO_B = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
BYTES = {"type": "ByteFallback"}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
FALLBACK = {"model": {"byte_fallback": True}}


def open_contents(contents):
    return TokenizerFile("x", "tokenizer.json", Path(), FileFormat.HUGGINGFACE, b"", contents)


def decoder(contents):
    return build_piece_decoder(open_contents(contents))


def sequence(*steps):
    return {"decoder": {"type": "Sequence", "decoders": list(steps)}}


def test_a_byte_level_piece_is_read_by_gpt2s_alphabet():
    assert sorted(map(decode_byte_level, ByteLevel.alphabet())) == [
        bytes([byte]) for byte in range(256)
    ]
    pieces = ("Ġhi", "Ċ", "č", "Ā", "Ã©", "Ń", "ł")
    expected = [b" hi", b"\n", b"\r", b"\0", b"\xc3\xa9", b"\xad", b"\xa0"]
    assert [*map(decode_byte_level, pieces)] == expected
    # One outside the alphabet is its own UTF-8.
    for piece in ("a b", "日", "a\xad", "Ġ\u2581"):
        assert decode_byte_level(piece) == piece.encode()


@given(st.text(st.sampled_from(sorted(ByteLevel.alphabet())) | st.characters(codec="utf-8")))
@example("Ġ ")
def test_byte_level_pieces_agree_with_the_tokenizers_package(piece):
    expected = decoders.ByteLevel().decode([piece])
    assert decode_byte_level(piece).decode("utf-8", "replace") == expected


@pytest.mark.parametrize(
    ("contents", "piece", "data"),
    [
        (sequence(REPLACE, SECOND), "▁a", b"_a"),
        (sequence(REPLACE, BYTES), "<0xE9>", b"\xe9"),
        (sequence(REPLACE), "<0xE9>", b"<0xE9>"),
        # Byte fallback of the model counts only without a decoder.
        (sequence(REPLACE) | FALLBACK, "<0x0A>", b"<0x0A>"),
        ({"pre_tokenizer": {"type": "Metaspace"}} | FALLBACK, "<0x0A>", b"\n"),
        # What is stripped from each piece is no part of its bytes.
        (sequence(REPLACE, STRIP, BYTES), "▁a", b"a"),
        (sequence(REPLACE, STRIP, BYTES), "▁▁a", b" a"),
        (sequence(REPLACE, STRIP, BYTES), "▁", b""),
        (sequence(REPLACE, STRIP, BYTES), "<0x20>", b" "),
        # A byte is replaced by what comes after it.
        (sequence(BYTES, A_TO_B), "<0x61>", b"b"),
        (sequence(A_TO_B, BYTES), "<0x61>", b"a"),
        # Text like a byte piece stays text.
        (sequence(BYTES), "<0x0G>", b"<0x0G>"),
        (sequence(BYTES), "<0x0A>a", b"<0x0A>a"),
        (sequence(BYTES), "<0xA>", b"<0xA>"),
        (sequence(BYTES), "<0x0A", b"<0x0A"),
        ({"decoder": {"type": "Metaspace", "replacement": "_"}}, "_a▁", b" a\xe2\x96\x81"),
        # What happens at the ends of the text is passed over.
        (sequence(REPLACE, {"type": "Fuse"}, STRIP), "▁a", b" a"),
        # Without a decoder the pre-tokenizer tells.
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "Ġa", b" a"),
        ({"decoder": None, "pre_tokenizer": {"type": "Metaspace"}}, "▁a", b" a"),
    ],
)
def test_the_bytes_of_a_piece_are_what_the_steps_of_the_decoder_make_of_it(contents, piece, data):
    assert decoder(contents)(piece) == data


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
        (sequence({"type": "Strip", "content": " ", "start": 0, "stop": 1}), "has a Strip decoder"),
        (sequence({"type": "Fuse"}, {"type": "ByteFallback"}), "has a ByteFallback decoder"),
        (
            sequence(
                {"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "ab"}, "content": ""}
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
    assert refusal(decoder, contents).startswith(f"tokenizer x: tokenizer.json {reason}")


@pytest.mark.parametrize(
    ("normalizer", "named"),
    [
        (
            {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
            "its normalizer (NFKC, Lowercase) changes texts",
        ),
        (
            {"type": "Sequence", "normalizers": [{"type": f"Step{n}"} for n in range(9)]},
            "(Step0, Step1, Step2, Step3, Step4, …)",
        ),
        # Those that only write blanks otherwise.
        (None, None),
        ({"type": "Sequence", "normalizers": []}, None),
        ({"type": "Prepend", "prepend": "▁"}, None),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, None),
        ("NFC", None),
    ],
)
def test_a_normalizer_that_changes_texts_is_named(normalizer, named):
    said = describe_normalizer(open_contents({"normalizer": normalizer}))
    assert named in said[0] if named else said == ()
