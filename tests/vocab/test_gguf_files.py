"""The header of a GGUF file: what is read, and what is refused without reading more."""

import contextlib
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import MaskcError
from maskc.vocab import gguf_files, load_vocabulary
from maskc.vocab.gguf_files import is_gguf, read_header
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
    monkeypatch.setattr(gguf_files, "MAX_HEADER_BYTES", 1 << 16)
    path = tmp_path / "model.gguf"
    with path.open("wb") as file:
        file.write(gguf(entry("a", ARRAY, struct.pack("<IQ", 0, 1 << 17))))
        file.truncate(1 << 20)
    assert "header of model.gguf is larger than 65,536" in refusal(read_header, "x", path)


def test_texts_of_all_entries_are_counted_together(read, monkeypatch):
    monkeypatch.setattr(gguf_files, "_MAX_TEXTS", 5)
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
