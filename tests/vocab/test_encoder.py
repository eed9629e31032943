"""The law of encoding: token bytes concatenate exactly to the text, whatever the text is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import TokenizerError
from maskc.vocab import load_encoder
from maskc.vocab.encoder import Encoder

REAL = ("llama3", "mistral", "deepseek", "qwen")
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
@pytest.mark.parametrize("text", ODD)
def test_odd_text_is_written_exactly(real_encoders, name, text):
    assert written(real_encoders[name], text) == text.encode()


@pytest.mark.parametrize("name", REAL)
def test_no_text_has_no_tokens(real_encoders, name):
    assert real_encoders[name].encode("") == []


def test_any_text_is_written_exactly_by_the_real_tokenizers(real_encoders):
    @given(TEXTS)
    @example("▁")
    def check(text):
        for encoder in real_encoders.values():
            assert written(encoder, text) == text.encode()

    check()


def test_any_text_is_written_exactly_in_every_format(small_encoders):
    @given(TEXTS)
    @example("▁<think>\n\n")
    def check(text):
        for encoder in small_encoders:
            assert written(encoder, text) == text.encode()

    check()


@pytest.mark.parametrize("name", REAL)
def test_long_runs_are_written_exactly(real_encoders, name):
    text = " " * 300_000 + "a" * 300_000 + "\n" * 300_000
    assert written(real_encoders[name], text) == text.encode()


def test_the_byte_vocabulary_encodes_utf8():
    assert load_encoder("bytes").encode("é\n") == [0xC3, 0xA9, 10]


def test_a_lower_bar_is_written_by_its_bytes_where_it_means_a_space(real_encoders):
    encoder = real_encoders["mistral"]
    hi = encoder.encode(" hi")
    assert encoder.encode("▁") == [0xE2 + 3, 0x96 + 3, 0x81 + 3]
    assert encoder.encode(" hi▁ hi") == [*hi, 0xE2 + 3, 0x96 + 3, 0x81 + 3, *hi]


def test_a_lower_bar_does_not_disturb_a_byte_level_tokenizer(real_encoders):
    encoder = real_encoders["llama3"]
    assert encoder.encode("a▁b") == encoder.tokenize("a▁b")


def test_text_that_the_model_normalises_is_kept(save, sentencepiece_model):
    encoder = load_encoder(save("tokenizer.model", sentencepiece_model))
    assert written(encoder, "ﬁ  ½  ") == "ﬁ  ½  ".encode()


def test_user_defined_pieces_are_found_in_text_if_they_are_text(save, sentencepiece_model):
    encoder = load_encoder(save("tokenizer.model", sentencepiece_model))
    assert len(encoder.encode("<think>")) == 7
    assert len(encoder.encode("\n\n")) == 1


def test_an_encoder_takes_added_tokens_as_it_is_told(save, sentencepiece_model):
    path = save("tokenizer.model", sentencepiece_model)
    assert len(load_encoder(path, is_text=range(1000).__contains__).encode("<think>")) == 1
    assert len(load_encoder(path, is_text=[].__contains__).encode("\n\n")) == 2


def test_a_token_that_is_never_text_is_not_used(real_encoders):
    for encoder in real_encoders.values():
        ids = encoder.encode("".join(ODD))
        assert all(encoder.tokens[i] is not None for i in ids)


def test_a_character_without_tokens_is_an_error_that_names_it(save, byteless_model):
    encoder = load_encoder(save("tokenizer.model", byteless_model))
    assert written(encoder, "hello  world") == b"hello  world"
    with pytest.raises(TokenizerError) as caught:
        encoder.encode("hello\nworld")
    assert str(caught.value) == (
        "tokenizer tokenizer.model: no tokens write the character '\\n'; "
        "leave it out of the text, or use a tokenizer with byte tokens"
    )


def test_a_lone_surrogate_is_an_error_that_names_it(real_encoders):
    with pytest.raises(TokenizerError, match=r"the text holds the lone surrogate U\+D800"):
        real_encoders["llama3"].encode("a\ud800")


def test_only_the_part_that_comes_back_wrong_is_written_by_bytes():
    encoder = Encoder("x", (b"a", b"?"), lambda text: [0] * len(text))
    assert encoder.encode("aa?a") == [0, 0, 1, 0]


def test_an_encoder_shows_no_path(save, byte_level):
    assert load_encoder(save("tokenizer.json", byte_level)).name == "tokenizer.json"
