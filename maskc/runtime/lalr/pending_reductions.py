"""What is known of a mask while a stack is read: unions, debts, and what the open blocks decide.

See :mod:`maskc.runtime.lalr.debts` for how it comes about. It is a state of the automaton, so it is
written as flat tuples of numbers, in an order that depends on nothing but what they say.
"""

from __future__ import annotations

from marshal import dumps, loads
from typing import Final

from maskc.artifact.model import MAX_QUERIES
from maskc.ids import NO_LINE, NonterminalId, TerminalId
from maskc.runtime.lalr.stack import Stack

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


def pack(pending: PendingReductions) -> bytes:
    """Return pending reductions as bytes, which are equal iff these are."""
    return dumps(pending, 2)


def unpack(packed: bytes) -> PendingReductions:
    """Return pending reductions from their bytes."""
    return loads(packed)  # type: ignore[no-any-return]  # noqa: S302 - our own


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
