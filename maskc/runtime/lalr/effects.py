"""The effect of a terminal on a stack.

Its *stack effect*: how many states are popped, and which are pushed instead. An LALR parser may
take hundreds of reductions to shift one terminal, and touches the same few states again and again;
the effect is what is left of them. It depends on the states that were read only, so it is cached by
these.

Example: in json, ``]`` after ``[1, 2`` pops the states of the number and of the list before it, and
pushes one for the list and one for ``]``, whatever was open before.
"""

from __future__ import annotations

from typing import Final

from maskc.ids import NO_NONTERMINAL, NonterminalId, RefinedStateId, TerminalId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.lalr.hypothesis import ReadSet
from maskc.runtime.lalr.reductions import Segment, reduce
from maskc.runtime.lalr.stack import Stack, pop_and_push, serial_of
from maskc.runtime.lalr.stack_cache import DEEP, StackCache
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.lookaheads import Lookaheads

# What one pushed state takes in a cached effect, and in the effects of tokens that are made of it.
_STATE_BYTES: Final = 16
# Reductions after which the rest of a long effect is kept. The last item of a list can be reduced
# in another way than those before it, and two kinds of items can take turns.
_N_KEPT: Final = 6


# What one terminal does: how many states are popped; which are pushed, lowest first, none if the
# terminal is refused; and how many states below the top were read to know that. A plain tuple, as
# `Segment`.
StackEffect = tuple[int, tuple[RefinedStateId, ...], int]


class StackEffects:
    """The stack effects of one artifact's terminals, for all its matchers."""

    def __init__(self, tables: LalrTables, lookaheads: Lookaheads, budget: Budget) -> None:
        self._tables = tables
        self.n_states = tables.n_states  # how many refined states there are
        self._lookaheads = lookaheads
        self._effects = StackCache(budget, tables.n_states, _measure)
        # State, nonterminal on it and terminal, in one number → segment.
        self._segments = Cache(budget)
        self._n_terminals = len(lookaheads.of_terminal)
        self._n_keys = (2 + max(tables.production_lhs, default=0)) * self._n_terminals
        # The same by a stack's number instead of a state, for effects that read far below it.
        self._deep = Cache(budget, _measure)

    def shift(self, stack: Stack, terminal: TerminalId, reads: ReadSet) -> Stack | None:
        """Return the stack after a terminal, ``None`` if no text can go on with it."""
        key = (stack.state, terminal)
        effect: StackEffect | None = self._effects.find(key, stack)
        if effect is None:
            effect = n_popped, pushed, n_read = self._compute(stack, terminal)
            self._effects.keep(key, stack, stack.depth - n_read, effect)
        else:
            n_popped, pushed, n_read = effect
        if stack.depth - n_read < reads.lowest:
            reads.lowest = stack.depth - n_read
        return pop_and_push(stack, n_popped, pushed) if pushed else None

    def takes(self, state: RefinedStateId, terminal: TerminalId) -> bool:
        """Return whether a stack with a state on top takes a terminal: all such stacks do, or none.

        This is what states were refined for.
        """
        return bool(self._lookaheads.of_terminal[terminal] & self._tables.taken[state])

    def segment(
        self, state: RefinedStateId, nonterminal: NonterminalId, terminal: TerminalId
    ) -> Segment:
        """Return :func:`~maskc.runtime.lalr.reductions.reduce` of the same, cached."""
        key = state * self._n_keys + (nonterminal + 1) * self._n_terminals + terminal
        segment: Segment | None = self._segments.get(key)
        if segment is None:
            segment = reduce(self._tables, state, nonterminal, terminal)
            self._segments.put(key, segment)
        return segment

    def _compute(self, stack: Stack, terminal: TerminalId) -> StackEffect:
        """Return what a terminal does to a stack.

        ``base`` is the lowest state that is left, and ``nonterminal`` what is pushed onto it. Where
        many reductions follow each other, the effect is kept for where the first of them have led:
        one more item of a list that is read from its right end leads there, too.
        """
        if not self.takes(stack.state, terminal):
            return (0, (), 0)
        base, nonterminal = stack, NO_NONTERMINAL
        passed: list[tuple[Stack, NonterminalId]] = []  # after each of the first segments
        effect: StackEffect | None = None  # on the base
        while effect is None:
            n_below, nonterminal, pushed = self.segment(base.state, nonterminal, terminal)
            if nonterminal == NO_NONTERMINAL:
                effect = (0, pushed, 0)
                break
            for _ in range(n_below):
                if base.below is None:
                    # Only in tables that maskc did not make is a production longer than the stack.
                    return (0, (), stack.depth)
                base = base.below
            if len(passed) < _N_KEPT:
                passed.append((base, nonterminal))
            if base.serial:
                effect = self._deep.get((base.serial, nonterminal, terminal))
        n_read = stack.depth - base.depth
        found = (effect[0] + n_read if effect[1] else 0, effect[1], effect[2] + n_read)
        if found[2] > DEEP:
            for base, nonterminal in passed:
                rest = _without(found, stack, base)
                self._deep.put((serial_of(base), nonterminal, terminal), rest)
        return found


def _measure(_: object, effect: object) -> int:
    n_pushed = len(effect[1]) if isinstance(effect, tuple) else 0
    return ENTRY_BYTES + _STATE_BYTES * n_pushed


def _without(effect: StackEffect, stack: Stack, base: Stack) -> StackEffect:
    """Return what is left of a stack's effect where it has come down to a base."""
    n_above = stack.depth - base.depth
    n_popped, pushed, n_read = effect
    return (n_popped - n_above if pushed else 0, pushed, n_read - n_above)
