r"""After which bytes is it settled that a chunk ended, whatever text follows?

Whether a chunk ends can depend on what comes, but mostly one byte says it. A byte *settles* the end
of a chunk at a node if the node after the mark and the byte goes on with each text there is: then
any text of a grammar that goes on with the byte is cut there, and nobody has to look for one.

Example: after ``"`` a blank settles in llama3 that the chunk has ended. After two blanks a letter
settles that it ended one blank before, which is another node; a third blank settles nothing.

The automaton of what the marked texts write is made as subsets of nodes, side by side with the one
of UTF-8. Nodes that no byte settles are left to who looks further, so a limit costs no exactness.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.spelling.chunks import DEAD, Chunks

_MOST_SUBSETS = 50_000
_BETWEEN = 1  # characters
Subset = tuple[tuple[int, ...], int]


class LetterCuts:
    """Which letters of a machine settle that a chunk ended, and in which order they are tried.

    Args:
        cuts: bool[n_nodes, 256], by byte.
        groups: every byte, in groups that the machine does not tell apart.

    Attributes:
        by_letter: bool[n_nodes, n_letters].
        order: int64[n_letters], blanks first: they settle most.
    """

    def __init__(self, cuts: NDArray[np.bool_], groups: Sequence[bytes]) -> None:
        columns = [cuts[:, list(group)].any(axis=1) for group in groups]
        self.by_letter: NDArray[np.bool_] = np.ascontiguousarray(np.array(columns).T)
        is_blank = np.array([b" " in group or b"\n" in group for group in groups])
        self.order: NDArray[np.intp] = np.argsort(~is_blank, kind="stable")


def find_cuts(chunks: Chunks) -> NDArray[np.bool_]:
    """Return bool[n_nodes, 256]: whether a byte settles that the chunk ended before it."""
    subsets = _Subsets(chunks)
    first: dict[int, list[int]] = {}
    for node in sorted({node for after in chunks.marks for node in after}):
        first[node] = subsets.roots(node)
    is_settled = subsets.settle()
    cuts = np.zeros((len(chunks.next), len(subsets.columns)), dtype=np.bool_)
    for node, after in enumerate(chunks.marks):
        for marked in after:
            cuts[node] |= is_settled[first[marked]]
    found: NDArray[np.bool_] = cuts[:, subsets.column_of]
    return found


class _Subsets:
    """The subsets of nodes that texts lead to, each with where in a character it stands.

    Args:
        chunks: the automaton.

    Attributes:
        columns: a byte of each class that neither automaton tells apart.
        column_of: int[256], byte → its class.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._marks, self._may_end = chunks.marks, chunks.may_end
        both = np.vstack([chunks.byte_class[None], _utf8()])
        _, self.columns, column_of = np.unique(both, axis=1, return_index=True, return_inverse=True)
        self.column_of = column_of.reshape(-1)
        self._next = chunks.next[:, chunks.byte_class[self.columns]]
        self._utf8 = _utf8()[:, self.columns]
        # Number 0 is what settles nothing.
        self._all: list[Subset] = [((), 0)]
        self._number: dict[Subset, int] = {self._all[0]: 0}

    def roots(self, node: int) -> list[int]:
        """Return the subset after each class of bytes, 0 where there is none."""
        after = zip(self._next[node].tolist(), self._utf8[_BETWEEN].tolist(), strict=True)
        return [self._find({to}, where) if to and where else 0 for to, where in after]

    def _find(self, nodes: set[int], where: int) -> int:
        closed = nodes.union(*(self._marks[node] for node in nodes)) - {DEAD}
        key = (tuple(sorted(closed)), where)
        if not closed or len(self._all) >= _MOST_SUBSETS:
            return self._number.get(key, 0)
        found = self._number.setdefault(key, len(self._all))
        if found == len(self._all):
            self._all.append(key)
        return found

    def settle(self) -> NDArray[np.bool_]:
        """Return of each subset whether each text goes on from it to an end."""
        before: dict[int, list[int]] = {}
        pending = [0]
        # The list grows meanwhile.
        for number, (nodes, where) in enumerate(self._all):
            if number == 0:
                continue
            if where == _BETWEEN and not self._may_end[list(nodes)].any():
                pending.append(number)
            legal = np.flatnonzero(self._utf8[where])
            table = np.sort(self._next[list(nodes)][:, legal], axis=0)
            distinct = np.unique(np.vstack([table, self._utf8[where, legal]]), axis=1)
            for *after, there in distinct.T.tolist():
                before.setdefault(self._find(set(after), there), []).append(number)
        is_settled = np.ones(len(self._all), dtype=np.bool_)
        is_settled[pending] = False
        while pending:
            for number in before.get(pending.pop(), ()):
                if is_settled[number]:
                    is_settled[number] = False
                    pending.append(number)
        return is_settled


def _utf8() -> NDArray[np.int32]:
    """Return int32[9, 256], the automaton of UTF-8: 0 is dead, 1 between two characters."""
    after = np.zeros((9, 256), dtype=np.int32)
    after[1, :0x80] = 1
    after[1, 0xC2:0xE0], after[1, 0xE1:0xF0], after[1, 0xF1:0xF4] = 2, 3, 4
    after[1, [0xE0, 0xED, 0xF0, 0xF4]] = 5, 6, 7, 8
    after[2, 0x80:0xC0], after[3, 0x80:0xC0], after[4, 0x80:0xC0] = 1, 2, 3
    after[5, 0xA0:0xC0], after[6, 0x80:0xA0] = 2, 2
    after[7, 0x90:0xC0], after[8, 0x80:0x90] = 3, 3
    return after
