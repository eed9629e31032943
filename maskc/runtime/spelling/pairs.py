"""The pairs of tokens that byte-pair encoding leaves side by side.

A sequence of tokens is what byte-pair encoding writes for a chunk iff each pair of neighbours is
what it writes for the pair's text. So one mask for each token, of those that may follow it, decides
all sequences.

Two tokens may be neighbours unless a merge crosses the border between them. Only the *edge
symbols* of a token touch the border: its outermost byte and the inner symbols made of it, each from
the merge that makes it until the next merge of the token. A pair of edge symbols is merged iff both
are there at the same time and its rank comes before the next merge of either token.

A key makes ranks distinct: 4 * rank for a merge of the left token, + 1 across the border, + 2 of
the right token, since the leftmost of equal ranks is merged first. Most tokens are merged in
ascending order of ranks; of the others the file lists the edge symbols.

Example: in llama3, ``:`` cannot follow ``"``, since ``":`` is a token.

Source: Vieira, Liu, Hoover, Du, Cotterell 2025, "Language models over canonical byte-pair
encodings", doi:10.48550/arXiv.2506.07956.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread

Ints = NDArray[np.int32]
Words = NDArray[np.int32]
NO_TOKEN = -1
NEVER, MERGED, WHOLE_CHUNK = range(3)  # how a token comes to be written
LEFT, ACROSS, RIGHT = range(3)
FROM_START, FOREVER = -1, (1 << 31) - 1  # keys


class EdgeSymbols(NamedTuple):
    """The edge symbols of all tokens on one side of a border, ordered by symbol.

    ``since`` is the highest key of the token's merges before, ``key`` that of its next merge. The
    rows of a symbol begin at ``first``.
    """

    first: NDArray[np.int64]
    token: Ints
    symbol: Ints
    since: Ints
    key: Ints


class Pairs:
    """Which tokens may follow, or precede, a token within a chunk."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._is_merged: NDArray[np.bool_] = arrays["kind"] == MERGED
        size = len(self._is_merged)
        self._edges = {side: _list_edges(arrays, side) for side in (LEFT, RIGHT)}
        first, right, rank = (arrays[f"merge_{name}"] for name in ("first", "right", "rank"))
        left = np.repeat(np.arange(size, dtype=np.int32), np.diff(first))
        order, key = np.argsort(right, kind="stable"), rank * 4 + ACROSS
        # By the side of a token: what it is merged with on the other side.
        self._merges = {
            LEFT: (first, right, key),
            RIGHT: (np.searchsorted(right[order], np.arange(size + 1)), left[order], key[order]),
        }

    def neighbours(self, token: int, *, is_left: bool) -> NDArray[np.bool_]:
        """Return bool[vocab_size], the tokens that may follow a token; or else precede it."""
        side, other_side = (LEFT, RIGHT) if is_left else (RIGHT, LEFT)
        if not self._is_merged[token]:
            return np.zeros(len(self._is_merged), dtype=np.bool_)
        fits = self._is_merged.copy()
        own, other = self._edges[side], self._edges[other_side]
        first, partners, keys = self._merges[side]
        for row in np.flatnonzero(own.token == token).tolist():
            symbol, since, next_key = own.symbol[row], own.since[row], own.key[row]
            merges = slice(first[symbol], first[symbol + 1])
            is_before = keys[merges] < next_key
            partner, key = partners[merges][is_before], keys[merges][is_before]
            # The rows of all partners, one partner after another.
            of_partner, rows = spread(other.first[partner], other.first[partner + 1])
            other_since, other_key = other.since[rows], other.key[rows]
            meets = (other_since < max(since, next_key)) & (key[of_partner] < other_key)
            meets &= since < np.maximum(other_since, other_key)
            fits[other.token[rows[meets]]] = False
        return fits


def _list_edges(arrays: Mapping[str, NDArray[Any]], side: int) -> EdgeSymbols:
    inner = arrays["token_right" if side == LEFT else "token_left"]
    rank, ids = arrays["token_rank"], np.arange(len(arrays["kind"]) + 1)
    is_listed = arrays["edge_side"] == side
    columns = [[arrays[f"edge_{name}"][is_listed]] for name in ("token", "symbol", "since", "key")]
    is_even = arrays["kind"] == MERGED
    is_even[arrays["edge_token"]] = False
    token = symbol = np.flatnonzero(is_even).astype(np.int32)
    key = np.full(len(token), FOREVER, dtype=np.int32)
    while len(token):
        since = np.where(rank[symbol] >= 0, rank[symbol] * 4 + side, FROM_START).astype(np.int32)
        for column, values in zip(columns, (token, symbol, since, key), strict=True):
            column.append(values)
        has_inner = inner[symbol] != NO_TOKEN
        token, symbol, key = token[has_inner], inner[symbol[has_inner]], since[has_inner]
    joined = [np.concatenate(column) for column in columns]
    order = np.argsort(joined[1], kind="stable")
    token, symbol, since, key = (column[order] for column in joined)
    return EdgeSymbols(np.searchsorted(symbol, ids), token, symbol, since, key)


def pack(is_in: NDArray[np.bool_]) -> Words:
    """Return the mask of the tokens for which ``is_in`` is true."""
    bits = np.zeros(-(-len(is_in) // 32) * 32, dtype=np.bool_)
    bits[: len(is_in)] = is_in
    return np.packbits(bits, bitorder="little").view("<i4")
