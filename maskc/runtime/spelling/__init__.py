"""A spelling: how a tokenizer writes texts, made ahead, kept in a file, shared by matchers.

Example: ``maskc spelling --tokenizer llama3 -o llama3.spelling`` makes one, and
``maskc.load_spelling("llama3.spelling")`` loads it.

The file is a container as artifacts are, with a header of its own. Loading checks that no array
leads outside of another one, so that masks never raise, loop or read elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_path
from maskc.artifact.container import encode, load_container
from maskc.artifact.model import FORMAT, check_shapes, check_values
from maskc.artifact.sections import ArraySpec
from maskc.errors import ArtifactError
from maskc.files import write_atomically
from maskc.runtime import Shared, made_once
from maskc.runtime.spelling.tables import (
    FROM_START,
    MERGED,
    NEVER,
    NO_TOKEN,
    WHOLE_CHUNK,
    Chunks,
    Ints,
    Pairs,
    WholeChunks,
    Words,
    pack,
    read_tokens,
)
from maskc.runtime.vocabulary import BYTES, FIRST, TokenTable, share_tokens

KIND = "spelling"
VERSION = 2  # of the tables
_MOST_ROWS = 4_000  # a row of a usual vocabulary takes 16 KB
_MOST_NODES = 32  # whose tokens' successors are kept, four bytes a token


# Dimensions: V tokens, W whole chunks, N nodes of the chunks' automaton, K byte classes.
SECTIONS = {
    FIRST: ArraySpec("int32", ("V+1",), offsets=BYTES),
    BYTES: ArraySpec("uint8", ("token bytes",)),
    "kind": ArraySpec("uint8", ("V",), below="kinds"),
    "token_left": ArraySpec("int32", ("V",), below="V", least=NO_TOKEN),
    "token_right": ArraySpec("int32", ("V",), below="V", least=NO_TOKEN),
    "token_rank": ArraySpec("int32", ("V",), below="ranks", least=NO_TOKEN),
    "merge_first": ArraySpec("int32", ("V+1",), offsets="merge_right"),
    "merge_right": ArraySpec("int32", ("merges",), below="V"),
    "merge_rank": ArraySpec("int32", ("merges",), below="ranks"),
    "edge_token": ArraySpec("int32", ("edges",), below="V"),
    "edge_side": ArraySpec("uint8", ("edges",)),
    "edge_symbol": ArraySpec("int32", ("edges",), below="V"),
    "edge_since": ArraySpec("int32", ("edges",), least=FROM_START),
    "edge_key": ArraySpec("int32", ("edges",)),
    "whole_first": ArraySpec("int32", ("W+1",), offsets="whole_part"),
    "whole_part": ArraySpec("int32", ("parts",), below="V"),
    "byte_class": ArraySpec("uint8", ("256",), below="K"),
    "chunk_next": ArraySpec("int32", ("N", "K"), below="N"),
    "chunk_may_end": ArraySpec("bool", ("N",)),
    "cut_first": ArraySpec("int32", ("N+1",), offsets="cut_node"),
    "cut_node": ArraySpec("int32", ("cuts",), below="N", least=1),
}


class Spelling(Shared):
    """How a tokenizer writes texts. Immutable; made by ``maskc.compile_spelling``, or loaded.

    Attributes:
        header: what the file says about itself.
        arrays: what the file holds.
        tokens: the vocabulary.
        chunks: where texts are cut.
        is_merged: bool[vocab_size], the tokens that merging leads to.
        is_written: bool[vocab_size], these and the whole chunks.
        writes: int32[n_words], the tokens that have bytes.
    """

    pickle_remedy = "send the path of its file, and maskc.load_spelling it there"

    def __init__(self, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.header, self.arrays = header, arrays
        self.tokens: TokenTable = share_tokens(arrays[FIRST], arrays[BYTES], is_borrowed=True)
        nodes, first = arrays["cut_node"].tolist(), arrays["cut_first"].tolist()
        self.chunks = Chunks(
            byte_class=arrays["byte_class"],
            next=arrays["chunk_next"],
            cuts=tuple(tuple(nodes[low:high]) for low, high in pairwise(first)),
            may_end=arrays["chunk_may_end"],
            start=int(header["chunk_start"]),
        )
        self.is_merged, self.is_written = arrays["kind"] == MERGED, arrays["kind"] != NEVER
        self.writes = pack(np.diff(self.tokens.first) > 0)
        self._rows: dict[tuple[int, bool], Words] = {}
        self._after: dict[int, NDArray[Any]] = {}

    def neighbours(self, token: int, *, is_left: bool) -> Words:
        """Return int32[n_words], the tokens that may follow a token in a chunk; or precede it."""
        row = self._rows.get((token, is_left))
        if row is None:
            row = pack(self._pairs.neighbours(token, is_left=is_left))
            evict_half(self._rows, _MOST_ROWS)
            self._rows[token, is_left] = row
        return row

    @made_once
    def _pairs(self) -> Pairs:
        return Pairs(self.arrays)

    def after(self, node: int, ids: Ints) -> NDArray[Any]:
        """Return the node of the chunks after each of some tokens."""
        every = self._after.get(node)
        if every is None and 8 * len(ids) < self.tokens.vocab_size:
            return read_tokens(self.tokens, ids, node, self.chunks.move)
        if every is None:
            every = np.arange(self.tokens.vocab_size, dtype=np.int32)
            every = read_tokens(self.tokens, every, node, self.chunks.move)
            evict_half(self._after, _MOST_NODES)
            self._after[node] = every
        return every[ids]

    @made_once
    def whole_chunks(self) -> WholeChunks:
        """The tokens that are written only as a whole chunk."""
        tokens = np.flatnonzero(self.arrays["kind"] == WHOLE_CHUNK).tolist()
        parts = np.split(self.arrays["whole_part"], self.arrays["whole_first"][1:-1])
        return WholeChunks({t: p.tolist() for t, p in zip(tokens, parts, strict=False)})

    def tokens_at(self, text: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield the tokens that a text has at an index, each after the index where it ends."""
        ids, longest = self._by_text
        for end in range(start + 1, min(len(text), start + longest) + 1):
            for token in ids.get(text[start:end], ()):
                yield end, token

    @made_once
    def _by_text(self) -> tuple[dict[bytes, list[int]], int]:
        """The tokens that are written, by their bytes, and the length of the longest."""
        ids: dict[bytes, list[int]] = {}
        for token in np.flatnonzero(self.is_written).tolist():
            ids.setdefault(self.tokens.text_of(token) or b"", []).append(token)
        return ids, max(map(len, ids), default=0)

    def count(self) -> dict[str, int]:
        """Return how much of everything there is, by name."""
        return {
            "vocab_size": self.tokens.vocab_size,
            "n_merges": len(self.arrays["merge_right"]),
            "n_nodes": len(self.chunks.next),
            "n_written": int(np.count_nonzero(self.is_written)),
            "n_alone": int(np.count_nonzero(self.arrays["kind"] == WHOLE_CHUNK)),
        }

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the file: to a temporary one beside ``path``, then renamed; return its size.

        Raises:
            OutputError: the folder cannot be written to.
        """
        data = encode({**self.header, "format": FORMAT, "kind": KIND}, self.arrays)
        write_atomically(os.fspath(path), data)
        return len(data)

    def __repr__(self) -> str:
        return f"<maskc.Spelling of {str(self.header['tokenizer']['name'])[:60]}>"


def load_spelling(path: str | os.PathLike[str]) -> Spelling:
    """Return how a tokenizer writes texts, from a file, checked.

    Raises:
        ArtifactError: it is no such file, damaged, or of another format version.
    """
    name = as_path("a spelling", path)
    header, arrays = load_container(name)
    if header.get("kind") != KIND:
        remedy = "give a file that `maskc spelling` wrote"
        raise ArtifactError(name, "does not say how a tokenizer writes texts", remedy)
    version, remedy = header.get("version", 1), "make it again with `maskc spelling`"
    if type(version) is not int or version != VERSION:
        fact = f"has version {version!r:.20} of the tables, and this maskc reads {VERSION}"
        raise ArtifactError(name, fact, remedy)
    fault = _find_fault(header, arrays)
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", remedy)
    return Spelling(header, arrays)


def _find_fault(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong, ``None`` if nothing is."""
    # Keys of ranks are int32.
    sizes = {"kinds": WHOLE_CHUNK + 1, "ranks": 1 << 28}
    fault = check_shapes(arrays, SECTIONS, sizes) or check_values(arrays, SECTIONS, sizes)
    if fault:
        return fault
    tokenizer, start = header.get("tokenizer"), header.get("chunk_start")
    if not isinstance(tokenizer, dict) or not isinstance(tokenizer.get("name"), str):
        return "the header lacks its tokenizer"
    if type(start) is not int or not 0 < start < sizes["N"]:
        return "the header lacks where texts begin"
    if arrays["chunk_next"][0].any() or arrays["chunk_may_end"][0]:
        return "the dead node of the chunks leads on"
    lengths, kind, size = np.diff(arrays[FIRST]), arrays["kind"], sizes["V"]
    if (lengths[kind > 0] == 0).any():
        return "a token is written that has no bytes"
    left, right, rank = (arrays[f"token_{name}"] for name in ("left", "right", "rank"))
    is_joined = left >= 0
    if not np.array_equal(is_joined, right >= 0) or not np.array_equal(is_joined, rank >= 0):
        return "a token has one part"
    # Parts are shorter than their token, so no token is a part of itself.
    parts = lengths[left[is_joined]], lengths[right[is_joined]]
    if (parts[0] + parts[1] != lengths[is_joined]).any() or (np.minimum(*parts) == 0).any():
        return "a token is not its two parts"
    merge_left = np.repeat(np.arange(size, dtype=np.int64), np.diff(arrays["merge_first"]))
    if (np.diff(merge_left * size + arrays["merge_right"]) <= 0).any():
        return "merges are not in order"
    if (kind[arrays["edge_token"]] != MERGED).any():
        return "an edge symbol is of a token that is not merged"
    n_whole = np.count_nonzero(kind == WHOLE_CHUNK)
    is_whole = sizes["W"] == n_whole and np.diff(arrays["whole_first"]).all()
    return None if is_whole else "a whole chunk has no other tokens"


def evict_half(known: dict[Any, Any], most: int) -> None:
    """Forget the older half of what is known if it is too much."""
    if len(known) >= most:
        # A dictionary is in the order of its making.
        for key in list(known)[: most // 2]:
            known.pop(key, None)
