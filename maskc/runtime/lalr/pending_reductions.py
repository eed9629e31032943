r"""What is known of a mask while a stack is read: unions, debts, and what the open blocks decide.

See :mod:`maskc.runtime.lalr.debts` for how it comes about. It is a state of the automaton, so it is
written as flat tuples of numbers, in an order that depends on nothing but what they say.

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

from maskc.artifact.model import MAX_QUERIES, column_after
from maskc.ids import (
    NO_LINE,
    NO_NONTERMINAL,
    SAME,
    BoundaryId,
    ColumnsId,
    NodeId,
    NonterminalId,
    TerminalId,
)
from maskc.runtime.lalr.hypothesis import Stack
from maskc.runtime.lalr.lexemes import Newlines
from maskc.runtime.lalr.parser import StackEffects

# Instead of a union: the text may end.
MAY_END: Final = -1

# Columns of open blocks, as far as a token changes them: how many of those that were open before it
# still are, and then those which were opened since.
Open = tuple[int, ...]
SAME_BLOCKS: Final[Open] = (-1,)  # all that were open before it

# What is to be done with the stack that a terminal leaves, beginning with one of these numbers.
NODE: Final = 0  # node, SAME or NO_LINE, open blocks: the node of the decision graph answers
BLOCK: Final = 1  # terminal, how often it is given yet, task: what a newline brings
LINE: Final = (
    2  # line end, SAME or NO_LINE, open blocks: a newline was given, and brings what it does
)
LEAD: Final = (
    3  # columns, boundary, blocks closed, union, column, open blocks: may a newline end here?
)
END: Final = 4  # open blocks: may the text end?
Task = tuple[int, ...]

# How many states are to be popped, the last of which pays; the nonterminal that is pushed onto it;
# the terminal that is given then; and the task after it. All are flat: the garbage collector stops
# looking at a tuple once it has seen that there are but numbers in it, one level each time it runs.
Debt = tuple[int, ...]

# A task that needs the open blocks: how many states are known, from the one that was read last
# upwards; those states; and the task.
Waiting = tuple[int, ...]

# The debts, the unions that are known to be legal, and what waits for the open blocks to be known,
# each in increasing order.
PendingReductions = tuple[tuple[Debt, ...], tuple[int, ...], tuple[Waiting, ...]]


class Evaluation:
    """The evaluation of one mask's queries on a stack: worklists, and what was found."""

    __slots__ = (
        *("column", "debts", "given", "indents"),
        *("n_left", "n_looks", "reached", "unions", "waiting"),
    )

    def __init__(self) -> None:
        # columns of the blocks that are open before the token; none as long as they have not been
        # looked at
        self.indents: tuple[int, ...] = ()
        # reached in the lexeme that is open before it, once the blocks were looked at
        self.column: int = NO_LINE
        self.n_looks: int = 0  # how often the open blocks were looked at
        self.n_left: int = 2 * MAX_QUERIES  # how many more queries may be made
        # stacks, what was pushed onto their top in theory, a terminal, and a task after it
        self.given: list[tuple[Stack, NonterminalId, TerminalId, Task]] = []
        self.reached: list[tuple[Stack, Task]] = []  # stacks and tasks
        # debts, unions, waiting: found so far
        self.debts: set[Debt] = set()
        self.unions: set[int] = set()
        self.waiting: set[Waiting] = set()

    def open(self, blocks: Open) -> tuple[int, ...]:
        """Return the columns of open blocks."""
        self.n_looks += 1
        n_kept = blocks[0]
        return (*(self.indents[:n_kept] if n_kept >= 0 else self.indents), *blocks[1:])

    def wait(self, stack: Stack, task: Task) -> None:
        """Leave a task until the open blocks are known."""
        states: list[int] = []
        node: Stack | None = stack
        while node is not None:
            states.append(node.state)
            node = node.below
        states.reverse()
        self.waiting.add((len(states), *states, *task))

    def take_found(self) -> PendingReductions:
        """Return what was found, and forget it."""
        debts: tuple[Debt, ...] = ()
        unions: tuple[int, ...] = ()
        waiting: tuple[Waiting, ...] = ()
        if self.debts:
            debts = tuple(sorted(self.debts))
            self.debts.clear()
        if self.unions:
            unions = tuple(sorted(self.unions))
            self.unions.clear()
        if self.waiting:
            waiting = tuple(sorted(self.waiting))
            self.waiting.clear()
        return debts, unions, waiting


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
