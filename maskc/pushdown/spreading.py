"""Which bits reach which states along edges that let only some of them through?

The least fixpoint of: a bit of a state is one of every state that an edge leads to, if the edge
and the state let it through. Rounds of array operations take what the last round changed a step
further. A round costs something even where little changes, so after ``_ROUNDS`` of them, in
a graph that is long and narrow, what is left is done state by state.

Example: along 0 → 1 → 2, bits {1, 2} of state 0 of which the second edge lets only 1 through give
{1, 2} for state 1 and {1} for state 2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Word = NDArray[np.uint64]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

_ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges, in order of the states that they lead from.

    Attributes:
        first: int64[n_states + 1], those from a state are ``first[state] : first[state + 1]``.
        target: int64[n_edges].
        kind: int64[n_edges], edges of a kind let the same bits through.
    """

    first: Longs
    target: Longs
    kind: Longs


def make_edges(edges: Sequence[Sequence[tuple[int, int]]]) -> Edges:
    """Return edges that are given by state, as (target, kind)."""
    flat = np.array([edge for row in edges for edge in row], dtype=np.int64).reshape(-1, 2)
    first = np.cumsum([0, *map(len, edges)])
    return Edges(first, flat[:, 0].copy(), flat[:, 1].copy())


def spread(edges: Edges, here: Words, passes: Words, kinds: Words, rounds: int = _ROUNDS) -> None:
    """Add to each state the bits that reach it.

    Args:
        edges: the edges.
        here: uint64[n_words, n_states], the bits of the states; changed.
        passes: uint64[n_words, n_states], the bits that a state lets in.
        kinds: uint64[n_words, n_kinds], the bits that an edge of a kind lets through.
        rounds: how many there are before the rest is done state by state.
    """
    for bits, passed, through in zip(here, passes, kinds, strict=True):
        _spread_word(edges, bits, passed, through, rounds)


def _spread_word(edges: Edges, bits: Word, passed: Word, through: Word, rounds: int) -> None:
    """Spread one word: few states have bits of it, and few change in a round."""
    changed = np.flatnonzero(bits != 0)
    for _ in range(rounds):
        if not len(changed):
            return
        n_edges = edges.first[changed + 1] - edges.first[changed]
        ends = np.cumsum(n_edges)
        # The edges of each changed state lie side by side.
        edge = np.repeat(edges.first[changed] - ends + n_edges, n_edges)
        edge += np.arange(len(edge))
        target = edges.target[edge]
        new = np.repeat(bits[changed], n_edges)
        new &= through[edges.kind[edge]]
        new &= passed[target] & ~bits[target]
        taken = np.flatnonzero(new != 0)  # of truth values: a fifth of the time
        target = target[taken]
        np.bitwise_or.at(bits, target, new[taken])
        changed = _find_distinct(target, len(bits))
    if len(changed):
        _spread_one_by_one(edges, bits, passed, through, changed.tolist())


def _find_distinct(numbers: Longs, n: int) -> Longs:
    """Return the numbers below ``n`` that occur, ascending."""
    occurs = np.zeros(n, dtype=np.bool_)
    occurs[numbers] = True
    return np.flatnonzero(occurs)


def _spread_one_by_one(
    edges: Edges, bits: Word, passed: Word, through: Word, changed: list[int]
) -> None:
    values, passes, lets = bits.tolist(), passed.tolist(), through.tolist()
    first, target, kind = edges.first.tolist(), edges.target.tolist(), edges.kind.tolist()
    # Invariant: what lies one edge further than a state that is not queued holds its bits.
    pending, queued = deque(changed), set(changed)
    while pending:
        state = pending.popleft()
        queued.discard(state)
        value = values[state]
        for edge in range(first[state], first[state + 1]):
            reached = target[edge]
            joined = values[reached] | value & lets[kind[edge]] & passes[reached]
            if joined != values[reached]:
                values[reached] = joined
                if reached not in queued:
                    queued.add(reached)
                    pending.append(reached)
    bits[:] = values
