"""Lark's LALR table decides about rows, for the language that Lark parses.

The productions were asked first. What they left goes to the table, pairs before sequences, and at
last each sequence is decided by the refined state on top of the stack. Before the table is asked
anything else it has to agree with all that the productions decided.

Source: appendix, sections 2, 4 and 6, and its future work.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.grammar.model import LalrGrammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import Scanner
from maskc.parser.items import ItemSets
from maskc.parser.refine import RefinedTable
from maskc.pushdown.agreement import check_agreement
from maskc.pushdown.asked_productions import ask_grammar
from maskc.pushdown.decisions import Decisions
from maskc.pushdown.interchangeable import find_classes
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.pushdown.table_debts import TableDebts
from maskc.store.sequences import Event
from maskc.streamline.interchangeable import safe_for_lookaheads
from maskc.streamline.lalr_state import States, Verdicts, condition_on_states
from maskc.streamline.model import Rows
from maskc.streamline.order import Decider
from maskc.streamline.pairs import decide_pairs
from maskc.streamline.sequences import decide_sequences
from maskc.streamline.tops import make_lalr_tops


def make_lalr_decider(
    grammar: LalrGrammar,
    scanner: Scanner,
    item_sets: ItemSets,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
) -> Decider:
    """Return who is asked about the rows of an LALR grammar."""
    classes = safe_for_lookaheads(find_classes(grammar), boundaries, table.live)

    def decide(verdicts: ProductionVerdicts) -> LalrDecider:
        sequences = verdicts.sequences
        decisions = Decisions(grammar, item_sets, table, boundaries, columns, sequences, classes)
        return LalrDecider(grammar, boundaries, table, verdicts, decisions)

    tops = make_lalr_tops(table, grammar.lexer)
    return Decider(ask_grammar(grammar, scanner, boundaries), classes, tops, tops, decide)


@dataclass(frozen=True, slots=True, eq=False)
class LalrDecider:
    """What a refined table decides.

    Attributes:
        grammar: the grammar.
        boundaries: its boundaries.
        table: its refined table.
        verdicts: what the productions decided.
        decisions: the table's verdicts.
    """

    grammar: LalrGrammar
    boundaries: Boundaries
    table: RefinedTable
    verdicts: ProductionVerdicts
    decisions: Decisions

    def merge_jointly_legal(self, rows: Rows) -> Rows:
        """Return the rows that are left when the table has decided every sequence.

        Raises:
            ValueError: the table contradicts the productions.
            LimitError: there are too many answers.
        """
        check_agreement(self.verdicts, self.decisions, self.boundaries, self._make_debts)
        rows = decide_pairs(rows, self.decisions, self.boundaries, self.table)
        return decide_sequences(rows, self.decisions, self.boundaries)

    def decide_by_state(self, rows: Rows) -> Verdicts:
        """Return the answers for the rows' sequences, by the refined state on top."""
        return condition_on_states(rows, self.decisions)

    def states_after(self, event: Event) -> States:
        """Return the refined states that can be on top when an event has happened."""
        return self.decisions.states_after(event)

    def explain_left_out(self) -> None:
        """Nothing is left out but what raises."""
        return

    def _make_debts(self) -> TableDebts:
        terminal_of: dict[int, int] = {
            lookahead: t
            for t, lookaheads in self.boundaries.of_terminal.items()
            for lookahead in lookaheads
        }
        return TableDebts(self.grammar, self.table, terminal_of)
