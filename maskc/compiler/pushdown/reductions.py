"""Which state's answers each state asks for when it reduces; bit-set dataflow along these edges.

A production that starts in the closure of a state ends, a few pushes higher, in a state that
reduces it, and that one asks what the state takes once the production's left side is pushed on it.
The way between does not matter, so it is walked once: for a production, from all states in whose
closure it is, side by side.

:func:`spread` computes the least fixpoint of: a bit of a state is one of every state that an edge
leads to, if the edge and the state let it through. Rounds of array operations take what the last
round changed a step further. A round costs something even where little changes, so after
``_ROUNDS`` of them, in a graph that is long and narrow, what is left is done state by state.

Example: where ``a: "x" b`` starts in state 3, and ``x b`` leads from there to state 9, which
reduces it, state 9 asks what the state after 3 and ``a`` takes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.lalr.items import ItemSets
from maskc.compiler.lalr.refine import RefinedTable
from maskc.grammar.model import LalrGrammar, list_reductions

Word = NDArray[np.uint64]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

_ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges, in order of the states that they lead from.

    Attributes:
        first: int64[n_states + 1], those from a state are ``first[state] : first[state + 1]``.
        target: int64[n_edges].
        kind: int64[n_edges], edges of a kind let the same bits through.
    """

    first: Longs
    target: Longs
    kind: Longs


def spread(edges: Edges, here: Words, passes: Words, kinds: Words, rounds: int = _ROUNDS) -> None:
    """Add to each state the bits that reach it.

    Args:
        edges: the edges.
        here: uint64[n_words, n_states], the bits of the states; changed.
        passes: uint64[n_words, n_states], the bits that a state lets in.
        kinds: uint64[n_words, n_kinds], the bits that an edge of a kind lets through.
        rounds: how many there are before the rest is done state by state.
    """
    for bits, passed, through in zip(here, passes, kinds, strict=True):
        _spread_word(edges, bits, passed, through, rounds)


def _spread_word(edges: Edges, bits: Word, passed: Word, through: Word, rounds: int) -> None:
    """Spread one word: few states have bits of it, and few change in a round."""
    changed = np.flatnonzero(bits != 0)
    for _ in range(rounds):
        if not len(changed):
            return
        n_edges = edges.first[changed + 1] - edges.first[changed]
        ends = np.cumsum(n_edges)
        # The edges of each changed state lie side by side.
        edge = np.repeat(edges.first[changed] - ends + n_edges, n_edges)
        edge += np.arange(len(edge))
        target = edges.target[edge]
        new = np.repeat(bits[changed], n_edges)
        new &= through[edges.kind[edge]]
        new &= passed[target] & ~bits[target]
        taken = np.flatnonzero(new != 0)  # of truth values: a fifth of the time
        target = target[taken]
        np.bitwise_or.at(bits, target, new[taken])
        changed = _find_distinct(target, len(bits))
    if len(changed):
        _spread_one_by_one(edges, bits, passed, through, changed.tolist())


def _find_distinct(numbers: Longs, n: int) -> Longs:
    """Return the numbers below ``n`` that occur, ascending."""
    occurs = np.zeros(n, dtype=np.bool_)
    occurs[numbers] = True
    return np.flatnonzero(occurs)


def _spread_one_by_one(
    edges: Edges, bits: Word, passed: Word, through: Word, changed: list[int]
) -> None:
    values, passes, lets = bits.tolist(), passed.tolist(), through.tolist()
    first, target, kind = edges.first.tolist(), edges.target.tolist(), edges.kind.tolist()
    # Invariant: what lies one edge further than a state that is not queued holds its bits.
    pending, queued = deque(changed), set(changed)
    while pending:
        state = pending.popleft()
        queued.discard(state)
        value = values[state]
        for edge in range(first[state], first[state + 1]):
            reached = target[edge]
            joined = values[reached] | value & lets[kind[edge]] & passes[reached]
            if joined != values[reached]:
                values[reached] = joined
                if reached not in queued:
                    queued.add(reached)
                    pending.append(reached)
    bits[:] = values


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
    steps, lalr_state = ReductionSteps(table), np.array(table.lalr_state, dtype=np.int64)
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


class ReductionSteps:
    """Where symbols lead, for many states at once."""

    def __init__(self, table: RefinedTable) -> None:
        shift_sources, terminals, shift_targets = list_edges(table.shifts)
        goto_sources, nonterminals, goto_targets = list_edges(table.gotos)
        states, symbols, targets = (
            np.concatenate(pair)
            for pair in (
                (shift_sources, goto_sources),
                (terminals, -1 - nonterminals),
                (shift_targets, goto_targets),
            )
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
        """Return int64[n], the states after a symbol; ``NO_STATE`` where there is none, or was."""
        sources, targets = self.list_edges(symbol)
        if not len(sources):
            return np.full(len(states), NO_STATE, dtype=np.int64)
        indices = np.minimum(np.searchsorted(sources, states), len(sources) - 1)
        return np.where(sources[indices] == states, targets[indices], NO_STATE)
