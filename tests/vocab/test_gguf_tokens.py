"""The tokens of a GGUF file: bytes by the kind of model, types and ends as llama.cpp has them."""

import sys

import pytest

from maskc.vocab import AddedTokens, load_encoder, load_vocabulary
from tests.vocab.conftest import refusal
from tests.vocab.gguf_bytes import ARRAY, PREFIX, STRING, entries, entry, gguf, numbers, tokenizer

NORMAL, UNKNOWN, CONTROL, DEFINED, UNUSED, BYTE = range(1, 7)
FILLERS = ["a", "<|fim_prefix|>", "<|fim_pad|>", "<|file_sep|>", "</s>"]
HARMONY = ["<|return|>", "<|call|>", "<|end|>", ("<|channel|>", CONTROL)]


@pytest.fixture
def load(save):
    def call(model, tokens, **more):
        options = more.pop("options", {})
        return load_vocabulary(save("model.gguf", tokenizer(model, tokens, **more)), **options)

    return call


def test_each_type_of_a_sentencepiece_token_has_its_bytes(load):
    tokens = [
        *(("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), ("<0x0A>", BYTE)),
        *("▁a", ("x", UNUSED), ("y", 17), ("  ", DEFINED), ("▁▁", DEFINED), ("[PAD9]", DEFINED)),
    ]
    found = load("llama", tokens)
    # llama.cpp writes user-defined tokens as they stand: no bar is a blank there.
    bars = "▁▁".encode()
    assert found.tokens == (None, None, None, b"\n", b" a", None, None, b"  ", bars, None)
    assert found.eos_ids == (2,)
    assert found.special_ids == {"<s>": 1, "</s>": 2, "[PAD9]": 9}
    assert found.added == {7: b"  ", 8: bars, 9: b"[PAD9]"}


def test_a_byte_level_token_is_read_by_gpt2s_alphabet(load):
    tokens = ["Ġhi", "Ċ", ("    ", DEFINED), ("õ", DEFINED), "Ã©"]
    found = load("gpt2", tokens, eos=4)
    assert found.tokens == (b" hi", b"\n", b"    ", "õ".encode(), None)


@pytest.mark.parametrize(
    ("model", "called", "data"),
    [
        # A character that stands for no byte.
        ("gpt2", "Ġ日", b" [UNK_BYTE_0xe697a5\xc4\xa0\xe6\x97\xa5]"),
        ("llama", "", b"[EMPTY_0]"),
        ("llama", b"\xe2\x96\x81\xff", b" \xff"),
    ],
)
def test_an_odd_token_writes_what_llama_cpp_writes(load, model, called, data):
    assert load(model, [called, "a", "b"], eos=2).tokens[0] == data


@pytest.mark.parametrize(
    ("model", "more"),
    [("gemma4", {}), ("t5", {}), ("llama", {}), ("gpt2", {"pre": "sarvam-moe"})],
)
def test_bars_are_blanks_in_all_other_models(load, model, more):
    found = load(model, ["▁a", "Ġ", ("<eos>", CONTROL), ("<0xE9>", BYTE)], eos=2, **more)
    assert found.tokens == (b" a", "Ġ".encode(), None, b"\xe9")


def test_without_types_all_tokens_are_normal(save):
    rows = [row for row in entries("llama", ["a", "<b>", "c"], eos=2) if b"token_type" not in row]
    assert load_vocabulary(save("m.gguf", gguf(*rows))).tokens == (b"a", b"<b>", None)


@pytest.mark.parametrize(
    ("model", "tokens", "named", "ends", "silent"),
    [
        # What is called an end ends the output, whatever its type.
        (
            "gpt2",
            ["a", "<|im_end|>", ("<|endoftext|>", DEFINED), "</s>"],
            {"eos": 0},
            (0, 1, 2, 3),
            (0, 1, 2, 3),
        ),
        # Without a name, or with one of no token, it is a usual one.
        ("llama", list("abcd"), {}, (2,), (2,)),
        ("llama", list("abcd"), {"eos": 99}, (2,), (2,)),
        ("llama", list("abcd"), {"eos": 3, "eot": 0, "eom": 1}, (0, 1, 3), (0, 1, 3)),
        # What fills a gap is a control token, and some end the output.
        ("gpt2", FILLERS, {}, (2, 3, 4), (1, 2, 3, 4)),
        # Where the file names another, what it is called counts for nothing.
        ("gpt2", FILLERS, {"fim_pre": 0, "fim_pad": 0}, (0, 3, 4), (0, 3, 4)),
        # Of several that fill a gap, none ends the output.
        ("gpt2", ["a", "<PAD>", "<|fim_pad|>", "</s>"], {}, (3,), (1, 2, 3)),
        # Harmony's end of a message is no end of the output, but where another model has it.
        ("gpt2", HARMONY, {}, (0, 1), (0, 1)),
        ("gpt2", [*HARMONY[1:], "a"], {"eos": 3}, (0, 1, 3), (0, 1, 3)),
        # Gemma's s is a piece of HTML.
        ("gemma4", ["</s>", "<|tool_response>", ("<eos>", CONTROL)], {"eos": 2}, (1, 2), (1, 2)),
    ],
)
def test_the_ends_are_those_of_llama_cpp(load, model, tokens, named, ends, silent):
    found = load(model, tokens, **named, options={"added_tokens": AddedTokens("text")})
    assert found.eos_ids == ends
    assert tuple(i for i, token in enumerate(found.tokens) if token is None) == silent


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("bert", "holds a WordPiece model, whose tokens have lost the capitals and blanks"),
        ("rwkv", "holds an RWKV model"),
        ("plamo2", "holds a PLaMo model"),
        ("\x1b[31m", "holds of the unknown kind '\\x1b[31m'"),
        ("no_vocab", "holds no tokenizer; give the model's first file"),
    ],
)
def test_a_model_without_exact_bytes_is_refused_by_name(save, model, reason):
    path = save("model.gguf", tokenizer(model, ["a"]))
    assert f"model.gguf {reason}" in refusal(load_vocabulary, path)


def test_a_later_part_of_a_model_holds_no_tokenizer(save):
    rows = [row for row in entries("llama", ["a"]) if f"{PREFIX}tokens".encode() not in row]
    for data in (gguf(), gguf(*rows)):
        said = refusal(load_vocabulary, save("model.gguf", data))
        assert "model.gguf holds no tokenizer" in said


def replaced(key, kind, payload):
    """A good file with another value of one entry."""
    rows = [
        row for row in entries("llama", ["a", "b", "c"]) if f"{PREFIX}{key}".encode() not in row
    ]
    return gguf(*rows, entry(PREFIX + key, kind, payload))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (replaced("tokens", ARRAY, numbers([1])), f"its entry {PREFIX}tokens is no list of texts"),
        (replaced("model", ARRAY, numbers([1])), f"its entry {PREFIX}model is no text"),
        (replaced("token_type", ARRAY, numbers([1])), "token_type has no type for each token"),
        (
            replaced("token_type", ARRAY, numbers([1, 1, 1], 4, "<u4")),
            "token_type has no type for each token",
        ),
        (replaced("eos_token_id", STRING, b"\x01" + b"\0" * 7 + b"a"), "eos_token_id is no id"),
        (tokenizer("llama", ["a", ("<0x0G>", BYTE)]), "byte token 1 names no byte"),
        (tokenizer("gpt2", [b"\xff", "a"]), "token 0 is not UTF-8"),
        (tokenizer("llama", []), f"its entry {PREFIX}tokens is no list of texts"),
    ],
)
def test_broken_tokens_are_refused(save, data, reason):
    said = refusal(load_vocabulary, save("model.gguf", data))
    assert "model.gguf is broken: " in said
    assert reason in said


def test_encoding_for_a_gguf_file_needs_llama_cpp(save, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    said = refusal(load_encoder, save("model.gguf", tokenizer("llama", ["a", "b", "c"])))
    assert "llama_cpp" in said
    assert said.endswith("pip install 'maskc[llama-cpp]'")
