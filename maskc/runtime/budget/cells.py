"""Completions, byte by byte, written in as few tokens as write them.

A completion is a chain of cells, one for each byte, and ends in :data:`END`. Chains share their
ends: what finishes an array is written once for all its items.

Example: of the tokens ``]`` and ``]]``, the chain ``]]]`` needs three: two for the brackets, and
the end of sequence.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT

FAR: Final = 1 << 30  # tokens: no end is known
_END: Final = -1
_ATOM: Final = -2  # minus the id of a token that is taken whole, whatever it writes
_CELL_BYTES: Final = 90


class Cell:
    """The rest of a completion. Never changes.

    Attributes:
        symbol: its first byte; below 0: a token that is taken whole, or the end.
        after: what follows the symbol.
        n_tokens: how many tokens write it at least, the end of sequence included; ``FAR``: some
            byte of it is in no token.
        token: the first of these, -1 at the end.
        then: what follows that token.
    """

    __slots__ = ("after", "n_tokens", "symbol", "then", "token")

    def __init__(self, symbol: int, after: Cell | None) -> None:
        self.symbol, self.after = symbol, after
        self.n_tokens = FAR
        self.token = -1
        self.then: Cell | None = None


END: Final = Cell(_END, None)
END.n_tokens = 1
LOST: Final = Cell(_END, None)  # no completion is known


class CompletionWriting:
    """Writes completions in the tokens of a vocabulary; the bytes of ``ends`` are never written.

    Attributes:
        index: the tokens.
        written: the bytes that tokens write.
        n_cells: how many cells were made.
    """

    def __init__(self, index: TokenIndex, ends: frozenset[int]) -> None:
        self.index, self._ends, self._trie = index, ends, index.tokens
        self.written = np.unique(index.tokens.byte_array[1:]).tobytes()
        self.clear()

    def clear(self) -> None:
        """Forget all cells."""
        self.n_cells = 0
        self._cells: dict[int, Cell] = {}

    def prepend(self, word: bytes | int, after: Cell) -> Cell:
        """Return the chain of some bytes, or of a token that is taken whole, and what follows."""
        if isinstance(word, int):
            self.n_cells += 1
            cell = Cell(_ATOM - word, after)
            cell.token, cell.then = word, after
            cell.n_tokens = min(FAR, after.n_tokens + 1)
            return cell
        for byte in reversed(word):
            after = self._write(byte, after)
        return after

    def _write(self, byte: int, after: Cell) -> Cell:
        # What follows is kept by the cell, so its id stays its own.
        key = id(after) << 8 | byte
        known = self._cells.get(key)
        if known is not None:
            return known
        self.n_cells += 1
        cell = self._cells[key] = Cell(byte, after)
        trie, here = self._trie, after
        node = trie.child(ROOT, byte)
        while node >= 0:
            if trie.n_ending[node] and here.n_tokens + 1 < cell.n_tokens:
                token = self._token_at(node)
                if token >= 0:
                    cell.n_tokens, cell.token, cell.then = here.n_tokens + 1, token, here
            following = here.after
            if here.symbol < 0 or following is None:
                break
            node, here = trie.child(node, here.symbol), following
        return cell

    def _token_at(self, node: int) -> int:
        """Return a token that ends in a node of the trie, -1 if there is none."""
        low = self._trie.low[node]
        tokens = (self.index.ids[at] for at in range(low, low + self._trie.n_ending[node]))
        return next((token for token in tokens if token not in self._ends), -1)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return _CELL_BYTES * self.n_cells


def list_tokens(cell: Cell) -> list[int]:
    """Return the tokens of a completion, without the end of sequence."""
    found: list[int] = []
    here: Cell | None = cell
    while here is not None and here.token >= 0:
        found.append(here.token)
        here = here.then
    return found


def text_of(cell: Cell, most: int) -> bytes:
    """Return the first bytes of a completion, up to a token that is taken whole."""
    found = bytearray()
    here: Cell | None = cell
    while here is not None and here.symbol >= 0 and len(found) < most:
        found.append(here.symbol)
        here = here.after
    return bytes(found)
