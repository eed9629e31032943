"""The scanner: moves the open lexeme by a byte, and tells where the lexeme may end.

The arrays of an artifact's scanner as Python lists. Loading must take milliseconds, so a row
becomes a list when it is first asked for, and stays one. Every method returns a shared object that
must not be changed.

Example: of ``/[a-z]+/`` and ``"+"``, an ``a`` leads from the start into a state in which another
``a`` goes on (a state above 0), ``+`` ends the lexeme (``ENDS``), and ``?`` is taken by no
terminal (``DEAD``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.ids import ENDS, FORKS, BoundaryId, ContextId, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.views import view_numbers

# A way in which the open lexeme may end: the terminal that it becomes, or ``IGNORED``, and the
# boundary, which is what the scanner knows there about the next lexeme. A plain tuple:
# bytes that may end a lexeme unpack some, and a named one takes three times as long.
LexemeEnd = tuple[TerminalId, BoundaryId]


class ScannerTables:
    """The scanner of one artifact."""

    def __init__(self, contents: Contents) -> None:
        self.arrays = arrays = contents.arrays
        # the state before the first byte
        self.start: ScannerStateId = contents.header["scanner_start"]
        self.n_states = len(arrays["scanner_next"])  # how many there are; state 0 is dead
        # bytes[256]: byte → its class, as bytes.translate takes it
        self.byte_classes = arrays["byte_class"].tobytes()
        # state → number of what its open lexeme may become
        self.open_lexeme_of: list[OpenLexemeId] = arrays["scanner_final"].tolist()
        # state → the terminal that the open lexeme becomes if the text ends here, or IGNORED,
        # NOT_AN_END or EMPTY_TEXT
        self.end_of_text: list[TerminalId] = arrays["scanner_end_of_text"].tolist()
        self._end_first, self._end_terminal, self._end_boundary = (
            view_numbers(arrays[name]) for name in ("end_first", "end_terminal", "end_boundary")
        )
        self._next: list[list[ScannerStateId] | None] = [None] * self.n_states
        self._moves: list[list[ScannerStateId] | None] = [None] * self.n_states
        self._ends: list[tuple[LexemeEnd, ...] | None] = [None] * self.n_states
        self._piece = arrays["scanner_piece"]
        self._entries: list[list[ScannerStateId] | None] = [None] * len(arrays["scanner_entries"])
        n_boundaries = len(arrays["scanner_enter"])
        self._entered: list[NDArray[np.bool_] | None] = [None] * n_boundaries
        self._entry_numbers: list[list[int] | None] = [None] * n_boundaries

    def next(self, state: ScannerStateId) -> list[ScannerStateId]:
        """Return by byte class the state in which the same lexeme goes on; 0 is dead."""
        row = self._next[state]
        if row is None:
            row = self._next[state] = self._read("scanner_next", state).tolist()
        return row

    def moves(self, state: ScannerStateId) -> list[ScannerStateId]:
        """Return by byte class: the next state, or ``DEAD``, ``ENDS`` or ``FORKS``."""
        row = self._moves[state]
        if row is None:
            following = self._read("scanner_next", state).astype(np.int32)
            may_enter = np.zeros(len(following), dtype=np.bool_)
            for boundary in {boundary for _, boundary in self.ends(state)}:
                may_enter |= self._entered_after(boundary)
            codes = np.where(may_enter, np.where(following > 0, FORKS, ENDS), following)
            row = self._moves[state] = codes.tolist()
        return row

    def _read(self, table: str, row: int) -> NDArray[Any]:
        """Return by byte class where a row of a table leads, from its pieces."""
        found: NDArray[Any] = self._piece[self.arrays[table][row]].reshape(-1)
        return found

    def _entered_after(self, boundary: BoundaryId) -> NDArray[np.bool_]:
        """Return by byte class whether some lexeme begins with it after a boundary."""
        entered = self._entered[boundary]
        if entered is None:
            entries = np.unique(self.arrays["scanner_enter"][boundary])
            rows = self._piece[self.arrays["scanner_entries"][entries]]
            entered = rows.any(axis=0).reshape(-1)
            self._entered[boundary] = entered
        return entered

    def ends(self, state: ScannerStateId) -> tuple[LexemeEnd, ...]:
        """Return the ways in which the open lexeme may end before the next byte."""
        found = self._ends[state]
        if found is None:
            low, high = self._end_first[state : state + 2]
            found = self._ends[state] = tuple(
                zip(self._end_terminal[low:high], self._end_boundary[low:high], strict=True)
            )
        return found

    def entry(self, boundary: BoundaryId, context: ContextId) -> list[ScannerStateId]:
        """Return by byte class the state after the first byte of the next lexeme; 0 is dead.

        Args:
            boundary: what the scanner knows where the last lexeme ended.
            context: number of the set of terminals that the lexer may look for.
        """
        numbers = self._entry_numbers[boundary]
        if numbers is None:
            numbers = self._entry_numbers[boundary] = self.arrays["scanner_enter"][
                boundary
            ].tolist()
        number = numbers[context]
        row = self._entries[number]
        if row is None:
            row = self._entries[number] = self._read("scanner_entries", number).tolist()
        return row


def group_bytes(byte_classes: bytes, *, apart: bytes = b"") -> tuple[bytes, ...]:
    """Return every byte, in groups of one class, ordered by class.

    Args:
        byte_classes: bytes[256], the class of each byte.
        apart: bytes that are each in a group of their own.
    """
    groups: dict[tuple[int, int], bytearray] = {}
    for byte, byte_class in enumerate(byte_classes):
        key = (byte_class, byte if byte in apart else -1)
        groups.setdefault(key, bytearray()).append(byte)
    return tuple(bytes(groups[key]) for key in sorted(groups))
