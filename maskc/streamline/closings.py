"""What may close a sequence is asked about together, and not at all where nothing changed.

In the paper each terminal that the open lexeme may still become closes a sequence of its own. A
token is legal if any of them is, so the set of them is one question, and tokens with the same set
share a row. A token that stays inside its lexeme, and takes none of the terminals away that the
lexeme might become before, is always legal: the lexeme could be finished as one of them, or its
state would not have been entered. Only at the start of the text no lexeme is open, so there nothing
is concluded.

Example: inside a NAME, a token of letters leaves a NAME; inside ``de``, ``f`` does not, since what
could become any name or ``del`` may now become any name or ``def``.
"""

from __future__ import annotations

import numpy as np

from maskc.ids import EMPTY_TEXT, NO_EVENT
from maskc.lexer.boundaries import Boundaries, OpenLexeme
from maskc.lexer.scanner import Scanner
from maskc.streamline.model import Rows, merge


def merge_closings(rows: Rows, scanner: Scanner, boundaries: Boundaries) -> Rows:
    """Return the rows that ask nothing of tokens which do not shrink what a lexeme may become."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)
    stays = np.array([event.terminal == NO_EVENT for event in rows.events], dtype=np.bool_)
    sequence, numbers = rows.sequence.copy(), rows.sequence.tolist()
    for row in np.flatnonzero(stays[rows.first]).tolist():
        if scanner.end_of_text[int(rows.source[row])] == EMPTY_TEXT:
            continue
        before = boundaries.open_lexemes[boundaries.open_lexeme_of[int(rows.source[row])]]
        after, _ = sequences.open_lexeme(numbers[row])
        if _keeps_all(before, after):
            sequence[row] = free
    return merge(rows, rows.source, rows.first, sequence)


def _keeps_all(before: OpenLexeme, after: OpenLexeme) -> bool:
    return not (
        before.newlines or before.direct & ~after.direct or set(before.ignored) - set(after.ignored)
    )
