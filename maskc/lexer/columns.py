r"""The columns at which an open newline lexeme can still end.

An ``Indenter`` counts the blanks and tabs after the last line break of a newline lexeme. While
such a lexeme is open, a line break may still follow (the count starts again), or more
blanks (it grows). Whether a DEDENT to a column of the stack is still possible is therefore a
question about the scanner: which counts do the bytes from here to an end of the lexeme allow?

For each scanner state inside a newline lexeme, and each boundary it may end at, we give two sets
of numbers: ``reset``, the columns reachable over a line break, and ``more``, the increments
reachable without one. The states reachable with exactly ``k`` columns follow from those with
``k - 1`` (a blank) and ``k - tab_len`` (a tab), so both sets repeat with a period from some
number on, and are stored up to the end of their first period.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maskc.errors import LimitError
from maskc.grammar import LexerSpec
from maskc.grammar.sets import find_reachable
from maskc.ids import DEAD, NO_COLUMNS, ColumnsId
from maskc.lexer import Scanner
from maskc.regular.partition import Predecessors, find_coaccessible

MAX_COLUMNS = 4096


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """For 0, 1, 2, … columns, the boundaries reachable; the end of each row repeats."""

    # reset, more: boundaries by number of columns
    reset: tuple[frozenset[int], ...]
    more: tuple[frozenset[int], ...]
    # reset_period, more_period: how many columns at the end repeat
    reset_period: int
    more_period: int


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """Columns of all states."""

    distinct: tuple[ColumnSets, ...]  # the different column sets
    of_state: tuple[int, ...]  # scanner state → its column sets, NO_COLUMNS outside newline lexemes

    def is_free(self, sets: int, boundary: int) -> bool:
        """Return whether a line break may still come, and then every column."""
        return all(boundary in reached for reached in self.distinct[sets].reset)


def build_columns(lexer: LexerSpec, scanner: Scanner) -> ColumnTable:
    """Return the columns of all states; there are none without indentation.

    Raises:
        LimitError: the columns do not repeat within ``MAX_COLUMNS``.
    """
    layout = lexer.layout
    if layout is None:
        return ColumnTable((), (NO_COLUMNS,) * scanner.n_states)
    number: dict[ColumnSets, int] = {}
    of_state = [NO_COLUMNS] * scanner.n_states
    line_break = int(scanner.byte_class[10])
    for state in sorted(_newline_states(scanner, layout.newline)):
        reached = _closure(scanner, {state}, range(256))
        after_break = {int(scanner.next[q, line_break]) for q in reached} - {DEAD}
        reset, reset_period = _series(scanner, layout.newline, layout.tab_len, after_break)
        more, more_period = _series(scanner, layout.newline, layout.tab_len, {state})
        sets = ColumnSets(reset, more, reset_period, more_period)
        of_state[state] = ColumnsId(number.setdefault(sets, len(number)))
    return ColumnTable(tuple(number), tuple(of_state))


def _newline_states(scanner: Scanner, newline: int) -> frozenset[int]:
    found = np.array([any(t == newline for t, _ in ends) for ends in scanner.ends])
    reached = find_coaccessible(Predecessors(scanner.next), found)
    return frozenset(np.flatnonzero(reached).tolist())


_WIDTHLESS = [b for b in range(256) if b not in (9, 10, 32)]


def _closure(scanner: Scanner, states: set[int], bytes_: range | list[int]) -> set[int]:
    classes = sorted({int(scanner.byte_class[b]) for b in bytes_})
    moves = scanner.next[:, classes]
    return find_reachable(states, lambda state: set(moves[state].tolist()) - {DEAD})


def _series(
    scanner: Scanner, newline: int, tab_len: int, start: set[int]
) -> tuple[tuple[frozenset[int], ...], int]:
    """Return the boundaries reachable with 0, 1, … columns, and the length of the period."""
    blank, tab = int(scanner.byte_class[32]), int(scanner.byte_class[9])
    sets: list[frozenset[int]] = []
    seen: dict[tuple[frozenset[int], ...], int] = {}
    while len(sets) < MAX_COLUMNS:
        k = len(sets)
        here = set(start) if k == 0 else set()
        if k >= 1:
            here |= {int(scanner.next[q, blank]) for q in sets[k - 1]}
        if k >= tab_len:
            here |= {int(scanner.next[q, tab]) for q in sets[k - tab_len]}
        sets.append(frozenset(_closure(scanner, here - {DEAD}, _WIDTHLESS)))
        if k + 1 >= tab_len:
            window = tuple(sets[k + 1 - tab_len :])
            if window in seen:
                row = tuple(
                    frozenset(b for q in states for t, b in scanner.ends[q] if t == newline)
                    for states in sets
                )
                return row, k - seen[window]
            seen[window] = k
    raise LimitError(
        "columns of a newline terminal", MAX_COLUMNS, "write it as /(\\r?\\n[\\t ]*)+/"
    )
