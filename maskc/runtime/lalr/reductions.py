"""What follows a pushed nonterminal, through any number of reductions.

Before a terminal is shifted the parser reduces, and one reduction may be followed by another. What
happens above a state depends on that state, the nonterminal on it and the terminal only, until a
reduction pops the state itself. So each pair (state, nonterminal) is worked out once, and a pair
that is needed to work out itself is a cycle: the terminal is never shifted.

Example: with ``A -> B`` and ``B -> A`` in tables that somebody forged, A on a state becomes B,
which becomes A. Tables that maskc made have no cycles; empty productions can make
thousands of reductions in them (``a: b b``, ``b: c c``, …), over no more than these pairs.
"""

from __future__ import annotations

from typing import Any, Final

from maskc.ids import NO_NONTERMINAL, NonterminalId, RefinedStateId, TerminalId
from maskc.runtime.lalr.tables import LalrTables

# Reductions that are followed one by one; longer ones are searched for cycles.
_FEW: Final = 200


# The part of a stack effect between two reductions that reach below where they began: how many
# states are popped next, from the one where it began downwards and without itself; the nonterminal
# that is pushed then, or ``NO_NONTERMINAL`` if the effect ends here; and if it ends, the states
# that are pushed, none if the terminal is refused. A plain tuple: a named one is unpacked three
# times as slowly, and each terminal that is new to a stack takes several.
Segment = tuple[int, NonterminalId, tuple[RefinedStateId, ...]]


_REFUSED: Final[Segment] = (0, NO_NONTERMINAL, ())

_Pair = tuple[
    RefinedStateId, NonterminalId
]  # a state, and the nonterminal on it or ``NO_NONTERMINAL``
# A segment whose pushed states are linked, lowest first: they may be thousands, and segments have
# their upper states in common.
_Linked = tuple[int, NonterminalId, Any]
_REFUSED_LINKED: _Linked = (0, NO_NONTERMINAL, None)


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
