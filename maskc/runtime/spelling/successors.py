"""Where the tokens of a hypothesis lead: a lazily built byte automaton over any machine.

The automaton interns sets of hypotheses as states, and asks the machine once for each pair of a
state and a byte. Many tokens are read in it at once, with NumPy.

Where hypotheses count tokens (free text of at most so many), bytes do not tell where a token leads;
such states are not followed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.spelling.chunks import DEAD, read_tokens
from maskc.runtime.spelling.pairs import Ints
from maskc.runtime.vocabulary import TokenTable

NOT_FOLLOWED = 1
_UNKNOWN = -1
_MOST_MOVES = 1 << 21  # four bytes each


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
        self.hypotheses: list[Hypotheses] = [(), ()]
        self._numbers: dict[Hashable, int] = {}
        self._table = np.full((64, len(machine.byte_groups)), _UNKNOWN, dtype=np.int32)
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
        if self._counts_tokens(self.hypotheses[state]):
            return np.full(len(ids), NOT_FOLLOWED, dtype=np.int32)
        return read_tokens(self._tokens, ids, state, self._moves)

    def _counts_tokens(self, hypotheses: Hypotheses) -> bool:
        return isinstance(self._machine, LinkMachine) and any(
            h.piece.counts_tokens for h in hypotheses
        )

    def _moves(self, states: Ints, data: NDArray[np.uint8]) -> Ints:
        letters, groups = self._letter_of[data], self._machine.byte_groups
        after = self._table[states, letters]
        is_unknown = after == _UNKNOWN
        if not is_unknown.any():
            return after
        keys = states[is_unknown].astype(np.int64) * len(groups) + letters[is_unknown]
        for key in np.unique(keys).tolist():
            state, letter = divmod(key, len(groups))
            reached = self._machine.step(self.hypotheses[state], groups[letter][:1])
            to = NOT_FOLLOWED if self._counts_tokens(reached) else self.find(reached)
            self._table[state, letter] = to
        return self._table[states, letters]
