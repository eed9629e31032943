"""Tells what the open lexeme may become, whether the parser takes it, and whether the text may end.

A hypothesis is *live* if some text goes on from it and ends. The parser's part of that was worked
out by the compiler: a refined state names the lookaheads with which its stack leads to an end. So a
hypothesis is live iff its open lexeme may become a lookahead that the state on top takes, or
something that is ignored and leaves one to follow.

Example: in json, ``[1, "a`` is live, as the open string may become STRING. ``[1 "a`` is not, since
after a value the parser takes ``,`` and ``]`` only.
"""

from __future__ import annotations

from maskc.ids import (
    EMPTY_TEXT,
    IGNORED,
    NO_EVENT,
    NOT_AN_END,
    BoundaryId,
    ColumnsId,
    OpenLexemeId,
    RefinedStateId,
    TerminalId,
)
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.hypothesis import Ended, Hypothesis, ReadSet
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.lookaheads import Lookaheads
from maskc.runtime.scanner import ScannerTables


class Lexemes:
    """The open lexemes of one artifact's hypotheses."""

    def __init__(
        self,
        scanner: ScannerTables,
        lookaheads: Lookaheads,
        tables: LalrTables,
        effects: StackEffects,
        newlines: Newlines | None,
    ) -> None:
        self._scanner = scanner
        self._lookaheads = lookaheads
        self._tables = tables
        self._effects = effects
        self._newlines = newlines
        # the terminal of a line's end, NO_EVENT without indentation
        self.newline: TerminalId = NO_EVENT if newlines is None else newlines.terminal

    def end(
        self,
        stack: Stack,
        indents: tuple[int, ...],
        terminal: TerminalId,
        column: int,
        reads: ReadSet,
    ) -> Ended | None:
        """Return what is left when the open lexeme has become a terminal.

        ``None`` if the parser refuses.
        """
        if terminal == IGNORED:
            return (stack, indents)
        if self._newlines is not None and terminal == self.newline:
            return self._newlines.end(stack, indents, column, reads)
        after = self._effects.shift(stack, terminal, reads)
        return None if after is None else (after, indents)

    def is_live(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether some text goes on from a hypothesis and ends."""
        scanner = self._scanner
        if scanner.end_of_text[h.state] == EMPTY_TEXT and self.may_end(h, reads):
            return True
        number = scanner.open_lexeme_of[h.state]
        return self.leads_on(number, h.stack, h.indents, h.column, reads)

    def leads_on(
        self,
        number: OpenLexemeId,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        reads: ReadSet,
    ) -> bool:
        """Return whether some text goes on from an open lexeme and ends."""
        if self.leads_on_at_once(number, stack.state):
            return True
        return self._newlines is not None and any(
            self._newlines.lead_on(columns, boundary, stack, indents, column, reads)
            for columns, boundary in self.newlines_of(number)
        )

    def leads_on_at_once(self, number: OpenLexemeId, state: RefinedStateId) -> bool:
        """Return the same of every stack with a state on top, without newlines that count."""
        possible = self._lookaheads.possible(number, self._tables.layout_context[state])
        return bool(possible & self._tables.taken[state])

    def newlines_of(self, number: OpenLexemeId) -> list[tuple[ColumnsId, BoundaryId]]:
        """Return the newlines that count columns which an open lexeme may become."""
        lexeme = self._lookaheads.open_lexeme(number)
        return [(lexeme.columns, boundary) for boundary in lexeme.newlines]

    def may_end(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether the text may end here."""
        tables = self._tables
        terminal = self._scanner.end_of_text[h.state]
        if terminal == NOT_AN_END:
            return False
        if terminal >= 0 and terminal not in tables.may_end and terminal != self.newline:
            return False
        stack, indents = h.stack, h.indents
        if terminal != EMPTY_TEXT:
            ended = self.end(stack, indents, terminal, h.column, reads)
            if ended is None:
                return False
            stack, indents = ended
        if tables.layout is not None:
            reads.layout = True
        return self.may_end_with(stack.state, len(indents))

    def may_end_with(self, state: RefinedStateId, n_open: int) -> bool:
        """Return whether the text may end with a state on top, and so many columns of blocks."""
        taken, layout = self._tables.taken[state], self._tables.layout
        if layout is not None and n_open > 1:
            return bool(taken & layout.dedent_at_end)
        return bool(taken & self._lookaheads.end)
