"""Rows as the streamlining steps see them, and how steps merge them.

A row is (source, first event, sequence) → tokens. A *source* is where a token starts: inside a
lexeme (a scanner state), or right after one, where a terminal X has just gone to the parser (X and
the boundary it left; the first event is X then). So a row's first event is the X of the paper, and
its sequence the sequence S that is asked about after X.

A lexer state's rows are those of its own source and those after each of its ends. Ends are
shared by many lexer states, so rows are stored once and counted as often as they are read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DROPPED, BoundaryId, TerminalId
from maskc.store.sequences import Event, Sequences
from maskc.store.token_sets import TokenSets, sort_pairs

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """All rows, in order of (source, first event, sequence); no two agree in all three.

    Attributes:
        n_states: sources below this are scanner states; the others are ends.
        ends: source − ``n_states`` → the (terminal, boundary) it stands after.
        ends_of: scanner state → the sources after its ends.
        events: the first events that rows name.
        sequences: the sequences that rows name.
        tokens: the token sets that rows name.
        source, first, sequence, token_set: int32[n_rows].
    """

    n_states: int
    ends: tuple[tuple[TerminalId, BoundaryId], ...]
    ends_of: tuple[tuple[int, ...], ...]
    events: tuple[Event, ...]
    sequences: Sequences
    tokens: TokenSets
    source: Ints
    first: Ints
    sequence: Ints
    token_set: Ints

    def __len__(self) -> int:
        return len(self.source)

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return self.n_states + len(self.ends)


def merge(rows: Rows, source: Ints, first: Ints, sequence: Ints) -> Rows:
    """Return the rows with other sources, first events and sequences; equal ones become one.

    Args:
        rows: to be replaced.
        source: int32[n_rows].
        first: int32[n_rows].
        sequence: int32[n_rows], ``DROPPED`` for a row that is dropped.
    """
    kept = np.flatnonzero(sequence != DROPPED)
    n_events, n_sequences = len(rows.events), len(rows.sequences)
    key = (source[kept].astype(np.int64) * n_events + first[kept]) * n_sequences + sequence[kept]
    key, sets = sort_pairs(key, rows.token_set[kept], rows.n_sources * n_events * n_sequences)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bounds = np.append(starts, len(key))
    merged = sets[starts].copy()
    for group in np.flatnonzero(np.diff(bounds) > 1).tolist():
        numbers = sets[bounds[group] : bounds[group + 1]].tolist()
        merged[group] = rows.tokens.unite(tuple(sorted(set(numbers))))
    distinct = key[starts]
    return replace(
        rows,
        source=(distinct // n_sequences // n_events).astype(np.int32),
        first=(distinct // n_sequences % n_events).astype(np.int32),
        sequence=(distinct % n_sequences).astype(np.int32),
        token_set=merged.astype(np.int32),
    )
