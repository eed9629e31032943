"""Which terminals can stand one after the other inside of one token?

Where no token has the last byte of a lexeme and the first byte of the next one side by side, a
token ends between the two. That says how many tokens a text needs at least, whatever its lexemes
are. Bytes are taken in the classes that the scanner tells apart, and lexemes that are ignored count
as one more terminal, since blanks can begin a token that the next lexeme goes on.

Example: no token of llama3 has a letter and an opening bracket after it, so in Python a token ends
after the name of each function that is called; but many have a closing bracket and a colon.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.pieces import read_rows
from maskc.ids import DEAD, IGNORED, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.ending.grammar.least import NEVER, Costs
from maskc.runtime.lalr.machine import LalrMachine

_MOST_CLASSES = 40


class Joins:
    """How many tokens have to end between two terminals.

    Args:
        machine: of the grammar.
        texts: of all tokens.

    Attributes:
        class_of: terminal → its class: those of one class join with the same.
        ends: int16[n_classes + 1, n_classes], how many tokens end between a terminal of a class
            and one of another, ``NEVER`` if they never follow each other; the last row is of the
            place between two tokens.
    """

    def __init__(self, machine: LalrMachine, texts: Iterable[bytes]) -> None:
        ends = _count_ends(machine, _list_neighbours(machine, texts))
        both = np.concatenate([ends, ends.T], axis=1)
        rows, self.class_of = _unique_rows(both)
        kept = ends[np.ix_(rows, rows)]
        if len(rows) > _MOST_CLASSES:
            # Products of large matrices take long: what any two cost is true of all.
            rows, self.class_of = rows[:1], [0] * len(ends)
            kept = ends.min(keepdims=True)
        self.ends: Costs = np.concatenate([kept, np.ones((1, len(rows)), dtype=np.int16)])


def list_terminals(machine: LalrMachine, number: OpenLexemeId) -> list[TerminalId]:
    """Return what an open lexeme may become, ``IGNORED`` at last if it may be ignored."""
    lexeme = machine.lookaheads.open_lexeme(number)
    of_terminal = enumerate(machine.lookaheads.of_terminal)
    found = [TerminalId(t) for t, bits in of_terminal if bits & lexeme.direct]
    if lexeme.newlines:
        found.append(machine.lexemes.newline)
    if lexeme.ignored:
        found.append(IGNORED)
    return found


def _unique_rows(table: Costs) -> tuple[list[int], list[int]]:
    """Return one row of each kind, and of each row its kind."""
    _, first, kind = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first.tolist(), kind.reshape(-1).tolist()


def _list_neighbours(machine: LalrMachine, texts: Iterable[bytes]) -> NDArray[np.bool_]:
    """Return bool[n_classes, n_classes], which bytes are side by side in some token."""
    longer = [text for text in texts if len(text) > 1]
    classes = np.frombuffer(machine.scanner.byte_classes, dtype=np.uint8)
    n_classes = int(classes.max()) + 1
    found = np.zeros((n_classes, n_classes), dtype=np.bool_)
    together = classes[np.frombuffer(b"".join(longer), dtype=np.uint8)]
    stops = np.cumsum([len(text) for text in longer], dtype=np.int64)
    inside = np.ones(len(together), dtype=np.bool_)
    inside[stops - 1] = False
    at = np.flatnonzero(inside)
    found[together[at], together[at + 1]] = True
    return found


def _count_ends(machine: LalrMachine, neighbours: NDArray[np.bool_]) -> Costs:
    """Return int16[n_terminals, n_terminals], how many tokens end between two terminals."""
    scanner = machine.scanner
    last = _list_last_bytes(machine, len(neighbours))
    first = _list_first_bytes(machine, len(neighbours))
    # What is ignored comes last.
    n = len(machine.lookaheads.of_terminal) + 1
    ends = np.full((n, n), NEVER, dtype=np.int16)
    pairs: dict[tuple[int, int], NDArray[np.bool_]] = {}
    for state in map(ScannerStateId, range(scanner.n_states)):
        for pair in scanner.ends(state):
            over = pairs.setdefault(pair, np.zeros(len(neighbours), dtype=np.bool_))
            over |= last[state]
    for (terminal, boundary), over in pairs.items():
        follows = first[boundary]
        joined = neighbours[over].any(axis=0)
        row = np.full(n, NEVER, dtype=np.int16)
        row[follows.any(axis=0)] = 1
        row[follows[joined].any(axis=0)] = 0
        if terminal != IGNORED:
            ends[terminal] = np.minimum(ends[terminal], row)
        # Between brackets a newline is ignored.
        if terminal in (IGNORED, machine.lexemes.newline):
            ends[-1] = np.minimum(ends[-1], row)
    through = ends[:, -1:] + ends[-1:, :]
    found: Costs = np.minimum(np.minimum(ends, through), NEVER)[:-1, :-1]
    return found


def _list_last_bytes(machine: LalrMachine, n_classes: int) -> NDArray[np.bool_]:
    """Return bool[n_states, n_classes], the bytes over which a scanner state is entered."""
    arrays = machine.scanner.arrays
    found = np.zeros((machine.scanner.n_states, n_classes), dtype=np.bool_)
    for table in (read_rows(arrays, "scanner_next"), read_rows(arrays, "scanner_entries")):
        rows, classes = np.nonzero(table)
        found[table[rows, classes], classes] = True
    return found


def _list_first_bytes(machine: LalrMachine, n_classes: int) -> list[NDArray[np.bool_]]:
    """Return of each boundary bool[n_classes, n_terminals + 1], with which byte a lexeme begins."""
    arrays, of_terminal = machine.scanner.arrays, machine.lookaheads.of_terminal
    becomes: dict[int, list[int]] = {}

    def list_columns(state: int) -> list[int]:
        """Return the columns of what the lexeme that is open in a state may become."""
        number = machine.scanner.open_lexeme_of[state]
        known = becomes.get(number)
        if known is None:
            terminals = list_terminals(machine, number)
            known = [len(of_terminal) if t == IGNORED else t for t in terminals]
            # Between brackets a newline is ignored.
            if machine.lookaheads.open_lexeme(number).newlines:
                known.append(len(of_terminal))
            becomes[number] = known
        return known

    found, rows = [], read_rows(arrays, "scanner_entries")
    for row in arrays["scanner_enter"]:
        table = np.zeros((n_classes, len(of_terminal) + 1), dtype=np.bool_)
        entries = rows[np.unique(row)]
        _, classes = np.nonzero(entries)
        entered = entries[entries != DEAD].astype(np.int64)
        for key in np.unique(classes * len(machine.scanner.open_lexeme_of) + entered).tolist():
            byte_class, state = divmod(key, len(machine.scanner.open_lexeme_of))
            table[byte_class, list_columns(state)] = True
        found.append(table)
    return found
