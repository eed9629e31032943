r"""How a tokenizer writes texts, for the runtime: what its file and its package say.

A tokenizer must cut texts by patterns, and merge bytes by ranks. All others are refused by name.

The characters of a pattern's class are asked of the package that reads the pattern, once for each
class: ``\p{L}`` depends on the tables of Unicode that a package was made with, and ``\s`` on what
it takes for a blank. Tiktoken's ``\s`` has 25 characters; Python's ``re`` has four more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

import numpy as np

import maskc
from maskc.errors import TokenizerError
from maskc.frontends.lark.regex_module import CharacterTest
from maskc.regular.charset import CodePoints, every_character
from maskc.runtime.spelling import SECTIONS, VERSION, Spelling
from maskc.runtime.spelling.tables import (
    FOREVER,
    FROM_START,
    LEFT,
    MERGED,
    NO_TOKEN,
    RIGHT,
    WHOLE_CHUNK,
    Chunks,
)
from maskc.runtime.vocabulary import BYTES, FIRST
from maskc.spelling.chunks import (
    Rules,
    Step,
    build_chunks,
    merge,
    read_stages,
    refuse,
    rules_of_json,
    rules_of_ranks,
)
from maskc.vocab.encoder import import_package
from maskc.vocab.files import FileFormat, TokenizerFile, open_tokenizer_file
from maskc.vocab.loading import load_vocabulary
from maskc.vocab.registry import find_tokenizer
from maskc.vocab.tiktoken_files import find_layout, parse_ranks, parse_tekken
from maskc.vocab.vocabulary import Vocabulary


def ask_tiktoken(tiktoken: Any) -> CharacterTest:
    """Return the classes of tiktoken, which drops what a pattern does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}

    def find(pattern: str, text: str) -> str:
        encoding = tiktoken.Encoding(
            "classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
        return bytes(encoding.encode_ordinary(text)).decode()

    return _remember(find)


def ask_tokenizers(tokenizers: Any) -> CharacterTest:
    """Return the classes of ``tokenizers``, whose splitters can drop what does not match."""

    def find(pattern: str, text: str) -> str:
        regex = tokenizers.Regex(pattern)
        splitter = tokenizers.pre_tokenizers.Split(regex, "removed", invert=True)
        return "".join(part for part, _ in splitter.pre_tokenize_str(text))

    return _remember(find)


def _remember(find: Callable[[str, str], str]) -> CharacterTest:
    known: dict[tuple[str, bool], CodePoints] = {}

    def ask(item: str, *, folds: bool) -> CodePoints:
        if (item, folds) not in known:
            # Runs at a time: a package may take a microsecond for each match, or several.
            matched = find(f"(?i:{item})+" if folds else f"(?:{item})+", every_character())
            runs = groupby(enumerate(map(ord, matched)), lambda pair: pair[1] - pair[0])
            members = [[point for _, point in run] for _, run in runs]
            known[item, folds] = tuple((run[0], run[-1]) for run in members)
        return known[item, folds]

    return ask


_EDGE_COLUMNS = ("token", "side", "symbol", "since", "key")
Edge = tuple[int, int, int, int, int]


def make_spelling(tokenizer: str) -> Spelling:
    """Return how a tokenizer writes texts; see :func:`maskc.compile_spelling`."""
    vocabulary = load_vocabulary(tokenizer, eos_ids=None)
    path = find_tokenizer(tokenizer)
    if path is None:
        # The built-in tokenizer writes a token for each byte, and cuts nowhere.
        bytes_alone = {byte: bytes([byte]) for byte in range(256)}
        table = np.array([[0], [1]], dtype=np.int32)
        chunks = Chunks(np.zeros(256, np.uint8), table, ((), ()), np.array([False, True]), 1)
        return assemble(vocabulary, bytes_alone, {}, chunks, is_whole_written=False)
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


def _make_of_ranks(
    file: TokenizerFile, vocabulary: Vocabulary, tokens: dict[int, bytes], pattern: str
) -> Spelling:
    ask = ask_tiktoken(import_package(file, "tiktoken", "its pre-tokenizer"))
    chunks = build_chunks([pattern], ask, has_gaps=False)
    # What is one token as a whole is looked up before anything is merged.
    return assemble(vocabulary, tokens, rules_of_ranks(tokens), chunks, is_whole_written=True)


def _make_of_json(file: TokenizerFile, vocabulary: Vocabulary) -> Spelling:
    tokens, rules = rules_of_json(file)
    for token, name in vocabulary.added.items():
        if vocabulary.tokens[token] is not None:
            raise refuse(file, f"its added token {name!r} is found in texts before they are cut")
    ask = ask_tokenizers(import_package(file, "tokenizers", "its pre-tokenizer"))
    chunks = build_chunks(read_stages(file), ask, has_gaps=True)
    is_whole_written = file.contents["model"].get("ignore_merges") is True
    return assemble(vocabulary, tokens, rules, chunks, is_whole_written=is_whole_written)


def assemble(
    vocabulary: Vocabulary,
    tokens: Mapping[int, bytes],
    rules: Rules,
    chunks: Chunks,
    *,
    is_whole_written: bool,
) -> Spelling:
    """Return a spelling of all tokens, those that are merged, how, and where texts are cut.

    With ``is_whole_written``, a chunk that is one token is that token, whatever merging says.

    Raises:
        TokenizerError: a byte has no token, or merging leads to a token without bytes.
    """
    columns = _list_columns(vocabulary, tokens, rules, is_whole_written=is_whole_written)
    for token in np.flatnonzero(columns["kind"]).tolist():
        if vocabulary.tokens[token] is None:
            fact = f"its token {token} writes no text, and texts are written with it"
            raise TokenizerError(vocabulary.name, fact, "give its id as one that writes text")
    merges = np.array(sorted((*pair, rank) for pair, (rank, _) in rules.items())).reshape(-1, 3)
    texts = [text or b"" for text in vocabulary.tokens]
    arrays: dict[str, Any] = {
        **columns,
        FIRST: _offsets(texts),
        BYTES: np.frombuffer(b"".join(texts), dtype=np.uint8),
        "merge_first": np.searchsorted(merges[:, 0], np.arange(len(texts) + 1)),
        "merge_right": merges[:, 1],
        "merge_rank": merges[:, 2],
        "byte_class": chunks.byte_class,
        "chunk_next": chunks.next,
        "chunk_may_end": chunks.may_end,
        "cut_first": _offsets(chunks.cuts),
        "cut_node": [node for after in chunks.cuts for node in after],
    }
    header = {
        "maskc": maskc.__version__,
        "tokenizer": {"name": vocabulary.name, "vocab_size": len(texts)},
        "version": VERSION,
        "chunk_start": chunks.start,
    }
    typed = {name: np.ascontiguousarray(arrays[name], s.dtype) for name, s in SECTIONS.items()}
    return Spelling(header, typed)


def _list_columns(
    vocabulary: Vocabulary, tokens: Mapping[int, bytes], rules: Rules, *, is_whole_written: bool
) -> dict[str, Any]:
    """Return the arrays of how each token comes to be written."""
    size = len(vocabulary.tokens)
    by_text = {text: token for token, text in reversed(list(tokens.items()))}
    kind = np.zeros(size, dtype=np.uint8)
    parts = np.full((3, size), NO_TOKEN, dtype=np.int32)
    edges, whole = list[Edge](), dict[int, list[int]]()
    for byte in range(256):
        if bytes([byte]) not in by_text:
            fact = f"it has no token for the byte {byte}"
            raise TokenizerError(vocabulary.name, fact, "use one with byte-level merges")
    for token, text in tokens.items():
        symbols = [by_text[bytes([byte])] for byte in text]
        merged, steps = merge(rules, symbols)
        if merged == [token]:
            kind[token] = MERGED
            ranks = [step[0] for step in steps]
            if ranks != sorted(ranks):
                edges += _list_edges(token, symbols, steps)
            elif steps:
                rank, left, right, *_ = steps[-1]
                parts[:, token] = left, right, rank
        elif is_whole_written and by_text[text] == token:
            kind[token] = WHOLE_CHUNK
            whole[token] = merged
    columns = np.array(edges, dtype=np.int32).reshape(-1, 5).T
    return {
        "kind": kind,
        **dict(zip(("token_left", "token_right", "token_rank"), parts, strict=True)),
        **{f"edge_{name}": columns[n] for n, name in enumerate(_EDGE_COLUMNS)},
        "whole_first": _offsets([whole[token] for token in sorted(whole)]),
        "whole_part": [part for token in sorted(whole) for part in whole[token]],
    }


def _list_edges(token: int, symbols: Sequence[int], steps: Sequence[Step]) -> list[Edge]:
    """Return the edge symbols of a token whose merges are not in ascending order of ranks."""
    edges: list[Edge] = []
    for side in (LEFT, RIGHT):
        # The left token of a pair touches the border with its right edge.
        touching, since = symbols[-1 if side == LEFT else 0], FROM_START
        for rank, _, _, result, start, end in steps:
            key = 4 * rank + side
            edges.append((token, side, touching, since, key))
            since = max(since, key)
            if end == len(symbols) if side == LEFT else start == 0:
                touching = result
        edges.append((token, side, token, since, FOREVER))
    return edges


def _offsets(lists: Iterable[Sequence[int] | bytes]) -> list[int]:
    return [*accumulate(map(len, lists), initial=0)]
