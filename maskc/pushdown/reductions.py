"""Which state's answers does each state ask for when it reduces?

A production that starts in the closure of a state ends, a few pushes higher, in a state that
reduces it, and that one asks what the state takes once the production's left side is pushed on it.
The way between does not matter, so it is walked once: for a production, from all states in whose
closure it is, side by side.

Example: where ``a: "x" b`` starts in state 3, and ``x b`` leads from there to state 9, which
reduces it, state 9 asks what the state after 3 and ``a`` takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from maskc.grammar.lalr import list_reductions
from maskc.grammar.model import LalrGrammar
from maskc.parser.items import ItemSets
from maskc.parser.refine import RefinedTable
from maskc.pushdown.spreading import Edges, Longs

NO_STATE = -1
_NO_STATES = np.zeros(0, dtype=np.int64)


def find_reductions(
    grammar: LalrGrammar, item_sets: ItemSets, table: RefinedTable
) -> tuple[Edges, tuple[frozenset[int], ...]]:
    """Return edges from states after a left side to the states that reduce to them.

    Returns:
        The edges, and of each kind of edge the terminals on which the reduction is made.
    """
    kinds = dict[frozenset[int], int]()
    # Of each production, the LALR states that reduce it, and the kind.
    reducing: dict[int, list[tuple[int, int]]] = {}
    for state, row in enumerate(grammar.lalr.states):
        for reduced, terminals in list_reductions(row.reduces):
            number = kinds.setdefault(frozenset(terminals), len(kinds))
            reducing.setdefault(reduced, []).append((state, number))
    starting: dict[int, list[int]] = {}
    for state, closure in enumerate(item_sets.closures):
        for productions in closure.values():
            for begun in productions:
                starting.setdefault(begun, []).append(state)
    steps, lalr_state = Steps(table), np.array(table.lalr_state, dtype=np.int64)
    found: list[tuple[Longs, Longs, Longs]] = []
    kind_of = np.full(len(grammar.lalr.states), NO_STATE, dtype=np.int64)
    is_start = np.zeros(len(grammar.lalr.states), dtype=np.bool_)
    for production in sorted(starting.keys() & reducing.keys()):
        sources, bases = steps.list_edges(-1 - grammar.bnf.productions[production].lhs)
        is_start[starting[production]] = True
        begun_here = is_start[lalr_state[sources]]
        is_start[starting[production]] = False
        here, base = sources[begun_here], bases[begun_here]
        for symbol in item_sets.right_sides[production]:
            here = steps.follow(here, symbol)
        alive = np.flatnonzero(here != NO_STATE)
        base, here = base[alive], here[alive]
        states, numbers = zip(*reducing[production], strict=True)
        kind_of[list(states)] = numbers
        kind = kind_of[lalr_state[here]]
        kind_of[list(states)] = NO_STATE
        asked = np.flatnonzero(kind != NO_STATE)
        found.append((base[asked], here[asked], kind[asked]))
    base, end, kind = (
        np.concatenate([np.zeros(0, dtype=np.int64), *columns])
        for columns in (zip(*found, strict=True) if found else ((), (), ()))
    )
    order = np.argsort(base, kind="stable")
    first = np.searchsorted(base[order], np.arange(len(lalr_state) + 1))
    return Edges(first, end[order], kind[order]), tuple(kinds)


def list_edges(rows: Sequence[Mapping[int, int]]) -> tuple[Longs, Longs, Longs]:
    """Return int64[n] each: the states, symbols and targets of a table, state by state.

    >>> list_edges([{5: 1, 3: 2}, {}, {4: 0}])
    (array([0, 0, 2]), array([5, 3, 4]), array([1, 2, 0]))
    """
    states = np.repeat(
        np.arange(len(rows), dtype=np.int64), np.fromiter(map(len, rows), np.int64, len(rows))
    )
    symbols = np.fromiter(chain.from_iterable(rows), np.int64, len(states))
    targets = np.fromiter(chain.from_iterable(row.values() for row in rows), np.int64, len(states))
    return states, symbols, targets


class Steps:
    """Where symbols lead, for many states at once.

    Args:
        table: of the states.
    """

    def __init__(self, table: RefinedTable) -> None:
        shifting, terminals, shifted = list_edges(table.shifts)
        going, nonterminals, gone = list_edges(table.gotos)
        states, symbols, targets = (
            np.concatenate(pair)
            for pair in ((shifting, going), (terminals, -1 - nonterminals), (shifted, gone))
        )
        order = np.lexsort((states, symbols))
        distinct, first = np.unique(symbols[order], return_index=True)
        self._of_symbol = {
            symbol: (states[edges], targets[edges])
            for symbol, edges in zip(distinct.tolist(), np.split(order, first[1:]), strict=False)
        }

    def list_edges(self, symbol: int) -> tuple[Longs, Longs]:
        """Return int64[n] twice: the states that a symbol leads from, ascending, and where to."""
        return self._of_symbol.get(symbol, (_NO_STATES, _NO_STATES))

    def follow(self, states: Longs, symbol: int) -> Longs:
        """Return int64[n], the states after a symbol; ``NO_STATE`` where there is none, or was.

        Args:
            states: int64[n].
            symbol: a terminal, or -1 less a nonterminal.
        """
        sources, targets = self.list_edges(symbol)
        if not len(sources):
            return np.full(len(states), NO_STATE, dtype=np.int64)
        places = np.minimum(np.searchsorted(sources, states), len(sources) - 1)
        return np.where(sources[places] == states, targets[places], NO_STATE)
