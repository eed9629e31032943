"""Unlimited credit exploration as the appendix writes it: an oracle of always-legal sequences.

``is_always_legal(X, S)`` is true iff PX ∈ L_p implies PXS ∈ L_p, for every P. That is undecidable
(Proposition 1), so the answer is ``True``, which is proven, or ``None`` for unknown.

The DFT pushdown automaton is started in X with an empty stack, reads S, and borrows any symbol that
a pop needs. The *debt NFA* has a node for each state, stack and number of terminals read; a node is
final once S is read, and *ε-coaccessible* if it is final, has an ε edge to such a node, or borrows
and every symbol that can be popped in its state leads to one. If the start node is, S is
always-legal after X: from any stack one can choose a way to the end of S.

What lies beyond ``max_stack`` symbols or ``MAX_NODES`` nodes is left out, which can only turn True
into unknown; ``DebtNfa.is_complete`` tells. The debt automaton of
:mod:`maskc.compiler.pushdown.production_debts` proves all of it and more; tests hold the two
together.

Source: appendix, section 4.3, Algorithm 2, Figure 4; blog, Figure 5.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from maskc.compiler.pushdown.dft import (
    END_NODE,
    DftAutomaton,
    DftNode,
    NodeSide,
    StackSymbol,
    Transition,
    format_node,
)
from maskc.grammar.sets import SymbolSets, compute_sets
from maskc.ids import END

MAX_STACK = 8
MAX_NODES = 5_000

Proof = Literal[True] | None


class DebtNode(NamedTuple):
    """A node of the debt NFA.

    Attributes:
        state: of the DFT pushdown automaton.
        n_read: how many terminals of the sequence are read.
        stack: what was pushed and not popped since the start; top first.
    """

    state: DftNode
    n_read: int
    stack: tuple[StackSymbol, ...]


class DebtEdge(NamedTuple):
    """A step.

    Attributes:
        borrows: the symbol that was popped off the empty stack; ``None`` is ε.
        target: the node it leads to.
    """

    borrows: StackSymbol | None
    target: DebtNode


@dataclass(frozen=True, slots=True)
class DebtNfa:
    """What unlimited credit exploration found.

    Attributes:
        dft: the automaton that was explored.
        sequence: what was to be read.
        start: the initial node.
        edges: node → its edges; every node is a key.
        is_complete: no node was left out for the bounds.
    """

    dft: DftAutomaton
    sequence: tuple[int, ...]
    start: DebtNode
    edges: Mapping[DebtNode, tuple[DebtEdge, ...]]
    is_complete: bool

    @property
    def finals(self) -> tuple[DebtNode, ...]:
        """The nodes in which the whole sequence is read."""
        return tuple(node for node in self.edges if self._is_final(node))

    def _is_final(self, node: DebtNode) -> bool:
        return node.n_read == len(self.sequence)

    def find_coaccessible(self) -> frozenset[DebtNode]:
        """Return the ε-coaccessible nodes: the least set that the definition allows."""
        found: set[DebtNode] = set()
        sources: dict[DebtNode, list[tuple[DebtNode, StackSymbol | None]]] = {}
        # Symbols that a node has still to be co-accessible by.
        missing: dict[DebtNode, set[StackSymbol]] = {}
        for node, edges in self.edges.items():
            missing[node] = set() if node.stack else self._poppable(node.state)
            for edge in edges:
                sources.setdefault(edge.target, []).append((node, edge.borrows))
        pending = list(self.finals)
        found.update(pending)
        while pending:
            for source, borrows in sources.get(pending.pop(), ()):
                if borrows is not None:
                    missing[source].discard(borrows)
                if source not in found and (borrows is None or not missing[source]):
                    found.add(source)
                    pending.append(source)
        return frozenset(found)

    def _poppable(self, state):
        return {t.pops for t in self.dft.transitions if t.source == state} - {None}

    def format(self) -> str:
        """Return one edge a line; ``*`` marks final nodes, ``+`` other ε-coaccessible ones."""
        coaccessible = self.find_coaccessible()

        def name(node: DebtNode) -> str:
            stack = "".join(f"({self.dft.format_symbol(symbol)})" for symbol in node.stack)
            mark = "*" if self._is_final(node) else "+" if node in coaccessible else ""
            return f"{format_node(self.dft.reduced, node.state)}, {stack or 'ε'}{mark}"

        lines = [f"start {name(self.start)}"]
        lines += [
            f"{name(node)} --{self.dft.format_symbol(edge.borrows)}--> {name(edge.target)}"
            for node, edges in self.edges.items()
            for edge in edges
        ]
        return "\n".join(lines)


def explore_credit(
    dft: DftAutomaton, x: int, sequence: Sequence[int], *, max_stack: int = MAX_STACK
) -> DebtNfa:
    """Return the debt NFA of a sequence after a terminal.

    Args:
        dft: of a reduced grammar.
        x: the terminal that was read last.
        sequence: terminals; ``$END`` may stand last.
        max_stack: the largest stack that is followed.
    """
    terminals = tuple(sequence)
    sets = compute_sets(dft.reduced)
    leaving: dict[DftNode, list[Transition]] = {}
    for transition in dft.transitions:
        leaving.setdefault(transition.source, []).append(transition)
    start = DebtNode(DftNode(NodeSide.TERMINAL, x), 0, ())
    edges: dict[DebtNode, tuple[DebtEdge, ...]] = {}
    is_complete = True
    queue = deque([start])
    seen = {start}
    while queue:
        node = queue.popleft()
        edges[node] = ()
        if node.n_read == len(terminals):
            continue
        found = []
        for transition in leaving.get(node.state, ()):
            edge = _follow(transition, node, terminals)
            if edge is None or not _is_hopeful(edge.target, terminals, sets):
                continue
            if edge.target not in seen:
                if len(edge.target.stack) > max_stack or len(seen) >= MAX_NODES:
                    is_complete = False
                    continue
                seen.add(edge.target)
                queue.append(edge.target)
            found.append(edge)
        edges[node] = tuple(found)
    return DebtNfa(dft, terminals, start, edges, is_complete)


def is_always_legal(
    dft: DftAutomaton, x: int, sequence: Sequence[int], *, max_stack: int = MAX_STACK
) -> Proof:
    """Return ``True`` if unlimited credit exploration proves it, else ``None``."""
    nfa = explore_credit(dft, x, sequence, max_stack=max_stack)
    return True if nfa.start in nfa.find_coaccessible() else None


def _follow(transition: Transition, node: DebtNode, terminals: tuple[int, ...]) -> DebtEdge | None:
    """Return the step from a node, ``None`` if the node does not allow it."""
    n_read, stack, borrows = node.n_read, node.stack, None
    if transition.target == END_NODE and terminals[n_read] == END:
        n_read += 1  # the text ends where the sequence says so
    if transition.reads is not None:
        if terminals[n_read] != transition.reads:
            return None
        n_read += 1
    if transition.pops is not None:
        if not stack:
            borrows = transition.pops
        elif stack[0] != transition.pops:
            return None
        stack = stack[1:]
    if transition.pushes is not None:
        stack = (transition.pushes, *stack)
    return DebtEdge(borrows, DebtNode(transition.target, n_read, stack))


def _is_hopeful(node: DebtNode, terminals: tuple[int, ...], sets: SymbolSets) -> bool:
    """Return whether the nonterminal that a node is about to generate fits what comes next."""
    if node.state.side is not NodeSide.START or node.n_read == len(terminals):
        return True
    nonterminal = node.state.symbol
    begins = sets.first.get(nonterminal, 0) >> terminals[node.n_read] & 1
    return bool(begins) or nonterminal in sets.nullable
