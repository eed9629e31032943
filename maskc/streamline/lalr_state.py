"""Step 5: rows are decided by the state on top of the stack, as far as it decides them.

After X the parser is in some LALR state, refined by what the stack below still wants. For each
sequence and refined state, :mod:`maskc.pushdown.decisions` says *accepted*, *rejected*, or that it
depends on the stack below. An artifact holds this table; only what depends is asked at run
time, and it depends on the state that the sequence's first terminal leads to, and so on.

The *residue* is what is left to ask: for each source after an end of a lexeme, and each refined
state that can be on top there, the rows that depend.

Source: appendix, future work (a longer first argument); XGrammar, adaptive token mask cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.ids import SequenceId
from maskc.lexer.boundaries import Boundaries
from maskc.pushdown.decisions import DEPENDS, Decisions
from maskc.store.sequences import Event
from maskc.streamline.counting import percentiles
from maskc.streamline.model import Rows

Flags = NDArray[np.uint8]
States = NDArray[np.intp]  # numbers of states, ascending

MAX_EXAMPLES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Answers for all refined states and the sequences that rows can ask about.

    Attributes:
        sequences: the sequences, ascending: those of rows, and what is left of them after their
            events.
        class_of: int32[n_sequences], sequences with equal answers share a class.
        flags: uint8[n_classes, n_states], ``MAY``, ``FAIL`` or both.
    """

    sequences: tuple[SequenceId, ...]
    class_of: NDArray[np.int32]
    flags: Flags


def condition_on_states(rows: Rows, decisions: Decisions) -> Verdicts:
    """Return the answers for all sequences of the rows."""
    sequences = list_sequences(rows)
    classes = decisions.classes_of(sequences)
    kept, class_of = np.unique(classes, return_inverse=True)
    flags = decisions.flags()[kept]
    return Verdicts(sequences, class_of.reshape(-1).astype(np.int32), flags)


def leave_open(rows: Rows, n_states: int) -> Verdicts:
    """Return verdicts that decide nothing: each row is asked about on the stack at hand."""
    sequences = list_sequences(rows)
    flags = np.full((1, n_states), DEPENDS, dtype=np.uint8)
    return Verdicts(sequences, np.zeros(len(sequences), dtype=np.int32), flags)


def list_sequences(rows: Rows) -> tuple[SequenceId, ...]:
    """Return the sequences of rows, and what is left of them after their events, ascending."""
    found: set[SequenceId] = set()
    for sequence in np.unique(rows.sequence).tolist():
        while sequence not in found:
            found.add(sequence)
            if rows.sequences.length[sequence]:
                sequence = rows.sequences.rest[sequence]
    return tuple(sorted(found))


def describe_residue(
    rows: Rows,
    verdicts: Verdicts,
    states_after: Callable[[Event], NDArray[np.intp]],
    boundaries: Boundaries,
    terminals: tuple[str, ...],
) -> dict[str, Any]:
    """Return how many rows depend on the stack, over all (source, state on top) pairs.

    Args:
        rows: the rows.
        verdicts: the answers for their sequences.
        states_after: event → the states that can be on top when it has happened.
        boundaries: of the grammar.
        terminals: their names.
    """
    classes = verdicts.class_of[np.searchsorted(verdicts.sequences, rows.sequence)]
    flags = verdicts.flags
    counts: list[int] = []
    moves: list[int] = []
    asked = np.array(
        [event.terminal if length else -1 for event, length in _first_events(rows)], dtype=np.int64
    )[rows.sequence]
    blamed: Counter[SequenceId] = Counter()
    bounds = np.searchsorted(rows.source, np.arange(rows.n_states, rows.n_sources + 1))
    for low, high in zip(bounds.tolist(), bounds[1:].tolist(), strict=False):
        depending = np.zeros(flags.shape[1], dtype=np.int64)
        possible = np.zeros(flags.shape[1], dtype=np.bool_)
        terminals_asked: dict[int, NDArray[np.bool_]] = {}
        for first in np.unique(rows.first[low:high]).tolist():
            here = np.flatnonzero(rows.first[low:high] == first) + low
            states = states_after(rows.events[first])
            depends = flags[np.ix_(classes[here], states)] == DEPENDS
            depending[states] += depends.sum(axis=0)
            possible[states] = True
            for terminal in np.unique(asked[here]).tolist():
                any_row = depends[asked[here] == terminal].any(axis=0)
                place = terminals_asked.setdefault(terminal, np.zeros_like(possible))
                place[states] |= any_row
            numbers = rows.sequence[here].tolist()
            for sequence, n in zip(numbers, depends.sum(axis=1).tolist(), strict=True):
                blamed[sequence] += n
        counts += depending[possible].tolist()
        each = np.array(list(terminals_asked.values())).reshape(-1, len(possible))
        moves += each.sum(axis=0)[possible].tolist()
    curve = percentiles(counts)
    worst = sorted(blamed.items(), key=lambda item: (-item[1], item[0]))[:MAX_EXAMPLES]
    questions = percentiles(moves)
    return {
        "pairs": len(counts),
        "median": curve[50],
        "p90": curve[90],
        "p99": curve[99],
        "max": curve[100],
        "per_pair": curve,
        # Rows that wait for one terminal are answered by one move of the parser.
        "moves": {"median": questions[50], "p99": questions[99], "max": questions[100]},
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


def format_sequence(
    rows: Rows, sequence: SequenceId, boundaries: Boundaries, terminals: tuple[str, ...]
) -> list[str]:
    """Return the names of a sequence's terminals, and at the end what stays open."""
    sequences, names = rows.sequences, []
    while sequences.length[sequence]:
        names.append(_name(sequences.event[sequence].terminal, terminals))
        sequence = sequences.rest[sequence]
    open_lexeme, _ = sequences.open_lexeme(sequence)
    if open_lexeme.direct == boundaries.everything:
        return [*names, "open: anything"]
    terminal_of = {
        lookahead: t for t, lookaheads in boundaries.of_terminal.items() for lookahead in lookaheads
    }
    opened = sorted({terminals[terminal_of[n]] for n in terminal_of if open_lexeme.direct >> n & 1})
    opened += ["an ignored lexeme"] if open_lexeme.ignored else []
    opened += ["a newline"] if open_lexeme.newlines else []
    return [*names, "open: " + " | ".join(opened)]


def _first_events(rows: Rows) -> list[tuple[Event, int]]:
    return list(zip(rows.sequences.event, rows.sequences.length, strict=True))


def _explain(rows: Rows, sequence: SequenceId, terminals: tuple[str, ...]) -> str:
    if not rows.sequences.length[sequence]:
        return "the columns of the open blocks decide where a newline may end"
    names = []
    while rows.sequences.length[sequence]:
        names.append(_name(rows.sequences.event[sequence].terminal, terminals))
        sequence = rows.sequences.rest[sequence]
    return f"{' '.join(names)} uncovers states further down the stack, and they decide"


def _name(terminal: int, terminals: tuple[str, ...]) -> str:
    return terminals[terminal] if terminal >= 0 else "an ignored lexeme"
