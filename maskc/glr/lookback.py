"""What can a general parser's stack go on with, and what can lie in it, by the state on top?

A stack of an LR(0) automaton is a way from its start state, and every such way is one that some
text leaves. So the states that can lie right below a state are those that lead to it in one step,
whatever lies above, and nothing that is possible in this sense is impossible in truth.

A state *goes on* with a symbol if some stack with the state on top takes it, after any number of
reductions: those that it shifts, and what the states go on with that a reduction there can lead
to. Exact for one symbol; two in a row depend on the stack.

Example: with ``S -> a S b | c``, the state of ``S -> a S b .`` goes on with b and with the end: on
``a a S b`` with b, on ``a S b`` with the end.

Source: DeRemer and Pennello 1982, lookback (doi:10.1145/69622.357187).
"""

from __future__ import annotations

from maskc import bits
from maskc.glr.cfg import Cfg
from maskc.glr.lr0 import GeneralTable
from maskc.ids import END, GeneralStateId

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
    readers: list[set[int]] = [set() for _ in found]  # state → the states that reduce to it
    for lhs, sides in cfg.alternatives().items():
        for base, row in enumerate(table.gotos):
            if lhs in row:
                for side in sides:
                    readers[row[lhs]].add(_walk(table, base, side))
    pending = list(range(len(found)))
    while pending:
        state = pending.pop()
        for reader in readers[state]:
            if found[state] & ~found[reader]:
                found[reader] |= found[state]
                pending.append(reader)
    return tuple(found)


def _walk(table: GeneralTable, state: int, side: tuple[int, ...]) -> int:
    """Return the state at the end of a right side that begins in a state."""
    for symbol in side:
        state = table.shifts[state][symbol] if symbol >= 0 else table.gotos[state][-1 - symbol]
    return state
