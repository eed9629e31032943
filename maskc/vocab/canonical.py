"""Encodes texts by a tokenizer's own package.

One function from text to ids for each file format, made with the package that belongs to it:
``tokenizers``, ``tiktoken``, ``sentencepiece`` or ``llama_cpp``, imported only when text is to be
encoded. Each is set up so that the ids are those of plain text in the middle of an output: no
special tokens, of the added ones only those that are text, no added space, no normalisation.
Exactness is :mod:`maskc.vocab.encoder`'s promise.

Example: for Llama 3's file, ``"Hello world"`` gives ``[9906, 1917]``.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import UNDAMAGED, FileFormat, TokenizerFile
from maskc.vocab.registry import format_install
from maskc.vocab.sentencepiece_files import build_exact_model
from maskc.vocab.tekken_files import parse_tekken
from maskc.vocab.tiktoken_files import find_layout, parse_ranks

# As Meta's encoder does: tiktoken's regular expressions fail on much longer texts and runs.
_MAX_CHARACTERS = 400_000
_MAX_RUN = 25_000
_LONG_RUN = re.compile(rf"\s{{{_MAX_RUN + 1},}}|\S{{{_MAX_RUN + 1},}}")


def build_tokenize(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    """Return the function from a text to the ids of its canonical tokens.

    Args:
        file: of the tokenizer.
        is_text: whether a token has bytes, by its id; asked of added tokens.

    Raises:
        TokenizerError: the package is missing, it refuses the file, or the file does not say how
            text is split.
    """
    match file.format:
        case FileFormat.HUGGINGFACE:
            return _build_huggingface(file, is_text)
        case FileFormat.GGUF:
            return _build_llama_cpp(file)
        case FileFormat.SENTENCEPIECE:
            return _build_sentencepiece(file, is_text)
        case FileFormat.TEKKEN:
            tekken = parse_tekken(file)
            ranks = {token: rank for rank, token in enumerate(tekken.ranks)}
            return _build_tiktoken(file, ranks, tekken.pattern, first_id=tekken.n_special)
        case FileFormat.TIKTOKEN:
            ranks = parse_ranks(file)
            layout = find_layout(ranks)
            if layout is None:
                raise TokenizerError(
                    file.tokenizer,
                    f"{file.file_name} does not say how its model splits text",
                    "give the model's tokenizer.json instead",
                )
            return _build_tiktoken(file, ranks, layout.pattern, first_id=0)


def _build_tiktoken(
    file: TokenizerFile, ranks: Mapping[bytes, int], pattern: str, *, first_id: int
) -> Callable[[str], list[int]]:
    tiktoken = _import(file, "tiktoken")
    try:
        encoding = tiktoken.Encoding(
            file.file_name, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={}
        )
    except ValueError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = []
        for part in _split_long_text(text):
            ids += encoding.encode_ordinary(part)
        return [token_id + first_id for token_id in ids] if first_id else ids

    return tokenize


def _split_long_text(text: str) -> Iterator[str]:
    """Yield the text in parts of bounded length with runs of bounded length."""
    for first in range(0, len(text), _MAX_CHARACTERS):
        part = text[first : first + _MAX_CHARACTERS]
        start = 0
        for run in _LONG_RUN.finditer(part):
            for cut in range(run.start() + _MAX_RUN, run.end(), _MAX_RUN):
                yield part[start:cut]
                start = cut
        yield part[start:]


def _build_sentencepiece(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    sentencepiece = _import(file, "sentencepiece")
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(build_exact_model(file, is_text))
    except RuntimeError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = processor.encode(text)
        return ids

    return tokenize


def _build_llama_cpp(file: TokenizerFile) -> Callable[[str], list[int]]:
    llama_cpp = _import(file, "llama_cpp", "pip install 'maskc[llama-cpp]'")
    try:
        model = llama_cpp.Llama(
            str(file.folder / file.file_name),
            vocab_only=True,
            verbose=False,
            kv_overrides={"tokenizer.ggml.add_space_prefix": False},
        )
    except ValueError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = model.tokenize(text.encode(), add_bos=False, special=False)
        return ids

    return tokenize


def _build_huggingface(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    tokenizers = _import(file, "tokenizers")
    rows = file.contents.get("added_tokens") or []
    found = [row for row in rows if row.get("special", True) is False and is_text(row["id"])]
    try:
        contents = json.dumps(
            {
                **file.contents,
                "model": file.contents["model"] | {"dropout": None},
                "added_tokens": found,
                "post_processor": None,
                "truncation": None,
                "padding": None,
                "normalizer": _keep_replacing_spaces(file.contents.get("normalizer")),
                "pre_tokenizer": _drop_added_space(file.contents.get("pre_tokenizer")),
            }
        )
    except RecursionError as error:
        raise _refused(file, error) from error
    with _BareExceptions(file):
        tokenizer = tokenizers.Tokenizer.from_str(contents)
    # Without those before them, added tokens get other ids than the file says.
    known = {tokenizer.token_to_id(row["content"]): row["id"] for row in found}

    def tokenize(text: str) -> list[int]:
        with _BareExceptions(file):
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return [known.get(token_id, token_id) for token_id in ids] if known else ids

    return tokenize


def _keep_replacing_spaces(normalizer: Any) -> dict[str, Any]:
    """Return a normalizer with only those steps that write a space as another string."""
    kept: list[Any] = []
    pending = [normalizer]
    while pending:
        match pending.pop():
            case {"type": "Sequence", "normalizers": list(steps)}:
                pending += reversed(steps)
            case {"type": "Replace", "pattern": {"String": " "}, "content": str()} as step:
                kept.append(step)
    return {"type": "Sequence", "normalizers": kept}


def _drop_added_space(pre_tokenizer: Any) -> Any:
    """Return a pre-tokenizer that puts no space in front of the text."""
    match pre_tokenizer:
        case {"type": "Sequence", "pretokenizers": list(steps)}:
            return pre_tokenizer | {"pretokenizers": [_drop_added_space(step) for step in steps]}
        case {"type": "Metaspace"}:
            return pre_tokenizer | {"prepend_scheme": "never", "add_prefix_space": False}
        case {"type": "ByteLevel"}:
            return pre_tokenizer | {"add_prefix_space": False}
        case _:
            return pre_tokenizer


class _BareExceptions:
    """Turns the errors of ``tokenizers``, which are bare ``Exception`` objects, into ours.

    No except clause can name them without catching every other error too.
    """

    def __init__(self, file: TokenizerFile) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is Exception and error is not None:
            raise _refused(self._file, error) from error


def _import(file: TokenizerFile, package: str, remedy: str = "") -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise TokenizerError(
            file.tokenizer,
            f"encoding text needs the package {package}, which is not installed",
            remedy or format_install(file.tokenizer),
        ) from error


def _refused(file: TokenizerFile, error: BaseException) -> TokenizerError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return TokenizerError(
        file.tokenizer, f"{file.file_name} cannot be used to encode ({lines[0]})", UNDAMAGED
    )
