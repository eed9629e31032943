"""The states of the DFT pushdown automaton: where a traversal of the syntax tree stands.

There is one for each terminal, two for each nonterminal X (before it, •X, and after it, X•), and
one for the end of the text. A terminal is its own start and end.

Example: for ``S ::= aSb | ε`` they are •S, S•, a, b and $END.

Source: appendix, section 4.1.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from maskc.grammar.reduce import ReducedGrammar
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
