"""Step 5: rows are decided by the state on top of the stack, as far as it decides them.

After X the parser is in some LALR state, refined by what the stack below still wants. For each
sequence and refined state, :mod:`maskc.pushdown.decisions` says *accepted*, *rejected*, or that it
depends on the stack below. An artifact holds this table; only what depends is asked at run
time, and it depends on the state that the sequence's first terminal leads to, and so on. How much
that is: :mod:`maskc.streamline.residue`.

Source: appendix, future work (a longer first argument); XGrammar, adaptive token mask cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.ids import SequenceId
from maskc.pushdown.decisions import DEPENDS, Decisions
from maskc.streamline.model import Rows

Flags = NDArray[np.uint8]
States = NDArray[np.intp]  # numbers of states, ascending


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Answers for all refined states and the sequences that rows can ask about.

    Attributes:
        sequences: the sequences, ascending: those of rows, and what is left of them after their
            events.
        class_of: int32[n_sequences], sequences with equal answers share a class.
        flags: uint8[n_classes, n_states], ``MAY``, ``FAIL`` or both.
    """

    sequences: tuple[SequenceId, ...]
    class_of: NDArray[np.int32]
    flags: Flags


def condition_on_states(rows: Rows, decisions: Decisions) -> Verdicts:
    """Return the answers for all sequences of the rows."""
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
