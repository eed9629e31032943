"""What the streamlining of a general grammar starts from, for small grammars."""

from dataclasses import dataclass

from maskc.compiler.glr.adjacency import LookaheadCfg
from maskc.compiler.glr.lr0 import GeneralTable, build_general_table
from maskc.compiler.glr_path import rewrite_productions
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Grammar
from maskc.lexer import Scanner
from maskc.lexer.boundaries import LexemeContexts, build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner


@dataclass(frozen=True)
class Values:
    """A grammar's values, and sequences by their terminals' names."""

    grammar: Grammar
    scanner: Scanner
    boundaries: LexemeContexts
    lexed: LookaheadCfg
    table: GeneralTable
    sequences: Sequences

    def terminal(self, name: str) -> int:
        """Return a terminal's number."""
        return self.grammar.bnf.terminals.index(name)

    def sequence(self, *names: str) -> int:
        """Return the sequence of some terminals, open to anything; ``$END`` may stand last."""
        opened = self.boundaries.everything
        if names and names[-1] == "$END":
            names, opened = names[:-1], self.boundaries.end
        sequence = self.sequences.open_to(opened)
        for name in reversed(names):
            sequence = self.sequences.extend(ParserEvent(self.terminal(name), 1, 0), sequence)
        return sequence


def values_of(text: str) -> Values:
    """Return what the compiler makes of a grammar before it has rows."""
    grammar, _ = load_grammar(load_source(text, parser="earley"))
    scanner = build_dynamic_complete_scanner(grammar.lexer, grammar.bnf.used_terminals)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    lexed = rewrite_productions(grammar.bnf, scanner, boundaries)
    table = build_general_table(lexed.cfg)
    sequences = Sequences(boundaries.open_lexemes)
    return Values(grammar, scanner, boundaries, lexed, table, sequences)
