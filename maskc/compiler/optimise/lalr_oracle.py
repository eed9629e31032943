"""Lark's LALR table decides about rows, for the language that Lark parses.

The productions were asked first, and the table has to agree with all that they decided. What they
left goes to the table, pairs before sequences. With P for the refined states that can be on top
after X: no state of P may take S: never legal; no state of P may refuse S: always legal; each state
of P decides S by itself, and another sequence in the same way: the shorter stands for both, the
finite case of equal debt automata.

A pair (X, Y) that is never legal takes every sequence with it away. Where Y is always legal after
X, a sequence that ends in X Y is jointly legal with the one that ends in X. In python.lark MINUS is
always legal after MINUS, so ``--`` asks for no more than ``-``.

Source: appendix, sections 2, 4 and 6, and its future work; blog, step 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maskc.compiler import LexicalAnalysis, terminals_of
from maskc.compiler.lalr import ItemSets
from maskc.compiler.lalr.refine import RefinedTable, list_states_after
from maskc.compiler.optimise import (
    Rows,
    States,
    Tops,
    Verdicts,
    condition_on_states,
    merge,
    rewrite,
)
from maskc.compiler.optimise.order import LegalityOracle
from maskc.compiler.optimise.steps import safe_for_lookaheads
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY, Decisions
from maskc.compiler.pushdown.interchangeable import find_classes
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts, ask_grammar
from maskc.compiler.pushdown.table_debts import TableDebts, check_agreement
from maskc.compiler.rows import ParserEvent
from maskc.grammar import LalrGrammar
from maskc.ids import DROPPED, IGNORED, NO_EVENT, SequenceId
from maskc.lexer.boundaries import LexemeContexts


def replace_decided(
    decisions: Decisions,
    asked: Sequence[tuple[ParserEvent, SequenceId]],
    free: SequenceId,
    *,
    jointly: bool,
) -> list[SequenceId]:
    """Return the sequence that stands for each, ``DROPPED`` if it is never legal.

    Args:
        asked: pairs (X, S).
        free: the sequence that is always legal.
        jointly: whether sequences that P decides alike become one.
    """
    classes = decisions.classes_of(sequence for _, sequence in asked).tolist()
    by_event: dict[ParserEvent, list[int]] = {}
    for index, (event, _) in enumerate(asked):
        by_event.setdefault(event.without_column(), []).append(index)
    answers = [sequence for _, sequence in asked]
    for event, indices in by_event.items():
        states = decisions.states_after(event)
        distinct, width = list(dict.fromkeys(classes[index] for index in indices)), len(states)
        flags = decisions.flags_of(np.array(distinct, dtype=np.int32), states).tobytes()
        row_of = {kind: flags[n * width : (n + 1) * width] for n, kind in enumerate(distinct)}
        equivalent = decisions.equivalent_after(event)
        for index in indices:
            row = row_of[classes[index]]
            depends = DEPENDS in row
            if not depends and MAY not in row:
                answers[index] = DROPPED
            elif not depends and FAIL not in row:
                answers[index] = free
            elif jointly and not depends:
                answers[index] = equivalent.setdefault(row, answers[index])
    return answers


def join_decided(
    decisions: Decisions,
    asked: Sequence[tuple[ParserEvent, SequenceId]],
    known: dict[object, tuple[ParserEvent, SequenceId]],
) -> list[tuple[ParserEvent, SequenceId]]:
    """Return, for pairs (X, S) that every state after X decides, one of those decided alike.

    The contexts that X needs are part of the answer, so pairs may join whose contexts differ.

    Args:
        known: terminal and answers → the pair that stands for them; added to.
    """
    classes = decisions.classes_of(sequence for _, sequence in asked)
    answers = list(asked)
    by_event: dict[ParserEvent, list[int]] = {}
    for index, (event, _) in enumerate(asked):
        if event.terminal >= 0:
            by_event.setdefault(event, []).append(index)
    for event, indices in by_event.items():
        states = decisions.states_after(event)
        here = decisions.flags_of(classes[indices], states)
        decided = (here != DEPENDS).all(axis=1).tolist()
        for index, sure, row in zip(indices, decided, here == MAY, strict=True):
            if sure:
                key = (event.terminal, event.column, states[row].tobytes())
                answers[index] = known.setdefault(key, asked[index])
    return answers


def decide_pairs(
    rows: Rows, decisions: Decisions, boundaries: LexemeContexts, table: RefinedTable
) -> Rows:
    """Return the rows without sequences that hold a decided pair, as far as it decides them."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)
    wanted: dict[ParserEvent, int] = {}

    def narrow(before: ParserEvent, sequence: SequenceId) -> SequenceId:
        """Return an open lexeme without the lookaheads that no stack after an event wants."""
        if sequences.length[sequence] or sequence == free:
            return sequence
        before = before.without_column()
        if before not in wanted:
            lookaheads = 0
            for state in decisions.states_after(before).tolist():
                lookaheads |= table.live[state]
            wanted[before] = lookaheads
        open_lexeme, column = sequences.open_lexeme(sequence)
        open_lexeme = replace(open_lexeme, direct=open_lexeme.direct & wanted[before])
        return sequences.close(sequences.number_open_lexeme(open_lexeme), column)

    def rule(asked: Sequence[tuple[ParserEvent, SequenceId]]) -> list[SequenceId]:
        answers = [sequence for _, sequence in asked]
        indices = [i for i, (before, _) in enumerate(asked) if before.terminal not in _NO_TERMINAL]
        pairs = [(asked[i][0], narrow(*asked[i])) for i in indices]
        # The first two terminals of a longer sequence are a pair, whatever comes after.
        heads = [
            (
                before,
                sequences.extend(sequences.event[sequence], free)
                if sequences.length[sequence]
                else sequence,
            )
            for before, sequence in pairs
        ]
        replaced = replace_decided(decisions, heads, free, jointly=False)
        for i, (_, sequence), (_, head), answer in zip(
            indices, pairs, heads, replaced, strict=True
        ):
            answers[i] = answer if answer == DROPPED or sequence == head else sequence
        return answers

    return rewrite(rows, rule)


_NO_TERMINAL = (IGNORED, NO_EVENT)


def decide_sequences(rows: Rows, decisions: Decisions, boundaries: LexemeContexts) -> Rows:
    """Return the rows that are left when every sequence is decided."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)

    known: dict[object, tuple[ParserEvent, SequenceId]] = {}

    def rule(asked: Sequence[tuple[ParserEvent, SequenceId]]) -> list[SequenceId]:
        longer = [i for i, (_, sequence) in enumerate(asked) if sequences.length[sequence]]
        split = [(sequences.event[asked[i][1]], sequences.rest[asked[i][1]]) for i in longer]
        asked = list(asked)
        for i, (event, rest) in zip(longer, join_decided(decisions, split, known), strict=True):
            asked[i] = (asked[i][0], sequences.extend(event, rest))
        answers = [sequence for _, sequence in asked]
        indices = [i for i, (before, _) in enumerate(asked) if before.terminal != NO_EVENT]
        replaced = replace_decided(decisions, [asked[i] for i in indices], free, jointly=True)
        for i, answer in zip(indices, replaced, strict=True):
            answers[i] = answer
        return answers

    rows = rewrite(rows, rule)
    return _join_firsts(rows, decisions, known)


def _join_firsts(
    rows: Rows, decisions: Decisions, known: dict[object, tuple[ParserEvent, SequenceId]]
) -> Rows:
    """Return the rows with one pair of first event and sequence for all that are decided alike."""
    pairs = rows.first.astype(np.int64) * len(rows.sequences) + rows.sequence
    distinct, inverse = np.unique(pairs, return_inverse=True)
    asked = [
        (rows.events[first], sequence)
        for first, sequence in (divmod(pair, len(rows.sequences)) for pair in distinct.tolist())
    ]
    joined = join_decided(decisions, asked, known)
    events: dict[ParserEvent, int] = {event: i for i, event in enumerate(rows.events)}
    first = [events.setdefault(event, len(events)) for event, _ in joined]
    sequence = [sequence for _, sequence in joined]
    inverse = inverse.reshape(-1)
    return merge(
        replace(rows, events=tuple(events)),
        rows.source,
        np.array(first, dtype=np.int32)[inverse],
        np.array(sequence, dtype=np.int32)[inverse],
    )


def make_lalr_oracle(
    lexed: LexicalAnalysis[LalrGrammar], item_sets: ItemSets, table: RefinedTable
) -> LegalityOracle:
    """Return who is asked about the rows of an LALR grammar."""
    asked = ask_grammar(lexed, item_sets)
    classes = find_classes(lexed.grammar, asked.debts.reduced)
    classes = safe_for_lookaheads(classes, lexed.boundaries, table.live)

    def decide(verdicts: ProductionVerdicts) -> LalrOracle:
        decisions = Decisions(lexed, table, verdicts.sequences, classes)
        return LalrOracle(lexed, table, verdicts, decisions)

    after = list_states_after(table, lexed.grammar.lexer.layout)
    tops = Tops(table.live, table.context_of, after)
    return LegalityOracle(asked, classes, tops, tops, decide)


@dataclass(frozen=True, slots=True, eq=False)
class LalrOracle:
    """What a refined table decides."""

    lexed: LexicalAnalysis[LalrGrammar]
    table: RefinedTable
    verdicts: ProductionVerdicts
    decisions: Decisions

    def merge_jointly_legal(self, rows: Rows) -> Rows:
        """Return the rows that are left when the table has decided every sequence.

        Raises:
            ValueError: the table contradicts the productions.
            LimitError: there are too many answers.
        """
        boundaries = self.lexed.boundaries
        check_agreement(
            self.verdicts,
            self.decisions,
            boundaries,
            lambda: TableDebts(self.lexed.grammar, self.table, terminals_of(boundaries)),
        )
        rows = decide_pairs(rows, self.decisions, boundaries, self.table)
        return decide_sequences(rows, self.decisions, boundaries)

    def decide_by_state(self, rows: Rows) -> Verdicts:
        """Return the answers for the rows' sequences, by the refined state on top."""
        return condition_on_states(rows, self.decisions)

    def states_after(self, event: ParserEvent) -> States:
        """Return the refined states that can be on top when an event has happened."""
        return self.decisions.states_after(event)

    def explain_left_out(self) -> None:
        """Nothing is left out but what raises."""
        return
