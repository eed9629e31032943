"""The scanner: moves the open lexeme by a byte, tells where it may end, and what may come then.

The arrays of an artifact's scanner as Python numbers. Loading must take milliseconds, so a row
becomes a list when it is first asked for, and stays one. Every method returns a shared object that
must not be changed.

A *lookahead* is a terminal together with what the scanner has already promised about the lexeme
after it; where nothing is promised it is the terminal alone. A text can go on iff the set of
lookaheads that can still be lexed and the set that the parser takes have one in common. Both are
bit sets, as Python ints.

Example: of ``/[a-z]+/`` and ``"+"``, an ``a`` leads from the start into a state in which another
``a`` goes on (a state above 0), ``+`` ends the lexeme (``ENDS``), and ``?`` is taken by no
terminal (``DEAD``). Inside an open string of json, ``direct`` holds the lookahead of STRING. After
``[`` the parser takes it, so the string can go on; after ``[1`` it does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.ids import (
    ENDS,
    FORKS,
    NO_COLUMNS,
    BoundaryId,
    ColumnsId,
    ContextId,
    LayoutContextId,
    OpenLexemeId,
    ScannerStateId,
    TerminalId,
)

# A ``memoryview``: its numbers are ids of whatever the array holds.
Numbers = Any

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


class OpenLexeme:
    """What the open lexeme may still become. Never changes."""

    __slots__ = ("columns", "direct", "ignored", "newlines")

    def __init__(
        self,
        direct: int,
        ignored: tuple[BoundaryId, ...],
        newlines: tuple[BoundaryId, ...],
        columns: ColumnsId,
    ) -> None:
        self.direct = direct  # the lookaheads that it may become, as a bit set
        self.ignored = ignored  # the boundaries after it, if it may become a lexeme that is ignored
        # the boundaries after it, if it may become a newline that counts columns
        self.newlines = newlines
        self.columns = columns  # number of the columns that such a newline may reach, or NO_COLUMNS


class Lookaheads:
    """The sets of lookaheads of one artifact, as ints that are made when first asked for."""

    def __init__(self, contents: Contents) -> None:
        self._arrays = arrays = contents.arrays
        # the lookahead of the end of the text, as a bit set
        self.end = 1 << int(contents.header["end_lookahead"])
        # terminal → all lookaheads that have it
        self.of_terminal = to_bit_sets(arrays["terminal_lookaheads"])
        self._counts_columns = "final_columns" in arrays  # not of a general grammar
        self._open_lexemes: dict[OpenLexemeId, OpenLexeme] = {}
        self._after: dict[tuple[BoundaryId, LayoutContextId], int] = {}
        self._possible: dict[tuple[OpenLexemeId, LayoutContextId], int] = {}

    def open_lexeme(self, number: OpenLexemeId) -> OpenLexeme:
        """Return what an open lexeme may become, by number of a scanner state's or a check's."""
        found = self._open_lexemes.get(number)
        if found is None:
            newlines: tuple[BoundaryId, ...] = ()
            columns = NO_COLUMNS
            if self._counts_columns:
                newlines = self._slice(number, "final_newline_first", "final_newline")
                columns = ColumnsId(int(self._arrays["final_columns"][number]))
            found = self._open_lexemes[number] = OpenLexeme(
                _to_bit_set(self._arrays["final_direct"][number]),
                self._slice(number, "final_ignored_first", "final_ignored"),
                newlines,
                columns,
            )
        return found

    def possible(self, number: OpenLexemeId, layout_context: LayoutContextId) -> int:
        """Return the lookaheads that an open lexeme may become, or that may follow it if ignored.

        A newline that counts columns is not among them.
        """
        key = (number, layout_context)
        found = self._possible.get(key)
        if found is None:
            lexeme = self.open_lexeme(number)
            found = lexeme.direct
            for boundary in lexeme.ignored:
                found |= self.after(boundary, layout_context)
            self._possible[key] = found
        return found

    def after(self, boundary: BoundaryId, layout_context: LayoutContextId) -> int:
        """Return the lookaheads that can be lexed after a boundary, as a bit set.

        Args:
            boundary: what the scanner knows there.
            layout_context: the lexer's context, and whether it is between brackets, as a number.
        """
        key = (boundary, layout_context)
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = _to_bit_set(
                self._arrays["rest_set"][self._arrays["rest"][key]]
            )
        return found

    def _slice(self, number: OpenLexemeId, first: str, values: str) -> tuple[BoundaryId, ...]:
        low, high = self._arrays[first][number : number + 2].tolist()
        return tuple(self._arrays[values][low:high].tolist())


def to_bit_sets(rows: NDArray[np.uint64]) -> list[int]:
    """Return each row of uint64[n, n_words] as an int; bit ``i`` is bit ``i % 64`` of word i // 64.

    >>> to_bit_sets(np.array([[1, 0], [0, 1]], dtype=np.uint64)) == [1, 1 << 64]
    True
    """
    data, width = rows.astype("<u8").tobytes(), 8 * rows.shape[1]
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def _to_bit_set(words: NDArray[np.uint64]) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def view_numbers(array: NDArray[Any]) -> Numbers:
    """Return an array's numbers as Python has them, by index and by slice: a view, not a copy.

    To take one number, or a few, out of a NumPy array takes ten times as long as out of a list, and
    to make lists of all arrays would be most of loading. A view is as quick as a list.

    >>> numbers = view_numbers(np.array([3, 5, 8], dtype=np.int32))
    >>> numbers[1], numbers[1:].tolist()
    (5, [5, 8])
    """
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).data
