"""Layers: the states that can be on top of a stack after a symbol was pushed onto it.

Where the state that was pushed reduces by a production of one symbol, it is popped again and the
nonterminal is pushed onto the same state: an atom becomes a factor, a term, and so on through all
levels of an expression. A *layer* is the pushed state and all states that it becomes in this way.
It depends on the state below alone, and there are no more layers than entries of the table.

Example: with ``e: e "+" t | t`` and ``t: t "*" n | n``, the layer of ``n`` has the states of n, of
t and of e: it shifts ``*`` and ``+``.
"""

from __future__ import annotations

from maskc.acyclic import mypyc_attr
from maskc.ids import GeneralStateId, TerminalId
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.glr.tables import Lr0Tables, Reduction

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
