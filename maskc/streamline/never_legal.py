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

from maskc.ids import DROPPED
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import after_terminals, rewrite


def drop_never_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows without those that are never legal."""
    words = rows.words

    def narrow(terminal: int, word: int) -> int:
        """Return an open lexeme without the terminals that stand nowhere after another."""
        if words.length[word] or verdicts.is_free(word):
            return word
        final, column = words.final(word)
        final = replace(final, direct=final.direct & verdicts.list_after(terminal))
        if not (final.direct or final.ignored or final.newlines):
            return DROPPED
        return words.close(words.number_final(final), column)

    def decide(before: Event, word: int) -> int:
        if before.terminal == verdicts.asked.newline:
            return word
        word = narrow(before.terminal, word)
        never = word == DROPPED or verdicts.is_never_legal(before.terminal, word)
        return DROPPED if never else word

    return rewrite(rows, after_terminals(decide))
