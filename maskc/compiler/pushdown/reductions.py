"""Facts about refined states, and whose answers each asks for: bit-set dataflow along these edges.

A production that starts in the closure of a state ends, a few pushes higher, in a state that
reduces it, and that one asks what the state takes once the production's left side is pushed on it.
The way between does not matter, so it is walked once: for a production, from all states in whose
closure it is, side by side.

:func:`spread` computes the least fixpoint of: a bit of a state is one of every state that an edge
leads to, if the edge and the state let it through. Rounds of array operations take what the last
round changed a step further. A round costs something even where little changes, so after
``_ROUNDS`` of them, in a graph that is long and narrow, what is left is done state by state.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler import LexicalAnalysis
from maskc.compiler.lalr.driver import NOTHING, follow_productions, look_up
from maskc.compiler.lalr.refine import RefinedTable, list_states_after
from maskc.compiler.pushdown.interchangeable import Classes
from maskc.compiler.rows import ContextSet, ParserEvent
from maskc.grammar import LalrGrammar, list_reductions
from maskc.ids import END, NO_EVENT
from maskc.lexer import End
from maskc.lexer.boundaries import PartialLexeme

Bools = NDArray[np.bool_]


class StateFacts:
    """Facts of refined states that need no look at the stack below, as vectors over all states."""

    def __init__(
        self, lexed: LexicalAnalysis[LalrGrammar], table: RefinedTable, classes: Classes
    ) -> None:
        """Take a table and the lexer's side of it; ``classes`` are interchangeable terminals."""
        grammar, boundaries = lexed.grammar, lexed.boundaries
        self._boundaries, self._columns = boundaries, lexed.columns
        # An event names the first terminal of a class for all of them.
        self._members = {members[0]: members for members in classes}
        self._list_after = list_states_after(table, grammar.lexer.layout)
        self.newline = lexed.newline  # the terminal that ends a line, with indentation
        n_lookaheads = boundaries.n_lookaheads
        self.nothing = np.zeros(len(table.live), dtype=np.bool_)  # bool[n_states], all False
        # uint64[n_words, n_states]: a bit for each lookahead, 64 of them side by side.
        self._live = bits.pack(table.live, n_lookaheads).T.copy()
        self._context = np.array(grammar.lalr.context_of, dtype=np.int32)[
            np.array(table.lalr_state, dtype=np.int32)
        ]
        self._n_contexts = len(grammar.lexer.contexts)
        self._in: dict[ContextSet, Bools] = {}
        # bool[n_states], whether a bracket is open below
        self.enclosed = np.array(table.enclosed, dtype=np.bool_)
        layout_context = self._context + self._n_contexts * self.enclosed
        self._goes_on = [
            self._meets(bits.pack(row, n_lookaheads).T[:, layout_context])
            for row in boundaries.rest
        ]
        # terminal → bool[n_states], whether a state goes on with it
        self.takes = {
            terminal: self._meets(bits.pack([boundaries.set_of(terminal)], n_lookaheads)[0])
            for terminal in boundaries.of_terminal
        }

    def takes_of(self, terminal: int) -> Bools:
        """Return bool[n_states]: whether a state goes on with a terminal."""
        return self.takes.get(terminal, self.nothing)

    def in_contexts(self, contexts: ContextSet) -> Bools:
        """Return bool[n_states]: whether a state's context is in a set."""
        found = self._in.get(contexts)
        if found is None:
            inside = [bool(contexts >> n & 1) for n in range(self._n_contexts)]
            found = self._in[contexts] = np.array(inside, dtype=np.bool_)[self._context]
        return found

    def after(self, event: ParserEvent) -> Bools:
        """Return bool[n_states]: whether a state can be on top after an event."""
        if event.terminal == NO_EVENT:
            return ~self.nothing
        found = self.nothing.copy()
        for terminal in self._members.get(event.terminal, (event.terminal,)):
            found[list(self._list_after(terminal))] = True
        return found & self.in_contexts(event.contexts)

    def open_lexeme(self, open_lexeme: PartialLexeme) -> tuple[Bools, Bools]:
        """Return bool[n_states] twice: whether some stack goes on with it, and some does not."""
        sure = self._meets(bits.pack([open_lexeme.direct], self._boundaries.n_lookaheads)[0])
        for boundary in open_lexeme.ignored:
            sure |= self._goes_on[boundary]
        maybe = self.nothing.copy()
        for boundary in open_lexeme.newlines:
            sure |= self.enclosed & self._goes_on[boundary]
            lookahead = self._boundaries.number[End(self.newline or END, boundary)]
            wanted = self._meets(bits.pack([1 << lookahead], self._boundaries.n_lookaheads)[0])
            wanted &= ~self.enclosed
            if self._columns.is_free(open_lexeme.columns, boundary):
                sure |= wanted
            else:
                maybe |= wanted
        return sure | maybe, ~sure

    def _meets(self, wanted: Words) -> Bools:
        """Return bool[n_states]: whether a state goes on with some of the lookaheads of a set."""
        found = self.nothing.copy()
        for live, word in zip(self._live, wanted, strict=True):
            if np.any(word):
                found |= (live & word) != 0
        return found


Word = NDArray[np.uint64]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

_ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges, in order of the states that they lead from."""

    first: Longs  # int64[n_states + 1], those from a state are `first[state] : first[state + 1]`
    target: Longs  # int64[n_edges]
    kind: Longs  # int64[n_edges], edges of a kind let the same bits through


def spread(edges: Edges, here: Words, passes: Words, kinds: Words, rounds: int = _ROUNDS) -> None:
    """Add to each state the bits that reach it.

    Args:
        here: uint64[n_words, n_states], the bits of the states; changed.
        passes: uint64[n_words, n_states], the bits that a state lets in.
        kinds: uint64[n_words, n_kinds], the bits that an edge of a kind lets through.
        rounds: how many there are before the rest is done state by state.
    """
    for own, passed, through in zip(here, passes, kinds, strict=True):
        _spread_word(edges, own, passed, through, rounds)


def _spread_word(edges: Edges, own: Word, passed: Word, through: Word, rounds: int) -> None:
    """Spread one word: few states have bits of it, and few change in a round."""
    changed = np.flatnonzero(own != 0)
    for _ in range(rounds):
        if not len(changed):
            return
        n_edges = edges.first[changed + 1] - edges.first[changed]
        ends = np.cumsum(n_edges)
        # The edges of each changed state lie side by side.
        edge = np.repeat(edges.first[changed] - ends + n_edges, n_edges)
        edge += np.arange(len(edge))
        target = edges.target[edge]
        new = np.repeat(own[changed], n_edges)
        new &= through[edges.kind[edge]]
        new &= passed[target] & ~own[target]
        taken = np.flatnonzero(new != 0)  # of truth values: a fifth of the time
        target = target[taken]
        np.bitwise_or.at(own, target, new[taken])
        changed = _find_distinct(target, len(own))
    if len(changed):
        _spread_one_by_one(edges, own, passed, through, changed.tolist())


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


def find_reductions(
    grammar: LalrGrammar, table: RefinedTable
) -> tuple[Edges, tuple[frozenset[int], ...]]:
    """Return edges from states after a left side to the states that reduce to them.

    Returns:
        The edges, and of each kind of edge the terminals on which the reduction is made.
    """
    kinds, kind_of = dict[frozenset[int], int](), dict[int, int]()
    n_productions = len(grammar.bnf.productions)
    for state, row in enumerate(grammar.lalr.states):
        for reduced, terminals in list_reductions(row.reduces):
            number = kinds.setdefault(frozenset(terminals), len(kinds))
            kind_of[state * n_productions + reduced] = number
    keys, numbers = np.array(sorted(kind_of.items()), dtype=np.int64).reshape(-1, 2).T
    lalr_state = np.array(table.lalr_state, dtype=np.int64)
    found = [np.zeros((3, 0), dtype=np.int64)]
    for production, base, end in follow_productions(grammar.bnf, table.shifts, table.gotos):
        kind = look_up(keys, numbers, lalr_state[end] * n_productions + production)
        found.append(np.stack([base, end, kind])[:, kind != NOTHING])
    base, end, kind = np.concatenate(found, axis=1)
    order = np.argsort(base, kind="stable")
    first = np.searchsorted(base[order], np.arange(len(table.live) + 1))
    return Edges(first, end[order], kind[order]), tuple(kinds)
