"""Computes the successors of all tokens at once, by a lazily built byte automaton over a machine.

Its states are sets of hypotheses with numbers, and bytes that the machine does not tell apart share
a column of its table. The tokens' trie is followed level by level through the table, and the
machine is asked once for each pair of a state and a byte.

Example: inside of a string of JSON most tokens lead to where they began.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie
from maskc.runtime.step_budget import charge_steps

DEAD: Final = 0
NOT_FOLLOWED: Final = 1
_UNKNOWN: Final = -1
_STEPS: Final = 6  # that a machine takes for one byte
_STATE_BYTES: Final = 600


def key_of(machine: Machine[Any], hypotheses: Hypotheses) -> Hashable:
    """Return a key that only hypotheses with the same future have, in whatever order they are."""
    if len(hypotheses) == 1:
        return machine.identify(hypotheses[0])
    return frozenset(map(machine.identify, hypotheses))


class Successors:
    """Where tokens lead from hypotheses. Not safe to use from several threads at once.

    ``stand_in`` returns what stands for hypotheses after a byte, ``None`` if nothing is followed.
    """

    def __init__(
        self,
        machine: Machine[Any],
        trie: Trie,
        stand_in: Callable[[Hypotheses], Hypotheses | None],
    ) -> None:
        self._machine, self._trie, self._stand_in = machine, trie, stand_in
        column_of = np.zeros(256, dtype=np.uint8)
        for column, group in enumerate(machine.byte_groups):
            column_of[list(group)] = column
        self._column_of, self._columns = column_of, column_of[trie.byte_array]
        self._bytes = [group[:1] for group in machine.byte_groups]
        self._width = len(self._bytes)
        self._table = np.full((64, self._width), _UNKNOWN, dtype=np.int32)
        self._table[: NOT_FOLLOWED + 1] = [[DEAD], [NOT_FOLLOWED]]
        self._numbers: dict[Hashable, int] = {}
        self.hypotheses: list[Hypotheses] = [(), ()]  # by the number of their state
        # Of each text of the trie, in order, the node that it ends in.
        n_ending = trie.ending_array.astype(np.int64)
        order = np.argsort(np.repeat(trie.low_array, n_ending), kind="stable")
        self._node_of = np.repeat(np.arange(len(n_ending), dtype=np.int32), n_ending)[order]

    def find(self, hypotheses: Hypotheses) -> int:
        """Return the number of the state of some hypotheses."""
        state = self._numbers.setdefault(key_of(self._machine, hypotheses), len(self.hypotheses))
        if state == len(self.hypotheses):
            self.hypotheses.append(hypotheses)
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
        return state

    def follow(self, start: int, is_asked: NDArray[np.bool_], most: int) -> Ints:
        """Return of each token that is asked about, in the trie's order, the state after it.

        The machine is asked for at most so many pairs, and stops where a limit of steps is reached.
        Levels are followed in order, so it is the longest tokens that are not followed.
        """
        found = np.full(len(self._columns), DEAD, dtype=np.int32)
        found[ROOT], above = start, self._trie.parent_array
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_asked, dtype=np.int32)])
        needed = np.flatnonzero(before[self._trie.nodes.high] > before[self._trie.low_array])
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            nodes = needed[first:last]
            pairs = found[above[nodes]].astype(np.int64) * self._width + self._columns[nodes]
            after = self._table.reshape(-1)[pairs]
            if after.min(initial=DEAD) == _UNKNOWN:
                unknown = np.unique(pairs[after == _UNKNOWN])[: max(0, most)]
                most -= len(unknown)
                with suppress(LimitError):
                    for pair in unknown.tolist():
                        self._step(*divmod(pair, self._width))
                after = self._table.reshape(-1)[pairs]
                after[after == _UNKNOWN] = NOT_FOLLOWED
            found[nodes] = after
        return np.where(is_asked, found[self._node_of], DEAD)

    def move(self, state: int, byte: int) -> int:
        """Return the state after a byte."""
        column = int(self._column_of[byte])
        if self._table[state, column] == _UNKNOWN:
            self._step(state, column)
        return int(self._table[state, column])

    def _step(self, state: int, column: int) -> None:
        charge_steps(_STEPS)
        reached, after = self._machine.step(self.hypotheses[state], self._bytes[column]), DEAD
        if reached:
            found = self._stand_in(reached)
            after = NOT_FOLLOWED if found is None else self.find(found)
        self._table[state, column] = after

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._table.nbytes + _STATE_BYTES * len(self.hypotheses) + self._node_of.nbytes
