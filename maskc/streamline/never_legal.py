"""Sequences that no text has after the terminal before them are dropped: ``is_never_legal``.

Asked of the productions, pairs first: what no text has as a pair, no text has as a part of a longer
sequence. An open lexeme need not become what cannot stand after the terminal before it.

The answer holds for every parser that reads a part of the productions' language, so for Lark's
table with its resolved conflicts, too.

Example: in python.lark only NAME and the soft keywords stand after DEF, so of what a blank and a
letter may begin after ``def`` nothing else is asked for.

Source: appendix, section 2, Algorithm 1; blog, steps 2 to 4.
"""

from __future__ import annotations

from dataclasses import replace

from maskc.ids import DROPPED, SequenceId, TerminalId
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import after_terminals, rewrite


def drop_never_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows without those that are never legal."""
    sequences = rows.sequences

    def narrow(terminal: TerminalId, sequence: SequenceId) -> SequenceId:
        """Return an open lexeme without the terminals that stand nowhere after another."""
        if sequences.length[sequence] or verdicts.is_free(sequence):
            return sequence
        open_lexeme, column = sequences.open_lexeme(sequence)
        open_lexeme = replace(
            open_lexeme, direct=open_lexeme.direct & verdicts.list_after(terminal)
        )
        if not (open_lexeme.direct or open_lexeme.ignored or open_lexeme.newlines):
            return DROPPED
        return sequences.close(sequences.number_open_lexeme(open_lexeme), column)

    def decide(before: Event, sequence: SequenceId) -> SequenceId:
        if before.terminal == verdicts.asked.newline:
            return sequence
        sequence = narrow(before.terminal, sequence)
        never = sequence == DROPPED or verdicts.is_never_legal(before.terminal, sequence)
        return DROPPED if never else sequence

    return rewrite(rows, after_terminals(decide))
