"""What follows when a nonterminal has come on top of a state, however long it takes?

Before a terminal is shifted the parser reduces, and each reduction may be followed by another one.
All that lies above a state, and the nonterminal that comes on top of it, determine what
happens until the state itself goes; so each pair is worked out once, and one that comes up while
it is worked out is a circle: the terminal is never shifted.

Example: with ``A -> B`` and ``B -> A`` in tables that somebody forged, A on top of a state becomes
B, which becomes A. Tables that maskc made have no circles; empty productions can make
thousands of reductions in them (``a: b b``, ``b: c c``, …), and no more than pairs here.
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.lalr.tables import Tables

# A part of a plan: how many states below go next and the nonterminal that comes for them; or, with
# ``NO_NONTERMINAL``, the end of the plan: what is pushed, nothing if the terminal is refused.
Chain = tuple[int, int, tuple[int, ...]]
NO_NONTERMINAL = -1

_Pair = tuple[int, int]  # a state, and the nonterminal on top of it or ``NO_NONTERMINAL``
# A chain whose pushed states are linked, lowest first: they may be thousands, and have ends in
# common.
_Linked = tuple[int, int, Any]
_REFUSED: _Linked = (0, NO_NONTERMINAL, None)


def follow_chain(tables: Tables, state: int, nonterminal: int, terminal: int) -> Chain:
    """Return what follows, in as many steps as there are pairs; circles are refused."""
    start = (state, nonterminal)
    known: dict[_Pair, _Linked] = {}
    # Pairs that wait for the one that was opened next.
    open_: dict[_Pair, None] = {start: None}
    while open_:
        pair = next(reversed(open_))
        found, wanted = _step(tables, pair, terminal, known)
        if found is not None:
            known[pair] = found
            del open_[pair]
        elif wanted in open_:
            known[wanted] = _REFUSED
        else:
            open_[wanted] = None
    n_below, made, linked = known[start]
    pushed = []
    while linked is not None:
        lowest, linked = linked
        pushed.append(lowest)
    return (n_below, made, tuple(pushed))


def _step(
    tables: Tables, pair: _Pair, terminal: int, known: dict[_Pair, _Linked]
) -> tuple[_Linked | None, _Pair]:
    """Return what follows a pair, ``None`` if another one, which comes second, is wanted before."""
    state, nonterminal = pair
    if nonterminal == NO_NONTERMINAL:
        production = tables.reduces(tables.lalr_state[state]).get(terminal)
        if production is None:
            target = tables.shifts(state).get(terminal)
            return _REFUSED if target is None else (0, NO_NONTERMINAL, (target, None)), pair
        length = tables.production_length[production]
        made = tables.production_lhs[production]
        if length:
            return (length, made, None), pair
        return known.get((state, made)), (state, made)
    goto = tables.gotos(state).get(nonterminal)
    if goto is None:
        return _REFUSED, pair
    above = known.get((goto, NO_NONTERMINAL))
    if above is None:
        return None, (goto, NO_NONTERMINAL)
    n_below, made, linked = above
    if made == NO_NONTERMINAL:
        return _REFUSED if linked is None else (0, NO_NONTERMINAL, (goto, linked)), pair
    if n_below > 1:
        return (n_below - 1, made, None), pair
    return known.get((state, made)), (state, made)
