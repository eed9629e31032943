"""Which lookaheads lead on over a refined LALR table, and after a newline that counts columns?

Example: with indentation, the open lexeme of a line break may become a newline at the columns that
are open; without it, no open lexeme has ``newlines``.
"""

from __future__ import annotations

from maskc.artifact.model import Contents
from maskc.ids import BoundaryId, ColumnsId, OpenLexemeId
from maskc.runtime.lookaheads import Lookaheads, OpenLexeme, to_bit_sets


class LalrLexeme(OpenLexeme):
    """What the open lexeme may still become, with indentation. Never changes.

    Attributes:
        direct, ignored: see :class:`~maskc.runtime.lookaheads.OpenLexeme`.
        newlines: the boundaries after it, if it may become a newline that counts columns.
        columns: number of the columns that such a newline may reach, or ``NO_COLUMNS``.
    """

    __slots__ = ("columns", "newlines")

    def __init__(
        self, lexeme: OpenLexeme, newlines: tuple[BoundaryId, ...], columns: ColumnsId
    ) -> None:
        super().__init__(lexeme.direct, lexeme.ignored)
        self.newlines = newlines
        self.columns = columns


class LalrLookaheads(Lookaheads):
    """The sets of lookaheads of one LALR artifact.

    Attributes:
        taken: refined state → the lookaheads that a stack with this state on top can go on with.
    """

    def __init__(self, contents: Contents) -> None:
        super().__init__(contents)
        self.taken = to_bit_sets(contents.arrays["live"])
        self._lexemes: dict[OpenLexemeId, LalrLexeme] = {}

    def open_lexeme(self, number: OpenLexemeId) -> LalrLexeme:
        """Return what an open lexeme may become, by the number of a scanner state's or a trial."""
        found = self._lexemes.get(number)
        if found is None:
            found = self._lexemes[number] = LalrLexeme(
                super().open_lexeme(number),
                self._slice(number, "final_newline_first", "final_newline"),
                ColumnsId(int(self._arrays["final_columns"][number])),
            )
        return found
