"""What must still be known of a stack, once its upper states have been read?

Which tokens are legal is asked of the parser, terminal by terminal. Here it is asked with the upper
states of a stack alone: where a reduction pops more of them than have been read, a *debt* is left,
which says how many are to be popped yet, what is pushed then, and what follows. The next state
below pays: each debt goes on from there, and ends, or leaves another one. All debts that are left,
with the unions of tokens that are known to be legal, are what a mask depends on from there on. So
stacks that leave the same debts are one, however they differ above, and the state that is read next
concerns the debts alone. That makes an automaton, which reads a stack from its top and ends at a
mask; :mod:`maskc.runtime.lalr.masks` makes it as far as texts need it.

Example: after ``f(g(x`` the token ``))`` reduces ``x`` to an argument, shifts RPAR, reduces the
call, and then owes what is below ``g(``. It is ``f(``, or the begin of an expression in brackets:
either takes the second RPAR, and that is all that it is asked for.

Source: Tran-Thien 2025, *unlimited credit exploration* and its debt NFA, here with unions of tokens
as weights; the stacks that take a terminal sequence are a regular set (Bouajjani, Esparza and Maler
1997, doi:10.1007/3-540-63141-0_10).
"""

from __future__ import annotations

from marshal import dumps, loads

from maskc.artifact.model import MAX_QUESTIONS, column_after
from maskc.ids import (
    EMPTY_TEXT,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    NO_NONTERMINAL,
    NOT_AN_END,
    SAME,
    BoundaryId,
    ColumnsId,
    NodeId,
    NonterminalId,
    OpenLexemeId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.graph import GraphReader, Question
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.lexemes import Lexemes
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.scanner import ScannerTables

# In the place of a union: the text may end.
MAY_END = -1

# Columns of open blocks, as far as a token changes them: how many of those that were open before it
# still are, and then those which were opened since.
Open = tuple[int, ...]
_SAME_BLOCKS: Open = (-1,)  # all that were open before it

# What is to be done with the stack that a terminal leaves, beginning with one of these numbers.
_ASK = 0  # node, SAME or NO_LINE, open blocks: the node of the decision graph answers
_BLOCK = 1  # terminal, how often it is given yet, task: what a newline brings
_LEAD = 2  # columns, boundary, blocks closed, union, column, open blocks: may a newline end here?
_END = 3  # open blocks: may the text end?
Task = tuple[int, ...]

# How many states are to be popped, the last of which pays; the nonterminal that is pushed onto it;
# the terminal that is given then; and the task after it. All are flat: the garbage collector stops
# looking at a tuple once it has seen that there are but numbers in it, one level each time it runs.
Debt = tuple[int, ...]

# The debts, and the unions that are known to be legal, both in increasing order.
Owed = tuple[tuple[Debt, ...], tuple[int, ...]]

_NEEDS_BLOCKS = b""


def pack(owed: Owed) -> bytes:
    """Return what is owed as bytes, which are equal iff it is."""
    return dumps(owed, 2)


def unpack(packed: bytes) -> Owed:
    """Return what is owed from its bytes."""
    return loads(packed)  # type: ignore[no-any-return]  # noqa: S302 - our own


class Asking:
    """What is being asked for one mask, over all states of a stack.

    Args:
        indents: columns of the blocks that are open before the token; none if they are not to be
            looked at.
        column: reached in the lexeme that is open before it.

    Attributes:
        indents, column: as given.
        needs_blocks: whether the open blocks would have to be known.
        n_left: how many more questions may be asked. Each may be asked with and without blocks.
        given: stacks, what was pushed onto their top in theory, a terminal, and a task after it.
        reached: stacks and tasks.
        debts, unions: found so far.
    """

    __slots__ = (
        *("column", "debts", "given", "indents"),
        *("n_left", "needs_blocks", "reached", "unions"),
    )

    def __init__(self, indents: tuple[int, ...], column: int) -> None:
        self.indents = indents
        self.column = column
        self.needs_blocks = False
        self.n_left = 2 * MAX_QUESTIONS
        self.given: list[tuple[Stack, NonterminalId, TerminalId, Task]] = []
        self.reached: list[tuple[Stack, Task]] = []
        self.debts: set[Debt] = set()
        self.unions: set[int] = set()

    def open(self, blocks: Open) -> tuple[int, ...]:
        """Return the columns of open blocks."""
        n_kept = blocks[0]
        return (*(self.indents[:n_kept] if n_kept >= 0 else self.indents), *blocks[1:])


class Debts:
    """What masks of one artifact depend on.

    Args:
        scanner, tables: of the artifact.
        graph: its decision graph.
        effects: what terminals do to stacks.
        lexemes: what open lexemes become.
        newlines: what newlines do, ``None`` without indentation.
        budget: what cached debts are charged to.
    """

    def __init__(
        self,
        scanner: ScannerTables,
        tables: LalrTables,
        graph: GraphReader,
        effects: StackEffects,
        lexemes: Lexemes,
        newlines: Newlines | None,
        budget: Budget,
    ) -> None:
        self._scanner = scanner
        self._tables = tables
        self._enclosed = tables.enclosed
        self._graph = graph
        self._effects = effects
        self._lexemes = lexemes
        self._newlines = newlines
        self._parts = Cache(budget)  # what one question, or one debt, leaves at a state
        self._budget = budget
        self._newline = lexemes.newline

    def open(self, asking: Asking, state: ScannerStateId, top: RefinedStateId) -> Owed | None:
        """Return what a mask owes, with the top of the stack read.

        Args:
            asking: of this mask.
            state: the scanner state.
            top: on the stack.

        Returns:
            what is owed; ``None`` if the open blocks would have to be known.
        """
        debts: set[Debt] = set()
        unions: set[int] = set()
        for question in self._graph.root(state):
            terminal, change, node = question
            key = (top, terminal, change, node)
            part: Owed | None = None
            packed = self._recall(key)
            if packed is None:
                indents, asking.indents = asking.indents, ()
                self._ask(asking, (question,), Stack(top, None), _SAME_BLOCKS, SAME)
                part = self._run_and_keep(asking, key)
                asking.indents = indents
            elif packed:
                part = unpack(packed)
            if part is None and asking.indents:
                self._ask(asking, (question,), Stack(top, None), _SAME_BLOCKS, SAME)
                part = self._run(asking)
            if part is None:
                return None
            debts.update(part[0])
            unions.update(part[1])
        if self._scanner.end_of_text[state] != NOT_AN_END:
            self._ask_for_end(asking, state, Stack(top, None))
            at_end = self._run(asking)
            if at_end is None:
                return None
            debts.update(at_end[0])
            unions.update(at_end[1])
        return (tuple(sorted(debts)), tuple(sorted(unions)))

    def read(self, asking: Asking, owed: Owed, state: RefinedStateId) -> Owed | None:
        """Return what is owed once the next state below has been read.

        Args:
            asking: of this mask.
            owed: before it.
            state: the state.

        Returns:
            what is owed; ``None`` if the open blocks would have to be known.
        """
        debts: set[Debt] = set()
        unions = set(owed[1])
        for debt in owed[0]:
            if debt[0] > 1:
                debts.add((debt[0] - 1, *debt[1:]))
                continue
            key = (state, *debt[1:])
            part: Owed | None = None
            packed = self._recall(key)
            if packed is None:
                indents, asking.indents = asking.indents, ()
                self._resume(asking, state, debt)
                part = self._run_and_keep(asking, key)
                asking.indents = indents
            elif packed:
                part = unpack(packed)
            if part is None and asking.indents:
                self._resume(asking, state, debt)
                part = self._run(asking)
            if part is None:
                return None
            debts.update(part[0])
            unions.update(part[1])
        return (tuple(sorted(debts)), tuple(sorted(unions)))

    def _resume(self, asking: Asking, state: RefinedStateId, debt: Debt) -> None:
        """Go on with a debt that a state pays."""
        nonterminal, terminal = NonterminalId(debt[1]), TerminalId(debt[2])
        asking.given.append((Stack(state, None), nonterminal, terminal, debt[3:]))

    def _recall(self, key: tuple[int, ...]) -> bytes | None:
        """Return what a question or a debt leaves; ``_NEEDS_BLOCKS`` if that is not enough."""
        packed: bytes | None = self._parts.current.get(key)
        return self._parts.get(key) if packed is None else packed

    def _run_and_keep(self, asking: Asking, key: tuple[int, ...]) -> Owed | None:
        found = self._run(asking)
        packed = _NEEDS_BLOCKS if found is None else pack(found)
        self._parts.put(key, packed)
        self._budget.charge(len(packed))
        return found

    def _run(self, asking: Asking) -> Owed | None:
        """Give terminals until all that is left are debts; ``None`` if blocks are needed."""
        segment = self._effects.segment
        given, reached = asking.given, asking.reached
        while given or reached:
            if asking.needs_blocks:
                break
            if reached:
                stack, task = reached.pop()
                self._go_on(asking, stack, task)
                continue
            base, nonterminal, terminal, task = given.pop()
            while True:
                n_below, nonterminal, pushed = segment(base.state, nonterminal, terminal)
                if nonterminal == NO_NONTERMINAL:
                    break
                if n_below > base.depth:
                    asking.debts.add((n_below - base.depth, nonterminal, terminal, *task))
                    break
                for _ in range(n_below):
                    base = base.below  # type: ignore[assignment]  # it is as deep as that
            if pushed:
                for state in pushed:
                    base = Stack(state, base)
                self._go_on(asking, base, task)
        found: Owed | None = None
        if not asking.needs_blocks:
            found = (tuple(sorted(asking.debts)), tuple(sorted(asking.unions)))
        asking.needs_blocks = False
        given.clear()
        reached.clear()
        asking.debts.clear()
        asking.unions.clear()
        return found

    def _go_on(self, asking: Asking, stack: Stack, task: Task) -> None:
        """Do what was to be done with the stack that a terminal has left."""
        kind = task[0]
        if kind == _ASK:
            node, column, blocks = NodeId(task[1]), task[2], task[3:]
            unions, questions, trials = self._graph.answer(node, stack.state)
            asking.unions.update(unions)
            for lexeme, change, allowed in trials:
                for union in allowed:
                    if union not in asking.unions:
                        self._try(asking, lexeme, stack, blocks, (column, change), union)
            if questions:
                self._ask(asking, questions, stack, blocks, column)
        elif kind == _BLOCK:
            terminal, n_times = TerminalId(task[1]), task[2]
            if n_times:
                self._give(asking, stack, terminal, (_BLOCK, terminal, n_times - 1, *task[3:]))
            else:
                asking.reached.append((stack, task[3:]))
        elif kind == _LEAD:
            self._lead_on(asking, stack, task)
        elif self._may_end(asking, stack, task[1:]):
            asking.unions.add(MAY_END)

    def _give(self, asking: Asking, stack: Stack, terminal: TerminalId, task: Task) -> None:
        if self._effects.takes(stack.state, terminal):
            asking.given.append((stack, NO_NONTERMINAL, terminal, task))

    def _ask(
        self,
        asking: Asking,
        questions: tuple[Question, ...],
        stack: Stack,
        blocks: Open,
        column: int,
    ) -> None:
        """Ask what a node asks of a stack."""
        for terminal, change, node in questions:
            asking.n_left -= 1
            if asking.n_left < 0:
                # Only graphs that maskc did not make ask so much.
                return
            if terminal == NO_EVENT:
                asking.reached.append((stack, (_ASK, node, column, *blocks)))
            elif terminal == IGNORED:
                asking.reached.append((stack, (_ASK, node, NO_LINE, *blocks)))
            elif terminal != self._newline:
                self._give(asking, stack, terminal, (_ASK, node, column, *blocks))
            else:
                reached = column_after(asking.column if column == SAME else column, change)
                self._end_line(asking, stack, blocks, reached, node)

    def _ask_for_end(self, asking: Asking, state: ScannerStateId, stack: Stack) -> None:
        """Ask whether the text may end in a scanner state where a lexeme may end."""
        terminal = self._scanner.end_of_text[state]
        if terminal in (EMPTY_TEXT, IGNORED):
            asking.reached.append((stack, (_END, *_SAME_BLOCKS)))
        elif terminal == self._newline:
            self._end_line(asking, stack, _SAME_BLOCKS, SAME, None)
        elif terminal in self._tables.may_end:
            self._give(asking, stack, terminal, (_END, *_SAME_BLOCKS))

    def _may_end(self, asking: Asking, stack: Stack, blocks: Open) -> bool:
        """Return whether the text may end with a stack."""
        flat = self._lexemes.may_end_with(stack.state, 1)
        if self._newlines is None:
            return flat
        inside = self._lexemes.may_end_with(stack.state, 2)
        if flat == inside:
            return flat
        if not asking.indents:
            asking.needs_blocks = True
        return inside if len(asking.open(blocks)) > 1 else flat

    def _end_line(
        self,
        asking: Asking,
        stack: Stack,
        blocks: Open,
        column: int,
        node: int | None,
    ) -> None:
        """Give the parser a newline and what it brings, and then ask a node, or for the end."""
        newlines = self._newlines
        if newlines is None or self._enclosed[stack.state]:
            task: Task = (_END, *blocks) if node is None else (_ASK, node, NO_LINE, *blocks)
            asking.reached.append((stack, task))
        elif self._effects.takes(stack.state, self._newline):
            if not asking.indents:
                asking.needs_blocks = True
                return
            if column == SAME:
                column = asking.column
            brought = newlines.blocks(asking.open(blocks), column)
            if brought is not None:
                terminal, n_times, left = brought
                n_kept = min(len(asking.indents) if blocks[0] < 0 else blocks[0], len(left))
                blocks = (n_kept, *left[n_kept:])
                task = (_END, *blocks) if node is None else (_ASK, node, NO_LINE, *blocks)
                task = (_BLOCK, terminal, n_times, *task)
                self._give(asking, stack, self._newline, task)

    def _try(
        self,
        asking: Asking,
        number: OpenLexemeId,
        stack: Stack,
        blocks: Open,
        column: tuple[int, int],
        union: int,
    ) -> None:
        """Add a union of tokens, if some text goes on from what they leave open."""
        if self._lexemes.leads_on_at_once(number, stack.state):
            asking.unions.add(union)
            return
        newlines = self._newlines
        if newlines is None:
            return
        for columns, boundary in self._lexemes.newlines_of(number):
            if self._enclosed[stack.state]:
                if newlines.can_go_on(stack.state, boundary):
                    asking.unions.add(union)
            elif self._effects.takes(stack.state, self._newline):
                if not asking.indents:
                    asking.needs_blocks = True
                    return
                before, change = column
                reached = column_after(asking.column if before == SAME else before, change)
                task = (_LEAD, columns, boundary, 0, union, reached, *blocks)
                self._give(asking, stack, self._newline, task)

    def _lead_on(self, asking: Asking, stack: Stack, task: Task) -> None:
        """Go on with an open newline that has closed some blocks."""
        _, number, end, n_closed, union, column, n_kept, *opened = task
        columns, boundary = ColumnsId(number), BoundaryId(end)
        newlines, state = self._newlines, stack.state
        if newlines is None or union in asking.unions:
            return
        if not asking.indents:
            asking.needs_blocks = True
            return
        blocks = task[6:]
        if n_kept < 0:
            n_kept = len(asking.indents)
        place = n_kept + len(opened) - 1 - n_closed
        wanted = asking.indents[place] if place < n_kept else opened[place - n_kept]
        if newlines.ends_here(columns, boundary, state, wanted, column, may_indent=not n_closed):
            asking.unions.add(union)
        elif place and newlines.may_close(boundary, state):
            rest = (_LEAD, columns, boundary, n_closed + 1, union, column, *blocks)
            self._give(asking, stack, newlines.dedent, rest)
