"""Pairs (X, Y) that the productions left are decided by the parser's table.

A pair that is never legal takes every sequence with it away. Where Y is always legal after X, a
sequence that ends in X Y is jointly legal with the one that ends in X: the end is cut off, and what
is left may end in such a pair again. An open lexeme after X asks only for what some stack wants.

Asked of Lark's own table, so what a resolved conflict cut off is never legal, and no pair counts as
always legal that the table refuses.

Example: in python.lark MINUS is always legal after MINUS, so ``--`` asks for no more than ``-``.

Source: appendix, sections 2, 4 and 6.1; blog, step 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from maskc.ids import DROPPED, IGNORED, NO_EVENT, SequenceId
from maskc.lexer.boundaries import Boundaries
from maskc.parser.refine import RefinedTable
from maskc.pushdown.decisions import Decisions
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import rewrite
from maskc.streamline.table_answers import replace_decided


def decide_pairs(
    rows: Rows, decisions: Decisions, boundaries: Boundaries, table: RefinedTable
) -> Rows:
    """Return the rows without sequences that hold a decided pair, as far as it decides them."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)
    wanted: dict[Event, int] = {}

    def narrow(before: Event, sequence: SequenceId) -> SequenceId:
        """Return an open lexeme without the lookaheads that no stack after an event wants."""
        if sequences.length[sequence] or sequence == free:
            return sequence
        before = before.without_column()
        if before not in wanted:
            lookaheads = 0
            for state in decisions.states_after(before).tolist():
                lookaheads |= table.live[state]
            wanted[before] = lookaheads
        open_lexeme, column = sequences.open_lexeme(sequence)
        open_lexeme = replace(open_lexeme, direct=open_lexeme.direct & wanted[before])
        return sequences.close(sequences.number_open_lexeme(open_lexeme), column)

    def rule(asked: Sequence[tuple[Event, SequenceId]]) -> list[SequenceId]:
        answers = [sequence for _, sequence in asked]
        places = [i for i, (before, _) in enumerate(asked) if before.terminal not in _NO_TERMINAL]
        pairs = [(asked[i][0], narrow(*asked[i])) for i in places]
        # The first two terminals of a longer sequence are a pair, whatever comes after.
        heads = [
            (
                before,
                sequences.extend(sequences.event[sequence], free)
                if sequences.length[sequence]
                else sequence,
            )
            for before, sequence in pairs
        ]
        replaced = replace_decided(decisions, heads, free, jointly=False)
        for i, (_, sequence), (_, head), answer in zip(places, pairs, heads, replaced, strict=True):
            answers[i] = answer if answer == DROPPED or sequence == head else sequence
        return answers

    return rewrite(rows, rule)


_NO_TERMINAL = (IGNORED, NO_EVENT)
