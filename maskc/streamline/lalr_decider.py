"""Lark's LALR table decides about rows, for the language that Lark parses.

The productions were asked first. What they left goes to the table, pairs before sequences, and at
last each sequence is decided by the refined state on top of the stack. Before the table is asked
anything else it has to agree with all that the productions decided.

Source: appendix, sections 2, 4 and 6, and its future work.

After X, a sequence S is dropped if it is never legal, cut to X if it is always legal, and taken
together with a shorter one if the two are jointly legal because the parser's state after X decides
both in the same way: the finite case of the appendix's equal debt automata.

Example: in python.lark, after a NAME, ``)`` and then ``:`` stays a question, since the stack below
the bracket answers it; ``)`` and then ``)`` asks no more of the state than ``)`` and then ``]``
does where both are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maskc.grammar.model import LalrGrammar
from maskc.ids import NO_EVENT, SequenceId
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
from maskc.streamline.model import Rows, merge
from maskc.streamline.order import Decider
from maskc.streamline.pairs import decide_pairs
from maskc.streamline.rewrite import rewrite
from maskc.streamline.table_answers import join_decided, replace_decided
from maskc.streamline.tops import make_lalr_tops


def decide_sequences(rows: Rows, decisions: Decisions, boundaries: Boundaries) -> Rows:
    """Return the rows that are left when every sequence is decided."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)

    known: dict[object, tuple[Event, SequenceId]] = {}

    def rule(asked: Sequence[tuple[Event, SequenceId]]) -> list[SequenceId]:
        longer = [i for i, (_, sequence) in enumerate(asked) if sequences.length[sequence]]
        split = [(sequences.event[asked[i][1]], sequences.rest[asked[i][1]]) for i in longer]
        asked = list(asked)
        for i, (event, rest) in zip(longer, join_decided(decisions, split, known), strict=True):
            asked[i] = (asked[i][0], sequences.extend(event, rest))
        answers = [sequence for _, sequence in asked]
        places = [i for i, (before, _) in enumerate(asked) if before.terminal != NO_EVENT]
        replaced = replace_decided(decisions, [asked[i] for i in places], free, jointly=True)
        for i, answer in zip(places, replaced, strict=True):
            answers[i] = answer
        return answers

    rows = rewrite(rows, rule)
    return _join_firsts(rows, decisions, known)


def _join_firsts(
    rows: Rows, decisions: Decisions, known: dict[object, tuple[Event, SequenceId]]
) -> Rows:
    """Return the rows with one pair of first event and sequence for all that are decided alike."""
    pairs = rows.first.astype(np.int64) * len(rows.sequences) + rows.sequence
    distinct, inverse = np.unique(pairs, return_inverse=True)
    asked = [
        (rows.events[first], sequence)
        for first, sequence in (divmod(pair, len(rows.sequences)) for pair in distinct.tolist())
    ]
    joined = join_decided(decisions, asked, known)
    events: dict[Event, int] = {event: i for i, event in enumerate(rows.events)}
    first = [events.setdefault(event, len(events)) for event, _ in joined]
    sequence = [sequence for _, sequence in joined]
    inverse = inverse.reshape(-1)
    return merge(
        replace(rows, events=tuple(events)),
        rows.source,
        np.array(first, dtype=np.int32)[inverse],
        np.array(sequence, dtype=np.int32)[inverse],
    )


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
