"""The meaning of a line's end where blocks are indented.

Lark's ``Indenter`` gives the parser a newline and then, by the column that the next line begins at,
an INDENT or as many DEDENTs as blocks end. Between brackets lines do not count. Here the same is
done for a newline whose end is known, and for one that is still open: its column may yet grow.

Example: with blocks open at 0 and 4, a line that begins at 4 goes on with the block, one at 8 opens
one, one at 0 closes one, and one at 2 is an error.

Source: Lark 1.3, ``indenter.py``, ``handle_NL``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.ids import NO_LINE, BoundaryId, ColumnsId, RefinedStateId, TerminalId
from maskc.runtime.lalr.hypothesis import Ended, ReadSet, Stack
from maskc.runtime.lalr.parser import LalrTables, StackEffects
from maskc.runtime.scanner import Lookaheads, view_numbers

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
        """Return the column after one more byte of an open newline.

        Args:
            column: before the byte, ``NO_LINE`` before the first line break.
            byte: a line break, a blank, or a byte of a comment, which counts nothing.
        """
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

        Args:
            indents: columns of the open blocks.
            column: where the next line begins; ``NO_LINE`` if the newline has no line break.
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
    """Return each lookahead as a bit set; the empty one for none."""
    return [1 << number if number >= 0 else 0 for number in lookaheads.tolist()]
