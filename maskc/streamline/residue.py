"""How many rows are left to ask about on the stack at hand?

The *residue*: for each source after an end of a lexeme, and each refined state that can be on top
there, the rows that depend on the stack below. Rows that wait for one terminal are answered by one
move of the parser; so the moves are counted, too, and the sequences that are to blame are shown.

Example: after `(` in a grammar of brackets, the row of `a)` is decided by the state on top, and
that of `a))` depends on what is below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.ids import IGNORED, SequenceId
from maskc.lexer.boundaries import Boundaries
from maskc.pushdown.decisions import DEPENDS
from maskc.store.sequences import Event
from maskc.streamline.counting import percentiles
from maskc.streamline.lalr_state import States, Verdicts
from maskc.streamline.model import Rows

MAX_EXAMPLES = 12


@dataclass(slots=True, eq=False)
class _Residue:
    """What has been counted so far.

    Attributes:
        rows: for each (source, state on top), how many rows depend on the stack.
        moves: likewise, how many terminals they wait for.
        blamed: sequence → how many (source, state on top) pairs have a row of it that depends.
    """

    rows: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    blamed: Counter[SequenceId] = field(default_factory=Counter)


def describe_residue(
    rows: Rows,
    verdicts: Verdicts,
    states_after: Callable[[Event], States],
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
    residue = _count_residue(rows, verdicts, states_after)
    worst = sorted(residue.blamed.items(), key=lambda item: (-item[1], item[0]))[:MAX_EXAMPLES]
    curve, moves = percentiles(residue.rows), percentiles(residue.moves)
    return {
        "pairs": len(residue.rows),
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


def _count_residue(
    rows: Rows, verdicts: Verdicts, states_after: Callable[[Event], States]
) -> _Residue:
    sequences = rows.sequences
    classes = verdicts.class_of[np.searchsorted(verdicts.sequences, rows.sequence)]
    # What waits for no terminal reads the same as what begins with an ignored lexeme.
    first_terminals = [
        event.terminal if length else IGNORED
        for event, length in zip(sequences.event, sequences.length, strict=True)
    ]
    asked = np.array(first_terminals, dtype=np.int64)[rows.sequence]
    residue = _Residue()
    bounds = np.searchsorted(rows.source, np.arange(rows.n_states, rows.n_sources + 1))
    for low, high in zip(bounds.tolist(), bounds[1:].tolist(), strict=False):
        here = slice(low, high)
        _count_source(rows, here, classes[here], asked[here], verdicts.flags, states_after, residue)
    return residue


def _count_source(
    rows: Rows,
    here: slice,
    classes: NDArray[np.int32],
    asked: NDArray[np.int64],
    flags: NDArray[np.uint8],
    states_after: Callable[[Event], States],
    residue: _Residue,
) -> None:
    """Count the rows of one source.

    Args:
        rows: all rows.
        here: which of them are the source's.
        classes: of these, the class of the verdict.
        asked: of these, the first terminal of the sequence.
        flags: uint8[n_classes, n_states], the verdicts.
        states_after: event → the states that can be on top when it has happened.
        residue: where they are counted.
    """
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
            residue.blamed[sequence] += n
    residue.rows += depending[possible].tolist()
    each = np.array(list(waiting_for.values())).reshape(-1, n_states)
    residue.moves += each.sum(axis=0)[possible].tolist()


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
