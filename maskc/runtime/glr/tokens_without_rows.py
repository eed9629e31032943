"""Parser queries for tokens without rows, about which the decision graph says nothing.

A few tokens can be cut into terminals in so many ways that no list of these would do: fifty dashes
are 2^34 sequences of ``-`` and ``--``. But the cuts share all they can: what is left of such tokens
depends on a node of the trie of their bytes, and on the scanner's state after its byte. So each
such pair is a node of its own beside those of the graph, made when it is first asked about: its
queries are the terminals that the open lexeme may become further down in the trie, its checks the
tokens that end inside of it. It does not depend on a stack, so what reading the stacks finds out
about it (:mod:`maskc.runtime.glr.debts`) serves all texts.

Example: after a first ``-``, the node for the second one of fifty asks for ``-`` and leads to the
node for the third, and likewise for ``--``: a hundred nodes stand for all the cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from maskc.ids import DEAD, IGNORED, ContextId, NodeId, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.graph import GraphReader, Mask, Unions
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.step_budget import charge_steps

_CONTEXT = ContextId(0)  # the lexer of a general grammar may always look for all terminals

_BIT = np.left_shift(np.uint32(1), np.arange(32, dtype=np.uint32)).view(np.int32)

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

    def query_start(self, state: ScannerStateId) -> tuple[GrammarQueries, LookaheadChecks]:
        """Return what is asked where a token starts in a scanner state."""
        return self._ask(0, state)

    def query_node(self, node: NodeId) -> tuple[GrammarQueries, LookaheadChecks]:
        """Return what a node asks that :meth:`has_node` says is one of these."""
        own, state = divmod(node - self._graph.n_nodes, self._scanner.n_states)
        return self._ask(own, ScannerStateId(state))

    def has_node(self, node: NodeId) -> bool:
        """Return whether a node is one of these, and not of the graph."""
        return node >= self._graph.n_nodes

    def _ask(self, node: int, state: ScannerStateId) -> tuple[GrammarQueries, LookaheadChecks]:
        """Return what is asked about all tokens below a node; ignored lexemes change no stack."""
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
                    entered = scanner.entry(boundary, _CONTEXT)[byte_class]
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
            return self._join_few(unions) if len(unions) < 2 else tuple(sorted(unions))
        n_unions = self._graph.n_unions
        return (*sorted([union for union in unions if union < n_unions]), n_unions + bits)

    def _join_few(self, unions: set[int]) -> tuple[int, ...]:
        """Return no union or one: the same object for the same one."""
        for union in unions:
            return self._single.setdefault(union, (union,))
        return ()

    def _tokens_without_rows_of(self, unions: Iterable[int]) -> int:
        """Return the tokens without rows of some unions, as a bit set."""
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
