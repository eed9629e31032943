"""What a terminal does to a parser's stack, and to a set of states on top of it.

:class:`Driver` reduces and shifts; Lark's own table and the refined one have the same form. A stack
is a list of states, the top last. It may be a whole stack or only its topmost states: a reduction
that needs states below the lowest one is not done, and the driver says so. The runtime moves stacks
by tables of its own, and ``maskc verify`` shares no code with this.

:class:`StateMoves` takes a set of states that may be on top before a terminal to those that can be
on top after it, over all stacks. Reductions go below the top: a production goes back to every state
from which its right side leads here, whatever the stack really holds there. So no state that can be
met is left out, and few others are in.

Source: DeRemer and Pennello, *Efficient Computation of LALR(1) Look-Ahead Sets* (1982), lookback;
doi:10.1145/69622.357187.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.lalr.refine import RefinedTable
from maskc.grammar import Bnf, LalrGrammar, list_reductions
from maskc.grammar.sets import unite_along
from maskc.ids import END, ProductionId
from maskc.levels import spread

Longs = NDArray[np.int64]


class StackOutcome(Enum):
    """What a stack does with a terminal, once it has done all reductions that come before it."""

    TAKES = "the state on top shifts it"
    ENDS = "it is the end of the text, and the text may end here"
    REFUSES = "it is an error"
    NEEDS_BELOW = "a reduction goes below the lowest state that is known"


class Driver:
    """Reduces and shifts on lists of states, which it changes."""

    def __init__(
        self,
        bnf: Bnf,
        shifts: Sequence[Mapping[int, int]],
        reduces: Sequence[Mapping[int, ProductionId]],
        gotos: Sequence[Mapping[int, int]],
        end_states: frozenset[int],
    ) -> None:
        """Take a table."""
        self._shifts, self._reduces, self._gotos = shifts, reduces, gotos
        self._end_states = end_states
        self._lhs = [production.lhs for production in bnf.productions]
        self._length = [len(production.rhs) for production in bnf.productions]

    def reduce(
        self, stack: list[int], terminal: int, passed: list[int] | None = None
    ) -> StackOutcome:
        """Do the reductions that come before a terminal; the stack is what they leave.

        Args:
            stack: states, the top last; changed, also where the terminal is refused in the end.
            terminal: what comes next.
            passed: if given, each state that came on top is appended.
        """
        while True:
            top = stack[-1]
            if terminal in self._shifts[top]:
                return StackOutcome.TAKES
            # Whatever it may reduce: with `start: start | "a"` there is always one more.
            if terminal == END and top in self._end_states:
                return StackOutcome.ENDS
            production = self._reduces[top].get(terminal)
            if production is None:
                return StackOutcome.REFUSES
            length = self._length[production]
            if len(stack) <= length:
                return StackOutcome.NEEDS_BELOW
            if length:
                del stack[-length:]
            target = self._gotos[stack[-1]].get(self._lhs[production])
            if target is None:
                return StackOutcome.REFUSES
            stack.append(target)
            if passed is not None:
                passed.append(target)

    def take(self, stack: list[int], terminal: int) -> StackOutcome:
        """Reduce, and shift the terminal if the stack takes it."""
        outcome = self.reduce(stack, terminal)
        if outcome is StackOutcome.TAKES:
            stack.append(self._shifts[stack[-1]][terminal])
        return outcome


def drive_lalr(grammar: LalrGrammar) -> Driver:
    """Return the driver of Lark's own table."""
    states = grammar.lalr.states
    return Driver(
        grammar.bnf,
        [row.shifts for row in states],
        [row.reduces for row in states],
        [row.gotos for row in states],
        frozenset([grammar.lalr.end_state]),
    )


def drive_refined(grammar: LalrGrammar, table: RefinedTable) -> Driver:
    """Return the driver of a refined table, which reduces as the LALR state of each state says."""
    return Driver(
        grammar.bnf,
        table.shifts,
        [grammar.lalr.states[lalr_state].reduces for lalr_state in table.lalr_state],
        table.gotos,
        frozenset(s for s, lalr in enumerate(table.lalr_state) if lalr == grammar.lalr.end_state),
    )


States = int  # a set of LALR states as bits


class StateMoves:
    """Sets of states before and after a terminal."""

    def __init__(self, grammar: LalrGrammar) -> None:
        self.everywhere: States = (1 << len(grammar.lalr.states)) - 1
        self._grammar = grammar
        self._reductions = _find_reductions(grammar)
        # Terminal → (state, state after it), and the terminals on which states reduce → the states
        # that can be on top then → the states that reduce.
        self._shifting: dict[int, list[tuple[int, int]]] = {}
        self._reducing: dict[frozenset[int], dict[tuple[int, ...], States]] = {}
        for state, row in enumerate(grammar.lalr.states):
            for terminal, target in row.shifts.items():
                self._shifting.setdefault(terminal, []).append((state, target))
            for production, terminals in list_reductions(row.reduces):
                groups = self._reducing.setdefault(frozenset(terminals), {})
                reduced = self._reductions[state, production]
                groups[reduced] = groups.get(reduced, 0) | 1 << state
        self._targets: dict[int, list[tuple[States, States]]] = {}
        self._known: dict[tuple[int, States], States] = {}

    def after(self, terminal: int, before: States) -> States:
        """Return the states after a terminal; with it goes what an indenter makes of it."""
        key = (terminal, before)
        found = self._known.get(key)
        if found is None:
            found = self._take(terminal, before)
            layout = self._grammar.lexer.layout
            if layout is not None and terminal == layout.newline:
                found |= self._take(layout.indent, found)
                dedented = found
                while dedented:
                    dedented = self._take(layout.dedent, dedented) & ~found
                    found |= dedented
                # Between brackets a newline is dropped.
                found |= before
            self._known[key] = found
        return found

    def _take(self, terminal: int, before: States) -> States:
        targets = self._targets.get(terminal)
        if targets is None:
            targets = self._targets[terminal] = self._find_targets(terminal)
        found = 0
        for states, after in targets:
            if before & states:
                found |= after
        return found

    def _find_targets(self, terminal: int) -> list[tuple[States, States]]:
        """Return sets of states that act on a terminal, with the states after it.

        States that reduce it and then go on in the same states are one set.
        """
        grammar = self._grammar
        waiting: dict[tuple[int, ...], States] = {}
        for terminals, groups in self._reducing.items():
            if terminal in terminals:
                for reduced, states in groups.items():
                    waiting[reduced] = waiting.get(reduced, 0) | states
        number = {reduced: i for i, reduced in enumerate(waiting)}
        edges, shifted = list[list[int]](), list[States]()
        for reduced in waiting:
            edges.append(further := [])
            found = 0
            for target in reduced:
                row = grammar.lalr.states[target]
                if terminal in row.shifts:
                    found |= 1 << row.shifts[terminal]
                elif terminal in row.reduces:
                    further.append(number[self._reductions[target, row.reduces[terminal]]])
            shifted.append(found)
        after = unite_along(edges, shifted)[0]
        shifting: dict[States, States] = {}
        for state, target in self._shifting.get(terminal, ()):
            shifting[1 << target] = shifting.get(1 << target, 0) | 1 << state
        found_by = [(states, target) for target, states in shifting.items()]
        return found_by + list(zip(waiting.values(), after, strict=True))


def _find_reductions(grammar: LalrGrammar) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return (state, production) → the states that can be on top once it is reduced there."""
    states, n_states = grammar.lalr.states, len(grammar.lalr.states)
    rows = [row.shifts for row in states], [row.gotos for row in states]
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for production, target, end in follow_productions(grammar.bnf, *rows):
        reduced = np.unique((production * n_states + end) * n_states + target)
        keys, targets = np.divmod(reduced, n_states)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        bounds, after = pairwise([*first.tolist(), len(keys)]), targets.tolist()
        for key, (low, high) in zip(keys[first].tolist(), bounds, strict=True):
            found[key % n_states, key // n_states] = tuple(after[low:high])
    return found


class ProductionPaths(NamedTuple):
    """Where productions begin and end in a table; int64[n] each, productions ascending."""

    production: Longs
    target: Longs  # the state to which its left side leads from the state in which it begins
    end: Longs  # the state at the end of its right side


def follow_productions(
    bnf: Bnf, shifts: Sequence[Mapping[int, int]], gotos: Sequence[Mapping[int, int]]
) -> Iterator[ProductionPaths]:
    """Follow each production from all states that go on with its left side, side by side.

    What is yielded has whole productions, some of them together.
    """
    sources, terminals, targets = list_edges(shifts)
    bases, nonterminals, pushed = list_edges(gotos)
    n_states = max(len(shifts), 1)
    keys = np.concatenate([terminals, -1 - nonterminals]) * n_states
    keys += np.concatenate([sources, bases])
    order = np.argsort(keys)
    keys, after = keys[order], np.concatenate([targets, pushed])[order]
    lengths = np.array([len(production.rhs) for production in bnf.productions], dtype=np.int64)
    symbols = np.array([s for p in bnf.productions for s in p.rhs], dtype=np.int64)
    first = np.cumsum(lengths) - lengths
    left = np.array([-1 - production.lhs for production in bnf.productions], dtype=np.int64)
    begin, stop = np.searchsorted(keys, [left * n_states, (left + 1) * n_states])
    low, n_begun = 0, np.cumsum(stop - begin)
    while low < len(lengths):
        # As many productions at once as begin in so many states together, and at least one.
        n_done = int(n_begun[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(n_begun, n_done + _AT_ONCE, side="right")))
        run, edge = spread(begin[low:high], stop[low:high])
        number, here = run + np.int64(low), keys[edge] % n_states
        active = np.arange(len(here))
        for dot in range(int(lengths[low:high].max())):
            active = active[lengths[number[active]] > dot]
            wanted = symbols[first[number[active]] + dot] * n_states + here[active]
            here[active] = look_up(keys, after, wanted)
            active = active[here[active] != NOTHING]
        kept = np.flatnonzero(here != NOTHING)
        yield ProductionPaths(number[kept], after[edge[kept]], here[kept])
        low = high


_AT_ONCE = 1 << 15
NOTHING = -1  # instead of a value


def look_up(keys: Longs, values: Longs, wanted: Longs) -> Longs:
    """Return int64[n]: the values of some keys, ``NOTHING`` for others; ``keys`` ascend.

    >>> look_up(np.array([2, 5]), np.array([20, 50]), np.array([5, 3, 9]))
    array([50, -1, -1])
    """
    if not len(keys):
        return np.full(len(wanted), NOTHING, dtype=np.int64)
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[index] == wanted, values[index], NOTHING)


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
