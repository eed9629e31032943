"""A grammar and a tokenizer into an artifact; :mod:`maskc.compiler.pipeline` is the order.

Here is what is known of a grammar's terminals, which every later pass takes whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from maskc.frontends.source import GrammarSource
from maskc.grammar import Grammar
from maskc.ids import TerminalId
from maskc.lexer import Scanner
from maskc.lexer.boundaries import LexemeContexts, build_boundaries
from maskc.lexer.columns import ColumnTable, build_columns

G = TypeVar("G", bound=Grammar)
G_co = TypeVar("G_co", bound=Grammar, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class LexicalAnalysis(Generic[G_co]):
    """What is known of a grammar's terminals, whatever its parser is."""

    source: GrammarSource  # the grammar's text, with what it imports
    grammar: G_co  # what Lark made of it
    scanner: Scanner  # bytes into terminals
    columns: ColumnTable  # where newlines may end, with indentation
    boundaries: LexemeContexts  # lookaheads, and what the lexer lets follow what

    @property
    def newline(self) -> TerminalId | None:
        """The terminal that ends a line, with indentation."""
        layout = self.grammar.lexer.layout
        return layout.newline if layout else None


def terminals_of(boundaries: LexemeContexts) -> dict[int, int]:
    """Return lookahead → its terminal."""
    return {
        lookahead: terminal
        for terminal, lookaheads in boundaries.of_terminal.items()
        for lookahead in lookaheads
    }


def analyse(source: GrammarSource, grammar: G, scanner: Scanner) -> LexicalAnalysis[G]:
    """Return the boundaries of a scanner, with all that they were made from."""
    columns = build_columns(grammar.lexer, scanner)
    boundaries = build_boundaries(grammar.lexer, scanner, columns)
    return LexicalAnalysis(source, grammar, scanner, columns, boundaries)
