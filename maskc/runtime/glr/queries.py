"""Parser queries and look-ahead checks that the decision graph leaves to a set of stacks.

A node of the graph says, by the state on top of a stack, which tokens every such stack takes, and
what depends on the stack. A *parser query* is a terminal and the node that answers once the parser
has taken it. A *look-ahead check* is some lookaheads and what is legal if the parser takes one of
them. Together they are one :class:`StackQuery`. There are at most as many as the graph has answers,
and they have numbers, so that what is known of a stack is numbers alone.

Example: for brackets, the node of the token ``))`` asks for RPAR and leads to the node of ``)``,
which asks for RPAR and then allows the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from maskc.acyclic import mypyc_attr
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
from maskc.runtime.scanner import Lookaheads, ScannerTables

END_OF_TEXT = -1  # in a set of unions: the text may end here
_THE_END: Unions = frozenset((END_OF_TEXT,))

LAYOUT_CONTEXT = LayoutContextId(0)  # the only one, as general grammars have no contexts


@mypyc_attr(acyclic=True)
class StackQuery:
    """What depends on the stack below some state on top. Never changes."""

    __slots__ = ("checks", "lookaheads", "nodes_after", "number")

    def __init__(
        self,
        number: int,
        nodes_after: dict[TerminalId, tuple[NodeId, ...]],
        checks: tuple[tuple[int, Unions], ...],
        lookaheads: int,
    ) -> None:
        self.number = number  # its index in Queries.all
        self.nodes_after = nodes_after  # terminal → the nodes that answer after it
        self.checks = checks  # lookaheads, and what is legal if the parser takes one of them
        # all those that queries and checks can begin with, as a bit set
        self.lookaheads = lookaheads


class Queries:
    """The queries of one artifact."""

    def __init__(
        self,
        graph: GraphReader,
        scanner: ScannerTables,
        lookaheads: Lookaheads,
        closed: Sequence[int],
        tokens_without_rows: TokensWithoutRows,
    ) -> None:
        self._graph = graph
        self._scanner = scanner
        self._lookaheads = lookaheads
        self._closed = closed  # boundary → whether the text may end there
        self.tokens_without_rows = tokens_without_rows  # the tokens that the graph says nothing of
        # the queries by number, in the order in which they were first met
        self.all: list[StackQuery] = []
        self._lock = Lock()
        self._end = self._add({}, ((lookaheads.end, _THE_END),), lookaheads.end)
        self._starts: dict[ScannerStateId, tuple[StackQuery | None, tuple[NodeId, ...]]] = {}
        self._of_node_without_rows: dict[NodeId, StackQuery | None] = {}
        # By node and profile of the state in one number.
        self._of_node: dict[int, tuple[Unions, StackQuery | None]] = {}
        # By what it asks: nodes and profiles share answers.
        self._of_answer: dict[object, StackQuery | None] = {}

    def start(self, state: ScannerStateId) -> tuple[StackQuery | None, tuple[NodeId, ...]]:
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
            queries, checks = self.tokens_without_rows.query_start(state)
            queries += [(terminal, node) for terminal, node in asked if terminal >= 0]
            at_once = tuple(node for terminal, node in asked if terminal < 0)
            found = self._starts[state] = (self._make(queries, checks), at_once)
        return found

    def of_node(self, node: NodeId, state: GeneralStateId) -> tuple[Unions, StackQuery | None]:
        """Return what a node allows with a state on top, and what is left to be asked.

        ``END_OF_TEXT`` is among the unions that are allowed where the text may end.
        """
        if self.tokens_without_rows.has_node(node):
            return (NO_TOKENS, self._of_tokens_without_rows(node))
        if node == AT_THE_END:
            return (NO_TOKENS, self._end)
        graph = self._graph
        key = node * graph.n_profiles + graph.profile(state)
        found = self._of_node.get(key)
        if found is None:
            answer = graph.answer(node, state)
            asked = (answer.queries, answer.checks)
            if asked not in self._of_answer:
                self._of_answer[asked] = self._make(
                    [(terminal, node) for terminal, _, node in answer.queries],
                    [(lexeme, allowed) for lexeme, _, allowed in answer.checks],
                )
            found = self._of_node[key] = (answer.unions, self._of_answer[asked])
        return found

    def _of_tokens_without_rows(self, node: NodeId) -> StackQuery | None:
        """Return what a node asks that is not the graph's, whatever is on top."""
        if node not in self._of_node_without_rows:
            self._of_node_without_rows[node] = self._make(
                *self.tokens_without_rows.query_node(node)
            )
        return self._of_node_without_rows[node]

    def _make(
        self,
        asked: list[tuple[TerminalId, NodeId]],
        tried: list[tuple[OpenLexemeId, Unions]],
    ) -> StackQuery | None:
        """Return what is asked, ``None`` if it is nothing."""
        if not asked and not tried:
            return None
        checks = tuple(
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
        for wanted, _ in checks:
            lookaheads |= wanted
        return self._add(nodes, checks, lookaheads)

    def _add(
        self,
        nodes_after: dict[TerminalId, tuple[NodeId, ...]],
        checks: tuple[tuple[int, Unions], ...],
        lookaheads: int,
    ) -> StackQuery:
        with self._lock:
            made = StackQuery(len(self.all), nodes_after, checks, lookaheads)
            self.all.append(made)
        return made
