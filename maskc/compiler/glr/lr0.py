"""An LR(0) automaton that keeps every action, for a grammar of any kind.

A state is a set of items; on a symbol it goes to the state with the dot moved over it. Where a
grammar is not LR, a state shifts and reduces, or reduces by several productions: all of it is done,
on a set of stacks that share structure (:mod:`maskc.runtime.glr.gss`).

No lookahead is needed: a stack that the automaton can read is a viable prefix, and in a reduced
grammar without empty productions each viable prefix is one of some text. What can come next is
what can be shifted once all reductions are done. So the states that can lie right below a state are
those that lead to it in one step, whatever lies above. A state *goes on* with a symbol if some
stack with the state on top takes it, after any number of reductions; exact for one symbol, two in a
row depend on the stack.

Source: Knuth 1965; Tomita 1985; Nozohoor-Farshi 1991 on what empty productions would need; DeRemer
and Pennello 1982, lookback (doi:10.1145/69622.357187). The states are those of
:mod:`maskc.grammar.lr0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc import bits
from maskc.compiler.glr import Cfg
from maskc.grammar.lr0 import add_roots, build_lr0
from maskc.grammar.sets import unite_along
from maskc.ids import END, ROOT, GeneralStateId

MAX_GENERAL_STATES = 100_000


class Reduce(NamedTuple):
    """A production that ends: so many states go, and one comes for the nonterminal."""

    nonterminal: int
    length: int


@dataclass(frozen=True, slots=True)
class GeneralTable:
    """The automaton. State 0 is the start state."""

    shifts: tuple[Mapping[int, GeneralStateId], ...]  # state → symbol without productions → state
    gotos: tuple[Mapping[int, GeneralStateId], ...]  # state → nonterminal → state
    reduces: tuple[tuple[Reduce, ...], ...]  # state → what it reduces by, ascending
    accepts: tuple[bool, ...]  # state → whether the text may end with it on top of the bottom


def build_general_table(cfg: Cfg) -> GeneralTable:
    """Return the automaton of a grammar without empty productions.

    Raises:
        LimitError: more than ``MAX_GENERAL_STATES`` states.
    """
    rules = add_roots(cfg.productions, cfg.start)
    states = build_lr0(rules, MAX_GENERAL_STATES)
    moves = [[(s, GeneralStateId(t)) for s, t in state.moves.items()] for state in states]
    reduced = [
        {
            Reduce(rules.lhs[p], dot)
            for p, dot in state.kernel
            if p != ROOT and dot == len(rules.right_sides[p])
        }
        for state in states
    ]
    return GeneralTable(
        shifts=tuple(MappingProxyType({s: t for s, t in row if s >= 0}) for row in moves),
        gotos=tuple(MappingProxyType({-1 - s: t for s, t in row if s < 0}) for row in moves),
        reduces=tuple(tuple(sorted(row)) for row in reduced),
        accepts=tuple(
            (ROOT, 1) in state.kernel or cfg.has_empty and number == 0
            for number, state in enumerate(states)
        ),
    )


Symbols = int  # a set of symbols as bits, ``END`` for the end of the text


def find_below(table: GeneralTable) -> tuple[tuple[GeneralStateId, ...], ...]:
    """Return, for each state, the states that can lie right below it, ascending."""
    found: list[set[GeneralStateId]] = [set() for _ in table.shifts]
    for state, rows in enumerate(zip(table.shifts, table.gotos, strict=True)):
        for row in rows:
            for target in row.values():
                found[target].add(GeneralStateId(state))
    return tuple(tuple(sorted(states)) for states in found)


def find_going_on(cfg: Cfg, table: GeneralTable) -> tuple[Symbols, ...]:
    """Return, for each state, the symbols that some stack with it on top goes on with."""
    found = [
        bits.from_members(row) | (1 << END if accepts else 0)
        for row, accepts in zip(table.shifts, table.accepts, strict=True)
    ]
    reduced_to: list[list[int]] = [[] for _ in found]  # state → the states that it reduces to
    for lhs, sides in cfg.alternatives().items():
        for base, row in enumerate(table.gotos):
            if lhs in row:
                for side in sides:
                    reduced_to[_walk(table, base, side)].append(row[lhs])
    return tuple(unite_along(reduced_to, found)[0])


def _walk(table: GeneralTable, state: int, side: tuple[int, ...]) -> int:
    """Return the state at the end of a right side that begins in a state."""
    for symbol in side:
        state = table.shifts[state][symbol] if symbol >= 0 else table.gotos[state][-1 - symbol]
    return state
