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
from maskc.runtime.graph import GraphReader, LookaheadCheck, ParserQuery
from maskc.runtime.lalr.hypothesis import Stack
from maskc.runtime.lalr.lexemes import Lexemes, Newlines
from maskc.runtime.lalr.parser import LalrTables, StackEffects
from maskc.runtime.lalr.pending_reductions import (
    BLOCK,
    END,
    LEAD,
    LINE,
    MAY_END,
    NODE,
    SAME_BLOCKS,
    TEXT_END,
    Debt,
    Ended,
    Evaluation,
    LineEnds,
    Open,
    OpenLine,
    PendingReductions,
    Task,
    what_then,
)
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
        self._roots: dict[ScannerStateId, tuple[ParserQuery, ...]] = {}

    def open(
        self, evaluation: Evaluation, state: ScannerStateId, top: RefinedStateId
    ) -> PendingReductions:
        """Return the pending reductions with the top of the stack read."""
        queries = self._roots.get(state)
        if queries is None:
            queries = self._roots[state] = self._root(state)
        self._ask(evaluation, queries, (), Stack(top, None), SAME_BLOCKS, SAME)
        return self._run(evaluation, top)

    def _root(self, state: ScannerStateId) -> tuple[ParserQuery, ...]:
        """Return the queries of a scanner state, and whether the text may end there."""
        queries, end = self._graph.root(state), self._scanner.end_of_text[state]
        if end == EMPTY_TEXT:
            return (*queries, (NO_EVENT, SAME, TEXT_END))
        if end in (IGNORED, self._newline) or end in self._tables.may_end:
            return (*queries, (end, SAME, TEXT_END))
        return queries

    def read(
        self, evaluation: Evaluation, pending: PendingReductions, state: RefinedStateId
    ) -> PendingReductions:
        """Return the pending reductions once the next state below has been read."""
        evaluation.unions.update(pending[1])
        stack = Stack(state, None)
        for debt in pending[0]:
            if debt[0] > 1:
                evaluation.debts.add((debt[0] - 1,) + debt[1:])  # noqa: RUF005
            else:
                nonterminal, terminal = NonterminalId(debt[1]), TerminalId(debt[2])
                evaluation.given.append((stack, nonterminal, terminal, debt[3:]))
        return self._run(evaluation, state)

    def look_at_blocks(
        self,
        evaluation: Evaluation,
        pending: PendingReductions,
        indents: tuple[int, ...],
        column: int,
    ) -> PendingReductions:
        """Return the pending reductions before a token whose open blocks are given.

        The evaluation has these blocks from then on.
        """
        evaluation.indents, evaluation.column = indents, column
        evaluation.debts.update(pending[0])
        evaluation.unions.update(pending[1])
        lowest = RefinedStateId(0)
        for waiting in pending[2]:
            n_states = waiting[0]
            stack: Stack | None = None
            for number in waiting[1 : n_states + 1]:
                stack = Stack(RefinedStateId(number), stack)
            lowest = RefinedStateId(waiting[1])
            if stack is not None:
                evaluation.reached.append((stack, waiting[n_states + 1 :]))
        return self._run(evaluation, lowest)

    def sign(
        self, pending: PendingReductions, indents: tuple[int, ...], column: int
    ) -> tuple[int, ...] | None:
        """Return what the open blocks say to what waits for them.

        Where it is the same, and they have been looked at as often as something waits, the same
        reductions are pending. ``None``: that cannot be said.
        """
        line_ends = self._line_ends
        return None if line_ends is None else line_ends.sign(pending[2], indents, column)

    def _run(self, evaluation: Evaluation, lowest: RefinedStateId) -> PendingReductions:
        """Give terminals until all that is left are debts; none below the bottom is paid."""
        given, reached = evaluation.given, evaluation.reached
        while given or reached:
            if reached:
                stack, task = reached.pop()
                self._go_on(evaluation, stack, task)
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
                    evaluation.debts.add(debt)
                    break
                for _ in range(n_below):
                    base = base.below  # type: ignore[assignment]  # it is as deep as that
            if pushed:
                for state in pushed:
                    base = Stack(state, base)
                self._go_on(evaluation, base, task)
        if lowest == 0:
            evaluation.debts.clear()
        return evaluation.take_found()

    def _go_on(self, evaluation: Evaluation, stack: Stack, task: Task) -> None:
        """Do what was to be done with the stack that a terminal has left."""
        kind = task[0]
        if kind == NODE:
            answer = self._graph.answer(NodeId(task[1]), stack.state)
            evaluation.unions.update(answer.unions)
            if answer.queries or answer.checks:
                self._ask(evaluation, answer.queries, answer.checks, stack, task[3:], task[2])
            return
        if kind == END:
            self._may_end(evaluation, stack, task)
            return
        line_ends = self._line_ends
        if line_ends is None:
            return
        if kind == BLOCK:
            line_ends.repeat(evaluation, stack, task)
        elif not evaluation.indents:
            evaluation.wait(stack, task)
        elif kind == LINE:
            line_ends.bring(evaluation, stack, task)
        elif kind == LEAD:
            line_ends.lead_on(evaluation, stack, task)

    def _ask(
        self,
        evaluation: Evaluation,
        queries: tuple[ParserQuery, ...],
        checks: tuple[LookaheadCheck, ...],
        stack: Stack,
        blocks: Open,
        column: int,
    ) -> None:
        """Evaluate queries and checks on a stack; what newlines say is put together."""
        ended: list[Ended] = []
        open_: list[OpenLine] = []
        for terminal, change, node in queries:
            evaluation.n_left -= 1
            if evaluation.n_left < 0:
                # Only graphs that maskc did not make have so many.
                return
            if terminal == NO_EVENT:
                evaluation.reached.append((stack, what_then(node, column, blocks)))
            elif terminal == IGNORED:
                evaluation.reached.append((stack, what_then(node, NO_LINE, blocks)))
            elif terminal != self._newline:
                if self._effects.takes(stack.state, terminal):
                    task = what_then(node, column, blocks)
                    evaluation.given.append((stack, NO_NONTERMINAL, terminal, task))
            elif self._enclosed[stack.state]:
                evaluation.reached.append((stack, what_then(node, NO_LINE, blocks)))
            else:
                ended.append((change, node))
        for check in checks:
            self._try(evaluation, check, stack, open_)
        if (ended or open_) and self._line_ends is not None:
            self._line_ends.give(evaluation, stack, (tuple(ended), tuple(open_)), column, blocks)

    def _try(
        self, evaluation: Evaluation, check: LookaheadCheck, stack: Stack, open_: list[OpenLine]
    ) -> None:
        """Add tokens if some text goes on from what they leave open, or note the open newline."""
        number, change, allowed = check
        if self._lexemes.leads_on_at_once(number, stack.state):
            evaluation.unions.update(allowed)
            return
        newlines = self._newlines
        if newlines is None:
            return
        for union in allowed:
            if union in evaluation.unions:
                continue
            for columns, boundary in self._lexemes.newlines_of(number):
                if not self._enclosed[stack.state]:
                    open_.append((columns, boundary, change, union))
                elif newlines.can_go_on(stack.state, boundary):
                    evaluation.unions.add(union)

    def _may_end(self, evaluation: Evaluation, stack: Stack, task: Task) -> None:
        """Note that the text may end with a stack, if it may."""
        can_end = self._lexemes.may_end_with(stack.state, 1)
        if self._newlines is not None:
            inside = self._lexemes.may_end_with(stack.state, 2)
            if can_end != inside:
                if not evaluation.indents:
                    evaluation.wait(stack, task)
                    return
                if len(evaluation.open(task[1:])) > 1:
                    can_end = inside
        if can_end:
            evaluation.unions.add(MAY_END)
