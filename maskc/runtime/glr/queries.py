"""Parser queries and look-ahead checks that the decision graph leaves to a set of stacks.

A node of the graph says, by the state on top of a stack, which tokens every such stack takes, and
what depends on the stack. A *parser query* is a terminal and the node that answers once the parser
has taken it. A *look-ahead check* is some lookaheads and what is legal if the parser takes one of
them. Together they are one :class:`StackQuery`. There are at most as many as the graph has answers,
and they have numbers, so that what is known of a stack is numbers alone.

A few tokens can be cut into terminals in so many ways that no list of these would do, and have no
rows in the graph: fifty dashes are 2^34 sequences of ``-`` and ``--``. But the cuts share all they
can: what is left of such tokens depends on a node of the trie of their bytes, and on the scanner's
state after its byte. So each such pair is a node of its own beside those of the graph, made when it
is first asked about: its queries are the terminals that the open lexeme may become further down in
the trie, its checks the tokens that end inside of it. It does not depend on a stack, so what
reading the stacks finds out about it (:mod:`maskc.runtime.glr.debts`) serves all texts.

Example: for brackets, the node of the token ``))`` asks for RPAR and leads to the node of ``)``,
which asks for RPAR and then allows the token. After a first ``-``, the node for the second one of
fifty asks for ``-`` and leads to the node for the third, and likewise for ``--``: a hundred nodes
stand for all the cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Final

import numpy as np

from maskc.acyclic import mypyc_attr
from maskc.ids import (
    AT_THE_END,
    DEAD,
    EMPTY_TEXT,
    IGNORED,
    NO_EVENT,
    ContextId,
    GeneralStateId,
    LayoutContextId,
    NodeId,
    OpenLexemeId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.graph import NO_TOKENS, GraphReader, Mask, Unions
from maskc.runtime.scanner import Lookaheads, ScannerTables
from maskc.runtime.step_budget import charge_steps

CONTEXT: Final = ContextId(0)  # the lexer of a general grammar may always look for all terminals
LAYOUT_CONTEXT: Final = LayoutContextId(0)  # the only one, as general grammars have no contexts
END_OF_TEXT: Final = -1  # in a set of unions: the text may end here
_THE_END: Final[Unions] = frozenset((END_OF_TEXT,))

_BIT: Final = np.left_shift(np.uint32(1), np.arange(32, dtype=np.uint32)).view(np.int32)

# As those of the decision graph, without column changes.
GrammarQueries = list[tuple[TerminalId, NodeId]]
LookaheadChecks = list[tuple[OpenLexemeId, Unions]]


class TokensWithoutRows:
    """The tokens of one artifact that have no rows, and the unions of all.

    The nodes and unions made here have numbers above those of the graph. A union's number, less
    those of the graph, is the set of its tokens: bit i stands for the i-th of them.
    """

    def __init__(
        self,
        graph: GraphReader,
        scanner: ScannerTables,
        tokens: Iterable[int],
        text_of: Callable[[int], bytes | None],
    ) -> None:
        self._graph = graph
        self._scanner = scanner
        self._tokens = list(tokens)  # without rows
        # The trie: node 0 is the root. By node the byte classes that lead on, and the tokens that
        # end, as a bit set.
        self._children: list[dict[int, int]] = [{}]
        self._ends: list[int] = [0]
        self._single: dict[int, tuple[int]] = {}  # union → the tuple of it alone
        for i, token in enumerate(self._tokens):
            self._add(text_of(token) or b"", 1 << i)

    def _add(self, text: bytes, bit: int) -> None:
        node = 0
        for byte_class in text.translate(self._scanner.byte_classes):
            found = self._children[node].get(byte_class)
            if found is None:
                found = len(self._children)
                self._children[node][byte_class] = found
                self._children.append({})
                self._ends.append(0)
            node = found
        if node:
            self._ends[node] |= bit

    def query_node(self, number: NodeId) -> tuple[GrammarQueries, LookaheadChecks]:
        """Return what a node asks, whose number is not below those of the graph."""
        own, state = divmod(number - self._graph.n_nodes, self._scanner.n_states)
        return self.query(own, ScannerStateId(state))

    def query(self, node: int, state: ScannerStateId) -> tuple[GrammarQueries, LookaheadChecks]:
        """Return what is asked about all tokens below a node of the trie, in a scanner state.

        Node 0 is where a token starts. Ignored lexemes change no stack.
        """
        scanner, n_states = self._scanner, self._scanner.n_states
        queries: set[tuple[TerminalId, NodeId]] = set()
        ends_of: dict[OpenLexemeId, int] = {}
        seen = {(node, state)}
        pending = [(node, state)]
        while pending:
            node, state = pending.pop()
            if self._ends[node]:
                lexeme = scanner.open_lexeme_of[state]
                ends_of[lexeme] = ends_of.get(lexeme, 0) | self._ends[node]
            children = self._children[node]
            charge_steps(1 + len(children))
            moves, ends = scanner.next(state), scanner.ends(state)
            for byte_class, child in children.items():
                reached = [moves[byte_class]]
                for terminal, boundary in ends:
                    entered = scanner.entry(boundary, CONTEXT)[byte_class]
                    if terminal == IGNORED:
                        reached.append(entered)
                    elif entered != DEAD:
                        node = self._graph.n_nodes + child * n_states + entered
                        queries.add((terminal, NodeId(node)))
                for after in reached:
                    if after != DEAD and (child, after) not in seen:
                        seen.add((child, after))
                        pending.append((child, after))
        n_unions = self._graph.n_unions
        checks = [(lexeme, frozenset((n_unions + ends_of[lexeme],))) for lexeme in sorted(ends_of)]
        return sorted(queries), checks

    def join(self, unions: set[int]) -> tuple[int, ...]:
        """Return the same tokens in order, with those without rows in one union."""
        bits = self._tokens_without_rows_of(unions) if self._tokens and unions else 0
        if not bits:
            if len(unions) > 1:
                return tuple(sorted(unions))
            for union in unions:  # the same object for the same one
                return self._single.setdefault(union, (union,))
            return ()
        n_unions = self._graph.n_unions
        return (*sorted([union for union in unions if union < n_unions]), n_unions + bits)

    def _tokens_without_rows_of(self, unions: Iterable[int]) -> int:
        n_unions, bits = self._graph.n_unions, 0
        for union in unions:
            if union > n_unions:
                bits |= union - n_unions
        return bits

    def unite(self, unions: Unions, n_words: int) -> Mask:
        """Return a new mask, int32[n_words], of all tokens of some unions, the graph's included."""
        bits = self._tokens_without_rows_of(unions)
        if not bits:
            return self._graph.unite(unions, n_words)
        n_unions = self._graph.n_unions
        mask = self._graph.unite(frozenset(u for u in unions if u < n_unions), n_words)
        tokens = [token for i, token in enumerate(self._tokens) if bits >> i & 1]
        np.bitwise_or.at(mask, np.array(tokens) // 32, _BIT[np.array(tokens) % 32])
        return mask


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
            queries, checks = self.tokens_without_rows.query(0, state)
            queries += [(terminal, node) for terminal, node in asked if terminal >= 0]
            at_once = tuple(node for terminal, node in asked if terminal < 0)
            found = self._starts[state] = (self._make(queries, checks), at_once)
        return found

    def of_node(self, node: NodeId, state: GeneralStateId) -> tuple[Unions, StackQuery | None]:
        """Return what a node allows with a state on top, and what is left to be asked.

        ``END_OF_TEXT`` is among the unions that are allowed where the text may end.
        """
        if node >= self._graph.n_nodes:
            if node not in self._of_node_without_rows:
                made = self._make(*self.tokens_without_rows.query_node(node))
                self._of_node_without_rows[node] = made
            return (NO_TOKENS, self._of_node_without_rows[node])
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

    def _make(
        self, asked: list[tuple[TerminalId, NodeId]], tried: list[tuple[OpenLexemeId, Unions]]
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
