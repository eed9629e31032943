"""The states that can be on top of a stack, and what each decides about the sequences of rows.

They are the refined states of an LALR table, or the states of a general grammar's LR(0) table: the
steps and the decision graph need no more of a parser than :class:`Tops`. For each sequence and
state, :class:`Verdicts` say *accepted*, *rejected*, or that it depends on the stack below. An
artifact holds this table; only what depends is asked at run time
(:mod:`maskc.compiler.optimise.undecided` says how much that is).

Source: appendix, future work (a longer first argument); XGrammar, adaptive token mask cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.optimise.rows import Rows
from maskc.compiler.pushdown.decisions import DEPENDS, Decisions
from maskc.grammar.model import LexerSpec
from maskc.ids import IGNORED, ContextId, SequenceId
from maskc.lexer.boundaries import Lookaheads


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The states of a parser."""

    live: tuple[Lookaheads, ...]  # state → lookaheads that a stack with it on top can go on with
    context_of: tuple[ContextId, ...]  # state → context of the lexer
    # terminal, or IGNORED → the states that can be on top after it
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


Flags = NDArray[np.uint8]
States = NDArray[np.intp]  # numbers of states, ascending


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Answers for all refined states and the sequences that rows can ask about."""

    # the sequences, ascending: those of rows, and what is left of them after their events
    sequences: tuple[SequenceId, ...]
    class_of: NDArray[np.int32]  # int32[n_sequences], sequences with equal answers share a class
    flags: Flags  # uint8[n_classes, n_states], MAY, FAIL or both


def condition_on_states(rows: Rows, decisions: Decisions) -> Verdicts:
    sequences = list_sequences(rows)
    classes = decisions.classes_of(sequences)
    kept, class_of = np.unique(classes, return_inverse=True)
    flags = decisions.flags()[kept]
    return Verdicts(sequences, class_of.reshape(-1).astype(np.int32), flags)


def leave_open(rows: Rows, n_states: int) -> Verdicts:
    """Return verdicts that decide nothing: each row is asked about on the stack at hand."""
    sequences = list_sequences(rows)
    flags = np.full((1, n_states), DEPENDS, dtype=np.uint8)
    return Verdicts(sequences, np.zeros(len(sequences), dtype=np.int32), flags)


def list_sequences(rows: Rows) -> tuple[SequenceId, ...]:
    """Return the sequences of rows, and what is left of them after their events, ascending."""
    found: set[SequenceId] = set()
    for sequence in np.unique(rows.sequence).tolist():
        while sequence not in found:
            found.add(sequence)
            if rows.sequences.length[sequence]:
                sequence = rows.sequences.rest[sequence]
    return tuple(sorted(found))
