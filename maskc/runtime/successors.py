"""Lazily built byte automata over machines, and the successors of all tokens at once.

The states are sets of hypotheses with numbers, and bytes that the machine does not tell apart share
a column of the table. A trie is followed level by level through it, and the machine is asked once
for each pair of a state and a byte.

Example: inside of a string of JSON most tokens lead to where they began.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.step_budget import charge_steps

DEAD: Final = 0
NOT_FOLLOWED: Final = 1
EVERY: Final = 1 << 40  # pairs
_UNKNOWN: Final = -1
_STEPS: Final = 6  # that a machine takes for one byte
_STATE_BYTES: Final = 600


def key_of(machine: Machine[Any], hypotheses: Hypotheses) -> Hashable:
    """Return a key that only hypotheses with the same future have, in whatever order they are."""
    if len(hypotheses) == 1:
        return machine.identify(hypotheses[0])
    return frozenset(map(machine.identify, hypotheses))


class StepTable:
    """A byte automaton, built lazily: its states are hypotheses by number, ``DEAD`` is none.

    ``step`` is a machine's, and is charged for ``n_steps``. ``key`` returns what only hypotheses
    with the same future have, ``stand_in`` what stands for hypotheses after a byte, ``None`` if
    nothing is followed. ``n_made`` counts the steps.
    """

    def __init__(
        self,
        step: Callable[[Hypotheses, bytes], Hypotheses],
        key: Callable[[Hypotheses], Hashable],
        byte_groups: Sequence[bytes],
        stand_in: Callable[[Hypotheses], Hypotheses | None],
        n_steps: int,
    ) -> None:
        self._ask, self._key, self._stand_in, self._n_steps = step, key, stand_in, n_steps
        columns = bytearray(256)
        for column, group in enumerate(byte_groups):
            for byte in group:
                columns[byte] = column
        self.column_of = np.frombuffer(columns, dtype=np.uint8)
        self._bytes = [group[:1] for group in byte_groups]
        self._width = len(self._bytes)
        self._table = np.full((64, self._width), _UNKNOWN, dtype=np.int32)
        self._table[: NOT_FOLLOWED + 1] = [[DEAD], [NOT_FOLLOWED]]
        self._numbers: dict[Hashable, int] = {}
        self.hypotheses: list[Hypotheses] = [(), ()]  # by the number of their state
        self.n_made = 0

    def find(self, hypotheses: Hypotheses) -> int:
        """Return the number of the state of some hypotheses."""
        state = self._numbers.setdefault(self._key(hypotheses), len(self.hypotheses))
        if state == len(self.hypotheses):
            self.hypotheses.append(hypotheses)
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
        return state

    def leave_out(self, state: int, bytes_: list[int]) -> None:
        """Note that no text goes on from a state by some bytes, which are whole groups."""
        self._table[state, self.column_of[bytes_]] = DEAD

    def after(self, states: Ints, columns: NDArray[np.uint8], most: int = EVERY) -> Ints:
        """Return int32[n], the state after each column from the state beside it.

        At most so many pairs are asked for; others are ``NOT_FOLLOWED``.
        """
        pairs = states.astype(np.int64) * self._width + columns
        found: Ints = self._table.reshape(-1)[pairs]
        if found.min(initial=DEAD) == _UNKNOWN:
            unknown = np.unique(pairs[found == _UNKNOWN])[: max(0, most)]
            self.n_made += len(unknown)
            self._make(unknown.tolist())
            found = self._table.reshape(-1)[pairs]
            found[found == _UNKNOWN] = NOT_FOLLOWED
        return found

    def move(self, state: int, byte: int) -> int:
        """Return the state after a byte."""
        column = int(self.column_of[byte])
        if self._table[state, column] == _UNKNOWN:
            self._step(state, column)
        return int(self._table[state, column])

    def _make(self, pairs: list[int]) -> None:
        for pair in pairs:
            self._step(*divmod(pair, self._width))

    def _step(self, state: int, column: int) -> None:
        charge_steps(self._n_steps)
        reached, after = self._ask(self.hypotheses[state], self._bytes[column]), DEAD
        if reached:
            found = self._stand_in(reached)
            after = NOT_FOLLOWED if found is None else self.find(found)
        self._table[state, column] = after


class Successors(StepTable):
    """Where tokens lead from hypotheses. Not safe to use from several threads at once."""

    def __init__(
        self,
        machine: Machine[Any],
        trie: Trie,
        stand_in: Callable[[Hypotheses], Hypotheses | None],
    ) -> None:
        key = partial(key_of, machine)
        super().__init__(machine.step, key, machine.byte_groups, stand_in, _STEPS)
        self._trie, self._columns = trie, self.column_of[trie.byte_array]
        # Of each text of the trie, in order, the node that it ends in.
        n_ending = trie.ending_array.astype(np.int64)
        order = np.argsort(np.repeat(trie.low_array, n_ending), kind="stable")
        self._node_of = np.repeat(np.arange(len(n_ending), dtype=np.int32), n_ending)[order]

    def follow(self, start: int, is_asked: NDArray[np.bool_], most: int) -> Ints:
        """Return of each token that is asked about, in the trie's order, the state after it.

        The machine is asked for at most so many pairs, and stops where a limit of steps is reached.
        Levels are followed in order, so it is the longest tokens that are not followed.
        """
        found, until = np.full(len(self._columns), DEAD, dtype=np.int32), self.n_made + most
        found[ROOT], above = start, self._trie.parent_array
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_asked, dtype=np.int32)])
        needed = np.flatnonzero(before[self._trie.nodes.high] > before[self._trie.low_array])
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            nodes = needed[first:last]
            columns = self._columns[nodes]
            found[nodes] = self.after(found[above[nodes]], columns, until - self.n_made)
        return np.where(is_asked, found[self._node_of], DEAD)

    def _make(self, pairs: list[int]) -> None:
        with suppress(LimitError):
            super()._make(pairs)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._table.nbytes + _STATE_BYTES * len(self.hypotheses) + self._node_of.nbytes
