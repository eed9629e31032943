"""Telling formats by contents, choosing a file in a folder, and reading within bounds."""

import os

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import files
from maskc.vocab.files import FileFormat, open_tokenizer_file


@pytest.fixture
def open_bytes(tmp_path):
    def open_(data, name="tokenizer.model"):
        path = tmp_path / name
        path.write_bytes(data)
        return open_tokenizer_file("asked", path)

    return open_


def test_a_name_does_not_decide_the_format(open_bytes):
    assert open_bytes(b"IQ== 0\n", "tokenizer.json").format is FileFormat.TIKTOKEN


def test_a_rank_file_may_have_windows_line_ends(open_bytes):
    assert open_bytes(b"IQ== 0\r\nIg== 1\r\n").format is FileFormat.TIKTOKEN


def test_a_json_object_with_a_model_is_hugging_face(open_bytes):
    assert open_bytes(b' {"model": {}}').format is FileFormat.HUGGINGFACE


def test_a_byte_order_mark_is_passed_over(open_bytes):
    assert open_bytes(b'\xef\xbb\xbf{"model": {}}').contents == {"model": {}}


def test_a_json_object_with_a_list_of_tokens_is_tekken(open_bytes):
    assert open_bytes(b'{"vocab": []}').format is FileFormat.TEKKEN


def test_a_sentencepiece_model_is_told_by_its_first_piece(open_bytes, sentencepiece_model):
    assert open_bytes(sentencepiece_model).format is FileFormat.SENTENCEPIECE


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "tokenizer.model is empty"),
        (b" \n\t\n", "tokenizer.model is empty"),
        (b"\x80\x04junk", "tokenizer.model is not a tokenizer"),
        (b"hello", "tokenizer.model is not a tokenizer"),
        (b"[1, 2]", "tokenizer.model is not a tokenizer"),
        (b'{"model": {"vocab', "tokenizer.model is not JSON"),
        (b'{"a": ' + b"[" * 100_000, "tokenizer.model is nested too deeply"),
        (b'{"a": "\xff"}', "tokenizer.model is not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "tokenizer.model is not JSON"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_refused(open_bytes, data, reason):
    with pytest.raises(TokenizerError) as caught:
        open_bytes(data)
    assert str(caught.value).startswith(f"tokenizer asked: {reason}")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(TokenizerError, match="asked: gone cannot be read"):
        open_tokenizer_file("asked", tmp_path / "gone")


def test_a_device_is_not_read():
    with pytest.raises(TokenizerError, match="is not a regular file"):
        open_tokenizer_file("asked", files.Path(os.devnull))


def test_a_huge_file_is_not_read(open_bytes, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 5)
    with pytest.raises(TokenizerError, match="larger than 5 bytes"):
        open_bytes(b"IQ== 0\n")


def test_an_unreadable_file_is_refused(open_bytes, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "read", refuse)
    with pytest.raises(TokenizerError, match=r"cannot be read \(Permission denied\)"):
        open_bytes(b"IQ== 0\n")


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    with pytest.raises(TokenizerError, match="the folder holds no tokenizer"):
        open_tokenizer_file("asked", tmp_path)


def test_the_most_complete_file_of_a_folder_is_chosen(tmp_path):
    (tmp_path / "tokenizer.model").write_bytes(b"IQ== 0\n")
    (tmp_path / "qwen.tiktoken").write_bytes(b"IQ== 0\n")
    assert open_tokenizer_file("asked", tmp_path).file_name == "tokenizer.model"
    (tmp_path / "tokenizer.json").write_bytes(b'{"model": {}}')
    assert open_tokenizer_file("asked", tmp_path).file_name == "tokenizer.json"


def test_a_folder_in_the_place_of_a_file_is_passed_over(tmp_path):
    (tmp_path / "tokenizer.json").mkdir()
    (tmp_path / "qwen.tiktoken").write_bytes(b"IQ== 0\n")
    assert open_tokenizer_file("asked", tmp_path).file_name == "qwen.tiktoken"
