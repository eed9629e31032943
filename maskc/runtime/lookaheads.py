"""The lookaheads that lead on: after an open lexeme, after a boundary, and on a stack.

A *lookahead* is a terminal together with what the scanner has already promised about the lexeme
after it; where nothing is promised it is the terminal alone. A text can go on iff the set of
lookaheads that can still be lexed and the set that the parser takes have one in common. Both are
bit sets, as Python ints.

Example: inside an open string of json, ``direct`` holds the lookahead of STRING. After ``[`` the
parser takes it, so the string can go on; after ``[1`` it does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.ids import NO_COLUMNS, BoundaryId, ColumnsId, LayoutContextId, OpenLexemeId


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
