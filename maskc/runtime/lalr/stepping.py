"""Moves hypotheses by bytes; tells whether they are live, and whether the text may end.

Most bytes only move the scanner. Where the open lexeme may end before a byte, the parser is given
the terminal and the byte begins the next lexeme; where the lexeme may also go on with the byte,
both are followed, and one hypothesis becomes two. The scanner's conditions see to it that a whole
text is read in one way only.

A hypothesis is *live* if some text goes on from it and ends. The parser's part of that was worked
out by the compiler: a refined state names the lookaheads with which its stack leads to an end. So a
hypothesis is live iff its open lexeme may become a lookahead that the state on top takes, or
something that is ignored and leaves one to follow.

Example: with ``"="`` and ``"=="``, after ``=`` another ``=`` forks: it makes the lexeme ``==``, or
ends ``=`` and begins the next lexeme. In json, ``[1, "a`` is live, as the open string may become
STRING. ``[1 "a`` is not, since after a value the parser takes ``,`` and ``]`` only.
"""

from __future__ import annotations

from maskc.ids import (
    DEAD,
    EMPTY_TEXT,
    FORKS,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    NOT_AN_END,
    BoundaryId,
    ColumnsId,
    OpenLexemeId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.lalr.hypothesis import Ended, Hypotheses, Hypothesis, ReadSet, Stack
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.parser import LalrTables, StackEffects
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses
from maskc.runtime.scanner import Lookaheads, ScannerTables


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


class Stepper:
    """Moves the hypotheses of one artifact by bytes; caches nothing."""

    def __init__(
        self,
        scanner: ScannerTables,
        tables: LalrTables,
        lexemes: Lexemes,
        newlines: Newlines | None,
        counts_columns: list[bool],
    ) -> None:
        self._scanner = scanner
        self._context, self._enclosed = tables.context, tables.enclosed
        self._lexemes = lexemes
        self._newlines = newlines
        self._counts = counts_columns

    def step(self, hypotheses: Hypotheses, text: bytes, reads: ReadSet) -> Hypotheses:
        """Return the live hypotheses after some bytes; empty if the text is illegal.

        Raises:
            LimitError: there are too many.
        """
        classes = text.translate(self._scanner.byte_classes)
        after = [x for h in hypotheses for x in self._run(h, classes, text, reads)]
        lexemes = self._lexemes
        live = [h for h in after if lexemes.is_live(h, reads)]
        check_hypotheses(len(live))
        return tuple(live)

    def _run(self, h: Hypothesis, classes: bytes, text: bytes, reads: ReadSet) -> list[Hypothesis]:
        """Return what one hypothesis becomes after the bytes, live or not."""
        here, offset = self._run_alone(h, classes, text, 0, reads)
        while here and offset < len(classes):
            if len(here) == 1:
                here, offset = self._run_alone(here[0], classes, text, offset, reads)
            else:
                byte_class, byte = classes[offset], text[offset]
                here = self._bound(
                    [x for h in here for x in self._advance(h, byte_class, byte, reads)], reads
                )
                offset += 1
        return here

    def _run_alone(
        self, h: Hypothesis, classes: bytes, text: bytes, start: int, reads: ReadSet
    ) -> tuple[list[Hypothesis], int]:
        """Return what one hypothesis becomes from an offset on, and how far it was alone."""
        scanner, counts, enclosed = self._scanner, self._counts, self._enclosed
        state, stack, column = h.state, h.stack, h.column
        for offset in range(start, len(classes)):
            byte_class = classes[offset]
            move = scanner.moves(state)[byte_class]
            if move > 0:
                state = move
                if counts[state] and not enclosed[stack.state]:
                    column = self._next_column(column, text[offset])
            elif move == DEAD:
                return [], len(classes)
            else:
                h = Hypothesis(state, stack, h.indents, column)
                after = self._fork(h, byte_class, text[offset], reads, goes_on=move == FORKS)
                if len(after) != 1:
                    return self._bound(after, reads), offset + 1
                h = after[0]
                state, stack, column = h.state, h.stack, h.column
        return [Hypothesis(state, stack, h.indents, column)], len(classes)

    def _advance(
        self, h: Hypothesis, byte_class: int, byte: int, reads: ReadSet
    ) -> list[Hypothesis]:
        """Return what one hypothesis becomes after one byte."""
        move = self._scanner.moves(h.state)[byte_class]
        if move == DEAD:
            return []
        if move < 0:
            return self._fork(h, byte_class, byte, reads, goes_on=move == FORKS)
        return [self._go_on(h, move, byte)]

    def _fork(
        self, h: Hypothesis, byte_class: int, byte: int, reads: ReadSet, *, goes_on: bool
    ) -> list[Hypothesis]:
        """Return what a hypothesis becomes after a byte before which its lexeme may end."""
        scanner, lexemes = self._scanner, self._lexemes
        after: list[Hypothesis] = []
        if goes_on:
            after.append(self._go_on(h, scanner.next(h.state)[byte_class], byte))
        for terminal, boundary in scanner.ends(h.state):
            ended = lexemes.end(h.stack, h.indents, terminal, h.column, reads)
            if ended is not None:
                stack, indents = ended
                entered = scanner.entry(boundary, self._context[stack.state])[byte_class]
                if entered != DEAD:
                    column = NO_LINE
                    # Columns count in newlines that end a line, so not between brackets.
                    if self._counts[entered] and not self._enclosed[stack.state]:
                        column = self._next_column(NO_LINE, byte)
                    after.append(Hypothesis(entered, stack, indents, column))
        return after

    def _go_on(self, h: Hypothesis, state: ScannerStateId, byte: int) -> Hypothesis:
        """Return a hypothesis whose lexeme goes on with a byte, in a scanner state."""
        column = h.column
        if self._counts[state] and not self._enclosed[h.stack.state]:
            column = self._next_column(column, byte)
        return Hypothesis(state, h.stack, h.indents, column)

    def _next_column(self, column: int, byte: int) -> int:
        # Without indentation no lexeme has columns, in tables that maskc made.
        return column if self._newlines is None else self._newlines.next_column(column, byte)

    def _bound(self, here: list[Hypothesis], reads: ReadSet) -> list[Hypothesis]:
        """Return the hypotheses, without the dead ones where they are many.

        In tables that maskc made, no more are live than there are scanner states: two of them in
        one state would be two readings of each text that finishes both, and Lark reads a text in
        one way. Tables that somebody else made may say anything.
        """
        if len(here) > MANY_HYPOTHESES:
            here = [h for h in here if self._lexemes.is_live(h, reads)]
            check_hypotheses(len(here))
        return here
