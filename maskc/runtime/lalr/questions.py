"""What does the decision graph allow a stack, where it depends on the parser?

A node of the graph asks questions: a terminal is given to the parser, and where the parser takes it
another node is asked about the stack that it leaves, which may ask in turn, as many levels
deep as a token has terminals. What a node allows is cached by as much of the stack as was read.

A graph that somebody forged may ask without end; what it asks beyond ``MAX_QUESTIONS`` is refused.

Example: after ``f(g(x`` the token ``))`` takes two questions, RPAR and RPAR again; after
``f(g(x, y`` the second of them is cached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from maskc.artifact.model import MAX_QUESTIONS, column_after
from maskc.ids import NO_EVENT, NO_LINE, NodeId
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.graph import NO_TOKENS, GraphReader, Question
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.lexemes import Lexemes
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.stack_cache import StackCache

# A node of the graph, and what it is asked about: the parser stack, the columns of the open blocks,
# and the column reached in the open lexeme. A plain tuple: one is made for each question.
_Place = tuple[NodeId, Stack, tuple[int, ...], int]


class _Asking:
    """A node whose questions are being asked."""

    __slots__ = ("place", "questions", "reads", "unions")

    def __init__(self, place: _Place, questions: Iterator[Question], unions: set[int]) -> None:
        self.place = place
        self.questions = questions
        self.unions = unions
        self.reads = ReadSet(place[1].depth)


class Questioner:
    """Asks an artifact's parser the questions of its decision graph.

    Args:
        graph: the decision graph.
        effects: what terminals do to stacks.
        lexemes: what open lexemes become.
        budget: what cached answers are charged to.
    """

    def __init__(
        self, graph: GraphReader, effects: StackEffects, lexemes: Lexemes, budget: Budget
    ) -> None:
        self._graph = graph
        self._shift = effects.shift
        self._lexemes = lexemes
        self._newline = lexemes.newline
        self._answers = StackCache(budget, effects.n_states)
        # Each answer once, as there are few.
        self._distinct = Cache(budget)

    def ask(self, question: Question, h: Hypothesis, reads: ReadSet) -> Collection[int]:
        """Return what a root's question allows a hypothesis.

        ``pending`` holds the nodes whose questions are being asked, each asked by the one before.
        A token may have thousands of terminals: this is not done by recursion.

        Args:
            question: of ``GraphReader.root``.
            h: where the token starts.
            reads: notes what was read.
        """
        place = self._follow(question, h.stack, h.indents, h.column, reads)
        if place is None:
            return NO_TOKENS
        pending: list[_Asking] = []
        n_left = MAX_QUESTIONS
        while True:
            unions = self._recall(place, pending[-1].reads if pending else reads)
            if unions is None:
                pending.append(self._open(place))
            while True:
                if unions is not None:
                    if not pending:
                        return unions
                    pending[-1].unions.update(unions)
                asking = pending[-1]
                following = self._next(asking) if n_left else None
                if following is not None:
                    n_left -= 1
                    place = following
                    break
                pending.pop()
                self._close(asking, pending[-1].reads if pending else reads)
                unions = asking.unions

    def _recall(self, place: _Place, reads: ReadSet) -> Collection[int] | None:
        """Return what a node allows if it asks nothing, or if that is cached."""
        node, stack, _, _ = place
        answer = self._graph.answer(node, stack.state)
        if not answer.questions and not answer.trials:
            return answer.unions
        found = self._answers.find((node, stack.state), stack)
        if found is None:
            return None
        n_read, unions = found
        reads.lowest = min(reads.lowest, stack.depth - n_read)
        return unions  # type: ignore[no-any-return]

    def _open(self, place: _Place) -> _Asking:
        """Return a node with what it allows at once; its questions are still to be asked."""
        node, stack, indents, column = place
        unions, questions, trials = self._graph.answer(node, stack.state)
        asking = _Asking(place, iter(questions), set(unions))
        for lexeme, change, allowed in trials:
            reached = column_after(column, change)
            if self._lexemes.leads_on(lexeme, stack, indents, reached, asking.reads):
                asking.unions |= allowed
        return asking

    def _next(self, asking: _Asking) -> _Place | None:
        """Return where the next question leads that the parser takes."""
        _, stack, indents, column = asking.place
        for question in asking.questions:
            place = self._follow(question, stack, indents, column, asking.reads)
            if place is not None:
                return place
        return None

    def _close(self, asking: _Asking, outer: ReadSet) -> None:
        """Cache what a node allows, and note what was read for it in the node that asked it."""
        inner, (node, stack, _, _) = asking.reads, asking.place
        if inner.layout:
            outer.layout = True
        else:
            found = (stack.depth - inner.lowest, tuple(sorted(asking.unions)))
            known = self._distinct.get(found)
            if known is None:
                self._distinct.put(found, found)
            else:
                found = known
            self._answers.keep((node, stack.state), stack, inner.lowest, found)
        outer.lowest = min(outer.lowest, inner.lowest)

    def _follow(
        self,
        question: Question,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        reads: ReadSet,
    ) -> _Place | None:
        """Return where a question leads, ``None`` if the parser refuses its terminal."""
        terminal, change, node = question
        if terminal == NO_EVENT:
            return (node, stack, indents, column)
        if terminal >= 0 and terminal != self._newline:
            after = self._shift(stack, terminal, reads)
            return None if after is None else (node, after, indents, column)
        reached = column_after(column, change)
        ended = self._lexemes.end(stack, indents, terminal, reached, reads)
        return None if ended is None else (node, *ended, NO_LINE)
