"""Which states can be on top of a stack, as far as rows are decided by them?

They are the refined states of an LALR table, or the states of a general grammar's LR(0) table:
streamlining and the decision graph need no more of a parser than is said here.

Example: of ``start: "a" "b"``, the state after ``a`` is live with ``b`` alone, and it is the one
state that can be on top after ``a``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from maskc.grammar.model import LexerSpec
from maskc.ids import IGNORED, ContextId
from maskc.parser.refine import RefinedTable
from maskc.parser.relation import Lookaheads


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The states of a parser.

    Attributes:
        live: state → lookaheads that a stack with it on top can go on with.
        context_of: state → context of the lexer.
        list_states: terminal, or ``IGNORED`` → the states that can be on top after it.
    """

    live: tuple[Lookaheads, ...]
    context_of: tuple[ContextId, ...]
    list_states: Callable[[int], Iterable[int]]


def make_lalr_tops(table: RefinedTable, lexer: LexerSpec) -> Tops:
    """Return the refined states: after a terminal, those that its shifts lead to."""
    layout = lexer.layout
    shifted: dict[int, set[int]] = {}
    for row in table.shifts:
        for terminal, state in row.items():
            shifted.setdefault(terminal, set()).add(state)

    def list_states(terminal: int) -> Iterable[int]:
        if terminal == IGNORED:
            return range(len(table.live))
        taken = {terminal}
        states: set[int] = set()
        if layout is not None and terminal == layout.newline:
            # Dedents and an indent follow a newline; between brackets nothing happens at all.
            taken |= {layout.indent, layout.dedent}
            states |= {s for s, enclosed in enumerate(table.enclosed) if enclosed}
        return sorted(states.union(*(shifted.get(t, ()) for t in taken)))

    return Tops(table.live, table.context_of, list_states)
