"""Which tokens stand side by side: the pairs that merging leaves, and where a tokenizer cuts.

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

A tokenizer's pattern cuts a text into *chunks*, and merging never crosses a cut. An automaton reads
the texts in which the cuts are marked: bytes, and at a cut it moves on without a byte, to a node
that holds the rest of the text to what the cut supposes. Exactly one choice of cuts goes on to the
end of a text. A token lies inside one chunk, so cuts are between tokens only.
:mod:`maskc.spelling.chunks` builds the automaton.

Example: in llama3, ``:`` cannot follow ``"``, since ``":`` is a token. Its chunk of two blanks ends
before a letter only if it is one blank shorter; so the token of two blanks leads to a node whose
text goes on with a blank, or ends.

Source: Vieira, Liu, Hoover, Du, Cotterell 2025, "Language models over canonical byte-pair
encodings", doi:10.48550/arXiv.2506.07956.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.vocabulary import TokenTable

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


DEAD = 0


class Chunks(NamedTuple):
    """The automaton of marked texts. Node 0 is dead."""

    byte_class: NDArray[np.uint8]  # uint8[256], the column of next for each byte
    next: Ints  # int32[n_nodes, n_classes], the node after a byte
    # per node, the nodes after a cut; none where no chunk can end
    cuts: tuple[tuple[int, ...], ...]
    may_end: NDArray[np.bool_]  # bool[n_nodes], whether the text may end
    start: int  # the node before the first byte

    def move(self, nodes: Ints, data: NDArray[np.uint8]) -> Ints:
        """Return the nodes after a byte for each of some nodes."""
        return self.next[nodes, self.byte_class[data]]


class WholeChunks:
    """Tokens that are written only as a whole chunk, though merging leads to others (``merged``).

    So a chunk may not end after these others. The state of a chunk is its tokens so far, if they
    begin such a sequence: none at its beginning.
    """

    OFF, CLOSED = (-1,), (-2,)  # no such sequence is begun; a whole chunk was written
    MAY_NOT_GO_ON, MAY_NOT_END = 1, 2  # roles

    def __init__(self, merged: Mapping[int, Sequence[int]]) -> None:
        self._tokens, self._merged = frozenset(merged), {tuple(parts) for parts in merged.values()}
        self._begun = {parts[:n] for parts in self._merged for n in range(len(parts) + 1)}

    def after(self, state: tuple[int, ...], token: int) -> tuple[int, ...]:
        if not state and token in self._tokens:
            return self.CLOSED
        return (*state, token) if (*state, token) in self._begun else self.OFF

    def may_end(self, state: tuple[int, ...]) -> bool:
        return state not in self._merged

    def roles(self, state: tuple[int, ...]) -> dict[int, int]:
        """Return the tokens after which the chunk may not go on, or may not end."""
        roles = {} if state else dict.fromkeys(self._tokens, self.MAY_NOT_GO_ON)
        return roles | {m[-1]: self.MAY_NOT_END for m in self._merged if m[:-1] == state}


def read_tokens(
    tokens: TokenTable, ids: Ints, start: int, move: Callable[[Ints, NDArray[np.uint8]], Ints]
) -> Ints:
    """Return the states of an automaton after some tokens; dead for a token without bytes.

    ``move`` has the states after other ones, with a byte for each.
    """
    after = np.zeros(len(ids), dtype=np.int32)
    first = tokens.first[ids].astype(np.int64)
    lengths = tokens.first[ids + 1] - first
    alive = np.flatnonzero(lengths)
    states, offset = np.full(len(alive), start, dtype=np.int32), 0
    while len(alive):
        states = move(states, tokens.data[first[alive] + offset])
        offset += 1
        is_over = lengths[alive] == offset
        after[alive[is_over]] = states[is_over]
        goes_on = ~is_over & (states != DEAD)
        alive, states = alive[goes_on], states[goes_on]
    return after
