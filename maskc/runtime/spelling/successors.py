"""Where the tokens of a hypothesis lead: a lazily built byte automaton over any machine.

The automaton interns sets of hypotheses as states, and asks the machine once for each pair of a
state and a byte. Many tokens are read in it at once, with NumPy.

Where hypotheses count tokens (free text of at most so many), bytes do not tell where a token leads;
such states are not followed. Where tokens lead to too many states, as in keys of which each is
another one, those of more bytes are not followed, either.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.spelling.chunks import DEAD, read_tokens
from maskc.runtime.spelling.pairs import Ints
from maskc.runtime.vocabulary import TokenTable

NOT_FOLLOWED = 1
_UNKNOWN = -1
_MOST_MOVES = 1 << 21  # four bytes each
# Pairs of a state and a byte on the way of a state's tokens: an LALR machine steps in 3 µs, those
# of schemas, links and general grammars take up to a hundred.
_MOST_PAIRS, _MOST_SLOW_PAIRS = 20_000, 2_000


class Successors:
    """States of a machine, and their successors by tokens. Not safe to use from several threads.

    Args:
        machine: of the grammar.
        tokens: the vocabulary.

    Attributes:
        hypotheses: of each state; none of the states dead and not followed.
    """

    def __init__(self, machine: Machine[Any], tokens: TokenTable) -> None:
        self._machine, self._tokens = machine, tokens
        self._letter_of = np.zeros(256, dtype=np.uint8)
        for letter, group in enumerate(machine.byte_groups):
            self._letter_of[list(group)] = letter
        self._bytes = [group[:1] for group in machine.byte_groups]
        is_quick = isinstance(machine, LalrMachine)
        self._most_pairs = _MOST_PAIRS if is_quick else _MOST_SLOW_PAIRS
        self.hypotheses: list[Hypotheses] = [(), ()]
        self._numbers: dict[Hashable, int] = {}
        self._table = np.full((64, len(self._bytes)), _UNKNOWN, dtype=np.int32)
        self._table[:2] = [[DEAD], [NOT_FOLLOWED]]

    @property
    def is_full(self) -> bool:
        """Whether it should be made anew."""
        return self._table.size > _MOST_MOVES

    def find(self, hypotheses: Hypotheses) -> int:
        """Return the state of some hypotheses."""
        if not hypotheses:
            return DEAD
        key = frozenset(map(self._machine.identify, hypotheses))
        state = self._numbers.setdefault(key, len(self.hypotheses))
        if state == len(self.hypotheses):
            self.hypotheses.append(hypotheses)
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
        return state

    def after(self, state: int, ids: Ints) -> Ints:
        """Return the states after some tokens."""
        n_left = self._most_pairs

        def move(states: Ints, data: NDArray[np.uint8]) -> Ints:
            nonlocal n_left
            pairs = states.astype(np.int64) * len(self._bytes) + self._letter_of[data]
            is_there = np.zeros(self._table.size, dtype=np.bool_)
            is_there[pairs] = True
            distinct = np.flatnonzero(is_there)
            n_left -= len(distinct)
            if n_left < 0:
                return np.full(len(pairs), NOT_FOLLOWED, dtype=np.int32)
            for pair in distinct[self._table.ravel()[distinct] == _UNKNOWN].tolist():
                self._step(*divmod(pair, len(self._bytes)))
            after: Ints = self._table.ravel()[pairs]
            return after

        if self._counts_tokens(self.hypotheses[state]):
            return np.full(len(ids), NOT_FOLLOWED, dtype=np.int32)
        return read_tokens(self._tokens, ids, state, move)

    def move(self, state: int, byte: int) -> int:
        """Return the state after a byte."""
        return self._step(state, int(self._letter_of[byte]))

    def _step(self, state: int, letter: int) -> int:
        if self._table[state, letter] == _UNKNOWN:
            reached = self._machine.step(self.hypotheses[state], self._bytes[letter])
            to = NOT_FOLLOWED if self._counts_tokens(reached) else self.find(reached)
            self._table[state, letter] = to
        return int(self._table[state, letter])

    def _counts_tokens(self, hypotheses: Hypotheses) -> bool:
        return isinstance(self._machine, LinkMachine) and any(
            h.piece.counts_tokens for h in hypotheses
        )
