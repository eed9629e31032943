"""Short lexemes: bytes that end an open lexeme as a terminal, or write a whole one.

Distances to the ends of each terminal are found backwards through the scanner's states, a level at
a time; a lexeme then goes wherever the distance falls.

Example: after ``sel`` the bytes ``ect`` end the keyword, and none are needed for a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.sections import read_rows
from maskc.ids import DEAD, IGNORED, BoundaryId, ContextId, ScannerStateId, TerminalId
from maskc.levels import spread
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

_MOST_BYTES: Final = 30_000  # of a lexeme; one that takes more counts as one that never ends
# In this order bytes stand for all that the scanner does not tell from them.
_ORDER: Final = b"a0 \n" + bytes(range(0x21, 0x7F)) + b"\t\r"
_RANK: Final = {byte: at for at, byte in reversed(list(enumerate(_ORDER)))}


class ShortLexemes:
    """The short lexemes of one scanner, of bytes that tokens write."""

    def __init__(self, scanner: ScannerTables, written: bytes) -> None:
        self._scanner = scanner
        self._byte_of: dict[int, int] = {}  # byte class → the byte that stands for it
        for byte in sorted(written, key=_rank):
            self._byte_of.setdefault(scanner.byte_classes[byte], byte)
        table = read_rows(scanner.arrays, "scanner_next")
        table[:, [c for c in range(table.shape[1]) if c not in self._byte_of]] = DEAD
        sources, classes = np.nonzero(table)
        edges = np.unique(table[sources, classes].astype(np.int64) * len(table) + sources)
        targets, self._sources = np.divmod(edges, len(table))
        self._first = np.searchsorted(targets, np.arange(len(table) + 1)).astype(np.int32)
        ends = np.diff(scanner.arrays["end_first"])
        self._end_state = np.repeat(np.arange(len(ends)), ends)
        self._end_terminal = np.asarray(scanner.arrays["end_terminal"])[: len(self._end_state)]
        self._entered = np.unique(read_rows(scanner.arrays, "scanner_entries"))
        self._distances: dict[int, Any] = {}
        self._rests: dict[tuple[int, int], tuple[bytes, ScannerStateId]] = {}
        self._words: dict[tuple[int, int, int], tuple[bytes, ScannerStateId] | None] = {}

    def distance(self, terminal: TerminalId) -> Any:
        """Return of each state the bytes to where a lexeme may end as a terminal; -1: never."""
        known = self._distances.get(terminal)
        if known is None:
            found: NDArray[np.int16] = np.full(len(self._first) - 1, -1, dtype=np.int16)
            level = np.unique(self._end_state[self._end_terminal == terminal])
            n_bytes = 0
            while len(level) and n_bytes < _MOST_BYTES:
                charge_vector_steps(len(level) + 100)
                found[level] = n_bytes
                n_bytes += 1
                _, edges = spread(self._first[level], self._first[level + 1])
                level = np.unique(self._sources[edges])
                level = level[found[level] < 0]
            known = self._distances[terminal] = found.data
        return known

    def shortest(self, terminal: TerminalId) -> int:
        """Return how many bytes a terminal's lexemes have at least; -1: it has none."""
        distance = np.asarray(self.distance(terminal))[self._entered]
        distance = distance[distance >= 0]
        return 1 + int(distance.min()) if len(distance) else -1

    def rest(self, state: ScannerStateId, terminal: TerminalId) -> tuple[bytes, ScannerStateId]:
        """Return the bytes that end an open lexeme as a terminal, and the state then."""
        known = self._rests.get((state, terminal))
        if known is None:
            distance, found, here = self.distance(terminal), bytearray(), state
            while distance[here] > 0:
                _, _, byte, here = min(self._list_moves(self._scanner.next(here), distance))
                found.append(byte)
            known = self._rests[state, terminal] = (bytes(found), here)
        return known

    def word(
        self, boundary: BoundaryId, context: ContextId, terminal: TerminalId
    ) -> tuple[bytes, ScannerStateId] | None:
        """Return a short lexeme after a boundary, and the state then; ``None``: there is none."""
        key = (boundary, context, terminal)
        if key not in self._words:
            row = self._scanner.entry(boundary, context)
            self._words[key] = None
            begun = self._list_moves(row, self.distance(terminal))
            if begun:
                _, _, byte, state = min(begun)
                rest, end = self.rest(state, terminal)
                self._words[key] = (bytes([byte]) + rest, end)
        return self._words[key]

    def _list_moves(
        self, row: Sequence[ScannerStateId], distance: Any
    ) -> list[tuple[int, int, int, ScannerStateId]]:
        """Return the distances of states in a row, with rank and value of the byte to each."""
        charge_steps(1 + len(row) // 16)
        reached = ((row[c], byte) for c, byte in self._byte_of.items() if row[c] != DEAD)
        return [(distance[s], _rank(b), b, s) for s, b in reached if distance[s] >= 0]

    def words(
        self, state: ScannerStateId, ended: TerminalId, context: ContextId, terminal: TerminalId
    ) -> list[bytes]:
        """Return short lexemes after one that has ended, with what is ignored before them."""
        found: dict[bytes, None] = {}
        spaced: dict[bytes, None] = {}
        for first, boundary in self._scanner.ends(state):
            if first == ended:
                word = self.word(boundary, context, terminal)
                if word is not None:
                    found[word[0]] = None
                blank = self.word(boundary, context, IGNORED)
                for again, between in () if blank is None else self._scanner.ends(blank[1]):
                    after = self.word(between, context, terminal) if again == IGNORED else None
                    if blank is not None and after is not None:
                        spaced[blank[0] + after[0]] = None
        return [*found, *spaced]

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_words = len(self._rests) + len(self._words)
        return 300 * n_words + 2 * len(self._first) * len(self._distances)


def _rank(byte: int) -> int:
    return _RANK.get(byte, 256)
