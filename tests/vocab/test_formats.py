"""Files of tokenizers: which format, which file of a folder, and what ranks and pieces become."""

import os
import random

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import files, load_vocabulary
from maskc.vocab.files import FileFormat, open_tokenizer_file
from tests.vocab.conftest import refusal

RANKS = b"IQ== 0\nIg== 1\n\nISI= 2\n"


def piece(text, kind=None):
    """Encode one piece of a sentencepiece model by hand: text, score 0, and its type."""
    body = b"\x0a" + bytes([len(text)]) + text + b"\x15\0\0\0\0"
    body += b"" if kind is None else bytes([0x18, kind])
    return b"\x0a" + bytes([len(body)]) + body


HANDMADE = piece(b"<unk>", 2) + piece(b"</s>", 3) + piece("▁a".encode()) + piece(b"b", 5)
HANDMADE += piece(b"<0x0A>", 6) + piece(b"<think>", 4)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        # A name does not decide.
        ("tokenizer.json", b"IQ== 0\n", FileFormat.TIKTOKEN),
        ("tokenizer.model", b"IQ== 0\r\nIg== 1\r\n", FileFormat.TIKTOKEN),
        ("tokenizer.model", b' {"model": {}}', FileFormat.HUGGINGFACE),
        ("tokenizer.model", b'\xef\xbb\xbf{"model": {}}', FileFormat.HUGGINGFACE),
        ("tokenizer.model", b'{"vocab": []}', FileFormat.TEKKEN),
        ("tokenizer.model", HANDMADE, FileFormat.SENTENCEPIECE),
    ],
)
def test_a_format_is_told_by_the_contents(tmp_path, name, data, kind):
    (tmp_path / name).write_bytes(data)
    assert open_tokenizer_file("asked", tmp_path / name).format is kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\x80\x04junk", "is not a tokenizer"),
        (b"hello", "is not a tokenizer"),
        (b"[1, 2]", "is not a tokenizer"),
        (b'{"model": {"vocab', "is not JSON"),
        (b'{"a": ' + b"[" * 100_000, "is nested too deeply"),
        (b'{"a": "\xff"}', "is not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "is not JSON"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_refused(save, data, reason):
    assert f"tokenizer.model {reason}" in refusal(load_vocabulary, save("tokenizer.model", data))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone", "gone cannot be read"),
        (os.devnull, "is not a regular file"),
        ("", "the folder holds no tokenizer"),
    ],
)
def test_what_is_no_file_is_refused(tmp_path, name, reason):
    assert reason in refusal(open_tokenizer_file, "asked", tmp_path / name)


def test_a_huge_or_unreadable_file_is_refused(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "tokenizer.model"
    path.write_bytes(b"IQ== 0\n")
    with monkeypatch.context() as patch:
        patch.setattr(files, "MAX_FILE_BYTES", 5)
        assert "larger than 5 bytes" in refusal(open_tokenizer_file, "asked", path)
    monkeypatch.setattr(os, "read", refuse)
    said = refusal(open_tokenizer_file, "asked", path)
    assert "cannot be read (Permission denied)" in said


def test_the_most_complete_file_of_a_folder_is_chosen(tmp_path):
    def choose():
        return open_tokenizer_file("asked", tmp_path).file_name

    (tmp_path / "qwen.tiktoken").write_bytes(b"IQ== 0\n")
    (tmp_path / "tokenizer.json").mkdir()
    assert choose() == "qwen.tiktoken"
    (tmp_path / "tokenizer.model").write_bytes(b"IQ== 0\n")
    assert choose() == "tokenizer.model"
    (tmp_path / "tokenizer.json").rmdir()
    (tmp_path / "tokenizer.json").write_bytes(b'{"model": {}}')
    assert choose() == "tokenizer.json"


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (RANKS, (b"!", b'"', b'!"', None)),
        (RANKS.replace(b"\n", b"\r\n"), (b"!", b'"', b'!"', None)),
        (b"IQ== 0\nIg== 2\n", (b"!", None, b'"', None)),
    ],
)
def test_a_line_of_ranks_is_a_token_and_its_id(save, data, tokens):
    path = save("x.tiktoken", data)
    assert load_vocabulary(path, vocab_size=4, eos_ids=(3,)).tokens == tokens
    assert "names no end-of-sequence token" in refusal(load_vocabulary, path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"IQ", "line 4 is not a base64 token and its rank"),
        (b"IQ== x", "line 4 is not a base64 token and its rank"),
        (b"IQ= 3", "line 4 is not a base64 token and its rank"),
        (b"I!== 3", "line 4 is not a base64 token and its rank"),
        (b"Iw== 3 4", "line 4 is not a base64 token and its rank"),
        (b"Iw== " + b"9" * 5000, "line 4 is not a base64 token and its rank"),
        (b"\xff\xfe\x00", "line 4 is not a base64 token and its rank"),
        (b"IQ== 3", "line 4 has an empty or repeated token"),
        (b"Iw== 2", "two tokens have the same rank"),
        (b"Iw== -1", "token id -1 is not in 0"),
        (b"Iw== 99999999999", "token id 99999999999 is not in 0"),
    ],
)
def test_a_broken_line_is_refused_by_its_number(save, line, reason):
    path = save("x.tiktoken", RANKS.replace(b"\n\n", b"\n") + line)
    assert reason in refusal(load_vocabulary, path)


def test_each_type_of_piece_has_its_bytes(save):
    vocabulary = load_vocabulary(save("tokenizer.model", HANDMADE))
    assert vocabulary.tokens == (None, None, b" a", None, b"\n", None)
    assert vocabulary.eos_ids == (1,)


def test_the_end_is_the_control_piece_that_the_training_named(save):
    trainer = b"\xfa\x02\x04<eo>"
    model = HANDMADE + piece(b"<eo>", 3) + b"\x12" + bytes([len(trainer)]) + trainer
    assert load_vocabulary(save("tokenizer.model", model)).eos_ids == (6,)


def test_a_model_without_an_end_piece_needs_its_id(save):
    path = save("tokenizer.model", piece(b"<unk>", 2) + piece(b"</s>"))
    assert "names no end-of-sequence token" in refusal(load_vocabulary, path)
    assert load_vocabulary(path, eos_ids=(0,)).tokens == (None, b"</s>")


def outcome(path):
    """Return the number of tokens, or the message of the refusal."""
    try:
        return load_vocabulary(path, eos_ids=(0,)).vocab_size
    except TokenizerError as error:
        return str(error)


def test_a_model_that_is_cut_off_has_fewer_pieces_or_is_refused(save):
    ends = [16, 31, 44, 56, 73, 91]
    found = {end: outcome(save("tokenizer.model", HANDMADE[:end])) for end in range(2, 92)}
    assert [found.pop(end) for end in ends] == [1, 2, 3, 4, 5, 6]
    assert len({*found.values()}) == 1
    assert "tokenizer.model is broken: it is cut off" in found[2]


def test_a_model_with_changed_bytes_is_refused_or_loads(save, sentencepiece_model):
    chance = random.Random(5)
    for _ in range(150):
        data = bytearray(sentencepiece_model[:3000])
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        assert "\n" not in str(outcome(save("tokenizer.model", bytes(data))))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (b"\n\x01", "it is cut off"),
        (b"\n\x02\x0a\x05", "it is cut off"),
        (b"\n" + b"\xff" * 11, "a number in it has more than ten bytes"),
        (HANDMADE + b"\x0b", "byte 91 begins no field"),
        (HANDMADE + b"\x08\x01", "a message field holds a number"),
        (HANDMADE + b"\n\x02\x08\x01", "a text field holds a number"),
        (HANDMADE + piece(b""), "piece 6 has no text"),
        (HANDMADE + b"\n\x02\x18\x01", "piece 6 has no text"),
        (HANDMADE + piece(b"\xff"), "a piece is not UTF-8"),
        (HANDMADE + piece(b"x", 9), "piece 6 is of no known type"),
        (HANDMADE + piece(b"<0x0>", 6), "byte piece '<0x0>' names no byte"),
    ],
)
def test_a_broken_model_is_refused(save, model, reason):
    said = refusal(load_vocabulary, save("tokenizer.model", model))
    assert f"tokenizer.model is broken: {reason}; give" in said


def test_ranks_of_tekken_follow_the_special_ids_up_to_the_vocabulary_size(save, tekken):
    vocabulary = load_vocabulary(save("tekken.json", tekken))
    bytes_ = tuple(bytes([byte]) for byte in range(256))
    assert vocabulary.tokens == (*[None] * 20, *bytes_, b"hi")
    assert vocabulary.eos_ids == (2,)
    tekken["special_tokens"] = [{"rank": 5, "token_str": "</s>", "is_control": True}]
    assert load_vocabulary(save("tekken.json", tekken)).eos_ids == (5,)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pattern", None),
        ("default_vocab_size", 279),
        ("default_vocab_size", 20),
        ("default_vocab_size", "277"),
        ("default_vocab_size", 10**12),
        ("default_num_special_tokens", 0),
        ("default_num_special_tokens", -5),
        ("default_num_special_tokens", 400),
    ],
)
def test_sizes_of_tekken_that_do_not_agree_are_refused(save, tekken, key, value):
    tekken["config"][key] = value
    said = refusal(load_vocabulary, save("tekken.json", tekken))
    assert "tekken.json is broken: its sizes, its pattern" in said


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (None, "token 256 lacks its rank or its bytes"),
        ({"rank": 7, "token_bytes": "aGk="}, "token 256 lacks its rank or its bytes"),
        ({"rank": 256, "token_bytes": "aGk"}, "the bytes of token 256 are not base64"),
        ({"rank": 256, "token_bytes": "aé=="}, "the bytes of token 256 are not base64"),
        ({"rank": 256, "token_bytes": "YQ=="}, "its tokens do not begin with the 256 bytes"),
    ],
)
def test_a_broken_token_of_tekken_is_refused(save, tekken, row, reason):
    tekken["vocab"][256] = row
    assert reason in refusal(load_vocabulary, save("tekken.json", tekken))


@pytest.mark.parametrize("rows", [[], [{"token_str": "</s>", "rank": 20}], [None]])
def test_special_tokens_of_tekken_without_an_end_are_refused(save, tekken, rows):
    tekken["special_tokens"] = rows
    said = refusal(load_vocabulary, save("tekken.json", tekken))
    assert "it has no special token </s>" in said
