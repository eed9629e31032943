r"""The terminals that a newline brings, given the open blocks.

A token may have newlines of many lengths after one terminal, and leave others open. The parser gets
the newline in any case, and then what the columns say; so all that is asked about one newline is
one *line end*, by number, and the newline is given once for all of it. What is above the block, a
statement mostly, has been reduced by then: masks that the blocks decide depend on no more of it.

Example: in an indented block ``x`` may be followed by the tokens ``\n``, ``\n    `` and
``\n\n``. All reduce the statement; the first leads to a dedent, the second to the next one.
"""

from __future__ import annotations

import threading
from typing import Final

from maskc.artifact.model import column_after
from maskc.ids import (
    NO_LINE,
    NO_NONTERMINAL,
    SAME,
    BoundaryId,
    ColumnsId,
    NodeId,
    TerminalId,
)
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.pending_reductions import (
    BLOCK,
    END,
    LEAD,
    LINE,
    NODE,
    SAME_BLOCKS,
    Evaluation,
    Open,
    Task,
    Waiting,
)
from maskc.runtime.lalr.stack import Stack

TEXT_END: Final = NodeId(-1)  # instead of a node: the text ends there

# Of a newline that ends: its column change, and the node that is asked then.
Ended = tuple[int, NodeId]
# Of one that stays open: its columns, the boundary at its end, its column change, and a union that
# is legal if some text goes on from it.
OpenLine = tuple[ColumnsId, BoundaryId, int, int]

LineEnd = tuple[tuple[Ended, ...], tuple[OpenLine, ...]]


class LineEnds:
    """The line ends of one artifact, which are numbered as they come up.

    There are no more of them than answers of the decision graph, and states on top of a stack.
    """

    def __init__(self, newlines: Newlines, effects: StackEffects) -> None:
        self._newlines = newlines
        self._effects = effects
        self._numbers: dict[LineEnd, int] = {}
        self._line_ends: list[LineEnd] = []
        self._lock = threading.Lock()

    def give(
        self, evaluation: Evaluation, stack: Stack, line_end: LineEnd, column: int, blocks: Open
    ) -> None:
        """Give the parser a newline where it counts, and go on with what it brings.

        ``column`` is that before it, ``SAME`` for the open lexeme's.
        """
        newline = self._newlines.terminal
        if self._effects.takes(stack.state, newline):
            task = (LINE, self._number(line_end), column, *blocks)
            evaluation.given.append((stack, NO_NONTERMINAL, newline, task))

    def _number(self, line_end: LineEnd) -> int:
        number = self._numbers.get(line_end)
        if number is None:
            with self._lock:
                number = self._numbers.setdefault(line_end, len(self._line_ends))
                if number == len(self._line_ends):
                    self._line_ends.append(line_end)
        return number

    def sign(
        self, waiting: tuple[Waiting, ...], indents: tuple[int, ...], column: int
    ) -> tuple[int, ...] | None:
        """Return what newlines bring, for what waits for it; equal where the same follows.

        It is so as long as the blocks are looked at for these newlines, and for nothing later.

        Returns:
            for each newline's end a terminal and how often, -1 if it is an error; ``None`` if
            something else waits than newlines that end and were there before.
        """
        brought: list[int] = []
        for task in waiting:
            first = task[0] + 1
            if task[first] != LINE or task[first + 3 :] != SAME_BLOCKS:
                return None
            ended, open_ = self._line_ends[task[first + 1]]
            if open_:
                return None
            before = column if task[first + 2] == SAME else task[first + 2]
            for change, _ in ended:
                blocks = self._newlines.blocks(indents, column_after(before, change))
                brought += (-1, 0) if blocks is None else (blocks[0], blocks[1])
        return tuple(brought)

    def bring(self, evaluation: Evaluation, stack: Stack, task: Task) -> None:
        """Give the parser what a newline brings."""
        ended, open_ = self._line_ends[task[1]]
        before = evaluation.column if task[2] == SAME else task[2]
        blocks = task[3:]
        indents = evaluation.open(blocks)
        for change, node in ended:
            brought = self._newlines.blocks(indents, column_after(before, change))
            if brought is not None:
                terminal, n_times, left = brought
                n_kept = min(len(evaluation.indents) if blocks[0] < 0 else blocks[0], len(left))
                after = what_then(node, NO_LINE, (n_kept, *left[n_kept:]))
                self.repeat(evaluation, stack, (BLOCK, terminal, n_times, *after))
        for columns, boundary, change, union in open_:
            reached = column_after(before, change)
            self.lead_on(evaluation, stack, (LEAD, columns, boundary, 0, union, reached, *blocks))

    def repeat(self, evaluation: Evaluation, stack: Stack, task: Task) -> None:
        """Give the parser an INDENT or a DEDENT once more, or go on if there were enough."""
        terminal, n_times = TerminalId(task[1]), task[2]
        if not n_times:
            evaluation.reached.append((stack, task[3:]))
        elif self._effects.takes(stack.state, terminal):
            rest = (BLOCK, terminal, n_times - 1, *task[3:])
            evaluation.given.append((stack, NO_NONTERMINAL, terminal, rest))

    def lead_on(self, evaluation: Evaluation, stack: Stack, task: Task) -> None:
        """Go on with an open newline that has closed some blocks."""
        _, number, end, n_closed, union, column, n_kept, *opened = task
        columns, boundary = ColumnsId(number), BoundaryId(end)
        newlines, state = self._newlines, stack.state
        if union in evaluation.unions:
            return
        if n_kept < 0:
            n_kept = len(evaluation.indents)
        level = n_kept + len(opened) - 1 - n_closed
        wanted = evaluation.indents[level] if level < n_kept else opened[level - n_kept]
        if newlines.ends_here(columns, boundary, state, wanted, column, may_indent=not n_closed):
            evaluation.unions.add(union)
        elif level and newlines.may_close(boundary, state):
            dedent = newlines.dedent
            if self._effects.takes(state, dedent):
                rest = (LEAD, columns, boundary, n_closed + 1, union, column, *task[6:])
                evaluation.given.append((stack, NO_NONTERMINAL, dedent, rest))


def what_then(node: NodeId, column: int, blocks: Open) -> Task:
    """Return what is to be done after the terminal of a query."""
    # mypyc makes a list of what is starred.
    return (END,) + blocks if node == TEXT_END else (NODE, node, column) + blocks  # noqa: RUF005
