"""The rows of an LR(0) table with every action, as dicts made when first asked for, and layers.

Where an LALR table has at most one action for a state and a terminal, this one has all of them.
No production is empty: the compiler has rewritten those that were. Every method returns a shared
object that must not be changed.

Where a state that was pushed reduces by a production of one symbol, it is popped again and the
nonterminal is pushed onto the same state: an atom becomes a factor, a term, and so on through all
levels of an expression. A *layer* is the pushed state and all states that it becomes in this way.
It depends on the state below alone, and there are no more layers than entries of the table.

Example: with ``e: e "+" t | t`` and ``t: t "*" n | n``, the layer of ``n`` has the states of n, of
t and of e: it shifts ``*`` and ``+``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.ids import GeneralStateId, NonterminalId, TerminalId
from maskc.runtime.cache import Budget, Cache
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


_LAYER_BYTES = 900  # of a layer and its entry in a cache, roughly

# A state, and what it shifts: terminal → where to.
Shifts = tuple[GeneralStateId, dict[TerminalId, tuple[GeneralStateId, ...]]]


@mypyc_attr(acyclic=True)
class Layer:
    """Some states, any of which may be on top of one state. Never changes."""

    __slots__ = ("below", "live", "number", "reduces", "shifts", "taken")

    def __init__(
        self,
        number: int,
        below: GeneralStateId,
        shifts: tuple[Shifts, ...],
        reduces: tuple[Reduction, ...],
        taken: int,
        live: int,
    ) -> None:
        self.number = number  # below Layers.n
        self.below = below  # the state that it is on top of, or BOTTOM
        self.shifts = shifts  # the states that shift anything, with what they shift
        # what they reduce to, but for what makes them other states of the layer
        self.reduces = reduces
        self.taken = taken  # the lookaheads that some of them shift or end with, as a bit set
        self.live = live  # those that some stack with one of them on top can go on with


class Layers:
    """The layers of one artifact."""

    def __init__(self, parser: Lr0Tables, budget: Budget) -> None:
        self._parser = parser
        self._n_states = len(parser.taken)
        self.n = (1 + self._n_states) * self._n_states  # the numbers of layers are below this
        self._pushed = Cache(budget, n_bytes=_LAYER_BYTES)  # number → layer
        self._shifts: list[Shifts | None] = [None] * self._n_states

    def push(self, below: GeneralStateId, state: GeneralStateId) -> Layer:
        """Return the layer of a state that was pushed onto another one."""
        number = (below + 1) * self._n_states + state
        found: Layer | None = self._pushed.get(number)
        if found is None:
            found = self._make(number, below, self._list_states(below, state))
            self._pushed.put(number, found)
        return found

    def _list_states(self, below: GeneralStateId, state: GeneralStateId) -> list[GeneralStateId]:
        """Return a state and those that it reduces to alone."""
        gotos = self._parser.gotos(below)
        found = [state]
        for reached in found:  # grows while we walk it
            for nonterminal, length in self._parser.reduces(reached):
                target = gotos.get(nonterminal) if length == 1 else None
                if target is not None and target not in found:
                    found.append(target)
        return found

    def _make(self, number: int, below: GeneralStateId, states: list[GeneralStateId]) -> Layer:
        parser = self._parser
        reductions: dict[Reduction, None] = {}
        taken = live = 0
        for state in states:
            taken |= parser.taken[state]
            live |= parser.live[state]
            for reduction in parser.reduces(state):
                if reduction[1] > 1:
                    reductions[reduction] = None
        rows = tuple([row for row in map(self._shifts_of, states) if row[1]])
        return Layer(number, below, rows, tuple(reductions), taken, live)

    def _shifts_of(self, state: GeneralStateId) -> Shifts:
        """Return a state with what it shifts: the same object for all layers."""
        found = self._shifts[state]
        if found is None:
            found = self._shifts[state] = (state, self._parser.shifts(state))
        return found
