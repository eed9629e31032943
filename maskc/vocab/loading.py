"""The vocabulary of a tokenizer, from the words a user gave.

Find the file, tell its format, read its tokens, apply what the user overrides. Nothing here needs
the packages of any tokenizer; only encoding text does (see :mod:`maskc.vocab.encoder`).

A tokenizer in memory is read as its file would be: what transformers and tokenizers hold is a
``tokenizer.json``, what sentencepiece holds is its model, tiktoken gives the bytes of each token,
and mistral-common names the file that it has read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import FileFormat, TokenizerFile, open_tokenizer_file
from maskc.vocab.gguf_tokens import load_gguf
from maskc.vocab.huggingface import find_eos_ids, load_huggingface
from maskc.vocab.registry import find_tokenizer, format_name
from maskc.vocab.sentencepiece_files import load_sentencepiece
from maskc.vocab.tiktoken_files import load_tekken, load_tiktoken, open_encoding
from maskc.vocab.vocabulary import (
    USUAL,
    AddedTokens,
    TokenizerTokens,
    Vocabulary,
    build_byte_table,
    build_vocabulary,
    order_tokens,
)

# Nothing beside it may be read: an object has no folder.
_NOWHERE = Path("/nonexistent")


def find_file_of(tokenizer: Any) -> Path | None:
    """Return the file that a tokenizer of mistral-common was read from; ``None`` for others."""
    if type(tokenizer).__module__.partition(".")[0] != "mistral_common":
        return None
    instruct = getattr(tokenizer, "instruct_tokenizer", tokenizer)
    path = getattr(getattr(instruct, "tokenizer", instruct), "file_path", None)
    return None if path is None else Path(path)


def read_tokenizer(tokenizer: Any) -> tuple[str, TokenizerTokens]:
    """Return the name and the tokens of a tokenizer object.

    Args:
        tokenizer: of transformers, tokenizers, tiktoken or sentencepiece.

    Raises:
        TokenizerError: it is none of these, or its tokens have no exact bytes.
    """
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):
        name = Path(str(getattr(tokenizer, "name_or_path", ""))).name or "the model's tokenizer"
        return name, _read_huggingface(name, tokenizer, backend.to_str())
    if hasattr(tokenizer, "serialized_model_proto"):
        name, data = "the sentencepiece model", tokenizer.serialized_model_proto()
        file = TokenizerFile(name, name, _NOWHERE, FileFormat.SENTENCEPIECE, data, {})
        return name, load_sentencepiece(file)
    if hasattr(tokenizer, "decode_single_token_bytes"):
        return str(tokenizer.name), _read_tiktoken(tokenizer)
    raise TokenizerError(
        "the tokenizer",
        f"a {type(tokenizer).__name__} does not give its tokens' bytes",
        "give a fast tokenizer of transformers, one of tokenizers, tiktoken, sentencepiece or "
        "mistral-common, or name the tokenizer's file",
    )


def _read_huggingface(name: str, tokenizer: Any, data: str) -> TokenizerTokens:
    file = TokenizerFile(
        name, "tokenizer.json", _NOWHERE, FileFormat.HUGGINGFACE, data.encode(), json.loads(data)
    )
    ends = getattr(tokenizer, "eos_token_id", None)
    listed = ends if isinstance(ends, Iterable) else () if ends is None else (ends,)
    return replace(load_huggingface(file), eos_ids=tuple(listed))


def _read_tiktoken(encoding: Any) -> TokenizerTokens:
    specials = {text: encoding.encode_single_token(text) for text in encoding.special_tokens_set}
    by_id: dict[int, bytes | None] = dict.fromkeys(specials.values())
    for token in range(encoding.n_vocab):
        if token in by_id:
            continue
        try:
            by_id[token] = encoding.decode_single_token_bytes(token)
        except KeyError:  # ids that nothing has
            by_id[token] = None
    end = specials.get("<|endoftext|>")
    ends = () if end is None else (end,)
    return TokenizerTokens(order_tokens(encoding.name, by_id), ends, specials)


def load_vocabulary(
    spec: Any,
    *,
    vocab_size: int | None = None,
    eos_ids: tuple[int, ...] | None = None,
    added_tokens: AddedTokens | None = None,
) -> Vocabulary:
    """Return the vocabulary of a tokenizer.

    Args:
        spec: a known name, one of tiktoken, a path to a tokenizer file or its folder, or
            ``org/name`` on the hub;
            or a tokenizer of transformers, tokenizers, tiktoken, sentencepiece or mistral-common.
        vocab_size: the model's padded size if it is larger than the tokenizer; padding ids are
            never legal.
        eos_ids: the ids that end the output, instead of those the tokenizer names.
        added_tokens: which added tokens that are not special write text; default: those that are
            not written like markers.

    Raises:
        TokenizerError: the tokenizer is unknown, not installed or broken, the size is smaller
            than the tokenizer, no end-of-sequence id is known, or ``added_tokens`` names a token
            that is no added one.
    """
    spec = find_file_of(spec) or spec
    spec = os.fspath(spec) if isinstance(spec, os.PathLike) else spec
    if isinstance(spec, str):
        spec = open_encoding(spec) or spec
    if isinstance(spec, str):
        name, table = format_name(spec), _read(spec, finds_ends=eos_ids is None)
    else:
        name, table = read_tokenizer(spec)
    return build_vocabulary(
        name, table, vocab_size=vocab_size, eos_ids=eos_ids, added_tokens=added_tokens or USUAL
    )


def _read(spec: str, *, finds_ends: bool) -> TokenizerTokens:
    path = find_tokenizer(spec)
    if path is None:
        return build_byte_table()
    file = open_tokenizer_file(spec, path)
    table = load_tokens(file)
    if finds_ends and file.format is FileFormat.HUGGINGFACE:
        return replace(table, eos_ids=find_eos_ids(file))
    return table


def load_tokens(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a file, with the end-of-sequence ids that the file itself holds.

    Raises:
        TokenizerError: the file is broken, or its tokens have no exact bytes.
    """
    match file.format:
        case FileFormat.HUGGINGFACE:
            return load_huggingface(file)
        case FileFormat.TEKKEN:
            return load_tekken(file)
        case FileFormat.TIKTOKEN:
            return load_tiktoken(file)
        case FileFormat.SENTENCEPIECE:
            return load_sentencepiece(file)
        case FileFormat.GGUF:
            return load_gguf(file)
