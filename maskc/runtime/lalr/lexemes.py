"""What open lexemes become, and the meaning of a line's end where blocks are indented.

A hypothesis is *live* if some text goes on from it and ends. The parser's part of that was worked
out by the compiler: a refined state names the lookaheads with which its stack leads to an end. So a
hypothesis is live iff its open lexeme may become a lookahead that the state on top takes, or
something that is ignored and leaves one to follow.

Lark's ``Indenter`` gives the parser a newline and then, by the column that the next line begins at,
an INDENT or as many DEDENTs as blocks end. Between brackets lines do not count. Here the same is
done for a newline whose end is known, and for one that is still open: its column may yet grow.

Example: in json, ``[1, "a`` is live, as the open string may become STRING. ``[1 "a`` is not, since
after a value the parser takes ``,`` and ``]`` only. With blocks open at 0 and 4, a line that begins
at 4 goes on with the block, one at 8 opens one, one at 0 closes one, and one at 2 is an error.

Source: Lark 1.3, ``indenter.py``, ``handle_NL``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.ids import (
    EMPTY_TEXT,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    NOT_AN_END,
    BoundaryId,
    ColumnsId,
    OpenLexemeId,
    RefinedStateId,
    TerminalId,
)
from maskc.runtime.lalr.hypothesis import Ended, Hypothesis, ReadSet, Stack
from maskc.runtime.lalr.parser import LalrTables, StackEffects
from maskc.runtime.scanner import Lookaheads, ScannerTables, view_numbers

# The bytes that change a column.
COUNTED = b"\n\t "
_LINE_FEED, _TABULATOR, _SPACE = COUNTED

# What follows a newline: INDENT or DEDENT, how often, and the columns of the blocks then open.
Blocks = tuple[TerminalId, int, tuple[int, ...]]


class Columns:
    """The columns at which one artifact's open newlines can still end.

    The compiler lists them by the boundary at a newline's end, up to a length after which they
    repeat with a period. ``column_more`` counts from the present column, ``column_reset`` from
    another line break, which is yet to come: ``after_line_break``.

    Example: blanks of one column each reach every column: listed is column 0, with the period 1.
    Blanks of two reach every second: listed are 0 and 1, with the period 2.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._first = view_numbers(arrays["column_first"])
        self._period = view_numbers(arrays["column_period"])
        self._more, self._reset = arrays["column_more"], arrays["column_reset"]
        self._may_reach = view_numbers(self._more), view_numbers(self._reset)

    def can_reach(self, number: int, boundary: int, column: int, *, after_line_break: bool) -> bool:
        """Return whether an open newline can still end at a column.

        Args:
            number: of the columns that it may reach.
            boundary: what the scanner knows where it ends.
            column: a column (after a line break) or an increment of the present one.
            after_line_break: over another line break, or without one.
        """
        low, high = self._first[number], self._first[number + 1]
        n_listed = high - low
        if column >= n_listed:
            period = self._period[number, 0 if after_line_break else 1]
            column = n_listed - period + (column - n_listed) % period
        return bool(self._may_reach[after_line_break][low + column, boundary])

    def can_exceed(
        self, number: int, boundary: int, column: int, *, after_line_break: bool
    ) -> bool:
        """Return whether it can still end beyond a column (or an increment)."""
        low, high = self._first[number], self._first[number + 1]
        period = self._period[number, 0 if after_line_break else 1]
        row = (self._reset if after_line_break else self._more)[low:high, boundary]
        start = min(column + 1, high - low - period)
        return bool(row[max(start, 0) :].any())


class Newlines:
    """The newlines of one artifact."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        tables: LalrTables,
        lookaheads: Lookaheads,
        effects: StackEffects,
    ) -> None:
        if tables.layout is None:
            raise ValueError("a grammar without indentation has no newlines")
        self._layout = tables.layout
        self._columns = Columns(arrays)
        self._enclosed = tables.enclosed
        self._layout_context = tables.layout_context
        self._lookaheads = lookaheads
        self._taken = tables.taken
        self._effects = effects
        self._indent = _to_bits(arrays["indent_lookahead"])
        self._dedent = _to_bits(arrays["dedent_lookahead"])
        self.terminal = tables.layout.newline  # the terminal of a line's end
        self.dedent = tables.layout.dedent  # the terminal of a block's end

    def next_column(self, column: int, byte: int) -> int:
        """Return the column after one more byte of an open newline; a comment's count nothing."""
        if byte == _LINE_FEED:
            return 0
        if column == NO_LINE or byte not in (_SPACE, _TABULATOR):
            return column
        return column + (1 if byte == _SPACE else self._layout.tab_len)

    def end(
        self, stack: Stack, indents: tuple[int, ...], column: int, reads: ReadSet
    ) -> Ended | None:
        """Return what the parser makes of a whole newline, ``None`` if it refuses.

        The next line begins at ``column``; ``NO_LINE``: the newline has no line break.
        """
        if self._enclosed[stack.state]:
            return (stack, indents)
        reads.layout = True
        blocks = self.blocks(indents, column)
        after = (
            self._effects.shift(stack, self._layout.newline, reads) if blocks is not None else None
        )
        if blocks is None or after is None:
            return None
        terminal, n_times, left = blocks
        for _ in range(n_times):
            shifted = self._effects.shift(after, terminal, reads)
            if shifted is None:
                return None
            after = shifted
        return (after, left)

    def blocks(self, indents: tuple[int, ...], column: int) -> Blocks | None:
        """Return what the parser gets after a newline, ``None`` if it is an error.

        The next line begins at ``column``; ``NO_LINE``: the newline has no line break.
        """
        if column == NO_LINE:
            return None
        if column > indents[-1]:
            return (self._layout.indent, 1, (*indents, column))
        n_open = len(indents)
        while n_open and column < indents[n_open - 1]:
            n_open -= 1
        if not n_open or column != indents[n_open - 1]:
            return None
        return (self._layout.dedent, len(indents) - n_open, indents[:n_open])

    def lead_on(
        self,
        columns: ColumnsId,
        boundary: BoundaryId,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        reads: ReadSet,
    ) -> bool:
        """Return whether an open newline can end at a column with which some text goes on."""
        if self._enclosed[stack.state]:
            return self.can_go_on(stack.state, boundary)
        after = self._effects.shift(stack, self._layout.newline, reads)
        if after is None:
            return False
        reads.layout = True
        # ``after``: the stack once the newline has closed some blocks.
        for n_closed in range(len(indents)):
            state, wanted, is_last = (
                after.state,
                indents[-1 - n_closed],
                n_closed + 1 == len(indents),
            )
            if self.ends_here(columns, boundary, state, wanted, column, may_indent=not n_closed):
                return True
            if is_last or not self.may_close(boundary, state):
                return False
            dedented = self._effects.shift(after, self.dedent, reads)
            if dedented is None:
                return False
            after = dedented
        return False

    def ends_here(
        self,
        columns: ColumnsId,
        boundary: BoundaryId,
        state: RefinedStateId,
        wanted: int,
        column: int,
        *,
        may_indent: bool,
    ) -> bool:
        """Return whether an open newline can end at a block's column so that some text goes on.

        Args:
            columns: number of the columns that it may reach.
            boundary: what the scanner knows where it ends.
            column: reached so far, ``NO_LINE`` before the first line break.
            state: on top of the stack, when the parser has got the newline and the dedents.
            wanted: the column of the innermost block that they leave open.
            may_indent: whether no block was closed: then the newline may also end further in.
        """
        reach = self._columns
        if (
            may_indent
            and self._taken[state] & self._indent[boundary]
            and (
                reach.can_exceed(columns, boundary, wanted, after_line_break=True)
                or column != NO_LINE
                and reach.can_exceed(columns, boundary, wanted - column, after_line_break=False)
            )
        ):
            return True
        return self.can_go_on(state, boundary) and (
            reach.can_reach(columns, boundary, wanted, after_line_break=True)
            or NO_LINE != column <= wanted
            and reach.can_reach(columns, boundary, wanted - column, after_line_break=False)
        )

    def may_close(self, boundary: BoundaryId, state: RefinedStateId) -> bool:
        """Return whether an open newline may bring a dedent with a state on top."""
        return bool(self._taken[state] & self._dedent[boundary])

    def can_go_on(self, state: RefinedStateId, boundary: BoundaryId) -> bool:
        """Return whether a stack with a state on top goes on after a boundary."""
        return bool(
            self._lookaheads.after(boundary, self._layout_context[state]) & self._taken[state]
        )


def _to_bits(lookaheads: NDArray[Any]) -> list[int]:
    return [1 << number if number >= 0 else 0 for number in lookaheads.tolist()]


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
        self._newlines = newlines  # what newlines do, None without indentation
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
