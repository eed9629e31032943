"""What the table's verdicts start from, for small grammars."""

from dataclasses import dataclass

from maskc.compiler import terminals_of
from maskc.compiler.lalr_path import LalrLanguage
from maskc.compiler.pushdown.decisions import Decisions
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts, ask_grammar
from maskc.compiler.pushdown.table_debts import TableDebts
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.ids import SequenceId, TerminalId
from tests.languages import language_of


@dataclass(frozen=True)
class Values:
    """A language, and both deciders of its terminal sequences."""

    language: LalrLanguage
    sequences: Sequences
    verdicts: ProductionVerdicts
    decisions: Decisions
    debts: TableDebts

    def terminal(self, name: str) -> int:
        """Return a terminal's number."""
        return self.language.lexed.grammar.bnf.terminals.index(name)

    def event(self, name: str) -> ParserEvent:
        """Return the event of a terminal, in every context."""
        contexts = (1 << self.language.lexed.boundaries.n_contexts) - 1
        return ParserEvent(TerminalId(self.terminal(name)), contexts, 0)

    def sequence(self, *names: str) -> SequenceId:
        """Return the sequence of some terminals, open to anything; ``$END`` may stand last."""
        boundaries = self.language.lexed.boundaries
        opened = boundaries.everything
        if names and names[-1] == "$END":
            names, opened = names[:-1], boundaries.end
        sequence = self.sequences.open_to(opened)
        for name in reversed(names):
            sequence = self.sequences.extend(self.event(name), sequence)
        return sequence


def decisions_of(language: LalrLanguage, sequences: Sequences) -> Decisions:
    """Return the table's verdicts, with no terminals that stand for each other."""
    return Decisions(language.lexed, language.table, sequences, ())


def values_of(text: str) -> Values:
    """Return what the compiler makes of a grammar before it has rows."""
    language = language_of(text)
    lexed, table = language.lexed, language.table
    grammar, boundaries = lexed.grammar, lexed.boundaries
    sequences = Sequences(boundaries.open_lexemes)
    asked = ask_grammar(lexed, language.item_sets)
    return Values(
        language,
        sequences,
        ProductionVerdicts(asked, boundaries, sequences),
        decisions_of(language, sequences),
        TableDebts(grammar, table, terminals_of(boundaries)),
    )
