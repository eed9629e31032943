"""Lazily determinised automaton over parser stacks; its states are sets of pending reductions.

Which tokens are legal is asked of the parser, terminal by terminal. Here it is asked with the upper
states of a stack alone: where a reduction pops more of them than have been read, a *debt* is left,
which says how many are to be popped yet, what is pushed then, and what follows. The next state
below pays: each debt goes on from there, and ends, or leaves another one. All debts that are left,
with the unions of tokens that are known to be legal, are what a mask depends on from there on. So
stacks that leave the same debts are one, however they differ above, and the state that is read next
concerns the debts alone. That makes an automaton, which reads a stack from its top and ends at a
mask; :mod:`maskc.runtime.lalr.masks` makes it as far as texts need it.

Where a line may end, the open blocks decide as well. They are asked for when the stack is reduced
to the block, and not before: what waits for them then is the same after all statements.

Example: after ``f(g(x`` the token ``))`` reduces ``x`` to an argument, shifts RPAR, reduces the
call, and then needs what is below ``g(``. It is ``f(``, or the begin of an expression in brackets:
either takes the second RPAR, and that is all that it is asked for.

Source: Tran-Thien 2025, *unlimited credit exploration* and its debt NFA, here with unions of tokens
as weights; the stacks that take a terminal sequence are a regular set (Bouajjani, Esparza and Maler
1997, doi:10.1007/3-540-63141-0_10).
"""

from __future__ import annotations

from maskc.ids import (
    EMPTY_TEXT,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    NO_NONTERMINAL,
    SAME,
    NodeId,
    NonterminalId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.graph import GraphReader, LookaheadCheck, Question
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.lexemes import Lexemes
from maskc.runtime.lalr.line_ends import TEXT_END, Ended, LineEnds, OpenLine, what_then
from maskc.runtime.lalr.newlines import Newlines
from maskc.runtime.lalr.pending_reductions import (
    ASK,
    BLOCK,
    END,
    LEAD,
    LINE,
    MAY_END,
    SAME_BLOCKS,
    Asking,
    Debt,
    Open,
    PendingReductions,
    Task,
)
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.scanner import ScannerTables


class Debts:
    """What masks of one artifact depend on."""

    def __init__(
        self,
        scanner: ScannerTables,
        tables: LalrTables,
        graph: GraphReader,
        effects: StackEffects,
        lexemes: Lexemes,
        newlines: Newlines | None,
    ) -> None:
        self._scanner = scanner
        self._tables = tables
        self._enclosed = tables.enclosed
        self._graph = graph
        self._effects = effects
        self._lexemes = lexemes
        self._newlines = newlines
        self._line_ends = None if newlines is None else LineEnds(newlines, effects)
        self._newline = lexemes.newline
        self._roots: dict[ScannerStateId, tuple[Question, ...]] = {}

    def open(self, asking: Asking, state: ScannerStateId, top: RefinedStateId) -> PendingReductions:
        """Return the pending reductions with the top of the stack read."""
        questions = self._roots.get(state)
        if questions is None:
            questions = self._roots[state] = self._root(state)
        self._ask(asking, questions, (), Stack(top, None), SAME_BLOCKS, SAME)
        return self._run(asking, top)

    def _root(self, state: ScannerStateId) -> tuple[Question, ...]:
        """Return what is asked in a scanner state, and whether the text may end there."""
        questions, end = self._graph.root(state), self._scanner.end_of_text[state]
        if end == EMPTY_TEXT:
            return (*questions, (NO_EVENT, SAME, TEXT_END))
        if end in (IGNORED, self._newline) or end in self._tables.may_end:
            return (*questions, (end, SAME, TEXT_END))
        return questions

    def read(
        self, asking: Asking, pending: PendingReductions, state: RefinedStateId
    ) -> PendingReductions:
        """Return the pending reductions once the next state below has been read."""
        asking.unions.update(pending[1])
        stack = Stack(state, None)
        for debt in pending[0]:
            if debt[0] > 1:
                asking.debts.add((debt[0] - 1,) + debt[1:])  # noqa: RUF005
            else:
                nonterminal, terminal = NonterminalId(debt[1]), TerminalId(debt[2])
                asking.given.append((stack, nonterminal, terminal, debt[3:]))
        return self._run(asking, state)

    def look_at_blocks(
        self, asking: Asking, pending: PendingReductions, indents: tuple[int, ...], column: int
    ) -> PendingReductions:
        """Return the pending reductions once the open blocks are known.

        Args:
            asking: of this mask; it has them from then on.
            pending: before it.
            indents: columns of the blocks that are open before the token.
            column: reached in the lexeme that is open before it.
        """
        asking.indents, asking.column = indents, column
        asking.debts.update(pending[0])
        asking.unions.update(pending[1])
        lowest = RefinedStateId(0)
        for waiting in pending[2]:
            n_states = waiting[0]
            stack: Stack | None = None
            for number in waiting[1 : n_states + 1]:
                stack = Stack(RefinedStateId(number), stack)
            lowest = RefinedStateId(waiting[1])
            if stack is not None:
                asking.reached.append((stack, waiting[n_states + 1 :]))
        return self._run(asking, lowest)

    def sign(
        self, pending: PendingReductions, indents: tuple[int, ...], column: int
    ) -> tuple[int, ...] | None:
        """Return what the open blocks say to what waits for them.

        Where it is the same, and they have been looked at as often as something waits, the same
        reductions are pending. ``None``: that cannot be said.
        """
        line_ends = self._line_ends
        return None if line_ends is None else line_ends.sign(pending[2], indents, column)

    def _run(self, asking: Asking, lowest: RefinedStateId) -> PendingReductions:
        """Give terminals until all that is left are debts; none below the bottom is paid."""
        given, reached = asking.given, asking.reached
        while given or reached:
            if reached:
                stack, task = reached.pop()
                self._go_on(asking, stack, task)
                continue
            base, nonterminal, terminal, task = given.pop()
            while True:
                n_below, nonterminal, pushed = self._effects.segment(
                    base.state, nonterminal, terminal
                )
                if nonterminal == NO_NONTERMINAL:
                    break
                if n_below > base.depth:
                    debt: Debt = (n_below - base.depth, nonterminal, terminal) + task  # noqa: RUF005
                    asking.debts.add(debt)
                    break
                for _ in range(n_below):
                    base = base.below  # type: ignore[assignment]  # it is as deep as that
            if pushed:
                for state in pushed:
                    base = Stack(state, base)
                self._go_on(asking, base, task)
        if lowest == 0:
            asking.debts.clear()
        return asking.take_found()

    def _go_on(self, asking: Asking, stack: Stack, task: Task) -> None:
        """Do what was to be done with the stack that a terminal has left."""
        kind = task[0]
        if kind == ASK:
            unions, questions, trials = self._graph.answer(NodeId(task[1]), stack.state)
            asking.unions.update(unions)
            if questions or trials:
                self._ask(asking, questions, trials, stack, task[3:], task[2])
            return
        if kind == END:
            self._may_end(asking, stack, task)
            return
        line_ends = self._line_ends
        if line_ends is None:
            return
        if kind == BLOCK:
            line_ends.repeat(asking, stack, task)
        elif not asking.indents:
            asking.wait(stack, task)
        elif kind == LINE:
            line_ends.bring(asking, stack, task)
        elif kind == LEAD:
            line_ends.lead_on(asking, stack, task)

    def _ask(
        self,
        asking: Asking,
        questions: tuple[Question, ...],
        trials: tuple[LookaheadCheck, ...],
        stack: Stack,
        blocks: Open,
        column: int,
    ) -> None:
        """Ask what a node asks of a stack; what newlines say is put together."""
        ended: list[Ended] = []
        open_: list[OpenLine] = []
        for terminal, change, node in questions:
            asking.n_left -= 1
            if asking.n_left < 0:
                # Only graphs that maskc did not make ask so much.
                return
            if terminal == NO_EVENT:
                asking.reached.append((stack, what_then(node, column, blocks)))
            elif terminal == IGNORED:
                asking.reached.append((stack, what_then(node, NO_LINE, blocks)))
            elif terminal != self._newline:
                if self._effects.takes(stack.state, terminal):
                    task = what_then(node, column, blocks)
                    asking.given.append((stack, NO_NONTERMINAL, terminal, task))
            elif self._enclosed[stack.state]:
                asking.reached.append((stack, what_then(node, NO_LINE, blocks)))
            else:
                ended.append((change, node))
        for trial in trials:
            self._try(asking, trial, stack, open_)
        if (ended or open_) and self._line_ends is not None:
            self._line_ends.give(asking, stack, (tuple(ended), tuple(open_)), column, blocks)

    def _try(
        self, asking: Asking, trial: LookaheadCheck, stack: Stack, open_: list[OpenLine]
    ) -> None:
        """Add tokens if some text goes on from what they leave open, or note the open newline."""
        number, change, allowed = trial
        if self._lexemes.leads_on_at_once(number, stack.state):
            asking.unions.update(allowed)
            return
        newlines = self._newlines
        if newlines is None:
            return
        for union in allowed:
            if union in asking.unions:
                continue
            for columns, boundary in self._lexemes.newlines_of(number):
                if not self._enclosed[stack.state]:
                    open_.append((columns, boundary, change, union))
                elif newlines.can_go_on(stack.state, boundary):
                    asking.unions.add(union)

    def _may_end(self, asking: Asking, stack: Stack, task: Task) -> None:
        """Note that the text may end with a stack, if it may."""
        can_end = self._lexemes.may_end_with(stack.state, 1)
        if self._newlines is not None:
            inside = self._lexemes.may_end_with(stack.state, 2)
            if can_end != inside:
                if not asking.indents:
                    asking.wait(stack, task)
                    return
                if len(asking.open(task[1:])) > 1:
                    can_end = inside
        if can_end:
            asking.unions.add(MAY_END)
