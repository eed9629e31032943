"""Which tokens may stand beside which, within a piece that is merged as a whole?

A sequence of tokens is what byte-pair encoding writes for its text iff each two neighbours are what
it writes for theirs. For merges inside of a token are the same whatever is around it, until a merge
crosses a border; and the first merge of a text that crosses one would happen in the two neighbours
alone, too, since what is chosen among more is chosen among fewer.

So two tokens ``a``, ``b`` are no neighbours iff a merge crosses the border between them. Symbols
that touch the border are the *edge* of a token: the right edge of ``a`` and the left edge of ``b``,
each there from some merge of its token to another one. Merges of both happen in the order of their
keys, the highest rank so far. A symbol ``x`` of ``a``'s edge and ``y`` of ``b``'s are merged iff
they are there at the same time, and their rank is lower than that of the merges that come next.

Keys are made of ranks so that no two are equal: 4 * rank for the left token, + 1 for a merge across
the border, + 2 for the right token; for of equal ranks the leftmost is merged first.

Rows are computed for all tokens at once. Of a token that is *even*, its merges in ascending order,
a symbol of the edge is there from its own merge to that of the symbol that it becomes a part of; so
even tokens form a forest, each below the last symbol but one of its edge, and those whose edge has
a symbol until a key or later are a run of the forest in depth-first order, children with higher
keys first. The others, 107 of llama3's, are compared one entry at a time.

Example: in llama3, ``:`` may not follow ``"``, as ``":`` is a token. ``wh`` and ``ile`` may not be
neighbours, and ``wh`` and ``y`` neither.

Source: Vieira, Liu, Hoover, Du, Cotterell 2025, "Language models over canonical byte-pair
encodings", doi:10.48550/arXiv.2506.07956; the test by edges is van Antwerpen's and Neubeck's (2024,
crate ``bpe``), here for whole rows and for merges in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.spelling.merges import NO_TOKEN, Ints, Merges

Words = NDArray[np.int32]
_NEVER = np.int64(1) << 40
_BEFORE_ALL = -1
LEFT, ACROSS, RIGHT = 0, 1, 2


class Stay(NamedTuple):
    """How long a symbol is at the edge of a token, between two merges of the token.

    Attributes:
        symbol: the token that it would be.
        since: highest key of the merges before.
        until: highest key of them and of the merge that comes next.
        key: of the merge that comes next.
    """

    symbol: int
    since: int
    until: int
    key: int


class Edges(NamedTuple):
    """The edges of tokens on one side, as a forest.

    Attributes:
        order: int32[n], the even tokens, depth first; children with higher keys first.
        place: int32[vocab_size], where each of them is in ``order``; -1: it is not.
        end: int32[n], by place, where its subtree ends.
        child_key: int64[n_children], the parent's token and then the key, to be searched in;
            ascending.
        child_place: int32[n_children + 1], where each child's subtree begins; ends with 0.
        child_last: int32[vocab_size], where a token's children end in these.
        since: int64[vocab_size], the key from which on a token is itself.
    """

    order: Ints
    place: Ints
    end: Ints
    child_key: NDArray[np.int64]
    child_place: Ints
    child_last: NDArray[np.int64]
    since: NDArray[np.int64]


class Shapes(NamedTuple):
    """How each token is merged.

    Attributes:
        left, right: int32[vocab_size], the two that its last merge joins; -1: it is never merged.
        rank: int32[vocab_size], of that merge; -1: there is none.
        is_whole: bool[vocab_size], whether merging a token's own bytes leads to it.
        uneven: the tokens among them whose merges are not in ascending order → their symbols.
    """

    left: Ints
    right: Ints
    rank: Ints
    is_whole: NDArray[np.bool_]
    uneven: dict[int, list[int]]


class Pairs:
    """Which tokens may follow, or precede, a token within a piece.

    Args:
        merges: the pairs that are merged.
        shapes: how tokens are merged.
    """

    def __init__(self, merges: Merges, shapes: Shapes) -> None:
        self.merges, self.shapes = merges, shapes
        size = len(shapes.left)
        self._n_words = -(-size // 32)
        is_even = shapes.is_whole.copy()
        is_even[list(shapes.uneven)] = False
        # By the side of the border on which a token is.
        self._edges = tuple(
            _build_edges(inner, shapes.rank, is_even, side)
            for inner, side in ((shapes.right, LEFT), (shapes.left, RIGHT))
        )
        left_of = np.repeat(np.arange(size, dtype=np.int32), np.diff(merges.first))
        order = np.lexsort((left_of, merges.right))
        counts = np.bincount(merges.right, minlength=size)
        self._pairs = (
            # Of a token on the left: what it is merged with on the right, and the other way round.
            (merges.first, merges.right, merges.rank),
            (
                np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
                left_of[order],
                merges.rank[order],
            ),
        )
        self._uneven = tuple(self._list_uneven(side) for side in (LEFT, RIGHT))

    def followers(self, token: int) -> Words:
        """Return int32[n_words], the tokens that may follow a token."""
        return self._neighbours(token, LEFT)

    def predecessors(self, token: int) -> Words:
        """Return int32[n_words], the tokens that a token may follow."""
        return self._neighbours(token, RIGHT)

    def _neighbours(self, token: int, side: int) -> Words:
        """Return the tokens that may stand beside one that is on a side of the border."""
        fits = self.shapes.is_whole.copy()
        if not fits[token]:
            return np.zeros(self._n_words, dtype=np.int32)
        other = RIGHT if side == LEFT else LEFT
        edges = self._edges[0 if other == LEFT else 1]
        starts: list[Ints] = []
        stops: list[Ints] = []
        for stay in self._stays(token, side):
            symbols, keys = self._merged_with(stay, side)
            if not len(symbols):
                continue
            self._drop_uneven(fits, stay, symbols, keys, other)
            is_there = (edges.place[symbols] >= 0) & (edges.since[symbols] < stay.until)
            symbols = symbols[is_there]
            least = np.maximum(keys[is_there], stay.since)
            starts.append(edges.place[symbols])
            stops.append(_run_end(edges, symbols, least))
        if starts:
            n_even = len(edges.order)
            change = np.bincount(np.concatenate(starts), minlength=n_even + 1)
            change -= np.bincount(np.concatenate(stops), minlength=n_even + 1)
            fits[edges.order[np.cumsum(change[:n_even]) > 0]] = False
        packed = np.packbits(fits, bitorder="little")
        words = np.zeros(self._n_words * 4, dtype=np.uint8)
        words[: len(packed)] = packed
        return words.view("<i4")

    def _merged_with(self, stay: Stay, side: int) -> tuple[Ints, NDArray[np.int64]]:
        """Return what a symbol would be merged with before its token's next merge, and the keys."""
        first, others, ranks = self._pairs[0 if side == LEFT else 1]
        low, high = first[stay.symbol], first[stay.symbol + 1]
        keys = ranks[low:high].astype(np.int64) * 4 + ACROSS
        is_before = keys < stay.key
        return others[low:high][is_before], keys[is_before]

    def _stays(self, token: int, side: int) -> list[Stay]:
        symbols = self.shapes.uneven.get(token)
        if symbols is not None:
            return self._uneven_stays(symbols, side)
        inner = self.shapes.right if side == LEFT else self.shapes.left
        found: list[Stay] = []
        until = int(_NEVER)
        while token != NO_TOKEN:
            rank = int(self.shapes.rank[token])
            since = rank * 4 + side if rank >= 0 else _BEFORE_ALL
            found.append(Stay(token, since, until, until))
            token, until = int(inner[token]), since
        return found

    def _uneven_stays(self, symbols: list[int], side: int) -> list[Stay]:
        """Return the same for a token whose merges are in no order, by following them."""
        tokens, steps = self.merges.merge(symbols)
        touching = symbols[-1] if side == LEFT else symbols[0]
        found: list[Stay] = []
        since = _BEFORE_ALL
        for rank, left, right, place in steps:
            key = rank * 4 + side
            found.append(Stay(touching, since, max(since, key), key))
            since = max(since, key)
            # A symbol at the edge is known by its place, as equal ones may be elsewhere.
            end = place + self._length(left) + self._length(right)
            if place == 0 if side == RIGHT else end == len(symbols):
                touching = self.merges.of(left)[right].result
        found.append(Stay(tokens[0], since, int(_NEVER), int(_NEVER)))
        return found

    def _length(self, token: int) -> int:
        """Return how many symbols a token is made of."""
        pending, n_symbols = [token], 0
        while pending:
            here = pending.pop()
            if self.shapes.left[here] == NO_TOKEN:
                n_symbols += 1
            else:
                pending += (int(self.shapes.left[here]), int(self.shapes.right[here]))
        return n_symbols

    def _list_uneven(self, side: int) -> tuple[Ints, NDArray[np.int64]]:
        """Return all stays of uneven tokens on a side: their tokens, and the stays as columns."""
        rows = [
            (token, *stay)
            for token, symbols in sorted(self.shapes.uneven.items())
            for stay in self._uneven_stays(symbols, side)
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        return table[:, 0].astype(np.int32), table[:, 1:]

    def _drop_uneven(
        self,
        fits: NDArray[np.bool_],
        stay: Stay,
        symbols: Ints,
        keys: NDArray[np.int64],
        other: int,
    ) -> None:
        """Take those uneven tokens out that are merged with a symbol of the edge."""
        tokens, table = self._uneven[0 if other == LEFT else 1]
        if not len(tokens):
            return
        order = np.argsort(symbols, kind="stable")
        place = np.minimum(np.searchsorted(symbols[order], table[:, 0]), len(symbols) - 1)
        is_merged = symbols[order][place] == table[:, 0]
        key = keys[order][place]
        meets = (stay.since < table[:, 2]) & (table[:, 1] < stay.until) & (key < table[:, 3])
        fits[tokens[is_merged & meets]] = False


def _run_end(edges: Edges, symbols: Ints, least: NDArray[np.int64]) -> Ints:
    """Return where the run ends of each symbol's tokens that keep it at the edge until a key."""
    # The first child whose key is lower: its tokens have the symbol no longer then.
    child = np.searchsorted(edges.child_key, _child_key(symbols, least), side="right")
    has_child = child < edges.child_last[symbols]
    ends: Ints = np.where(has_child, edges.child_place[child], edges.end[edges.place[symbols]])
    return ends


def _child_key(parents: Ints, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return parents.astype(np.int64) * _NEVER + (_NEVER - 1 - keys)


def _build_edges(inner: Ints, rank: Ints, is_even: NDArray[np.bool_], side: int) -> Edges:
    """Return the forest of the even tokens on a side of the border.

    Args:
        inner: of each token the part that touches the border.
        rank: of each token's last merge.
        is_even: of each token.
        side: of the border.
    """
    size = len(inner)
    since = np.where(rank >= 0, rank.astype(np.int64) * 4 + side, _BEFORE_ALL)
    tokens = np.flatnonzero(is_even).astype(np.int32)
    children = tokens[inner[tokens] != NO_TOKEN]
    child_key = _child_key(inner[children], since[children])
    by_key = np.argsort(child_key, kind="stable")
    children, child_key = children[by_key], child_key[by_key]
    parents = inner[children]
    first = np.searchsorted(parents, np.arange(size + 1)).tolist()
    child_list, inner_list = children.tolist(), inner.tolist()
    in_order = tokens[np.argsort(_depths(inner)[tokens], kind="stable")].tolist()
    n_tokens = [1] * size
    for token in reversed(in_order):
        if inner_list[token] != NO_TOKEN:
            n_tokens[inner_list[token]] += n_tokens[token]
    place, free = [-1] * size, 0
    for token in in_order:
        if inner_list[token] == NO_TOKEN:
            place[token] = free
            free += n_tokens[token]
        following = place[token] + 1
        for child in child_list[first[token] : first[token + 1]]:
            place[child] = following
            following += n_tokens[child]
    places = np.array(place, dtype=np.int32)
    order = np.zeros(len(tokens), dtype=np.int32)
    order[places[tokens]] = tokens
    return Edges(
        order,
        places,
        places[order] + np.array(n_tokens, dtype=np.int32)[order],
        child_key,
        np.append(places[children], 0).astype(np.int32),
        np.array(first[1:], dtype=np.int64),
        since,
    )


def _depths(inner: Ints) -> Ints:
    """Return how often each token has a part of a part."""
    depths = np.zeros(len(inner), dtype=np.int32)
    here = inner
    while (has_part := here != NO_TOKEN).any():
        depths[has_part] += 1
        here = np.where(has_part, inner[here], NO_TOKEN)
    return depths
