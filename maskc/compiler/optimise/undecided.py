"""How many rows a lexer state has, and how many the state on top of the stack leaves undecided.

The paper's mask store has a row for each lexer state and terminal sequence, its closing terminal
included. Ours stores rows after an end of a lexeme once, however many lexer states share the
end; here they are counted as the paper counts, once for each lexer state that reads them. Rows of a
lexer state with equal sequences count once. ``raw`` counts terminal sequences alone, each closing
terminal by itself. Later steps count what is asked: the first terminal with the contexts it needs,
and the sequence after it.

*Undecided* rows (header entry ``residue``): for each source after an end of a lexeme, and each
refined state that can be on top there, the rows that depend on the stack below. Rows that wait for
one terminal are answered by one move of the parser; so the moves are counted, too, and the
sequences that are to blame are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.compiler import terminals_of
from maskc.compiler.optimise import Rows, States, Verdicts
from maskc.compiler.pushdown.decisions import DEPENDS
from maskc.compiler.rows import ParserEvent
from maskc.ids import IGNORED, SequenceId
from maskc.lexer.boundaries import LexemeContexts

Longs = NDArray[np.int64]

_PARTS = np.arange(101) / 100


def count_sequences(rows: Rows, boundaries: LexemeContexts, newline: int | None) -> list[int]:
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
    """Return the 0th to the 100th percentile of some numbers, of two the higher one."""
    ordered = np.sort(np.array(counts or [0]))
    found: list[int] = ordered[np.ceil((len(ordered) - 1) * _PARTS).astype(np.intp)].tolist()
    return found


def _list_closings(rows: Rows, boundaries: LexemeContexts, newline: int | None) -> list[list[int]]:
    """Return what each open lexeme may become; ``IGNORED`` stands for all ignored terminals."""
    terminal_of = terminals_of(boundaries)
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
            is_new = ~_is_among(np.concatenate([of_source[state] for state in inside]), after)
            # Each of these states has rows of its own, so no two begin at one index.
            counts[inside] += np.add.reduceat(is_new, np.cumsum([0, *n_own[:-1]]), dtype=np.int64)
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
    indices = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[indices] == numbers)


MAX_EXAMPLES = 12


@dataclass(slots=True, eq=False)
class _UndecidedCounts:
    """What has been counted so far."""

    rows: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    blamed: Counter[SequenceId] = field(default_factory=Counter)


def describe_undecided(
    rows: Rows,
    verdicts: Verdicts,
    states_after: Callable[[ParserEvent], States],
    boundaries: LexemeContexts,
    terminals: tuple[str, ...],
) -> dict[str, Any]:
    """Return how many rows depend on the stack, over all (source, state on top) pairs."""
    undecided = _count_undecided(rows, verdicts, states_after)
    worst = sorted(undecided.blamed.items(), key=lambda item: (-item[1], item[0]))[:MAX_EXAMPLES]
    curve, moves = percentiles(undecided.rows), percentiles(undecided.moves)
    return {
        "pairs": len(undecided.rows),
        "median": curve[50],
        "p90": curve[90],
        "p99": curve[99],
        "max": curve[100],
        "per_pair": curve,
        "moves": {"median": moves[50], "p99": moves[99], "max": moves[100]},
        "examples": [
            {
                "sequence": format_sequence(rows, sequence, boundaries, terminals),
                "pairs": n,
                "why": _explain(rows, sequence, terminals),
            }
            for sequence, n in worst
            if n
        ],
    }


def _count_undecided(
    rows: Rows, verdicts: Verdicts, states_after: Callable[[ParserEvent], States]
) -> _UndecidedCounts:
    sequences = rows.sequences
    classes = verdicts.class_of[np.searchsorted(verdicts.sequences, rows.sequence)]
    # What waits for no terminal reads the same as what begins with an ignored lexeme.
    first_terminals = [
        event.terminal if length else IGNORED
        for event, length in zip(sequences.event, sequences.length, strict=True)
    ]
    asked = np.array(first_terminals, dtype=np.int64)[rows.sequence]
    undecided = _UndecidedCounts()
    bounds = np.searchsorted(rows.source, np.arange(rows.n_states, rows.n_sources + 1))
    for low, high in zip(bounds.tolist(), bounds[1:].tolist(), strict=False):
        here = slice(low, high)
        _count_source(
            rows, here, classes[here], asked[here], verdicts.flags, states_after, undecided
        )
    return undecided


def _count_source(
    rows: Rows,
    here: slice,
    classes: NDArray[np.int32],
    asked: NDArray[np.int64],
    flags: NDArray[np.uint8],
    states_after: Callable[[ParserEvent], States],
    undecided: _UndecidedCounts,
) -> None:
    """Count the rows of one source."""
    firsts, sequences = rows.first[here], rows.sequence[here]
    n_states = flags.shape[1]
    depending = np.zeros(n_states, dtype=np.int64)
    possible = np.zeros(n_states, dtype=np.bool_)
    waiting_for: dict[int, NDArray[np.bool_]] = {}  # terminal → bool[n_states]
    for first in np.unique(firsts).tolist():
        of_first = np.flatnonzero(firsts == first)
        states = states_after(rows.events[first])
        depends = flags[np.ix_(classes[of_first], states)] == DEPENDS
        depending[states] += depends.sum(axis=0)
        possible[states] = True
        for terminal in np.unique(asked[of_first]).tolist():
            waiting = waiting_for.setdefault(terminal, np.zeros(n_states, dtype=np.bool_))
            waiting[states] |= depends[asked[of_first] == terminal].any(axis=0)
        numbers = sequences[of_first].tolist()
        for sequence, n in zip(numbers, depends.sum(axis=1).tolist(), strict=True):
            undecided.blamed[sequence] += n
    undecided.rows += depending[possible].tolist()
    each = np.array(list(waiting_for.values())).reshape(-1, n_states)
    undecided.moves += each.sum(axis=0)[possible].tolist()


def format_sequence(
    rows: Rows, sequence: SequenceId, boundaries: LexemeContexts, terminals: tuple[str, ...]
) -> list[str]:
    """Return the names of a sequence's terminals, and at the end what stays open."""
    events, opened = rows.sequences.split(sequence)
    names = [_name(event.terminal, terminals) for event in events]
    open_lexeme, _ = rows.sequences.open_lexeme(opened)
    if open_lexeme.direct == boundaries.everything:
        return [*names, "open: anything"]
    terminal_of = terminals_of(boundaries)
    wanted = sorted({terminals[terminal_of[n]] for n in terminal_of if open_lexeme.direct >> n & 1})
    wanted += ["an ignored lexeme"] if open_lexeme.ignored else []
    wanted += ["a newline"] if open_lexeme.newlines else []
    return [*names, "open: " + " | ".join(wanted)]


def _explain(rows: Rows, sequence: SequenceId, terminals: tuple[str, ...]) -> str:
    events, _ = rows.sequences.split(sequence)
    if not events:
        return "the columns of the open blocks decide where a newline may end"
    names = " ".join(_name(event.terminal, terminals) for event in events)
    return f"{names} uncovers states further down the stack, and they decide"


def _name(terminal: int, terminals: tuple[str, ...]) -> str:
    return terminals[terminal] if terminal >= 0 else "an ignored lexeme"
