"""To which hypotheses do the tokens of a vocabulary lead, all at once?

Hypotheses have numbers, and a table says where a byte leads from each; bytes that the machine does
not tell apart have one column. The trie of the tokens is followed level by level through the table,
and only what the table lacks is asked of the machine.

Example: inside of a string of JSON most tokens lead to where they began.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.budget.completions import Completions
from maskc.runtime.effort import spend
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints

UNKNOWN: Final = -1
NOWHERE: Final = 0
_MOVE_STEPS: Final = 6  # that a machine takes for one byte
_ENTRY_BYTES: Final = 600  # of hypotheses with a number


class Reach:
    """Where tokens lead, for the hypotheses of one machine, with what is forgotten forgotten."""

    def __init__(self, machine: Machine[Any], completions: Completions, index: TokenIndex) -> None:
        self._machine, self._completions, self._trie = machine, completions, index.tokens
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

    def follow(self, hypotheses: Hypotheses, is_text: NDArray[np.bool_]) -> Ints:
        """Return of each legal token, in the order of the index, the number of where it leads.

        What takes too many steps to find out leads nowhere. Levels are followed in order, so it is
        the longest tokens that are left out. Where tokens are counted, each byte counts as one.
        """
        found = np.zeros(len(self._columns), dtype=np.int32)
        found[ROOT], above = self.number(hypotheses), self._trie.parent_array
        for nodes in self._list_levels(is_text):
            found[nodes] = self._move(found[above[nodes]], self._columns[nodes])
        return np.where(is_text, found[self._node_of], NOWHERE)

    def _list_levels(self, is_text: NDArray[np.bool_]) -> Iterator[Ints]:
        """Yield the nodes of each level of the trie that lead to some of the tokens asked about."""
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_text, dtype=np.int32)])
        low, high = self._trie.low_array, self._trie.nodes.high
        needed = np.flatnonzero(before[high] > before[low]).astype(np.int32)
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            if first < last:
                yield needed[first:last]

    def _move(self, numbers: Ints, columns: NDArray[Any]) -> Ints:
        """Return where bytes inside of tokens lead."""
        at = numbers.astype(np.int64) * self._width + columns
        found: Ints = self._table.reshape(-1).take(at)
        if found.min(initial=0) == UNKNOWN:
            with suppress(LimitError):
                for key in np.unique(at[found == UNKNOWN]).tolist():
                    self._fill(*divmod(key, self._width))
            found = np.maximum(self._table.reshape(-1).take(at), NOWHERE)
        return found

    def _fill(self, number: int, column: int) -> None:
        spend(_MOVE_STEPS)
        after = self._machine.step(self.hypotheses[number], self._firsts[column])
        self._table[number, column] = self.number(after)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._table.nbytes + _ENTRY_BYTES * len(self.hypotheses) + self._node_of.nbytes
