"""What the decision graph leaves to be asked of a set of stacks.

A node of the graph says, by the state on top of a stack, which tokens every such stack takes, and
what depends on the stack: questions, each a terminal and the node that answers when the parser has
taken it, and trials, each some lookaheads and what is legal if the parser takes one of them. That
is one :class:`Query`; there are no more of them than the graph has answers, and they have numbers,
so that what is known of a stack is numbers alone.

Example: for brackets, the node of the token ``))`` asks for RPAR and leads to the node of ``)``,
which asks for RPAR and then allows the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from maskc.ids import (
    AT_THE_END,
    EMPTY_TEXT,
    NO_EVENT,
    GeneralStateId,
    LayoutContextId,
    NodeId,
    OpenLexemeId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.glr.tokens_without_rows import TokensWithoutRows
from maskc.runtime.graph import NO_TOKENS, GraphReader, Unions
from maskc.runtime.lookaheads import Lookaheads
from maskc.runtime.scanner import ScannerTables

END_OF_TEXT = -1  # in a set of unions: the text may end here
_THE_END: Unions = frozenset((END_OF_TEXT,))

LAYOUT_CONTEXT = LayoutContextId(0)  # the only one, as general grammars have no contexts


class Query:
    """What is open about the stacks with some state on top. Never changes.

    Attributes:
        number: its index in ``Queries.all``.
        questions: terminal → the nodes that are asked after it.
        trials: lookaheads, and what is legal if the parser takes one of them.
        lookaheads: all those that questions and trials can begin with, as a bit set.
    """

    __slots__ = ("lookaheads", "number", "questions", "trials")

    def __init__(
        self,
        number: int,
        questions: dict[TerminalId, tuple[NodeId, ...]],
        trials: tuple[tuple[int, Unions], ...],
        lookaheads: int,
    ) -> None:
        self.number = number
        self.questions = questions
        self.trials = trials
        self.lookaheads = lookaheads


class Queries:
    """What one artifact's stacks are asked.

    Attributes:
        unlisted: the tokens that the graph says nothing of.
        all: the asks by number, in the order in which they were first met.
    """

    def __init__(
        self,
        graph: GraphReader,
        scanner: ScannerTables,
        lookaheads: Lookaheads,
        closed: Sequence[int],
        unlisted: TokensWithoutRows,
    ) -> None:
        self._graph = graph
        self._scanner = scanner
        self._lookaheads = lookaheads
        self._closed = closed  # boundary → whether the text may end there
        self.unlisted = unlisted
        self.all: list[Query] = []
        self._lock = Lock()
        self._end = self._add({}, ((lookaheads.end, _THE_END),), lookaheads.end)
        self._starts: dict[ScannerStateId, tuple[Query | None, tuple[NodeId, ...]]] = {}
        self._of_node_without_rows: dict[NodeId, Query | None] = {}
        # By node and profile of the state in one number.
        self._of_node: dict[int, tuple[Unions, Query | None]] = {}
        # By what it asks: nodes and profiles share answers.
        self._of_answer: dict[object, Query | None] = {}

    def start(self, state: ScannerStateId) -> tuple[Query | None, tuple[NodeId, ...]]:
        """Return what is asked where a token starts in a scanner state.

        First what is given to the parser, then the nodes that answer at once, because nothing is.
        """
        found = self._starts.get(state)
        if found is None:
            scanner = self._scanner
            asked = [(terminal, node) for terminal, _, node in self._graph.root(state)]
            for terminal, boundary in scanner.ends(state):
                if self._closed[boundary]:
                    asked.append((terminal, AT_THE_END))
            if scanner.end_of_text[state] == EMPTY_TEXT:
                asked.append((NO_EVENT, AT_THE_END))
            questions, trials = self.unlisted.ask_start(state)
            questions += [(terminal, node) for terminal, node in asked if terminal >= 0]
            at_once = tuple(node for terminal, node in asked if terminal < 0)
            found = self._starts[state] = (self._make(questions, trials), at_once)
        return found

    def of_node(self, node: NodeId, state: GeneralStateId) -> tuple[Unions, Query | None]:
        """Return what a node allows with a state on top, and what is left to be asked.

        ``END_OF_TEXT`` is among the unions that are allowed where the text may end.
        """
        if self.unlisted.has_node(node):
            return (NO_TOKENS, self._of_tokens_without_rows(node))
        if node == AT_THE_END:
            return (NO_TOKENS, self._end)
        graph = self._graph
        key = node * graph.n_profiles + graph.profile(state)
        found = self._of_node.get(key)
        if found is None:
            unions, questions, trials = graph.answer(node, state)
            asked = (questions, trials)
            if asked not in self._of_answer:
                self._of_answer[asked] = self._make(
                    [(terminal, node) for terminal, _, node in questions],
                    [(lexeme, allowed) for lexeme, _, allowed in trials],
                )
            found = self._of_node[key] = (unions, self._of_answer[asked])
        return found

    def _of_tokens_without_rows(self, node: NodeId) -> Query | None:
        """Return what a node asks that is not the graph's, whatever is on top."""
        if node not in self._of_node_without_rows:
            self._of_node_without_rows[node] = self._make(*self.unlisted.ask_node(node))
        return self._of_node_without_rows[node]

    def _make(
        self,
        asked: list[tuple[TerminalId, NodeId]],
        tried: list[tuple[OpenLexemeId, Unions]],
    ) -> Query | None:
        """Return what is asked, ``None`` if it is nothing."""
        if not asked and not tried:
            return None
        trials = tuple(
            [
                (self._lookaheads.possible(lexeme, LAYOUT_CONTEXT), allowed)
                for lexeme, allowed in tried
            ]
        )
        nodes: dict[TerminalId, tuple[NodeId, ...]] = {}
        lookaheads = 0
        for terminal, node in sorted(asked):
            nodes[terminal] = (*nodes.get(terminal, ()), node)
            lookaheads |= self._lookaheads.of_terminal[terminal]
        for wanted, _ in trials:
            lookaheads |= wanted
        return self._add(nodes, trials, lookaheads)

    def _add(
        self,
        questions: dict[TerminalId, tuple[NodeId, ...]],
        trials: tuple[tuple[int, Unions], ...],
        lookaheads: int,
    ) -> Query:
        with self._lock:
            made = Query(len(self.all), questions, trials, lookaheads)
            self.all.append(made)
        return made
