"""The steps that ask no parser state: each takes rows and returns rows with the same masks.

- :func:`merge_closings`. In the paper each terminal that the open lexeme may still become closes a
  sequence of its own. A token is legal if any of them is, so the set of them is one question. A
  token that stays inside its lexeme, and takes none of the terminals away that the lexeme might
  become before, is always legal: the lexeme could be finished as one of them, or its state would
  not have been entered. At the start of the text no lexeme is open, so there nothing is concluded.
- :func:`merge_interchangeable`. Every event names the first terminal of its class, and what stays
  open asks for the first lookahead of its class. Two lookaheads of one class are taken together
  only where no live stack tells them apart; so are two terminals (appendix, 6.2).
- :func:`drop_never_legal`. Sequences that no text has after the terminal before them go, pairs
  first; an open lexeme need not become what cannot stand after it. The answer holds for every
  parser that reads a part of the productions' language (appendix, 2, Algorithm 1).
- :func:`cut_always_legal`. If S is always legal after X, a sequence that ends in X S is jointly
  legal with the one that ends in X, so S is cut off (appendix, 4.3, Algorithm 2, and 6.1).
- :func:`merge_jointly_legal`. Equal debt automata: whatever the stack is, both sequences are legal
  or neither is. The one that was met first, a shortest one, stands for all (appendix, 6).

The last three ask the productions; the last two only where no text of theirs is lost
(:mod:`maskc.compiler.pushdown.production_verdicts`).

Example: inside a NAME, a token of letters leaves a NAME. In python.lark the rows of ``+=``, ``-=``,
and eleven more become the rows of one; of what a blank and a letter may begin after ``def`` only
NAME is left. In json.lark ``,`` and a quotation mark ask for no more than ``,`` does. With
``S -> a S b | c``, after a, c b b and a c b b b are legal on the same stacks.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from maskc.compiler.optimise import Rows, after_terminals, merge, replace_sequences, rewrite
from maskc.compiler.pushdown.interchangeable import Classes, map_to_representatives
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.compiler.rows import ParserEvent
from maskc.ids import DROPPED, EMPTY_TEXT, NO_EVENT, SequenceId, TerminalId
from maskc.lexer import Scanner
from maskc.lexer.boundaries import LexemeContexts, Lookaheads, PartialLexeme


def merge_closings(rows: Rows, scanner: Scanner, boundaries: LexemeContexts) -> Rows:
    """Return the rows that ask nothing of tokens which do not shrink what a lexeme may become."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)
    stays = np.array([event.terminal == NO_EVENT for event in rows.events], dtype=np.bool_)
    sequence, numbers = rows.sequence.copy(), rows.sequence.tolist()
    for row in np.flatnonzero(stays[rows.first]).tolist():
        if scanner.end_of_text[int(rows.source[row])] == EMPTY_TEXT:
            continue
        before = boundaries.open_lexemes[boundaries.open_lexeme_of[int(rows.source[row])]]
        after, _ = sequences.open_lexeme(numbers[row])
        if _keeps_all(before, after):
            sequence[row] = free
    return replace_sequences(rows, sequence)


def _keeps_all(before: PartialLexeme, after: PartialLexeme) -> bool:
    return not (
        before.newlines or before.direct & ~after.direct or set(before.ignored) - set(after.ignored)
    )


def merge_interchangeable(
    rows: Rows, classes: Classes, boundaries: LexemeContexts, live: Sequence[Lookaheads]
) -> Rows:
    """Return the rows with the first terminal of each class in the place of the others."""
    if not classes:
        return rows
    stands_for = map_to_representatives(classes)
    merged: dict[int, int] = {}
    for lookahead, target in _map_lookaheads(stands_for, boundaries, live).items():
        merged[target] = merged.get(target, 0) | 1 << lookahead
    sequences = rows.sequences
    everything = boundaries.everything

    def map_event(event: ParserEvent) -> ParserEvent:
        return event._replace(terminal=stands_for.get(event.terminal, event.terminal))

    def map_open_lexeme(open_lexeme: PartialLexeme) -> PartialLexeme:
        direct = open_lexeme.direct
        if direct == everything:
            return open_lexeme
        for target, group in merged.items():
            if direct & group:
                direct = direct & ~group | 1 << target
        return replace(open_lexeme, direct=direct)

    mapped: list[SequenceId] = []
    for sequence in sequences.numbers():
        event = sequences.event[sequence]
        if sequences.length[sequence]:
            mapped.append(sequences.extend(map_event(event), mapped[sequences.rest[sequence]]))
        else:
            open_lexeme, column = sequences.open_lexeme(sequence)
            mapped.append(
                sequences.close(sequences.number_open_lexeme(map_open_lexeme(open_lexeme)), column)
            )
    events: dict[ParserEvent, int] = {}
    first = [events.setdefault(map_event(event), len(events)) for event in rows.events]
    ends = [(stands_for.get(terminal, terminal), boundary) for terminal, boundary in rows.ends]
    kept = tuple(sorted(set(ends)))
    source = np.array(
        [*range(rows.n_states), *(rows.n_states + kept.index(end) for end in ends)], dtype=np.int32
    )
    # Sources that become one had equal rows: one of them is enough.
    spare = np.ones(rows.n_sources, dtype=np.bool_)
    spare[np.unique(source, return_index=True)[1]] = False
    mapped_sequence = np.array(mapped, dtype=np.int32)[rows.sequence]
    rows = replace(
        rows,
        ends=kept,
        ends_of=tuple(tuple(source[list(ends)].tolist()) for ends in rows.ends_of),
        events=tuple(events),
    )
    return merge(
        rows,
        source[rows.source],
        np.array(first, dtype=np.int32)[rows.first],
        np.where(spare[rows.source], DROPPED, mapped_sequence),
    )


def safe_for_lookaheads(
    classes: Classes, boundaries: LexemeContexts, live: Sequence[Lookaheads]
) -> Classes:
    """Return the classes split until their terminals are taken by the same refined states.

    What the lexer allows after a terminal is no part of the grammar: one that the lexer never
    gives, or that nothing can follow, is taken nowhere and stands for no other.
    """
    lookaheads = {
        terminal: boundaries.set_of(terminal) for members in classes for terminal in members
    }
    distinct = sorted(set(live))
    found: dict[tuple[int, bytes], list[TerminalId]] = {}
    for number, members in enumerate(classes):
        for terminal in members:
            taken = bytes(bool(some & lookaheads[terminal]) for some in distinct)
            if any(taken):
                found.setdefault((number, taken), []).append(terminal)
    return tuple(tuple(members) for members in found.values() if len(members) > 1)


def _map_lookaheads(
    stands_for: dict[TerminalId, TerminalId], boundaries: LexemeContexts, live: Sequence[Lookaheads]
) -> dict[int, int]:
    """Return lookahead → lookahead of the representative that is live in the same states."""
    distinct = sorted(set(live))
    live_in = {
        lookahead: bytes(mask >> lookahead & 1 for mask in distinct)
        for terminal in {*stands_for, *stands_for.values()}
        for lookahead in boundaries.of_terminal.get(terminal, ())
    }
    found: dict[int, int] = {}
    for terminal, representative in sorted(stands_for.items()):
        for lookahead in boundaries.of_terminal.get(terminal, ()):
            for target in boundaries.of_terminal.get(representative, ()):
                if live_in[lookahead] == live_in[target]:
                    found[lookahead] = target
                    break
    return found


def drop_never_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows without those that are never legal."""
    sequences = rows.sequences

    def narrow(terminal: TerminalId, sequence: SequenceId) -> SequenceId:
        """Return an open lexeme without the terminals that stand nowhere after another."""
        if sequences.length[sequence] or verdicts.is_free(sequence):
            return sequence
        open_lexeme, column = sequences.open_lexeme(sequence)
        open_lexeme = replace(
            open_lexeme, direct=open_lexeme.direct & verdicts.list_after(terminal)
        )
        if not (open_lexeme.direct or open_lexeme.ignored or open_lexeme.newlines):
            return DROPPED
        return sequences.close(sequences.number_open_lexeme(open_lexeme), column)

    def decide(before: ParserEvent, sequence: SequenceId) -> SequenceId:
        if before.terminal == verdicts.asked.newline:
            return sequence
        sequence = narrow(before.terminal, sequence)
        never = sequence == DROPPED or verdicts.is_never_legal(before.terminal, sequence)
        return DROPPED if never else sequence

    return rewrite(rows, after_terminals(decide))


def cut_always_legal(rows: Rows, verdicts: ProductionVerdicts, free: SequenceId) -> Rows:
    """Return the rows without the ends of sequences that are always legal."""
    if verdicts.asked.lost is not None:
        return rows

    def decide(before: ParserEvent, sequence: SequenceId) -> SequenceId:
        return free if verdicts.is_always_legal(before.terminal, sequence) else sequence

    return rewrite(rows, after_terminals(decide))


def merge_jointly_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    known: dict[tuple[int, Hashable], SequenceId] = {}

    def decide(before: ParserEvent, sequence: SequenceId) -> SequenceId:
        signature = verdicts.signature(before.terminal, sequence)
        return (
            sequence
            if signature is None
            else known.setdefault((before.terminal, signature), sequence)
        )

    return rewrite(rows, after_terminals(decide))
