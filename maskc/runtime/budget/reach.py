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

from maskc.runtime.budget.completions import Completions
from maskc.runtime.effort import spend, spend_at_once
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

    Args:
        machine: the machine.
        completions: of its texts; what these forget is forgotten.
        index: the tokens.
    """

    def __init__(self, machine: Machine[Any], completions: Completions, index: TokenIndex) -> None:
        self._machine, self._completions = machine, completions
        self._index, self._trie = index, index.tokens
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
        self._node_of = np.repeat(np.arange(len(ending), dtype=np.int32), ending)
        order = np.argsort(np.repeat(self._trie.low_array, ending), kind="stable")
        self._node_of = self._node_of[order]

    def number(self, hypotheses: Hypotheses) -> int:
        """Return the number of some hypotheses, ``NOWHERE`` of none."""
        if not hypotheses:
            return NOWHERE
        hypotheses = self._completions.proposals.forget(hypotheses)
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
        """Return of each token, in the order of the index, the number of where it leads.

        Args:
            hypotheses: before the token.
            is_text: which tokens are asked about, legal ones.
        """
        found = np.zeros(len(self._columns), dtype=np.int32)
        begun, above = self._begin(hypotheses), self._trie.parent_array
        for depth, nodes in enumerate(self._list_levels(is_text)):
            columns = self._columns[nodes]
            found[nodes] = self._move(found[above[nodes]], columns) if depth else begun[columns]
        return np.where(is_text, self._end(found[self._node_of]), NOWHERE)

    def _list_levels(self, is_text: NDArray[np.bool_]) -> Iterator[Ints]:
        """Yield the nodes of each level of the trie that lead to some of the tokens asked about."""
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_text, dtype=np.int32)])
        low, high = self._trie.low_array, self._trie.nodes.high
        needed = np.flatnonzero(before[high] > before[low]).astype(np.int32)
        spend_at_once(len(low))
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            if first < last:
                yield needed[first:last]

    def _begin(self, hypotheses: Hypotheses) -> Ints:
        """Return by column where the first bytes of tokens lead."""
        if self._link is None or not any(h.piece.counts_tokens for h in hypotheses):
            number = np.full(self._width, self.number(hypotheses), dtype=np.int32)
            return self._move(number, np.arange(self._width))
        spend(_MOVE_STEPS * self._width)
        begun = [self.number(self._link.begin(hypotheses, byte)) for byte in self._firsts]
        return np.array(begun, dtype=np.int32)

    def _end(self, numbers: Ints) -> Ints:
        """Return where tokens end, as it is between two tokens."""
        link = self._link
        if link is None:
            return numbers
        ends = np.arange(len(self.hypotheses), dtype=np.int32)
        for number in np.unique(numbers).tolist():
            here = self.hypotheses[number]
            if any(h.piece.counts_tokens for h in here):
                ends[number] = self.number(link.end_token(here))
        return ends[numbers]

    def _move(self, numbers: Ints, columns: NDArray[Any]) -> Ints:
        """Return where bytes inside of tokens lead."""
        spend_at_once(len(numbers) // 4)
        at = numbers.astype(np.int64) * self._width + columns
        found: Ints = self._table.reshape(-1).take(at)
        if found.min(initial=0) < 0:
            for key in np.unique(at[found < 0]).tolist():
                number, column = divmod(key, self._width)
                if self._table[number, column] == UNKNOWN:
                    self._fill(number, column)
            found = self._table.reshape(-1).take(at)
        return found

    def _fill(self, number: int, column: int) -> None:
        here = self.hypotheses[number]
        spend(_MOVE_STEPS)
        step = self._machine.step if self._link is None else self._link.go_on
        self._table[number, column] = self.number(step(here, self._firsts[column]))

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._table.nbytes + _ENTRY_BYTES * len(self.hypotheses) + self._node_of.nbytes
