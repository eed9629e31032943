"""Reads tokenizer files within bounds, and tells their kind.

The kind is told from the contents, because names do not tell: ``tokenizer.model`` is a
sentencepiece model for one family of models and a tiktoken rank file for another.

GGUF is the format of llama.cpp's models: a header of keys and values, then gigabytes of weights.
Only the header is read, and of it only the few entries that :mod:`maskc.vocab.gguf_tokens` needs;
all others are stepped over, so that a file costs what its header costs. Whatever it claims, no more
is read than the file has, and no more than a stated size. Versions 2 and 3 are read, as
little-endian machines write them.

Example: of a file whose header has ``tokenizer.ggml.model`` = ``gpt2`` and weights of 8 GB, about
10 MB are read, and ``read_header("x", path)["tokenizer.ggml.model"]`` is ``b"gpt2"``.
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from maskc.errors import TokenizerError, UnreadableFileError
from maskc.files import open_regular, read_bounded

# The largest tokenizer files in use are about 40 MB.
MAX_FILE_BYTES = 256 * 1024 * 1024
UNDAMAGED = "give an undamaged file"
# In order of preference; patterns are for file names directly in the folder.
TOKENIZER_FILES = (
    "tokenizer.json",
    "tekken.json",
    "tokenizer.model",
    "tokenizer.model.v*",
    "*.tiktoken",
)
_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} +[0-9]+[ \t]*\r?(\n|$)")

MAGIC = b"GGUF"
# Headers in use have at most 20 MB: the tokens, and twice as many merges.
MAX_HEADER_BYTES = 256 * 1024 * 1024
_MAX_ENTRIES = 1 << 14
_MAX_KEY = 1 << 16
# Of all arrays of texts together.
_MAX_TEXTS = 1 << 23
_STEP = 1 << 22

_STRING, _ARRAY = 8, 9
# The number of a type in the file → how it lies there.
_NUMBERS = dict(enumerate(("<u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<f4", "|b1")))
_NUMBERS |= {10: "<u8", 11: "<i8", 12: "<f8"}
_UINT32, _UINT64 = struct.Struct("<I"), struct.Struct("<Q")

PREFIX = "tokenizer.ggml."
_IDS = ("eos", "eot", "eom", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep")
WANTED = frozenset(
    PREFIX + name
    for name in ("model", "pre", "tokens", "token_type", *(f"{name}_token_id" for name in _IDS))
)


class FileFormat(Enum):
    """The formats that can be read."""

    HUGGINGFACE = "tokenizer.json"
    TEKKEN = "tekken.json"
    TIKTOKEN = "tiktoken rank file"
    SENTENCEPIECE = "sentencepiece model"
    GGUF = "GGUF file"


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerFile:
    """A tokenizer file in memory, its format known and nothing else checked."""

    tokenizer: str  # what the user asked for; the subject of messages
    file_name: str  # the file's name without its folder
    folder: Path  # where its neighbours lie
    format: FileFormat  # its format
    data: bytes  # its contents; empty for a GGUF file, which can be far larger than memory
    # the parsed object of a JSON format, the wanted entries of a GGUF file's header; empty for the
    # others
    contents: Mapping[str, Any]

    def broken(self, fact: str) -> TokenizerError:
        """Return the error that says what is wrong with this file."""
        return TokenizerError(self.tokenizer, f"{self.file_name} is broken: {fact}", UNDAMAGED)


def open_tokenizer_file(tokenizer: str, path: Path) -> TokenizerFile:
    """Return a tokenizer file, given by its path or that of its folder.

    Raises:
        TokenizerError: it is missing, empty, too large, unreadable, or no tokenizer.
    """
    if path.is_dir():
        found = find_tokenizer_file(path)
        if found is None:
            raise TokenizerError(
                tokenizer,
                "the folder holds no tokenizer",
                f"give a folder with one of {', '.join(TOKENIZER_FILES)}",
            )
        path = found
    if is_gguf(path):
        header = read_header(tokenizer, path)
        return TokenizerFile(tokenizer, path.name, path.parent, FileFormat.GGUF, b"", header)
    data = read_tokenizer_file(tokenizer, path)
    contents: dict[str, Any] = {}
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        contents = parse_json_object(tokenizer, path.name, data)
        is_tekken = "model" not in contents and isinstance(contents.get("vocab"), list)
        kind = FileFormat.TEKKEN if is_tekken else FileFormat.HUGGINGFACE
    elif _RANK_LINE.match(data):
        kind = FileFormat.TIKTOKEN
    elif data[:1] == b"\n":
        kind = FileFormat.SENTENCEPIECE
    else:
        raise TokenizerError(
            tokenizer,
            f"{path.name} is not a tokenizer",
            "give a tokenizer.json, tekken.json, tiktoken rank file, sentencepiece model or GGUF "
            "file",
        )
    return TokenizerFile(tokenizer, path.name, path.parent, kind, data, contents)


def find_tokenizer_file(folder: Path) -> Path | None:
    """Return the tokenizer file of a model's folder, the most complete format first."""
    for pattern in TOKENIZER_FILES:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                return path
    return None


def read_tokenizer_file(tokenizer: str, path: Path) -> bytes:
    """Return the contents of a file.

    Raises:
        TokenizerError: it is missing, empty, too large, unreadable, or not a regular file.
    """
    try:
        data = read_bounded(path, MAX_FILE_BYTES)
    except UnreadableFileError as error:
        remedy = (
            "give a tokenizer file, not a model's weights"
            if "larger" in error.reason
            else "give a tokenizer file that you may read"
        )
        raise TokenizerError(tokenizer, f"{path.name} {error.reason}", remedy) from None
    if not data.strip():
        raise TokenizerError(tokenizer, f"{path.name} is empty", UNDAMAGED)
    return data


def parse_json_object(tokenizer: str, file_name: str, data: bytes) -> dict[str, Any]:
    """Return the JSON object that is a file's whole contents.

    Raises:
        TokenizerError: it is not JSON, or not an object.
    """
    try:
        value = json.loads(data)
    except RecursionError as error:
        raise TokenizerError(tokenizer, f"{file_name} is nested too deeply", UNDAMAGED) from error
    except ValueError as error:
        raise TokenizerError(tokenizer, f"{file_name} is not JSON ({error})", UNDAMAGED) from error
    if not isinstance(value, dict):
        raise TokenizerError(tokenizer, f"{file_name} is not a JSON object", UNDAMAGED)
    return value


def is_gguf(path: Path) -> bool:
    """Whether a file begins as a GGUF file does; False if it cannot be read."""
    try:
        file = open_regular(path)
    except UnreadableFileError:
        return False
    try:
        return os.read(file, len(MAGIC)) == MAGIC
    except OSError:
        return False
    finally:
        os.close(file)


def read_header(tokenizer: str, path: Path) -> Mapping[str, Any]:
    """Return the wanted entries of a file's header.

    Numbers are ints, floats or bools, texts are bytes; an array of texts is a list of bytes, and
    one of numbers a NumPy array.

    Raises:
        TokenizerError: the file cannot be read, is cut off or forged, or of another version.
    """
    try:
        file = open_regular(path)
    except UnreadableFileError as error:
        reason = f"{path.name} {error.reason}"
        raise TokenizerError(tokenizer, reason, "give a model file that you may read") from None
    try:
        return _Reader(tokenizer, path.name, file).read()
    except OSError as error:
        reason = f"{path.name} cannot be read ({error.strerror})"
        raise TokenizerError(tokenizer, reason, "give a model file that you may read") from None
    finally:
        os.close(file)


class _Reader:
    """Reads the header of one open file, from its beginning."""

    def __init__(self, tokenizer: str, name: str, file: int) -> None:
        self._tokenizer, self._name, self._file = tokenizer, name, file
        self._n_bytes = os.fstat(file).st_size
        self._data = bytearray()
        self._at = 0
        self._n_texts = 0

    def read(self) -> Mapping[str, Any]:
        if self._take(len(MAGIC)) != MAGIC:
            raise self._broken("it does not begin as a GGUF file")
        version = self._uint32()
        if version not in (2, 3):
            is_swapped = version and version & 0xFFFF == 0
            what = "for a big-endian machine" if is_swapped else f"in version {version} of GGUF"
            raise TokenizerError(
                self._tokenizer,
                f"{self._name} is written {what}",
                "convert the model with a llama.cpp of today",
            )
        self._uint64()  # tensors, which are not looked at
        n_entries = self._uint64()
        if n_entries > _MAX_ENTRIES:
            raise self._broken(f"it claims {n_entries:,} entries")
        found: dict[str, Any] = {}
        for _ in range(n_entries):
            key = self._text(_MAX_KEY).decode(errors="replace")
            kind = self._uint32()
            value = self._value(kind, key, is_wanted=key in WANTED)
            if key in WANTED:
                if key in found:
                    raise self._broken(f"its entry {key} occurs twice")
                found[key] = value
        return found

    def _value(self, kind: int, key: str, *, is_wanted: bool) -> Any:
        if kind == _STRING:
            return self._text(MAX_HEADER_BYTES)
        if kind == _ARRAY:
            kind, n = self._uint32(), self._uint64()
            if kind == _STRING:
                return self._texts(n, key, is_wanted=is_wanted)
            return self._numbers(kind, n, key, is_wanted=is_wanted)
        return self._numbers(kind, 1, key, is_wanted=True)[0].item()

    def _numbers(self, kind: int, n: int, key: str, *, is_wanted: bool) -> Any:
        if kind not in _NUMBERS:
            raise self._broken(f"its entry {_shorten(key)} is of the unknown type {kind}")
        dtype = np.dtype(_NUMBERS[kind])
        begin = self._step(n * dtype.itemsize)
        return np.frombuffer(bytes(self._data[begin : self._at]), dtype) if is_wanted else None

    def _texts(self, n: int, key: str, *, is_wanted: bool) -> list[bytes] | None:
        self._n_texts += n
        if self._n_texts > _MAX_TEXTS:
            raise self._broken(f"its entry {_shorten(key)} claims {n:,} texts")
        found: list[bytes] = []
        size_at, size_of = _UINT64.unpack_from, _UINT64.size
        # Not by way of `_text`: there are a million of them.
        data, at = self._data, self._at
        for _ in range(n):
            if at + size_of > len(data):
                self._need(at + size_of)
            begin = at + size_of
            at = begin + size_at(data, at)[0]
            if at > len(data):
                self._need(at)
            if is_wanted:
                found.append(bytes(data[begin:at]))
        self._at = at
        return found if is_wanted else None

    def _text(self, limit: int) -> bytes:
        size = self._uint64()
        if size > limit:
            raise self._broken(f"a text of it claims {size:,} bytes")
        return self._take(size)

    def _uint32(self) -> int:
        return int(_UINT32.unpack(self._take(_UINT32.size))[0])

    def _uint64(self) -> int:
        return int(_UINT64.unpack(self._take(_UINT64.size))[0])

    def _take(self, n: int) -> bytes:
        begin = self._step(n)
        return bytes(self._data[begin : self._at])

    def _step(self, n: int) -> int:
        begin = self._at
        self._need(begin + n)
        self._at = begin + n
        return begin

    def _need(self, end: int) -> None:
        """Have the file's bytes up to an offset in memory."""
        if end > self._n_bytes:
            raise self._broken("it is cut off")
        if end > MAX_HEADER_BYTES:
            raise TokenizerError(
                self._tokenizer,
                f"the header of {self._name} is larger than {MAX_HEADER_BYTES:,} bytes",
                "give the model's tokenizer.json instead",
            )
        while len(self._data) < end:
            piece = os.read(self._file, max(_STEP, end - len(self._data)))
            if not piece:
                raise self._broken("it is cut off")
            self._data += piece

    def _broken(self, fact: str) -> TokenizerError:
        return TokenizerError(
            self._tokenizer, f"{self._name} is broken: {fact}", "give an undamaged file"
        )


def _shorten(key: str) -> str:
    return key if len(key) <= 60 else f"{key[:60]}…"
