"""GGUF files: the header, read without reading more, and tokens as llama.cpp has them."""

import contextlib
import struct
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import MaskcError
from maskc.vocab import AddedTokens, files, load_encoder, load_vocabulary
from maskc.vocab.files import is_gguf, read_header
from tests.vocab.conftest import refusal
from tests.vocab.gguf_bytes import (
    ARRAY,
    PREFIX,
    STRING,
    UINT32,
    entries,
    entry,
    gguf,
    numbers,
    text,
    texts,
    tokenizer,
)

GOOD = tokenizer("llama", [("<unk>", 2), "▁a", ("</s>", 3), ("<0x0A>", 6)], eos=2)


@pytest.fixture
def read(tmp_path):
    def call(data):
        path = tmp_path / "model.gguf"
        path.write_bytes(data)
        return read_header("x", path)

    return call


def test_only_what_is_wanted_is_kept(read):
    found = read(GOOD + b"weights" * 1000)
    assert sorted(found) == [
        f"{PREFIX}{name}" for name in ("eos_token_id", "model", "token_type", "tokens")
    ]
    assert found[f"{PREFIX}tokens"] == [b"<unk>", "▁a".encode(), b"</s>", b"<0x0A>"]
    assert found[f"{PREFIX}token_type"].tolist() == [2, 1, 3, 6]
    assert found[f"{PREFIX}eos_token_id"] == 2


def test_a_file_is_told_by_its_beginning(tmp_path):
    (tmp_path / "a").write_bytes(GOOD)
    (tmp_path / "b").write_bytes(b"GGU")
    assert is_gguf(tmp_path / "a")
    assert not is_gguf(tmp_path / "b")
    assert not is_gguf(tmp_path)
    assert not is_gguf(tmp_path / "missing")


def test_weights_are_not_read(tmp_path):
    """A file with holes takes no room, and would take a quarter of an hour to read."""
    path = tmp_path / "model.gguf"
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(1 << 40)
    assert load_vocabulary(str(path)).tokens == (None, b" a", None, b"\n")


@pytest.mark.parametrize("version", [0, 1, 4, 3 << 24])
def test_another_version_is_refused(read, version):
    said = refusal(read, gguf(version=version))
    assert "convert the model with a llama.cpp of today" in said
    assert ("big-endian" in said) == (version == 3 << 24)


def test_a_file_cut_off_anywhere_is_refused(read):
    for end in range(4, len(GOOD), 3):
        assert "model.gguf is broken: it is cut off" in refusal(read, GOOD[:end])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gguf(n_entries=1 << 60), "it claims 1,152,921,504,606,846,976 entries"),
        (gguf(n_entries=16_385), "it claims 16,385 entries"),
        (gguf(struct.pack("<Q", 1 << 40)), "a text of it claims 1,099,511,627,776 bytes"),
        (gguf(entry("a", STRING, struct.pack("<Q", 1 << 60))), "a text of it claims"),
        (gguf(entry("a", STRING, struct.pack("<Q", 1 << 20))), "it is cut off"),
        (
            gguf(entry("a", ARRAY, struct.pack("<IQ", STRING, 1 << 40))),
            "its entry a claims 1,099,511,627,776 texts",
        ),
        (gguf(entry("a", ARRAY, struct.pack("<IQ", STRING, 1 << 20))), "it is cut off"),
        (gguf(entry("a", ARRAY, struct.pack("<IQQ", STRING, 1, 1 << 63))), "it is cut off"),
        (gguf(entry("a", ARRAY, struct.pack("<IQ", UINT32, (1 << 64) - 1))), "it is cut off"),
        (gguf(entry("a", ARRAY, struct.pack("<IQ", ARRAY, 1))), "its entry a is of the unknown"),
        (gguf(entry("k" * 99, 99, b"")), f"its entry {'k' * 60}… is of the unknown type 99"),
        (gguf(entry(f"{PREFIX}pre", STRING, text("a")) * 2, n_entries=2), "pre occurs twice"),
    ],
)
def test_a_forged_header_is_refused_in_no_time(read, data, reason):
    tracemalloc.start()
    said = refusal(read, data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said.startswith("tokenizer x: model.gguf is broken: ")
    assert reason in said
    assert peak < 1 << 24


def test_a_header_larger_than_any_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_HEADER_BYTES", 1 << 16)
    path = tmp_path / "model.gguf"
    with path.open("wb") as file:
        file.write(gguf(entry("a", ARRAY, struct.pack("<IQ", 0, 1 << 17))))
        file.truncate(1 << 20)
    assert "header of model.gguf is larger than 65,536" in refusal(read_header, "x", path)


def test_texts_of_all_entries_are_counted_together(read, monkeypatch):
    monkeypatch.setattr(files, "_MAX_TEXTS", 5)
    rows = [entry(name, ARRAY, texts(["", "", ""])) for name in ("a", "b")]
    assert "its entry b claims 3 texts" in refusal(read, gguf(*rows))


def test_a_file_that_may_not_be_read_says_so(tmp_path):
    said = refusal(read_header, "x", tmp_path / "missing.gguf")
    assert "give a model file that you may read" in said


@given(st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, data):
    damaged = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(4, len(GOOD) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    path.write_bytes(damaged)
    with contextlib.suppress(MaskcError):
        assert load_vocabulary(str(path)).vocab_size >= 1


def test_entries_of_every_type_are_stepped_over(read):
    kinds = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
    rows = [entry(f"k{k}", k, struct.pack(f"<{code}", 1)) for k, code in {**kinds, 12: "d"}.items()]
    rows += [entry("array", ARRAY, numbers([1, 2, 3])), *entries("llama", ["a"])]
    assert read(gguf(*rows))[f"{PREFIX}model"] == b"llama"


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
    ("model", "more"), [("gemma4", {}), ("t5", {}), ("llama", {}), ("gpt2", {"pre": "sarvam-moe"})]
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
        (
            replaced("tokens", ARRAY, numbers([1])),
            f"its entry {PREFIX}tokens is not a list of texts",
        ),
        (replaced("model", ARRAY, numbers([1])), f"its entry {PREFIX}model is not a text"),
        (replaced("token_type", ARRAY, numbers([1])), "token_type has no type for each token"),
        (
            replaced("token_type", ARRAY, numbers([1, 1, 1], 4, "<u4")),
            "token_type has no type for each token",
        ),
        (replaced("eos_token_id", STRING, b"\x01" + b"\0" * 7 + b"a"), "eos_token_id is no id"),
        (tokenizer("llama", ["a", ("<0x0G>", BYTE)]), "byte piece '<0x0G>' names no byte"),
        (tokenizer("gpt2", [b"\xff", "a"]), "token 0 is not UTF-8"),
        (tokenizer("llama", []), f"its entry {PREFIX}tokens is not a list of texts"),
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
