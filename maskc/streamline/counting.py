"""How many rows does a lexer state have?

The paper's mask store has a row for each lexer state and terminal sequence, its closing terminal
included. Ours stores rows after an end of a lexeme once, however many lexer states share the
end; here they are counted as the paper counts, once for each lexer state that reads them, so that
figures compare. Rows of a lexer state with equal sequences count once.

``raw`` counts terminal sequences alone, each closing terminal by itself. Later steps count what
is asked: the first terminal with the contexts it needs, and the sequence after it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.ids import IGNORED
from maskc.lexer.boundaries import Boundaries
from maskc.streamline.model import Rows

Longs = NDArray[np.int64]

PERCENTILES = range(101)


def count_sequences(rows: Rows, boundaries: Boundaries, newline: int | None) -> list[int]:
    """Return the number of distinct terminal sequences of each lexer state, with their closings."""
    sequences = rows.sequences
    closings = _list_closings(rows, boundaries, newline)
    number: dict[tuple[int, int], int] = {}
    terminals: list[int] = []
    for sequence in sequences.numbers():
        if sequences.length[sequence]:
            key = (terminals[sequences.rest[sequence]], sequences.event[sequence].terminal)
            terminals.append(number.setdefault(key, len(number) + 1))
        else:
            terminals.append(0)
    n_closings = np.array([len(row) for row in closings], dtype=np.int64)
    flat = np.array([terminal for row in closings for terminal in row], dtype=np.int64)
    begin = np.cumsum(n_closings) - n_closings
    open_lexeme = np.array(sequences.opened, dtype=np.int64)[rows.sequence]
    index = np.repeat(np.arange(len(rows)), n_closings[open_lexeme])
    offset = np.arange(len(index)) - np.repeat(
        np.cumsum(n_closings[open_lexeme]) - n_closings[open_lexeme], n_closings[open_lexeme]
    )
    closing = flat[np.repeat(begin[open_lexeme], n_closings[open_lexeme]) + offset] - IGNORED
    first = np.array([event.terminal for event in rows.events], dtype=np.int64) + 16
    width = max(int(flat.max(initial=0)) + 2, int(first.max(initial=0)) + 1)
    completed = np.array(terminals, dtype=np.int64)[rows.sequence[index]]
    keys = (completed * width + closing) * width + first[rows.first[index]]
    return _count(rows, rows.source[index], keys)


def count_rows(rows: Rows) -> list[int]:
    """Return the number of distinct rows of each lexer state."""
    keys = rows.first.astype(np.int64) * len(rows.sequences) + rows.sequence
    return _count(rows, rows.source, keys)


def percentiles(counts: list[int]) -> list[int]:
    """Return the 0th to the 100th percentile, each one of the counts."""
    ordered = np.sort(np.array(counts or [0]))
    return [int(x) for x in np.percentile(ordered, PERCENTILES, method="higher")]


def _list_closings(rows: Rows, boundaries: Boundaries, newline: int | None) -> list[list[int]]:
    """Return what each open lexeme may become; ``IGNORED`` stands for all ignored terminals."""
    terminal_of = {
        lookahead: terminal
        for terminal, lookaheads in boundaries.of_terminal.items()
        for lookahead in lookaheads
    }
    found = []
    for open_lexeme in rows.sequences.open_lexemes:
        terminals = {
            terminal_of[lookahead]
            for lookahead in terminal_of
            if open_lexeme.direct >> lookahead & 1
        }
        if open_lexeme.ignored:
            terminals.add(IGNORED)
        if open_lexeme.newlines and newline is not None:
            terminals.add(newline)
        found.append(sorted(terminals))
    return found


def _count(rows: Rows, source: NDArray[np.int32], keys: Longs) -> list[int]:
    # Rows of a source with equal keys are next to each other, and one of them is kept.
    order = np.lexsort((keys, source))
    source, keys = source[order], keys[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    is_first[1:] = (source[1:] != source[:-1]) | (keys[1:] != keys[:-1])
    source, keys = source[is_first], keys[is_first]
    bounds = np.searchsorted(source, np.arange(rows.n_sources + 1)).tolist()
    of_source = [keys[low:high] for low, high in pairwise(bounds)]
    sharing: dict[tuple[int, ...], list[int]] = {}
    for state, ends in enumerate(rows.ends_of):
        sharing.setdefault(ends, []).append(state)
    counts = np.zeros(rows.n_states, dtype=np.int64)
    for ends, states in sharing.items():
        after = _unite([of_source[end] for end in ends])
        counts[states] = len(after)
        inside = [state for state in states if len(of_source[state])]
        if inside:
            n_own = [len(of_source[state]) for state in inside]
            fresh = ~_is_among(np.concatenate([of_source[state] for state in inside]), after)
            # Each of these states has rows of its own, so no two begin at one place.
            counts[inside] += np.add.reduceat(fresh, np.cumsum([0, *n_own[:-1]]), dtype=np.int64)
    found: list[int] = counts.tolist()
    return found


def _unite(parts: list[Longs]) -> Longs:
    """Return the numbers of some ascending parts, each once, ascending."""
    parts = [part for part in parts if len(part)]
    if len(parts) == 1:  # each part holds a row once
        return parts[0]
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)


def _is_among(numbers: Longs, ascending: Longs) -> NDArray[np.bool_]:
    if not len(ascending):
        return np.zeros(len(numbers), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[places] == numbers)
