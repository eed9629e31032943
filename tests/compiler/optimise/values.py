"""Rows made by hand, over the terminals and boundaries of a real grammar."""

from collections.abc import Sequence

import numpy as np

from maskc.compiler.optimise import Rows
from maskc.compiler.rows import NOTHING_ENDS, ParserEvent, Sequences
from maskc.compiler.rows.token_sets import TokenSets
from maskc.ids import SequenceId
from maskc.lexer.boundaries import PartialLexeme

A, B, C = 1, 2, 3  # terminals
EVERY = 0b1  # the only context


def event(terminal: int) -> ParserEvent:
    """Return an event that holds in every context."""
    return ParserEvent(terminal, EVERY, 0)


def open_lexeme(lookaheads: int) -> PartialLexeme:
    """Return one that may become some terminals."""
    return PartialLexeme(lookaheads, (), (), -1)


def sequence_of(sequences: Sequences, terminals: Sequence[int], lookaheads: int) -> SequenceId:
    """Return the sequence of some terminals, and what stays open last."""
    found = sequences.close(sequences.number_open_lexeme(open_lexeme(lookaheads)), 0)
    for terminal in reversed(terminals):
        found = sequences.extend(event(terminal), found)
    return found


def rows_of(rows: Sequence[tuple[int, int, tuple[int, ...], int, tuple[int, ...]]]) -> Rows:
    """Return rows given as (source, first terminal, terminals, lookaheads, tokens).

    There are two scanner states, 0 and 1, which read their own rows and those after A and B.
    """
    sequences = Sequences([])
    events = [NOTHING_ENDS, *(event(terminal) for terminal in (A, B, C))]
    sets = [np.array(tokens, dtype=np.int32) for *_, tokens in rows]
    interned = TokenSets(sets)
    number = list(map(interned.intern, sets))
    return Rows(
        n_states=2,
        ends=((A, 0), (B, 0)),
        ends_of=((2,), (2, 3)),
        events=tuple(events),
        sequences=sequences,
        tokens=interned,
        source=np.array([row[0] for row in rows], dtype=np.int32),
        first=np.array([row[1] for row in rows], dtype=np.int32),
        sequence=np.array([sequence_of(sequences, row[2], row[3]) for row in rows], dtype=np.int32),
        token_set=np.array(number, dtype=np.int32),
    )


def tokens_of(rows: Rows) -> list[tuple[int, int, list[int], list[int]]]:
    """Return (source, first terminal, terminals of the sequence, tokens) of each row."""
    found = []
    for source, first, sequence, token_set in zip(
        rows.source.tolist(),
        rows.first.tolist(),
        rows.sequence.tolist(),
        rows.token_set.tolist(),
        strict=True,
    ):
        terminals = []
        while rows.sequences.length[sequence]:
            terminals.append(rows.sequences.event[sequence].terminal)
            sequence = rows.sequences.rest[sequence]
        tokens = rows.tokens.read(token_set).tolist()
        found.append((source, rows.events[first].terminal, terminals, tokens))
    return found
