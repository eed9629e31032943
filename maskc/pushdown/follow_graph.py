"""Which symbol can come next, if one forgets where one came from?

The *direct successor graph* has a node for each terminal, two for each nonterminal X (its start •X
and its end X•), and one for the end of the text. For each production ``X ::= α1…αn`` an edge leads
from •X to the start of α1, from the end of each αi to the start of the next, and from the end of αn
to X•; from •X to X• if n = 0; and from S• to $END. A terminal is its own start and end.

The *follow graph* joins terminals: X to Y if the successor graph has a path from X to Y with no
terminal between. What it excludes is never-legal. It forgets from which production a nonterminal
was entered, so after a nonterminal that can be empty it keeps too much: the exact relation is
:func:`maskc.grammar.sets.compute_adjacent`.

Example: for ``S ::= aSb | ε`` the edges are •S → a, •S → S•, a → •S, S• → b, b → S•, S• → $END, and
a is followed by a, b and $END. The last is too much: no text ends after a.

Source: appendix, section 4.1, Figure 1; blog, Figure 2 and step 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from maskc.grammar.reduce import ReducedGrammar
from maskc.grammar.sets import Terminals
from maskc.ids import END


class Side(Enum):
    """What a node stands for."""

    TERMINAL = ""
    START = "•X"
    END = "X•"


class Node(NamedTuple):
    """A terminal (``$END`` is terminal 0), or the start or the end of a nonterminal.

    Attributes:
        side: which of the three.
        symbol: the terminal's or the nonterminal's id.
    """

    side: Side
    symbol: int


END_NODE = Node(Side.TERMINAL, END)


def start_of(symbol: int) -> Node:
    """Return ``start(α)`` for a symbol of a production's right side."""
    return Node(Side.TERMINAL, symbol) if symbol >= 0 else Node(Side.START, -1 - symbol)


def end_of(symbol: int) -> Node:
    """Return ``end(α)`` for a symbol of a production's right side."""
    return Node(Side.TERMINAL, symbol) if symbol >= 0 else Node(Side.END, -1 - symbol)


def format_node(reduced: ReducedGrammar, node: Node) -> str:
    """Return a node as the appendix writes it."""
    if node.side is Side.TERMINAL:
        return reduced.terminals[node.symbol]
    name = reduced.nonterminals[node.symbol]
    return f"•{name}" if node.side is Side.START else f"{name}•"


@dataclass(frozen=True, slots=True)
class SuccessorGraph:
    """The direct successor graph.

    Attributes:
        reduced: the grammar.
        successors: node → its successors, in the order of the productions.
    """

    reduced: ReducedGrammar
    successors: Mapping[Node, tuple[Node, ...]]

    def format(self) -> str:
        """Return the edges, one node a line."""
        return "\n".join(
            f"{format_node(self.reduced, node)} → "
            + ", ".join(format_node(self.reduced, target) for target in targets)
            for node, targets in self.successors.items()
        )


def build_successor_graph(reduced: ReducedGrammar) -> SuccessorGraph:
    """Return the direct successor graph of a reduced grammar."""
    edges: dict[Node, dict[Node, None]] = {}
    for production in reduced.productions:
        entry, exit_ = Node(Side.START, production.lhs), Node(Side.END, production.lhs)
        here = entry
        for symbol in production.rhs:
            edges.setdefault(here, {})[start_of(symbol)] = None
            here = end_of(symbol)
        edges.setdefault(here, {})[exit_] = None
    if reduced.productions:
        edges.setdefault(Node(Side.END, reduced.start), {})[END_NODE] = None
    return SuccessorGraph(reduced, {node: tuple(targets) for node, targets in edges.items()})


def build_follow_graph(graph: SuccessorGraph) -> dict[int, Terminals]:
    """Return terminal → bit set of the terminals, or the end, that the graph lets follow it."""
    follow: dict[int, Terminals] = {}
    known: dict[tuple[Node, ...], Terminals] = {}
    for terminal in sorted(graph.reduced.used_terminals):
        # Terminals that stand in the same places have the same successors.
        successors = graph.successors.get(Node(Side.TERMINAL, terminal), ())
        if successors in known:
            follow[terminal] = known[successors]
            continue
        found = 0
        seen: set[Node] = set()
        pending = [Node(Side.TERMINAL, terminal)]
        while pending:
            for node in graph.successors.get(pending.pop(), ()):
                if node.side is Side.TERMINAL:
                    found |= 1 << node.symbol
                elif node not in seen:
                    seen.add(node)
                    pending.append(node)
        follow[terminal] = known[successors] = found
    return follow
