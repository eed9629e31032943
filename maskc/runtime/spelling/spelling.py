"""What is known of how a tokenizer writes texts: made ahead, kept in a file, shared by matchers.

Example: ``maskc spelling --tokenizer llama3 -o llama3.spelling`` makes one, and
``maskc.load_spelling("llama3.spelling")`` loads it.

The file is a container as artifacts are, with a header of its own. What it holds is checked when it
is loaded, as far as masks depend on it never raising, never looping and never reading outside.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.container import encode, load_container
from maskc.artifact.files import write_atomically
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError
from maskc.runtime.once import made_once
from maskc.runtime.spelling.checking import find_fault
from maskc.runtime.spelling.chunks import Chunks, Walks
from maskc.runtime.spelling.merges import Merges
from maskc.runtime.spelling.pairs import Pairs, Shapes
from maskc.runtime.vocabulary import BYTES, FIRST, TokenTable, share_tokens

KIND = "spelling"
# How a token comes to be written: never; by merges in ascending order, or in another; or only where
# it is all of a chunk, though merging does not lead to it.
NEVER, EVEN, UNEVEN, ALONE = range(4)


class Spelling:
    """How a tokenizer writes texts. Immutable; made by ``maskc.compile_spelling``, or loaded.

    Attributes:
        header: what the file says about itself.
        arrays: what the file holds.
        tokens: the vocabulary.
        chunks: where texts are cut.
        merges: which tokens are merged.
    """

    def __init__(self, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.header, self.arrays = header, arrays
        self.tokens: TokenTable = share_tokens(arrays[FIRST], arrays[BYTES], is_borrowed=True)
        first, data = arrays["mark_first"].tolist(), arrays["mark_node"].tolist()
        marks = [tuple(data[low:high]) for low, high in pairwise(first)]
        self.chunks = Chunks(
            arrays["byte_class"],
            arrays["chunk_next"],
            tuple(marks),
            arrays["chunk_may_end"],
            int(header["chunk_start"]),
        )
        self.merges = Merges(
            *(arrays[f"merge_{name}"] for name in ("first", "right", "rank", "result"))
        )
        self._base: list[int] = arrays["base"].tolist()

    def symbols(self, text: bytes) -> list[int]:
        """Return the tokens of the bytes of a chunk, which are then merged."""
        return [self._base[byte] for byte in text]

    @made_once
    def pairs(self) -> Pairs:
        """Which tokens may be neighbours."""
        arrays = self.arrays
        kind = arrays["kind"]
        uneven = {
            token: self.symbols(self.tokens.text_of(token) or b"")
            for token in np.flatnonzero(kind == UNEVEN).tolist()
        }
        is_whole = (kind == EVEN) | (kind == UNEVEN)
        shapes = Shapes(
            arrays["token_left"], arrays["token_right"], arrays["token_rank"], is_whole, uneven
        )
        return Pairs(self.merges, shapes)

    @made_once
    def walks(self) -> Walks:
        """Where tokens lead in the automaton of chunks."""
        return Walks(self.chunks, self.arrays[FIRST], self.arrays[BYTES])

    @made_once
    def alone(self) -> AloneTokens:
        """The tokens that are written only where they are all of a chunk."""
        tokens = np.flatnonzero(self.arrays["kind"] == ALONE).tolist()
        symbols = {token: self.symbols(self.tokens.text_of(token) or b"") for token in tokens}
        return AloneTokens({token: self.merges.merge(symbols[token]).tokens for token in tokens})

    def count(self) -> dict[str, int]:
        """Return how much of everything there is, by name."""
        kind = self.arrays["kind"]
        return {
            "vocab_size": len(kind),
            "n_merges": len(self.merges.right),
            "n_nodes": len(self.chunks.next),
            "n_written": int(np.count_nonzero(kind)),
            "n_alone": int(np.count_nonzero(kind == ALONE)),
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


class AloneTokens:
    """Tokens that are written only where they are all of a chunk.

    A chunk may not end where merging would have written its bytes in other tokens: the places
    along these are the nodes of a trie, node 0 before a chunk's first token.

    Args:
        others: of each token, what merging leads to.
    """

    OFF, CLOSED = -1, -2  # such a chunk is not being written; it was, and must end

    def __init__(self, others: Mapping[int, Sequence[int]]) -> None:
        self.tokens = frozenset(others)
        self._children: list[dict[int, int]] = [{}]
        self._is_end: list[bool] = [False]
        for token in sorted(others):
            node = 0
            for part in others[token]:
                child = self._children[node].setdefault(part, len(self._children))
                if child == len(self._children):
                    self._children.append({})
                    self._is_end.append(False)
                node = child
            self._is_end[node] = True

    def after(self, node: int, token: int) -> int:
        """Return where a token leads."""
        if node == 0 and token in self.tokens:
            return self.CLOSED
        return self._children[node].get(token, self.OFF) if node >= 0 else node

    def children(self, node: int) -> Mapping[int, int]:
        """Return the tokens that do not lead off."""
        return self._children[node] if node >= 0 else {}

    def may_end(self, node: int) -> bool:
        """Return whether a chunk may end."""
        return node < 0 or not self._is_end[node]


def load_spelling(path: str | os.PathLike[str]) -> Spelling:
    """Return how a tokenizer writes texts, from a file, checked.

    Raises:
        ArtifactError: it is no such file, damaged, or of another format version.
    """
    name = os.fspath(path)
    header, arrays = load_container(name)
    if header.get("kind") != KIND:
        remedy = "give a file that `maskc spelling` wrote"
        raise ArtifactError(name, "does not say how a tokenizer writes texts", remedy)
    fault = find_fault(header, arrays)
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", "make it again with `maskc spelling`")
    return Spelling(header, arrays)
