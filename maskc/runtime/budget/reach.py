"""To which hypotheses do the tokens of a vocabulary lead, all at once?

Hypotheses have numbers, and a table says where a byte leads from each; bytes that the machine does
not tell apart have one column. The trie of the tokens is followed level by level through the table,
and only what the table lacks is asked of the machine.

Example: inside of a string of JSON most tokens lead to where they began.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.budget.completions import Completions
from maskc.runtime.effort import spend
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

UNKNOWN: Final = -1
NOWHERE: Final = 0
_MOVE_STEPS: Final = 6  # that a machine takes for one byte
_ENTRY_BYTES: Final = 600  # of hypotheses with a number


class Reach:
    """Where tokens lead, for the hypotheses of one machine.

    Attributes:
        hypotheses: by number, with what is forgotten forgotten.
    """

    def __init__(self, machine: Machine[Any], completions: Completions, index: TokenIndex) -> None:
        self._machine, self._completions, self._trie = machine, completions, index.tokens
        self._link = machine if isinstance(machine, LinkMachine) else None
        self._firsts = [group[:1] for group in machine.byte_groups]
        column_of = np.zeros(256, dtype=np.uint8)
        for column, group in enumerate(machine.byte_groups):
            column_of[list(group)] = column
        self._columns: NDArray[np.uint8] = column_of[self._trie.byte_array]
        self._width = len(self._firsts)
        self._table = np.full((64, self._width), UNKNOWN, dtype=np.int32)
        self._table[NOWHERE] = NOWHERE
        self._number: dict[Hashable, int] = {}
        self.hypotheses: list[Hypotheses] = [()]
        # Of each text of the trie, in order, the node that it ends in.
        ending = self._trie.ending_array.astype(np.int64)
        order = np.argsort(np.repeat(self._trie.low_array, ending), kind="stable")
        self._node_of = np.repeat(np.arange(len(ending), dtype=np.int32), ending)[order]
        self._is_whole = True  # whether all moves that were asked for are known

    def number(self, hypotheses: Hypotheses) -> int:
        """Return the number of some hypotheses, ``NOWHERE`` of none."""
        if not hypotheses:
            return NOWHERE
        hypotheses = self._completions.texts.forget(hypotheses)
        key = self._completions.key_of(hypotheses)
        found = self._number.get(key)
        if found is None:
            found = self._number[key] = len(self.hypotheses)
            self.hypotheses.append(hypotheses)
            if found >= len(self._table):
                more = np.full_like(self._table, UNKNOWN)
                self._table = np.concatenate([self._table, more])
        return found

    def follow(self, hypotheses: Hypotheses, is_text: NDArray[np.bool_]) -> tuple[Ints, bool]:
        """Return of each token, in the order of the index, the number of where it leads.

        What takes too many steps to find out leads nowhere; the second result is whether nothing
        does. Levels are followed in order, so it is the longest tokens that are left out.

        Args:
            hypotheses: before the token.
            is_text: which tokens are asked about, legal ones.
        """
        self._is_whole = True
        found = np.zeros(len(self._columns), dtype=np.int32)
        begun, above = self._begin(hypotheses), self._trie.parent_array
        for depth, nodes in enumerate(self._list_levels(is_text)):
            columns = self._columns[nodes]
            found[nodes] = self._move(found[above[nodes]], columns) if depth else begun[columns]
        return np.where(is_text, self._end(found[self._node_of]), NOWHERE), self._is_whole

    def _list_levels(self, is_text: NDArray[np.bool_]) -> Iterator[Ints]:
        """Yield the nodes of each level of the trie that lead to some of the tokens asked about."""
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_text, dtype=np.int32)])
        low, high = self._trie.low_array, self._trie.nodes.high
        needed = np.flatnonzero(before[high] > before[low]).astype(np.int32)
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            if first < last:
                yield needed[first:last]

    def _begin(self, hypotheses: Hypotheses) -> Ints:
        """Return by column where the first bytes of tokens lead."""
        if self._link is None or not any(h.piece.counts_tokens for h in hypotheses):
            number = np.full(self._width, self.number(hypotheses), dtype=np.int32)
            return self._move(number, np.arange(self._width))
        begun = np.zeros(self._width, dtype=np.int32)
        try:
            for column, byte in enumerate(self._firsts):
                spend(_MOVE_STEPS)
                begun[column] = self.number(self._link.begin(hypotheses, byte))
        except LimitError:
            self._is_whole = False
        return begun

    def _end(self, numbers: Ints) -> Ints:
        """Return where tokens end, as it is between two tokens."""
        link = self._link
        if link is None:
            return numbers
        ends, reached = np.arange(len(self.hypotheses), dtype=np.int32), np.unique(numbers).tolist()
        here = {n: self.hypotheses[n] for n in reached}
        counted = [n for n in reached if any(h.piece.counts_tokens for h in here[n])]
        ends[counted] = NOWHERE
        try:
            for number in counted:
                ends[number] = self.number(link.end_token(here[number]))
        except LimitError:
            self._is_whole = False
        return ends[numbers]

    def _move(self, numbers: Ints, columns: NDArray[Any]) -> Ints:
        """Return where bytes inside of tokens lead."""
        at = numbers.astype(np.int64) * self._width + columns
        found: Ints = self._table.reshape(-1).take(at)
        if found.min(initial=0) == UNKNOWN:
            try:
                for key in np.unique(at[found == UNKNOWN]).tolist():
                    self._fill(*divmod(key, self._width))
            except LimitError:
                self._is_whole = False
            found = np.maximum(self._table.reshape(-1).take(at), NOWHERE)
        return found

    def _fill(self, number: int, column: int) -> None:
        spend(_MOVE_STEPS)
        step = self._machine.step if self._link is None else self._link.go_on
        after = step(self.hypotheses[number], self._firsts[column])
        self._table[number, column] = self.number(after)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._table.nbytes + _ENTRY_BYTES * len(self.hypotheses) + self._node_of.nbytes
