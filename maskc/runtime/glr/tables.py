"""The rows of an LR(0) table with every action, as dicts that are made when first asked for.

Where an LALR table has at most one action for a state and a terminal, this one has all of them.
No production is empty: the compiler has rewritten those that were. Every method returns a shared
object that must not be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.ids import GeneralStateId, NonterminalId, TerminalId
from maskc.runtime.scanner import to_bit_sets, view_numbers

# A production that ends in a state: the nonterminal that it makes, and how many states it pops, at
# least one.
Reduction = tuple[NonterminalId, int]

# The columns of each table, beside where the rows of a state begin.
_COLUMNS: Final = {
    "shift": ("terminal", "state"),
    "goto": ("nonterminal", "state"),
    "reduce": ("nonterminal", "length"),
}

BOTTOM = GeneralStateId(-1)  # instead of the state below the start state, without any gotos


class Lr0Tables:
    """The parser of one artifact."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays
        self._first = {table: view_numbers(arrays[f"general_{table}_first"]) for table in _COLUMNS}
        self._columns = {
            table: [view_numbers(arrays[f"general_{table}_{name}"]) for name in names]
            for table, names in _COLUMNS.items()
        }
        # state → the lookaheads, as a bit set, that it shifts or ends with
        self.taken = to_bit_sets(arrays["general_taken"])
        # state → those that a stack with this state on top can go on with, reductions included; all
        # of them in an artifact in which no state decides anything
        self.live = to_bit_sets(arrays["general_live"])
        n_states = len(self.taken)
        nonterminals = (arrays["general_goto_nonterminal"], arrays["general_reduce_nonterminal"])
        # nonterminals are below this
        self.n_nonterminals = 1 + max(int(some.max(initial=-1)) for some in nonterminals)
        # how many states a production pops at most
        self.longest = int(arrays["general_reduce_length"].max(initial=1))
        self._shifts: list[dict[TerminalId, tuple[GeneralStateId, ...]] | None] = [None] * n_states
        self._gotos: list[dict[NonterminalId, GeneralStateId] | None] = [None] * n_states
        self._gotos.append({})  # of BOTTOM, which is -1
        self._reduces: list[tuple[Reduction, ...] | None] = [None] * n_states

    def list_gotos(self) -> list[tuple[NonterminalId, GeneralStateId]]:
        """Return all (nonterminal, state that it leads to), each once."""
        arrays = self._arrays
        pairs = np.stack([arrays["general_goto_nonterminal"], arrays["general_goto_state"]], axis=1)
        return [(a, b) for a, b in np.unique(pairs, axis=0).tolist()]

    def shifts(self, state: GeneralStateId) -> dict[TerminalId, tuple[GeneralStateId, ...]]:
        """Return terminal → states."""
        row = self._shifts[state]
        if row is None:
            row = {}
            for terminal, target in self._pairs(state, "shift"):
                row[terminal] = (*row.get(terminal, ()), target)
            self._shifts[state] = row
        return row

    def gotos(self, state: GeneralStateId) -> dict[NonterminalId, GeneralStateId]:
        """Return nonterminal → state."""
        row = self._gotos[state]
        if row is None:
            row = self._gotos[state] = dict(self._pairs(state, "goto"))
        return row

    def reduces(self, state: GeneralStateId) -> tuple[Reduction, ...]:
        """Return the productions that end in a state."""
        row = self._reduces[state]
        if row is None:
            row = tuple(self._pairs(state, "reduce"))
            self._reduces[state] = row
        return row

    def _pairs(self, state: GeneralStateId, table: str) -> list[tuple[Any, Any]]:
        low, high = self._first[table][state], self._first[table][state + 1]
        left, right = self._columns[table]
        return list(zip(left[low:high].tolist(), right[low:high].tolist(), strict=True))
