"""How does a tokenizer write texts? All that its file and its package say, put together.

Example: ``make_spelling("llama3")`` takes about half a minute of one core, and is made once.

A tokenizer must cut texts by patterns, and merge bytes by ranks. All others are refused by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskc
from maskc.errors import TokenizerError
from maskc.runtime.spelling.chunks import Chunks
from maskc.runtime.spelling.spelling import ALONE, EVEN, NEVER, UNEVEN, Spelling
from maskc.runtime.vocabulary import BYTES, FIRST
from maskc.spelling.chunks import build_chunks, read_stages
from maskc.spelling.classes import ask_tiktoken, ask_tokenizers
from maskc.spelling.merging import (
    Rule,
    build_merges,
    find_shapes,
    merges_of_json,
    merges_of_ranks,
    refuse,
)
from maskc.vocab.files import FileFormat, TokenizerFile, open_tokenizer_file
from maskc.vocab.loading import load_vocabulary
from maskc.vocab.registry import find_tokenizer, format_install
from maskc.vocab.tekken_files import parse_tekken
from maskc.vocab.tiktoken_files import find_layout, parse_ranks
from maskc.vocab.vocabulary import Vocabulary

BASE_SIZE = 256


def make_spelling(tokenizer: str) -> Spelling:
    """Return how a tokenizer writes texts.

    Args:
        tokenizer: a name, a path, or ``org/name`` on the hub.

    Raises:
        LimitError: its pattern is too large.
        TokenizerError: it is unknown, its package is not installed, or it writes texts in a way
            that is not followed here.
    """
    vocabulary = load_vocabulary(tokenizer, eos_ids=None)
    path = find_tokenizer(tokenizer)
    if path is None:
        return make_byte_spelling(vocabulary)
    file = open_tokenizer_file(tokenizer, path)
    match file.format:
        case FileFormat.TIKTOKEN:
            ranks = parse_ranks(file)
            layout = find_layout(ranks)
            if layout is None:
                raise refuse(file, f"{file.file_name} does not say how its model splits text")
            tokens = {rank: token for token, rank in ranks.items()}
            return _make_of_ranks(file, vocabulary, tokens, layout.pattern)
        case FileFormat.TEKKEN:
            tekken = parse_tekken(file)
            tokens = dict(enumerate(tekken.ranks, tekken.n_special))
            return _make_of_ranks(file, vocabulary, tokens, tekken.pattern)
        case FileFormat.HUGGINGFACE:
            return _make_of_json(file, vocabulary)
        case _:
            raise refuse(file, f"{file.file_name} is a {file.format.value}")


def make_byte_spelling(vocabulary: Vocabulary) -> Spelling:
    """Return how the built-in tokenizer writes texts: a byte each."""
    tokens = {byte: bytes([byte]) for byte in range(BASE_SIZE)}
    everything = Chunks(
        np.zeros(BASE_SIZE, dtype=np.uint8),
        np.array([[0], [1]], dtype=np.int32),
        ((), ()),
        np.array([False, True]),
        1,
    )
    return assemble(vocabulary, tokens, [], everything, is_alone_written=False)


def _make_of_ranks(
    file: TokenizerFile, vocabulary: Vocabulary, tokens: dict[int, bytes], pattern: str
) -> Spelling:
    ask = ask_tiktoken(_import(file, "tiktoken"))
    chunks = build_chunks([pattern], ask, has_gaps=False)
    rules = merges_of_ranks(tokens)
    # What is one token as a whole is looked up before anything is merged.
    return assemble(vocabulary, tokens, rules, chunks, is_alone_written=True)


def _make_of_json(file: TokenizerFile, vocabulary: Vocabulary) -> Spelling:
    tokens, rules = merges_of_json(file)
    for token in vocabulary.added:
        if vocabulary.tokens[token] is not None:
            name = vocabulary.added[token]
            raise refuse(file, f"its added token {name!r} is found in texts before they are cut")
    stages = read_stages(file)
    chunks = build_chunks(stages, ask_tokenizers(_import(file, "tokenizers")), has_gaps=True)
    is_alone_written = file.contents["model"].get("ignore_merges") is True
    return assemble(vocabulary, tokens, rules, chunks, is_alone_written=is_alone_written)


def assemble(
    vocabulary: Vocabulary,
    tokens: Mapping[int, bytes],
    rules: list[Rule],
    chunks: Chunks,
    *,
    is_alone_written: bool,
) -> Spelling:
    """Return a spelling of its parts.

    Args:
        vocabulary: the tokens, those without bytes included.
        tokens: those that are merged, by id.
        rules: the merges.
        chunks: where texts are cut.
        is_alone_written: whether a chunk that is one token is that token, whatever merging says.

    Raises:
        TokenizerError: a byte has no token, or merging leads to a token without bytes.
    """
    size = len(vocabulary.tokens)
    by_text = {text: token for token, text in reversed(list(tokens.items()))}
    base = [by_text.get(bytes([byte])) for byte in range(BASE_SIZE)]
    if None in base:
        fact = f"it has no token for the byte {base.index(None)}"
        raise TokenizerError(vocabulary.name, fact, "use one with byte-level merges")
    known = [token for token in base if token is not None]
    merges = build_merges(rules, size)
    symbols_of = {token: [known[byte] for byte in text] for token, text in tokens.items()}
    shapes, others = find_shapes(merges, symbols_of, size)
    kind = np.full(size, NEVER, dtype=np.uint8)
    kind[shapes.is_whole] = EVEN
    kind[list(shapes.uneven)] = UNEVEN
    if is_alone_written:
        kind[[token for token in others if by_text[tokens[token]] == token]] = ALONE
    _check_written(vocabulary, kind)
    arrays: dict[str, NDArray[Any]] = {
        **_list_texts(vocabulary),
        "base": np.array(known, dtype=np.int32),
        "kind": kind,
        "token_left": shapes.left,
        "token_right": shapes.right,
        "token_rank": shapes.rank,
        "merge_first": merges.first,
        "merge_right": merges.right,
        "merge_rank": merges.rank,
        "merge_result": merges.result,
        **_list_cuts(chunks),
    }
    header = {
        "maskc": maskc.__version__,
        "tokenizer": {"name": vocabulary.name, "vocab_size": size},
        "chunk_start": chunks.start,
    }
    return Spelling(header, arrays)


def _list_texts(vocabulary: Vocabulary) -> dict[str, NDArray[Any]]:
    texts = [text or b"" for text in vocabulary.tokens]
    return {
        FIRST: np.cumsum([0, *map(len, texts)]).astype(np.int32),
        BYTES: np.frombuffer(b"".join(texts), dtype=np.uint8),
    }


def _list_cuts(chunks: Chunks) -> dict[str, NDArray[Any]]:
    marks = chunks.marks
    return {
        "byte_class": chunks.byte_class,
        "chunk_next": chunks.next,
        "chunk_may_end": chunks.may_end,
        "mark_first": np.cumsum([0, *map(len, marks)]).astype(np.int32),
        "mark_node": np.array([n for after in marks for n in after], dtype=np.int32),
    }


def _check_written(vocabulary: Vocabulary, kind: NDArray[np.uint8]) -> None:
    """Refuse a tokenizer that writes tokens which write no text."""
    for token in np.flatnonzero(kind).tolist():
        if vocabulary.tokens[token] is None:
            raise TokenizerError(
                vocabulary.name,
                f"its token {token} writes no text, and texts are written with it",
                "give its id as one that writes text",
            )


def _import(file: TokenizerFile, package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise TokenizerError(
            file.tokenizer,
            f"how it cuts texts is asked of the package {package}, which is not installed",
            format_install(file.tokenizer),
        ) from error
