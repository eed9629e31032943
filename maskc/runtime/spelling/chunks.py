"""Where may the chunks of a text end, and which tokens stay inside of one?

The automaton reads bytes, and a mark wherever a chunk ends (:mod:`maskc.spelling.chunks` makes it).
A mark is a guess about what follows, which the nodes after it hold the text to; of all ways to
guess, exactly one goes on to the end of a text. A token is inside of a chunk as a whole, so marks
are between tokens only.

Example: after `` `` of two blanks, llama3's chunk may end in front of a letter only if it is one
blank shorter; a token of two blanks leads to a node whose text goes on with a blank or ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.spelling.merges import Ints

DEAD = 0
_MOST_WALKS = 256  # each takes two or four bytes a token


class Chunks:
    """The automaton of the marked texts. Node 0 is dead.

    Args:
        byte_class: uint8[256], the column of ``next`` for each byte.
        next: int32[n_nodes, n_classes], the node after a byte.
        marks: per node, the nodes after a mark; none where no chunk can end.
        may_end: bool[n_nodes], whether the text may end.
        start: the node before the first byte.

    Attributes:
        byte_class, next, marks, may_end, start: as given.
    """

    def __init__(
        self,
        byte_class: NDArray[np.uint8],
        next: Ints,  # noqa: A002, as in the scanner
        marks: tuple[tuple[int, ...], ...],
        may_end: NDArray[np.bool_],
        start: int,
    ) -> None:
        self.byte_class, self.next, self.marks = byte_class, next, marks
        self.may_end, self.start = may_end, start


class Walks:
    """Where the tokens of a vocabulary lead, all at once. Safe to use from any thread.

    Args:
        chunks: the automaton.
        first: int32[vocab_size + 1], where each token's bytes begin.
        data: uint8[n_bytes], these, one token after another.
    """

    def __init__(self, chunks: Chunks, first: Ints, data: NDArray[np.uint8]) -> None:
        self._next = chunks.next
        self._first = first[:-1].astype(np.int64)
        self._lengths = np.diff(first)
        self._classes = chunks.byte_class[data]
        self._known: dict[int, Ints] = {}

    def after(self, node: int) -> Ints:
        """Return int32[vocab_size], the node after each token; dead for those without bytes."""
        found = self._known.get(node)
        if found is None:
            found = self._walk(node)
            if len(self._known) >= _MOST_WALKS:
                self._known = {}
            self._known[node] = found
        return found

    def _walk(self, node: int) -> Ints:
        after = np.zeros(len(self._first), dtype=np.int32)
        alive = np.flatnonzero(self._lengths)
        nodes = np.full(len(alive), node, dtype=np.int32)
        offset = 0
        while len(alive):
            nodes = self._next[nodes, self._classes[self._first[alive] + offset]]
            offset += 1
            is_over = self._lengths[alive] == offset
            after[alive[is_over]] = nodes[is_over]
            goes_on = ~is_over & (nodes != DEAD)
            alive, nodes = alive[goes_on], nodes[goes_on]
        after.setflags(write=False)
        return after
