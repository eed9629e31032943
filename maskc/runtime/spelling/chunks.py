"""The automaton of the texts in which a tokenizer's cuts are marked.

A tokenizer's pattern cuts a text into *chunks*, and merging never crosses a cut. The automaton
reads bytes; at a cut it moves on without a byte, to a node that holds the rest of the text to what
the cut supposes. Exactly one choice of cuts goes on to the end of a text. A token lies inside one
chunk, so cuts are between tokens only. :mod:`maskc.spelling.chunks` builds the automaton.

Example: llama3's chunk of two blanks ends before a letter only if it is one blank shorter. So the
token of two blanks leads to a node whose text goes on with a blank, or ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.spelling.pairs import Ints
from maskc.runtime.vocabulary import TokenTable

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
    tokens: TokenTable,
    ids: Ints,
    start: int,
    move: Callable[[Ints, NDArray[np.uint8]], Ints],
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
