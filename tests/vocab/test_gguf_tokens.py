"""The tokens of a GGUF file: bytes by the kind of model, types and ends as llama.cpp has them."""

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import AddedTokens, load_encoder, load_vocabulary
from tests.vocab.gguf_bytes import ARRAY, PREFIX, STRING, entries, entry, gguf, numbers, tokenizer

NORMAL, UNKNOWN, CONTROL, DEFINED, UNUSED, BYTE = range(1, 7)


@pytest.fixture
def load(save):
    def call(model, tokens, **more):
        options = more.pop("options", {})
        return load_vocabulary(save("model.gguf", tokenizer(model, tokens, **more)), **options)

    return call


def refusal(save, data):
    path = save("model.gguf", data)
    with pytest.raises(TokenizerError) as caught:
        load_vocabulary(path)
    return str(caught.value).removeprefix(f"tokenizer {path}: ")


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


def test_a_character_that_stands_for_no_byte_is_written_as_llama_cpp_does(load):
    assert (
        load("gpt2", ["Ġ日", "a"], eos=1).tokens[0] == b" [UNK_BYTE_0xe697a5\xc4\xa0\xe6\x97\xa5]"
    )


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


def test_a_token_that_is_called_nothing_writes_what_llama_cpp_calls_it(load):
    assert load("llama", ["", "a", "b"], eos=2).tokens[0] == b"[EMPTY_0]"


def test_tokens_that_are_called_ends_end_the_output_whatever_their_type(load):
    found = load("gpt2", ["a", "<|im_end|>", ("<|endoftext|>", DEFINED), "</s>"], eos=0)
    assert found.eos_ids == (0, 1, 2, 3)
    assert found.tokens == (None,) * 4


def test_the_end_is_a_usual_one_where_the_file_names_none_of_its_tokens(load):
    assert load("llama", list("abcd")).eos_ids == (2,)
    assert load("llama", list("abcd"), eos=99).eos_ids == (2,)
    assert load("llama", list("abcd"), eos=3, eot=0, eom=1).eos_ids == (0, 1, 3)


def test_what_fills_a_gap_is_a_control_token_and_some_end_the_output(load):
    tokens = ["a", "<|fim_prefix|>", "<|fim_pad|>", "<|file_sep|>", "</s>"]
    found = load("gpt2", tokens)
    assert found.eos_ids == (2, 3, 4)
    assert found.tokens == (b"a", None, None, None, None)
    # Where the file names another, what it is called counts for nothing.
    assert load("gpt2", tokens, fim_pre=0, fim_pad=0).tokens[1:3] == (b"<|fim_prefix|>",) * 0 + (
        b"<|fim_prefix|>",
        b"<|fim_pad|>",
    )


def test_of_several_that_fill_a_gap_none_ends_the_output(load):
    found = load("gpt2", ["a", "<PAD>", "<|fim_pad|>", "</s>"])
    assert found.eos_ids == (3,)
    assert found.tokens == (b"a", None, None, None)


def test_harmonys_end_of_a_message_is_no_end_of_the_output(load):
    tokens = ["<|return|>", "<|call|>", "<|end|>", ("<|channel|>", CONTROL)]
    found = load("gpt2", tokens, options={"added_tokens": AddedTokens("text")})
    assert found.eos_ids == (0, 1)
    assert found.tokens == (None, None, b"<|end|>", b"<|channel|>")
    assert load("gpt2", [*tokens[1:], "a"], eos=3).eos_ids == (0, 1, 3)


def test_gemmas_s_is_a_piece_of_html(load):
    tokens = ["</s>", "<|tool_response>", ("<eos>", CONTROL)]
    found = load("gemma4", tokens, eos=2)
    assert found.eos_ids == (1, 2)
    assert found.tokens == (b"</s>", None, None)


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
    assert f"model.gguf {reason}" in refusal(save, tokenizer(model, ["a"]))


def test_a_later_part_of_a_model_holds_no_tokenizer(save):
    assert "model.gguf holds no tokenizer" in refusal(save, gguf())
    rows = [row for row in entries("llama", ["a"]) if f"{PREFIX}tokens".encode() not in row]
    assert "model.gguf holds no tokenizer" in refusal(save, gguf(*rows))


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
    assert refusal(save, data).startswith("model.gguf is broken: ")
    assert reason in refusal(save, data)


def test_raw_bytes_of_a_sentencepiece_token_are_kept(load):
    assert load("llama", [b"\xe2\x96\x81\xff", "a", "b"]).tokens[0] == b" \xff"


def test_encoding_for_a_gguf_file_needs_llama_cpp(save, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    path = save("model.gguf", tokenizer("llama", ["a", "b", "c"]))
    with pytest.raises(TokenizerError, match=r"llama_cpp.*pip install 'maskc\[llama-cpp\]'"):
        load_encoder(path)
