"""Reads tokenizer files within bounds, and tells their kind.

The kind is told from the contents, because names do not tell: ``tokenizer.model`` is a
sentencepiece model for one family of models and a tiktoken rank file for another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from maskc.errors import TokenizerError, UnreadableFileError
from maskc.files import read_bounded
from maskc.vocab.gguf_files import is_gguf, read_header

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
