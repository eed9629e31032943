"""What does the decision graph allow a stack?

A node's questions go to the parser one by one; each leads to another stack and another node, which
may have questions in turn, as many levels deep as a token has terminals. What a node
allows a stack is remembered by as much of the stack as was read.

A graph that somebody forged may ask without end; what it asks beyond ``MAX_QUESTIONS`` is refused.

Example: behind ``f(g(x`` the token ``))`` is two questions deep; behind ``f(g(x, y`` the second one
is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.artifact.model import MAX_QUESTIONS, column_after
from maskc.ids import NO_EVENT
from maskc.runtime.graph import GraphReader, Question, Unions
from maskc.runtime.lalr.machine import Hypothesis, LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.stack_cache import StackCache

# A node, where the token starts, and a stack in the place of that hypothesis' own.
_Place = tuple[int, Hypothesis, Stack]


class _Asking:
    """A node whose questions are being asked."""

    __slots__ = ("h", "key", "questions", "reads", "stack", "unions")

    def __init__(self, place: _Place, questions: Iterator[Question], unions: Unions) -> None:
        node, self.h, self.stack = place
        self.key = (node, self.stack.state)
        self.questions = questions
        self.unions = unions
        self.reads = ReadSet(self.stack.depth)


class Questioner:
    """Asks an artifact's machine the questions of its decision graph."""

    def __init__(self, reader: GraphReader, machine: LalrMachine) -> None:
        self._reader = reader
        self._machine = machine
        self._newline = machine.tables.layout.newline if machine.tables.layout else NO_EVENT
        self._asked = StackCache(machine.budget)

    def ask(self, question: Question, h: Hypothesis, reads: ReadSet) -> Unions:
        """Return what a root's question allows a hypothesis.

        Args:
            question: of ``GraphReader.root``.
            h: where the token starts.
            reads: told what was read.
        """
        start = self._follow(question, h, h.stack, reads)
        if start is None:
            return frozenset()
        # A token may have thousands of terminals: this stack is ours, not Python's.
        open_: list[_Asking] = []
        place = start
        n_left = MAX_QUESTIONS
        while True:
            told = open_[-1].reads if open_ else reads
            unions = self._known(place, told)
            if unions is None:
                open_.append(self._open(place))
            while True:
                if unions is not None:
                    if not open_:
                        return unions
                    open_[-1].unions |= unions
                asking = open_[-1]
                found = self._next(asking) if n_left else None
                if found is not None:
                    n_left -= 1
                    place = found
                    break
                open_.pop()
                self._close(asking, open_[-1].reads if open_ else reads)
                unions = asking.unions

    def _known(self, place: _Place, reads: ReadSet) -> Unions | None:
        """Return what a node allows if nothing has to be asked, or if it was asked before."""
        node, _, stack = place
        answer = self._reader.answer(node, stack.state)
        if not answer.questions and not answer.trials:
            return answer.unions
        found = self._asked.find((node, stack.state), stack)
        if found is None:
            return None
        n_read, unions = found
        reads.lowest = min(reads.lowest, stack.depth - n_read)
        return unions  # type: ignore[no-any-return]

    def _open(self, place: _Place) -> _Asking:
        node, h, stack = place
        unions, questions, trials = self._reader.answer(node, stack.state)
        asking = _Asking(place, iter(questions), unions)
        if trials:
            here = Hypothesis(0, stack, h.indents, h.column)
            for final, change, allowed in trials:
                column = column_after(h.column, change)
                if self._machine.leads_on(final, here, column, asking.reads):
                    asking.unions |= allowed
        return asking

    def _next(self, asking: _Asking) -> _Place | None:
        """Return where the next question that the parser takes leads."""
        for question in asking.questions:
            place = self._follow(question, asking.h, asking.stack, asking.reads)
            if place is not None:
                return place
        return None

    def _close(self, asking: _Asking, outer: ReadSet) -> None:
        inner, stack = asking.reads, asking.stack
        if inner.layout:
            outer.layout = True
        else:
            found = (stack.depth - inner.lowest, asking.unions)
            self._asked.keep(asking.key, stack, inner.lowest, found)
        outer.lowest = min(outer.lowest, inner.lowest)

    def _follow(
        self, question: Question, h: Hypothesis, stack: Stack, reads: ReadSet
    ) -> _Place | None:
        terminal, change, node = question
        if terminal == NO_EVENT:
            return (node, h, stack)
        if terminal >= 0 and terminal != self._newline:
            after = self._machine.shift(stack, terminal, reads)
            return None if after is None else (node, h, after)
        here = Hypothesis(0, stack, h.indents, h.column)
        ended = self._machine.end(here, terminal, column_after(h.column, change), reads)
        return None if ended is None else (node, ended, ended.stack)
