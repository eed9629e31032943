"""The vocabulary of a tokenizer, from the words a user gave.

Find the file, tell its format, read its tokens, apply what the user overrides. Nothing here needs
the packages of any tokenizer; only encoding text does (see :mod:`maskc.vocab.encoder`).

Example: ``load_vocabulary("bytes").tokens[65]`` is ``b"A"``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from maskc.vocab.added import USUAL, AddedTokens
from maskc.vocab.files import FileFormat, TokenizerFile, open_tokenizer_file
from maskc.vocab.gguf_tokens import load_gguf
from maskc.vocab.huggingface import find_eos_ids, load_huggingface
from maskc.vocab.objects import find_file_of, read_tokenizer
from maskc.vocab.registry import find_tokenizer, format_name
from maskc.vocab.sentencepiece_files import load_sentencepiece
from maskc.vocab.tekken_files import load_tekken
from maskc.vocab.tiktoken_files import load_tiktoken
from maskc.vocab.vocabulary import TokenTable, Vocabulary, build_byte_table, build_vocabulary


def load_vocabulary(
    spec: Any,
    *,
    vocab_size: int | None = None,
    eos_ids: tuple[int, ...] | None = None,
    added_tokens: AddedTokens | None = None,
) -> Vocabulary:
    """Return the vocabulary of a tokenizer.

    Args:
        spec: a known name, a path to a tokenizer file or its folder, or ``org/name`` on the hub;
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
        name, table = format_name(spec), _read(spec, finds_ends=eos_ids is None)
    else:
        name, table = read_tokenizer(spec)
    return build_vocabulary(
        name,
        table,
        vocab_size=vocab_size,
        eos_ids=eos_ids,
        added_tokens=added_tokens or USUAL,
    )


def _read(spec: str, *, finds_ends: bool) -> TokenTable:
    path = find_tokenizer(spec)
    if path is None:
        return build_byte_table()
    file = open_tokenizer_file(spec, path)
    table = load_tokens(file)
    if finds_ends and file.format is FileFormat.HUGGINGFACE:
        return replace(table, eos_ids=find_eos_ids(file))
    return table


def load_tokens(file: TokenizerFile) -> TokenTable:
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
