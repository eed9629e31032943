"""The parser: the rows of a refined LALR table, and the effect of a terminal on a stack.

Rows are dicts and lists that are made when they are first asked for. A *refined state* is an LALR
state split by what can be below it on the stack, so that it names the lookaheads that lead to an
end (:mod:`maskc.compiler.lalr.refine`). Every method of the tables returns a shared object that
must not be changed.

The *stack effect* of a terminal is how many states are popped, and which are pushed instead. An
LALR parser may take hundreds of reductions to shift one terminal, and touches the same few states
again and again; the effect is what is left of them. It depends on the states that were read only,
so it is cached by these.

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

from dataclasses import dataclass
from typing import Any, Final

from maskc.artifact.model import Contents
from maskc.ids import (
    NO_NONTERMINAL,
    ContextId,
    LalrStateId,
    LayoutContextId,
    NonterminalId,
    ProductionId,
    RefinedStateId,
    TerminalId,
)
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.lalr.hypothesis import DEEP, ReadSet, Stack, StackCache, pop_and_push, serial_of
from maskc.runtime.scanner import Lookaheads, to_bit_sets, view_numbers


@dataclass(frozen=True, slots=True)
class Layout:
    """Lark's ``Indenter``, in numbers."""

    newline: TerminalId  # the terminal of a line's end, with the blanks of the next line
    # indent, dedent: the terminals of a block's begin and end
    indent: TerminalId
    dedent: TerminalId
    tab_len: int  # columns that a tabulator adds
    dedent_at_end: int  # the lookahead of a dedent that the end of the text brings, as a bit set


class LalrTables:
    """The parser of one artifact."""

    def __init__(self, contents: Contents, lookaheads: Lookaheads) -> None:
        layout, arrays = contents.header["layout"], contents.arrays
        # the terminals of the indentation, None without one
        self.layout: Layout | None = None
        if layout:
            self.layout = Layout(
                layout["newline"],
                layout["indent"],
                layout["dedent"],
                layout["tab_len"],
                1 << int(layout["dedent_at_end"]),
            )
        # refined state → LALR state
        self.lalr_state: list[LalrStateId] = arrays["lalr_state"].tolist()
        self.n_states = len(self.lalr_state)  # how many refined states there are
        # refined state → 1 between brackets, where lines and columns do not count
        self.enclosed: list[int] = arrays["enclosed"].tolist()
        context = arrays["lalr_context"][arrays["lalr_state"]]
        n_contexts = arrays["scanner_enter"].shape[1]
        # refined state → number of the set of terminals that the lexer may look for
        self.context: list[ContextId] = context.tolist()
        # refined state → context and enclosed in one number; see Lookaheads.after
        self.layout_context: list[LayoutContextId] = (
            context + n_contexts * arrays["enclosed"]
        ).tolist()
        # production_lhs, production_length: of each production
        self.production_lhs: list[NonterminalId] = arrays["production_lhs"].tolist()
        self.production_length: list[int] = arrays["production_length"].tolist()
        self._shift_first: list[int] = arrays["shift_first"].tolist()
        self._shift_terminal: list[TerminalId] = arrays["shift_terminal"].tolist()
        self._shift_state: list[RefinedStateId] = arrays["shift_state"].tolist()
        self._goto_first: list[int] = arrays["goto_first"].tolist()
        self._goto_nonterminal: list[NonterminalId] = arrays["goto_nonterminal"].tolist()
        self._goto_state: list[RefinedStateId] = arrays["goto_state"].tolist()
        self._reduce_first: list[int] = arrays["reduce_first"].tolist()
        self._reduce_production: list[ProductionId] = arrays["reduce_production"].tolist()
        self._reduce_set = view_numbers(arrays["reduce_set"])
        self._reduce_set_first = view_numbers(arrays["reduce_set_first"])
        self._reduce_set_terminal = view_numbers(arrays["reduce_set_terminal"])
        self._shifts: list[dict[TerminalId, RefinedStateId] | None] = [None] * self.n_states
        self._gotos: list[dict[NonterminalId, RefinedStateId] | None] = [None] * self.n_states
        self._reduces: list[dict[TerminalId, ProductionId] | None] = [None] * len(
            arrays["lalr_context"]
        )
        # refined state → the lookaheads that a stack with this state on top can go on with
        self.taken = to_bit_sets(arrays["live"])
        ends = lookaheads.end | (self.layout.dedent_at_end if self.layout else 0)
        taken = zip(self._shift_terminal, self._shift_state, strict=True)
        # terminals after which some stack lets the text end
        self.may_end = frozenset(t for t, state in taken if self.taken[state] & ends)

    def shifts(self, state: RefinedStateId) -> dict[TerminalId, RefinedStateId]:
        """Return terminal → refined state."""
        row = self._shifts[state]
        if row is None:
            low, high = self._shift_first[state : state + 2]
            row = self._shifts[state] = dict(
                zip(self._shift_terminal[low:high], self._shift_state[low:high], strict=True)
            )
        return row

    def gotos(self, state: RefinedStateId) -> dict[NonterminalId, RefinedStateId]:
        """Return nonterminal → refined state."""
        row = self._gotos[state]
        if row is None:
            low, high = self._goto_first[state : state + 2]
            row = self._gotos[state] = dict(
                zip(self._goto_nonterminal[low:high], self._goto_state[low:high], strict=True)
            )
        return row

    def reduces(self, lalr_state: LalrStateId) -> dict[TerminalId, ProductionId]:
        """Return terminal → production, of an LALR state: its refined states reduce alike."""
        row = self._reduces[lalr_state]
        if row is None:
            low, high = self._reduce_first[lalr_state], self._reduce_first[lalr_state + 1]
            row = {}
            for entry in range(low, high):
                number = self._reduce_set[entry]
                first, end = self._reduce_set_first[number], self._reduce_set_first[number + 1]
                production = self._reduce_production[entry]
                for terminal in self._reduce_set_terminal[first:end]:
                    row[terminal] = production
            # Only now: another thread that finds a row takes it for whole.
            self._reduces[lalr_state] = row
        return row


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
        return ((_REFUSED_LINKED if linked is None else (0, NO_NONTERMINAL, (goto, linked))), pair)
    if n_below > 1:
        return (n_below - 1, made, None), pair
    return known.get((state, made)), (state, made)
