"""Moves hypotheses by bytes.

Most bytes only move the scanner. Where the open lexeme may end before a byte, the parser is given
the terminal and the byte begins the next lexeme; where the lexeme may also go on with the byte,
both are followed, and one hypothesis becomes two. The scanner's conditions see to it that a whole
text is read in one way only.

Example: with ``"="`` and ``"=="``, after ``=`` another ``=`` forks: it makes the lexeme ``==``, or
ends ``=`` and begins the next lexeme.
"""

from __future__ import annotations

from maskc.ids import DEAD, FORKS, NO_LINE, ScannerStateId
from maskc.runtime.lalr.hypothesis import Hypotheses, Hypothesis, ReadSet
from maskc.runtime.lalr.lexemes import Lexemes
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses
from maskc.runtime.scanner import ScannerTables


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
