"""What can be seen of a machine's hypothesis, whichever parser it has.

:mod:`maskc.explain.readings` asks the same of all: which lookaheads the parser takes, what is left
if the open lexeme becomes a terminal, and which productions are being read. Here are the answers of
the LALR machine, which has one stack and perhaps blocks of indentation, and of the general one,
which has a set of stacks and no productions to show: its table has all actions.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from maskc.explain.model import Names
from maskc.explain.names import GrammarNames
from maskc.ids import (
    DEAD,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    BoundaryId,
    ContextId,
    LayoutContextId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.glr.machine import GlrHypothesis, GlrMachine
from maskc.runtime.glr.queries import LAYOUT_CONTEXT
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lookaheads import Lookaheads, OpenLexeme
from maskc.runtime.machine import Machine
from maskc.runtime.scanner import ScannerTables


class AnyHypothesis(Protocol):
    """A machine's hypothesis."""

    state: ScannerStateId


H = TypeVar("H", bound=AnyHypothesis)


@dataclass(frozen=True, slots=True)
class ParserPosition:
    """Where the parser is.

    Attributes:
        taken: the lookaheads that it takes, as a bit set.
        layout_context, context: of the scanner.
        items: the productions that are being read.
    """

    taken: int
    layout_context: LayoutContextId
    context: ContextId
    items: Names


class MachineView(Protocol[H]):
    """What can be seen of the hypotheses of one artifact.

    Attributes:
        machine, scanner, lookaheads: of the artifact.
        newline: the terminal of a line's end, ``NO_EVENT`` without indentation.
    """

    machine: Machine[H]
    scanner: ScannerTables
    lookaheads: Lookaheads
    newline: TerminalId

    def position(self, h: H) -> ParserPosition:
        """Return where the parser is, before the open lexeme."""

    def end(self, h: H, terminal: TerminalId) -> H | None:
        """Return what is left if the open lexeme becomes a terminal, ``None`` if it is refused."""

    def stacks(self, h: H) -> Hashable:
        """Return the stacks: the same object as long as no terminal was read."""

    def goes_on(self, before: H, after: H) -> bool:
        """Return whether a lexeme goes on, if the scanner's state is one in which it may."""

    def blocks(self, h: H) -> tuple[int, ...]:
        """Return the columns of the open blocks where a newline would count, else nothing."""

    def ignored_newlines(self, h: H, lexeme: OpenLexeme) -> tuple[BoundaryId, ...]:
        """Return the boundaries after newlines that are ignored, as between brackets."""


class LalrView:
    """Of an LALR machine."""

    def __init__(self, machine: LalrMachine, names: GrammarNames) -> None:
        self.machine: Machine[Hypothesis] = machine
        self.scanner = machine.scanner
        self.lookaheads: Lookaheads = machine.lookaheads
        self._lalr, self._names, self._tables = machine, names, machine.tables
        layout = self._tables.layout
        # Without one no terminal is a newline that counts.
        self.newline: TerminalId = layout.newline if layout is not None else NO_EVENT

    def position(self, h: Hypothesis) -> ParserPosition:
        state, tables = h.stack.state, self._tables
        return ParserPosition(
            tables.taken[state],
            tables.layout_context[state],
            tables.context[state],
            self._names.items(tables.lalr_state[state]),
        )

    def end(self, h: Hypothesis, terminal: TerminalId) -> Hypothesis | None:
        end = self._lalr.lexemes.end
        ended = end(h.stack, h.indents, terminal, h.column, ReadSet(0))
        return None if ended is None else Hypothesis(DEAD, *ended, NO_LINE)

    def stacks(self, h: Hypothesis) -> Hashable:
        return h.stack

    def goes_on(self, before: Hypothesis, after: Hypothesis) -> bool:
        return after.stack is before.stack

    def blocks(self, h: Hypothesis) -> tuple[int, ...]:
        if self.newline < 0 or self._tables.enclosed[h.stack.state]:
            return ()
        taken = self._lalr.effects.shift(h.stack, self.newline, ReadSet(0)) is not None
        return h.indents if taken else ()

    def ignored_newlines(self, h: Hypothesis, lexeme: OpenLexeme) -> tuple[BoundaryId, ...]:
        return lexeme.newlines if self._tables.enclosed[h.stack.state] else ()


class GlrView:
    """Of the machine of a general grammar."""

    newline: TerminalId = NO_EVENT

    def __init__(self, machine: GlrMachine) -> None:
        self.machine: Machine[GlrHypothesis] = machine
        self.scanner, self.lookaheads = machine.scanner, machine.lookaheads
        self._gss = machine.gss

    def position(self, h: GlrHypothesis) -> ParserPosition:
        return ParserPosition(self._gss.taken(h.stacks), LAYOUT_CONTEXT, ContextId(0), ())

    def end(self, h: GlrHypothesis, terminal: TerminalId) -> GlrHypothesis | None:
        after = h.stacks if terminal == IGNORED else self._gss.shift(h.stacks, terminal)
        return None if after is None else GlrHypothesis(DEAD, after)

    def stacks(self, h: GlrHypothesis) -> Hashable:
        return h.stacks

    def goes_on(self, before: GlrHypothesis, after: GlrHypothesis) -> bool:
        del before, after
        return True  # where readings meet in one, one of them goes on

    def blocks(self, h: GlrHypothesis) -> tuple[int, ...]:
        del h
        return ()

    def ignored_newlines(self, h: GlrHypothesis, lexeme: OpenLexeme) -> tuple[BoundaryId, ...]:
        del h, lexeme
        return ()
