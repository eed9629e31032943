"""The tokens in which a lexeme of a hole may begin, and where the lexeme before it ends.

All tokens are followed at once from a scanner state, level by level of the trie, as far as they
stay inside the open lexeme. It depends on no words.

Example: from inside a string, a lexeme of NAME may begin in ``" and`` and not in ``",``; the string
ends after the quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import ScannerStateId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.schema.tries.trie import ROOT, Trie
from maskc.runtime.step_budget import charge_vector_steps

# Nodes of the trie, int32[n], and the states of the scanner there, int32[n].
Nodes = tuple[NDArray[np.int32], NDArray[np.int32]]


class Begun(NamedTuple):
    """The tokens from one scanner state in which a lexeme of a hole may begin."""

    # bool[n_tokens], in the order of their bytes: whether it is one of them
    tokens: NDArray[np.bool_]
    exits: Nodes  # where the open lexeme may end in such tokens
    inside: Nodes  # where such tokens end, if they have stayed inside of it


class Beginnings:
    """Where lexemes of holes may begin. For the holes of one artifact, whatever their words are."""

    def __init__(
        self,
        scanner: ScannerTables,
        lexemes: Sequence[TerminalLexemes],
        trie: Trie,
        budget: Budget,
    ) -> None:
        self._scanner, self._trie = scanner, trie
        begins: NDArray[np.bool_] = np.zeros(256, dtype=np.bool_)
        for hole in lexemes:
            begins |= hole.first_bytes
        self._begins = begins
        self._known = Cache(budget, _measure)

    def of(self, state: ScannerStateId) -> Begun:
        """Return the tokens that begin in a scanner state."""
        found: Begun | None = self._known.get(state)
        if found is None:
            found = self._find(state)
            self._known.put(state, found)
        return found

    def _find(self, state: ScannerStateId) -> Begun:
        scanner, trie = self._scanner, self._trie
        n_nodes = len(trie.byte_array)
        charge_vector_steps(n_nodes)
        classes = np.frombuffer(scanner.byte_classes, dtype=np.uint8)[trie.byte_array]
        begins, parents = self._begins[trie.byte_array], trie.parent_array
        states = np.zeros(n_nodes, dtype=np.int32)
        may_end, has_ended, has_begun = np.zeros((3, n_nodes), dtype=np.bool_)
        states[ROOT] = state
        may_end[ROOT] = bool(scanner.ends(state))
        for depth in range(1, len(trie.levels) - 1):
            here = slice(trie.levels[depth], trie.levels[depth + 1])
            above = parents[here]
            before = states[above]
            for reached in np.unique(before[before > 0]).tolist():
                among = np.flatnonzero(before == reached)
                row = np.array(scanner.next(reached), dtype=np.int32)
                states[here][among] = row[classes[here][among]]
            for reached in np.unique(states[here]).tolist():
                if reached and scanner.ends(reached):
                    may_end[here][states[here] == reached] = True
            has_ended[here] = has_ended[above] | may_end[above]
            has_begun[here] = has_begun[above] | has_ended[here] & begins[here]
        tokens = np.zeros(len(trie.texts), dtype=np.bool_)
        ending = np.flatnonzero(has_begun & (trie.ending_array > 0))
        for n in range(int(trie.ending_array[ending].max(initial=0))):
            tokens[trie.low_array[ending[trie.ending_array[ending] > n]] + n] = True
        # Only where some token goes on in which a lexeme begins.
        n_before = np.concatenate([[0], np.cumsum(tokens)])
        nodes = np.flatnonzero(may_end)
        low, high = trie.low_array[nodes], np.asarray(trie.high)[nodes]
        nodes = nodes[n_before[low] < n_before[high]].astype(np.int32)
        inside = ending[states[ending] > 0].astype(np.int32)
        return Begun(tokens, (nodes, states[nodes]), (inside, states[inside]))


def _measure(_: int, begun: Begun) -> int:
    arrays = (begun.tokens, *begun.exits, *begun.inside)
    return ENTRY_BYTES * (1 + len(arrays)) + sum(array.nbytes for array in arrays)
