"""The law of encoding: the bytes of the tokens are exactly the text; what each format does."""

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.vocab import load_encoder
from maskc.vocab.encoder import Encoder, _split_long_text
from tests.vocab.conftest import REAL, added, refusal

ODD = (
    "a\r\nb\rc\n\n\r\n",
    "    four leading spaces",
    "runs   of    spaces     \t\t  \n   \n",
    "é e\u0301 ﬁ ½ Å Å ｆｕｌｌ \u1e9b\u0323",
    "日本語 한글 ไทย عربى",
    "👩‍👩‍👧‍👦 🏳️‍🌈 \U0010ffff",
    "\0 \x01\x7f\x85\xa0\u2028\u3000\ufeff",
    "▁ ▁▁ a▁b▁",
    "<s></s><unk><0x0A>[INST]<|eot_id|><|im_end|><|endoftext|><think>",
    "<｜end▁of▁sentence｜><｜User｜>",
    "",
    " " * 300_000 + "a" * 300_000 + "\n" * 300_000,
)
# Alphabet weighted to what tokenizers treat in a special way.
PIECES = st.sampled_from(
    [*" \n\r\t▁<>|'", "  ", "\r\n", "</s>", "<think>", "<0x0A>", "e\u0301", "ﬁ", "hi", " hi", "\0"]
)
TEXTS = st.lists(PIECES | st.characters(codec="utf-8"), max_size=30).map("".join)


def written(encoder, text):
    return b"".join(encoder.tokens[i] for i in encoder.encode(text))


@pytest.fixture
def small_encoders(save, byte_level, byte_fallback, tekken, sentencepiece_model):
    return [
        load_encoder("bytes"),
        load_encoder(save("tokenizer.json", byte_level)),
        load_encoder(save("tokenizer.json", byte_fallback)),
        load_encoder(save("tekken.json", tekken)),
        load_encoder(save("tokenizer.model", sentencepiece_model)),
    ]


@pytest.mark.parametrize("name", REAL)
def test_odd_text_is_written_exactly(real_encoders, name):
    for text in ODD:
        assert written(real_encoders[name], text) == text.encode()


def test_any_text_is_written_exactly(real_encoders, small_encoders):
    @given(TEXTS)
    @example("▁")
    @example("▁<think>\n\n")
    @example("ﬁ  ½  ")  # normalised by the model
    def check(text):
        for encoder in [*real_encoders.values(), *small_encoders]:
            assert written(encoder, text) == text.encode()

    check()


def test_a_lower_bar_is_written_by_its_bytes_where_it_means_a_space(real_encoders):
    encoder = real_encoders["mistral"]
    hi = encoder.encode(" hi")
    assert encoder.encode("▁") == [0xE2 + 3, 0x96 + 3, 0x81 + 3]
    assert encoder.encode(" hi▁ hi") == [*hi, 0xE2 + 3, 0x96 + 3, 0x81 + 3, *hi]
    byte_level = real_encoders["llama3"]
    assert byte_level.encode("a▁b") == byte_level.tokenize("a▁b")


def test_user_defined_pieces_are_found_in_text_if_they_are_text(save, sentencepiece_model):
    path = save("tokenizer.model", sentencepiece_model)
    found = [
        [len(load_encoder(path, **how).encode(text)) for text in ("<think>", "\n\n")]
        for how in ({}, {"is_text": range(1000).__contains__}, {"is_text": [].__contains__})
    ]
    assert found == [[7, 1], [1, 1], [7, 2]]


def test_a_character_without_tokens_is_an_error_that_names_it(save, byteless_model):
    encoder = load_encoder(save("tokenizer.model", byteless_model))
    assert written(encoder, "hello  world") == b"hello  world"
    assert "no tokens write the character '\\n'" in refusal(encoder.encode, "hello\nworld")


def test_a_lone_surrogate_is_an_error_that_names_it(real_encoders):
    said = refusal(real_encoders["llama3"].encode, "a\ud800")
    assert "the text holds the lone surrogate U+D800" in said


def test_only_the_part_that_comes_back_wrong_is_written_by_bytes():
    encoder = Encoder("x", (b"a", b"?"), lambda text: [0] * len(text))
    assert encoder.encode("aa?a") == [0, 0, 1, 0]


def test_small_files_encode_by_their_ids(save, byte_level, byte_fallback, tekken):
    assert load_encoder("bytes").encode("é\n") == [0xC3, 0xA9, 10]
    assert load_encoder(save("tekken.json", tekken)).encode("hi!\n") == [276, 53, 30]
    # No space is put in front.
    assert load_encoder(save("tokenizer.json", byte_level)).encode("hi hi") == [256, 257]
    assert load_encoder(save("tokenizer.json", byte_fallback)).encode("hi hi") == [262, 263]
    splitter = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    byte_fallback["normalizer"] = None
    byte_fallback["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [splitter]}
    assert load_encoder(save("tokenizer.json", byte_fallback)).encode("hi hi") == [262, 263]


def test_dropout_truncation_and_padding_are_switched_off(save, byte_level):
    byte_level["model"]["dropout"] = 0.9
    byte_level["truncation"] = {
        "direction": "Right",
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    assert load_encoder(save("tokenizer.json", byte_level)).encode("hi" * 8) == [256] * 8


def test_markers_are_not_found_in_text_and_other_added_tokens_have_their_own_ids(save, byte_level):
    """Without the special one before them, the package would number them otherwise."""
    byte_level["added_tokens"] += [added(260, "    ")]
    encoder = load_encoder(save("tokenizer.json", byte_level))
    assert len(encoder.encode("<think>")) == len("<t") + len(["hi"]) + len("nk>")
    assert encoder.encode("a    ")[1:] == [260]
    assert encoder.name == "tokenizer.json"


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("tiktoken", "llama3"),
        ("tiktoken", "qwen"),
        ("tokenizers", "deepseek"),
        ("sentencepiece", "mistral"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package, None)
    said = refusal(load_encoder, name)
    assert f"needs the package {package}" in said
    assert said.endswith(f"pip install 'maskc[{name}]'")


def test_a_missing_package_for_a_file_is_named_with_the_common_extra(monkeypatch, save, byte_level):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    said = refusal(load_encoder, save("tokenizer.json", byte_level))
    assert said.endswith("pip install 'maskc[tokenizers]'")


def nested_splitter():
    step = {"type": "ByteLevel"}
    for _ in range(450):
        step = {"type": "Sequence", "pretokenizers": [step]}
    return step


@pytest.mark.parametrize(
    ("file", "change", "reason"),
    [
        ("byte_level", {"model": {"merges": ["x yz"]}}, "Token `yz` out of vocabulary"),
        ("byte_level", {"pre_tokenizer": nested_splitter()}, ""),
        ("tekken", {"config": {"pattern": "("}}, "cannot be used to encode ("),
    ],
)
def test_what_the_package_does_not_take_is_one_line(request, save, file, change, reason):
    contents = request.getfixturevalue(file)
    for key, value in change.items():
        contents[key] |= value
    said = refusal(load_encoder, save("tokenizer.json", contents))
    assert reason in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("file", "data", "reason"),
    [
        ("x.tiktoken", b"IQ== 0\n", "does not say how its model splits text"),
        # No unknown piece.
        ("tokenizer.model", b"\n\x0a\n\x01a\x15\0\0\0\0\x18\x01", "cannot be used to encode ("),
    ],
)
def test_a_file_that_can_only_be_read_cannot_encode(save, file, data, reason):
    assert f"{file} {reason}" in refusal(load_encoder, save(file, data))


def test_long_texts_are_cut_into_bounded_parts():
    parts = list(_split_long_text("a" * 400_000 + "b c" + " " * 25_001))
    assert [len(part) for part in parts] == [25_000] * 16 + [25_003, 1]
    assert list(_split_long_text("")) == []
    assert list(_split_long_text("a b")) == ["a b"]
