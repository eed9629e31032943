"""Facts about refined states that need no look at the stack below.

Which terminals it goes on with, in which context the lexer is, after which events it can be on top,
and whether it goes on with a lexeme that is still open. Each fact is a vector over all states, so
that sequences are decided for all of them at once (:mod:`maskc.compiler.pushdown.decisions`).

Example: with ``S -> a S b | c`` the two states after c both take nothing but b or the end, and each
of them one of the two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.lexical_analysis import LexicalAnalysis
from maskc.compiler.pushdown.interchangeable import Classes
from maskc.compiler.rows.sequences import ContextSet, ParserEvent
from maskc.grammar.model import LalrGrammar
from maskc.ids import END, IGNORED, NO_EVENT
from maskc.lexer.boundaries import PartialLexeme
from maskc.lexer.scanner import End

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]


class StateFacts:
    """Facts of all refined states, as vectors over states.

    Attributes:
        layout, newline: indentation, and the terminal that ends a line.
        enclosed: bool[n_states], whether a bracket is open below.
        takes: terminal → bool[n_states], whether a state goes on with it.
        nothing: bool[n_states], all False.
    """

    def __init__(
        self, lexed: LexicalAnalysis[LalrGrammar], table: RefinedTable, classes: Classes
    ) -> None:
        """Take a table and the lexer's side of it; ``classes`` are interchangeable terminals."""
        grammar, boundaries = lexed.grammar, lexed.boundaries
        self._boundaries, self._columns = boundaries, lexed.columns
        # An event names the first terminal of a class for all of them.
        self._members = {members[0]: members for members in classes}
        self.layout = grammar.lexer.layout
        self.newline = lexed.newline
        n_lookaheads = boundaries.n_lookaheads
        self.nothing = np.zeros(len(table.live), dtype=np.bool_)
        # uint64[n_words, n_states]: a bit for each lookahead, 64 of them side by side.
        self._live = bits.pack(table.live, n_lookaheads).T.copy()
        self._context = np.array(grammar.lalr.context_of, dtype=np.int32)[
            np.array(table.lalr_state, dtype=np.int32)
        ]
        self._n_contexts = len(grammar.lexer.contexts)
        self._in: dict[ContextSet, Bools] = {}
        self.enclosed = np.array(table.enclosed, dtype=np.bool_)
        layout_context = self._context + self._n_contexts * self.enclosed
        self._goes_on = [
            self._meets(bits.pack(row, n_lookaheads).T[:, layout_context])
            for row in boundaries.rest
        ]
        self.takes = {
            terminal: self._meets(bits.pack([boundaries.set_of(terminal)], n_lookaheads)[0])
            for terminal in boundaries.of_terminal
        }
        self._targets: dict[int, set[int]] = {}
        for row in table.shifts:
            for terminal, target in row.items():
                self._targets.setdefault(terminal, set()).add(target)

    def takes_of(self, terminal: int) -> Bools:
        """Return bool[n_states]: whether a state goes on with a terminal."""
        return self.takes.get(terminal, self.nothing)

    def in_contexts(self, contexts: ContextSet) -> Bools:
        """Return bool[n_states]: whether a state's context is in a set."""
        found = self._in.get(contexts)
        if found is None:
            inside = [bool(contexts >> n & 1) for n in range(self._n_contexts)]
            found = self._in[contexts] = np.array(inside, dtype=np.bool_)[self._context]
        return found

    def after(self, event: ParserEvent) -> Bools:
        """Return bool[n_states]: whether a state can be on top after an event."""
        if event.terminal == NO_EVENT:
            return ~self.nothing
        if event.terminal == IGNORED:
            return self.in_contexts(event.contexts)
        found = self.nothing.copy()
        terminals = list(self._members.get(event.terminal, (event.terminal,)))
        if self.layout and event.terminal == self.newline:
            terminals += [self.layout.indent, self.layout.dedent]
            found |= self.enclosed
        for terminal in terminals:
            found[sorted(self._targets.get(terminal, ()))] = True
        return found & self.in_contexts(event.contexts)

    def open_lexeme(self, open_lexeme: PartialLexeme) -> tuple[Bools, Bools]:
        """Return bool[n_states] twice: whether some stack goes on with it, and some does not."""
        sure = self._meets(bits.pack([open_lexeme.direct], self._boundaries.n_lookaheads)[0])
        for boundary in open_lexeme.ignored:
            sure |= self._goes_on[boundary]
        maybe = self.nothing.copy()
        for boundary in open_lexeme.newlines:
            sure |= self.enclosed & self._goes_on[boundary]
            lookahead = self._boundaries.number[End(self.newline or END, boundary)]
            wanted = self._meets(bits.pack([1 << lookahead], self._boundaries.n_lookaheads)[0])
            wanted &= ~self.enclosed
            if self._columns.is_free(open_lexeme.columns, boundary):
                sure |= wanted
            else:
                maybe |= wanted
        return sure | maybe, ~sure

    def _meets(self, wanted: Words) -> Bools:
        """Return bool[n_states]: whether a state goes on with some of the lookaheads of a set."""
        found = self.nothing.copy()
        for live, word in zip(self._live, wanted, strict=True):
            if np.any(word):
                found |= (live & word) != 0
        return found
