"""The effect of a terminal on a stack.

Its *stack effect*: how many states are popped, and which are pushed instead. An LALR parser may
take hundreds of reductions to shift one terminal, and touches the same few states again and again;
the effect is what is left of them. It depends on the states that were read only, so it is cached by
these.

What happens above a state depends on that state, the nonterminal on it and the terminal only, until
a reduction pops the state itself: that is a *segment* of the effect. Each pair (state, nonterminal)
is worked out once, and a pair that is needed to work out itself is a cycle: the terminal is never
shifted. Tables that maskc made have no cycles; empty productions can make thousands of reductions
in them (``a: b b``, ``b: c c``, …), over no more than these pairs.

Example: in json, ``]`` after ``[1, 2`` pops the states of the number and of the list before it, and
pushes one for the list and one for ``]``, whatever was open before. With ``A -> B`` and ``B -> A``
in tables that somebody forged, A on a state becomes B, which becomes A.
"""

from __future__ import annotations

from typing import Any, Final

from maskc.ids import NO_NONTERMINAL, NonterminalId, RefinedStateId, TerminalId
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.lalr.hypothesis import ReadSet, Stack, pop_and_push, serial_of
from maskc.runtime.lalr.stack_cache import DEEP, StackCache
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.scanner import Lookaheads

# What one pushed state takes in a cached effect, and in the effects of tokens that are made of it.
_STATE_BYTES: Final = 16
# Reductions after which the rest of a long effect is kept. The last item of a list can be reduced
# in another way than those before it, and two kinds of items can take turns.
_N_KEPT: Final = 6
# Reductions that are followed one by one; longer ones are searched for cycles.
_FEW: Final = 200

# The part of a stack effect between two reductions that reach below where they began: how many
# states are popped next, from the one where it began downwards and without itself; the nonterminal
# that is pushed then, or ``NO_NONTERMINAL`` if the effect ends here; and if it ends, the states
# that are pushed, none if the terminal is refused. A plain tuple: a named one is unpacked three
# times as slowly, and each terminal that is new to a stack takes several.
Segment = tuple[int, NonterminalId, tuple[RefinedStateId, ...]]

_REFUSED: Final[Segment] = (0, NO_NONTERMINAL, ())

# A state, and the nonterminal on it or ``NO_NONTERMINAL``.
_Pair = tuple[RefinedStateId, NonterminalId]
# A segment whose pushed states are linked, lowest first: they may be thousands, and segments have
# their upper states in common.
_Linked = tuple[int, NonterminalId, Any]
_REFUSED_LINKED: _Linked = (0, NO_NONTERMINAL, None)

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
        """Return :func:`reduce` of the same, cached."""
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


def reduce(
    tables: LalrTables, state: RefinedStateId, nonterminal: NonterminalId, terminal: TerminalId
) -> Segment:
    """Return what a terminal brings about when a nonterminal, or nothing, is on a state."""
    states: list[RefinedStateId] = []  # pushed so far, onto ``state``
    made = nonterminal
    base = tables.gotos(state)
    for _ in range(_FEW):
        top, is_pushed = states[-1] if states else state, made != NO_NONTERMINAL
        if is_pushed:
            goto = (tables.gotos(top) if states else base).get(made)
            if goto is None:
                return _REFUSED
            top = goto
        # LALR rows are shared by refined states and soon known, so they are asked first.
        production = tables.reduces(tables.lalr_state[top]).get(terminal)
        if production is None:
            target = tables.shifts(top).get(terminal)
            if target is None:
                return _REFUSED
            return (0, NO_NONTERMINAL, (*states, top, target) if is_pushed else (*states, target))
        made = tables.production_lhs[production]
        length = tables.production_length[production]
        if is_pushed:
            # Most productions are of one symbol, the one that has just been made.
            if length == 1:
                continue
            states.append(top)
        if length > len(states):
            return (length - len(states), made, ())
        for _ in range(length):
            states.pop()
    return reduce_long(tables, state, nonterminal, terminal)


def reduce_long(
    tables: LalrTables, state: RefinedStateId, nonterminal: NonterminalId, terminal: TerminalId
) -> Segment:
    """Return the same in as many steps as there are pairs; cycles are refused."""
    start = (state, nonterminal)
    known: dict[_Pair, _Linked] = {}
    # Pairs in the order in which they were found to be needed: each waits for the next one.
    pending: dict[_Pair, None] = {start: None}
    while pending:
        pair = next(reversed(pending))
        found, needed = _step(tables, pair, terminal, known)
        if found is not None:
            known[pair] = found
            del pending[pair]
        elif needed in pending:
            known[needed] = _REFUSED_LINKED
        else:
            pending[needed] = None
    n_below, made, linked = known[start]
    pushed = []
    while linked is not None:
        lowest, linked = linked
        pushed.append(lowest)
    return (n_below, made, tuple(pushed))


def _step(
    tables: LalrTables, pair: _Pair, terminal: TerminalId, known: dict[_Pair, _Linked]
) -> tuple[_Linked | None, _Pair]:
    """Return what follows a pair; or ``None`` and the pair that is needed to know it."""
    state, nonterminal = pair
    if nonterminal == NO_NONTERMINAL:
        production = tables.reduces(tables.lalr_state[state]).get(terminal)
        if production is None:
            target = tables.shifts(state).get(terminal)
            shifted = None if target is None else (target, None)
            return (_REFUSED_LINKED if shifted is None else (0, NO_NONTERMINAL, shifted)), pair
        length = tables.production_length[production]
        made = tables.production_lhs[production]
        if length:
            return (length, made, None), pair
        return known.get((state, made)), (state, made)
    goto = tables.gotos(state).get(nonterminal)
    if goto is None:
        return _REFUSED_LINKED, pair
    above = known.get((goto, NO_NONTERMINAL))
    if above is None:
        return None, (goto, NO_NONTERMINAL)
    n_below, made, linked = above
    if made == NO_NONTERMINAL:
        return (
            (_REFUSED_LINKED if linked is None else (0, NO_NONTERMINAL, (goto, linked))),
            pair,
        )
    if n_below > 1:
        return (n_below - 1, made, None), pair
    return known.get((state, made)), (state, made)
