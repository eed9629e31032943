"""An artifact's arrays in the form that the byte-by-byte machine reads fastest.

Loading must cost milliseconds, so nothing is converted up front: a row becomes a Python
list, dict or int when it is first asked for, and stays one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents

# What a byte does to an open lexeme, where it does not just go on in a state above 0.
ENDS = -1  # it ends the lexeme
FORKS = -2  # it may end the lexeme and may also go on with it


class Layout:
    """Terminals and settings of the indentation, from the header."""

    __slots__ = ("closes", "dedent", "dedent_at_end", "indent", "newline", "opens", "tab_len")

    def __init__(self, header: dict[str, Any]) -> None:
        self.newline: int = header["newline"]
        self.indent: int = header["indent"]
        self.dedent: int = header["dedent"]
        self.opens = frozenset(header["opens"])
        self.closes = frozenset(header["closes"])
        self.tab_len: int = header["tab_len"]
        self.dedent_at_end = 1 << int(header["dedent_at_end"])


class Tables:
    """Rows by number; every method returns a shared object that must not be changed.

    Attributes:
        live: refined state → the lookaheads, as a bit set, that a stack with this top can go on
            with.
        members: each byte class with its bytes, ascending.
        may_end: terminals behind which some stack lets the text end.
    """

    def __init__(self, contents: Contents) -> None:
        header, arrays = contents.header, contents.arrays
        self._arrays = arrays
        self.n_states = len(arrays["scanner_next"])
        self.scanner_start: int = header["scanner_start"]
        self.end_bit = 1 << int(header["end_lookahead"])
        self.layout = Layout(header["layout"]) if header["layout"] else None
        self.classes = arrays["byte_class"].tobytes()
        members: dict[int, bytearray] = {}
        for byte, byte_class in enumerate(self.classes):
            members.setdefault(byte_class, bytearray()).append(byte)
        self.members = tuple(sorted((c, bytes(found)) for c, found in members.items()))
        self.context_of_lalr: list[int] = arrays["lalr_context"].tolist()
        self.live: list[int] = _to_ints(arrays["live"])
        self.lalr_state: list[int] = arrays["lalr_state"].tolist()
        self.enclosed: list[int] = arrays["enclosed"].tolist()
        # Between brackets, the second half of the columns of ``rest``.
        self._n_contexts: int = arrays["scanner_enter"].shape[1]
        self.production_lhs: list[int] = arrays["production_lhs"].tolist()
        self.production_length: list[int] = arrays["production_length"].tolist()
        self.final_of: list[int] = arrays["scanner_final"].tolist()
        self.end_of_text: list[int] = arrays["scanner_end_of_text"].tolist()
        self.may_end = self._find_ends(arrays)
        self.terminal_looks = _to_ints(arrays["terminal_lookaheads"])
        self.indent_bit = [1 << n if n >= 0 else 0 for n in arrays["indent_lookahead"].tolist()]
        self.dedent_bit = [1 << n if n >= 0 else 0 for n in arrays["dedent_lookahead"].tolist()]
        n_refined = len(self.lalr_state)
        self.has_column: list[bool] = (
            arrays["final_columns"][arrays["scanner_final"]] >= 0
        ).tolist()
        self._next: list[list[int] | None] = [None] * self.n_states
        self._moves: list[list[int] | None] = [None] * self.n_states
        self._entry: list[list[int] | None] = [None] * len(arrays["scanner_entries"])
        self._enter: list[list[int] | None] = [None] * len(arrays["scanner_enter"])
        self._ends: list[tuple[tuple[int, int], ...] | None] = [None] * self.n_states
        self._shift_first: list[int] = arrays["shift_first"].tolist()
        self._shift_terminal: list[int] = arrays["shift_terminal"].tolist()
        self._shift_state: list[int] = arrays["shift_state"].tolist()
        self._reduce_first: list[int] = arrays["reduce_first"].tolist()
        self._reduce_production: list[int] = arrays["reduce_production"].tolist()
        self._goto_first: list[int] = arrays["goto_first"].tolist()
        self._goto_nonterminal: list[int] = arrays["goto_nonterminal"].tolist()
        self._goto_state: list[int] = arrays["goto_state"].tolist()
        self._shifts: list[dict[int, int] | None] = [None] * n_refined
        self._gotos: list[dict[int, int] | None] = [None] * n_refined
        self._reduces: list[dict[int, int] | None] = [None] * len(self.context_of_lalr)
        self._finals: dict[int, tuple[int, tuple[int, ...], tuple[int, ...], int]] = {}
        self._rests: dict[tuple[int, int], int] = {}

    def next(self, state: int) -> list[int]:
        """Return the scanner's next state by byte class; 0 is dead."""
        row = self._next[state]
        if row is None:
            row = self._next[state] = self._arrays["scanner_next"][state].tolist()
        return row

    def moves(self, state: int) -> list[int]:
        """Return by byte class: the next state, or ``DEAD``, ``ENDS`` or ``FORKS``."""
        row = self._moves[state]
        if row is None:
            following = self._arrays["scanner_next"][state].astype(np.int32)
            may_enter = np.zeros(len(following), dtype=np.bool_)
            for _, boundary in self.ends(state):
                entries = np.unique(self._arrays["scanner_enter"][boundary])
                may_enter |= self._arrays["scanner_entries"][entries].any(axis=0)
            codes = np.where(may_enter, np.where(following > 0, FORKS, ENDS), following)
            row = self._moves[state] = codes.tolist()
        return row

    def ends(self, state: int) -> tuple[tuple[int, int], ...]:
        """Return what the open lexeme may end with: (terminal, boundary)."""
        found = self._ends[state]
        if found is None:
            low, high = self._arrays["end_first"][state : state + 2].tolist()
            found = self._ends[state] = tuple(
                zip(
                    self._arrays["end_terminal"][low:high].tolist(),
                    self._arrays["end_boundary"][low:high].tolist(),
                    strict=True,
                )
            )
        return found

    def entry(self, boundary: int, context: int) -> list[int]:
        """Return the scanner state behind the first byte of the next lexeme, by byte class."""
        rows = self._enter[boundary]
        if rows is None:
            rows = self._enter[boundary] = self._arrays["scanner_enter"][boundary].tolist()
        number = rows[context]
        row = self._entry[number]
        if row is None:
            row = self._entry[number] = self._arrays["scanner_entries"][number].tolist()
        return row

    def context(self, state: int) -> int:
        """Return the lexer context of a refined state."""
        return self.context_of_lalr[self.lalr_state[state]]

    def shifts(self, state: int) -> dict[int, int]:
        """Return terminal → refined state."""
        row = self._shifts[state]
        if row is None:
            low, high = self._shift_first[state : state + 2]
            row = self._shifts[state] = dict(
                zip(self._shift_terminal[low:high], self._shift_state[low:high], strict=True)
            )
        return row

    def gotos(self, state: int) -> dict[int, int]:
        """Return nonterminal → refined state."""
        row = self._gotos[state]
        if row is None:
            low, high = self._goto_first[state : state + 2]
            row = self._gotos[state] = dict(
                zip(self._goto_nonterminal[low:high], self._goto_state[low:high], strict=True)
            )
        return row

    def reduces(self, lalr_state: int) -> dict[int, int]:
        """Return terminal → production."""
        row = self._reduces[lalr_state]
        if row is None:
            low, high = self._reduce_first[lalr_state : lalr_state + 2]
            sets = self._arrays["reduce_set"][low:high].tolist()
            row = self._reduces[lalr_state] = {
                terminal: production
                for production, number in zip(self._reduce_production[low:high], sets, strict=True)
                for terminal in self._slice(number, "reduce_set_first", "reduce_set_terminal")
            }
        return row

    def final(self, number: int) -> tuple[int, tuple[int, ...], tuple[int, ...], int]:
        """Return (direct lookaheads, ignored boundaries, newline boundaries, column sets)."""
        found = self._finals.get(number)
        if found is None:
            found = self._finals[number] = (
                _to_int(self._arrays["final_direct"][number]),
                self._slice(number, "final_ignored_first", "final_ignored"),
                self._slice(number, "final_newline_first", "final_newline"),
                int(self._arrays["final_columns"][number]),
            )
        return found

    def rest(self, boundary: int, state: int) -> int:
        """Return the lookaheads that can be lexed behind a boundary, by the stack's top."""
        key = (boundary, self.context(state) + self._n_contexts * self.enclosed[state])
        found = self._rests.get(key)
        if found is None:
            found = self._rests[key] = _to_int(self._arrays["rest"][key])
        return found

    def can_reach_column(self, sets: int, boundary: int, column: int, *, fresh: bool) -> bool:
        """Return whether an open newline lexeme can still end at a column.

        Args:
            sets: its column sets.
            boundary: the boundary that it ends with.
            column: a column (fresh) or an increment of the present one.
            fresh: over another line break, or without one.
        """
        low, high = self._arrays["column_first"][sets : sets + 2].tolist()
        if column >= high - low:
            period = int(self._arrays["column_period"][sets, 0 if fresh else 1])
            column = high - low - period + (column - (high - low)) % period
        name = "column_reset" if fresh else "column_more"
        return bool(self._arrays[name][low + column, boundary])

    def can_exceed_column(self, sets: int, boundary: int, column: int, *, fresh: bool) -> bool:
        """Return whether it can still end beyond a column (or an increment)."""
        low, high = self._arrays["column_first"][sets : sets + 2].tolist()
        period = int(self._arrays["column_period"][sets, 0 if fresh else 1])
        row = self._arrays["column_reset" if fresh else "column_more"][low:high, boundary]
        start = min(column + 1, high - low - period)
        return bool(row[max(start, 0) :].any())

    def _find_ends(self, arrays: Mapping[str, NDArray[Any]]) -> frozenset[int]:
        ends = self.end_bit | (self.layout.dedent_at_end if self.layout else 0)
        taken = zip(arrays["shift_terminal"].tolist(), arrays["shift_state"].tolist(), strict=True)
        return frozenset(terminal for terminal, state in taken if self.live[state] & ends)

    def _slice(self, number: int, first: str, values: str) -> tuple[int, ...]:
        low, high = self._arrays[first][number : number + 2].tolist()
        return tuple(self._arrays[values][low:high].tolist())


def _to_ints(rows: NDArray[np.uint64]) -> list[int]:
    data, width = rows.astype("<u8").tobytes(), 8 * rows.shape[1]
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def _to_int(words: NDArray[np.uint64]) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")
