"""The lexemes that may become one terminal of an artifact, and where one may begin.

This depends on the scanner alone, not on the words to which the terminal is narrowed, so it is
worked out once for an artifact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.sections import read_rows
from maskc.ids import DEAD, BoundaryId, ScannerStateId, TerminalId
from maskc.runtime.holes.tracks import Automaton
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.step_budget import charge_steps


class TerminalLexemes:
    """The lexemes of one terminal, which the parser takes."""

    def __init__(self, contents: Contents, tables: LalrTables, terminal: TerminalId) -> None:
        arrays = contents.arrays
        self.terminal = terminal  # its number
        ends = _find_ends(arrays, terminal)
        reach = np.asarray(ends.any(axis=1))
        # scanner state → whether it may become the terminal
        self.reach: list[bool] = reach.tolist()
        start = read_rows(arrays, "scanner_next")[int(contents.header["scanner_start"])]
        entries = read_rows(arrays, "scanner_entries")[np.unique(arrays["scanner_enter"])]
        rows = np.concatenate([entries, start[None]]).astype(np.int64)
        rows = np.unique(np.where(reach[rows], rows, DEAD), axis=0)
        rows = rows[rows.any(axis=1)]
        # the ways in which its lexemes may begin: byte class → scanner state, dead for others
        self.rows: list[list[ScannerStateId]] = rows.tolist()
        # of each of these, the boundaries that such lexemes may leave
        self.left: list[list[BoundaryId]] = [
            list(map(BoundaryId, np.flatnonzero(ends[row].any(axis=0)).tolist())) for row in rows
        ]
        # bool[256], the bytes with which they may begin
        self.first_bytes: NDArray[np.bool_] = np.asarray(rows.any(axis=0))[arrays["byte_class"]]
        # What can be lexed after a boundary, in the layout contexts after the terminal.
        reached = np.unique(arrays["shift_state"][arrays["shift_terminal"] == terminal])
        layout_contexts = sorted({tables.layout_context[state] for state in reached.tolist()})
        self._rest = arrays["rest_set"][arrays["rest"][:, layout_contexts]]
        same: dict[bytes, BoundaryId] = {}
        # boundary → the first one after which the same can come, after the terminal
        self.class_of: list[BoundaryId] = [
            same.setdefault(rest.tobytes(), BoundaryId(boundary))
            for boundary, rest in enumerate(self._rest)
        ]
        self._ends = ends
        self._classes: dict[ScannerStateId, frozenset[BoundaryId]] = {}
        self._less: dict[tuple[BoundaryId, BoundaryId], bool] = {}

    def classes_of(self, state: ScannerStateId) -> frozenset[BoundaryId]:
        """Return what the open lexeme may leave as the terminal, one boundary for each class."""
        found = self._classes.get(state)
        if found is None:
            left = np.flatnonzero(self._ends[state]).tolist()
            found = self._classes[state] = frozenset(self.class_of[b] for b in left)
        return found

    def has_words(self, scanner: ScannerTables, automaton: Automaton) -> bool:
        """Return whether some of an automaton's words can stand for the terminal wherever it can.

        Where they can, what the parser can go on with after a whole lexeme is as with all lexemes,
        and only open lexemes have to be looked at. For each way in which a lexeme of the terminal
        can begin, and each boundary that one which begins so can leave, some word has to leave that
        boundary, or one after which nothing less can come. Then each text of the grammar has one
        among the narrowed ones with the same terminals: replace each lexeme by a word that leaves
        no less, and go on from there.

        Example: with NAME narrowed to ``if``, which the grammar has as a keyword, no NAME is left,
        and with no words at all neither; a grammar in which a NAME must come has no texts then.
        """
        rows = zip(self.rows, self.left, strict=True)
        return all(self._leaves_all(scanner, automaton, row, left) for row, left in rows)

    def _leaves_all(
        self,
        scanner: ScannerTables,
        automaton: Automaton,
        row: Sequence[ScannerStateId],
        left: Sequence[BoundaryId],
    ) -> bool:
        """Return the same for the lexemes that begin in one way, one of ``rows`` and ``left``."""
        wanted, seen_left = list(left), set[BoundaryId]()
        pending: list[tuple[ScannerStateId, int]] = [
            (row[scanner.byte_classes[byte]], moved)
            for byte, moved in automaton.moves(START).items()
        ]
        seen = set(pending)
        while pending and wanted:
            charge_steps(1)
            state, at = pending.pop()
            if not state:
                continue
            if automaton.accepts(at):
                for terminal, boundary in scanner.ends(state):
                    if terminal == self.terminal and boundary not in seen_left:
                        seen_left.add(boundary)
                        wanted = [b for b in wanted if not self._leaves_less(b, boundary)]
            following = scanner.next(state)
            for byte, moved in automaton.moves(at).items():
                after = following[scanner.byte_classes[byte]]
                if self.reach[after] and (after, moved) not in seen:
                    seen.add((after, moved))
                    pending.append((after, moved))
        return not wanted

    def _leaves_less(self, one: BoundaryId, other: BoundaryId) -> bool:
        """Return whether all that can come after one boundary can come after another one."""
        found = self._less.get((one, other))
        if found is None:
            found = not bool(np.any(self._rest[one] & ~self._rest[other]))
            self._less[one, other] = found
        return found


def _find_ends(arrays: Mapping[str, NDArray[Any]], terminal: TerminalId) -> NDArray[np.bool_]:
    """Return bool[n_states, n_boundaries]: what may be left as the terminal from each state on.

    A breadth-first search backwards, by a whole array at a time.
    """
    following = read_rows(arrays, "scanner_next")
    n_states, n_boundaries = len(following), len(arrays["scanner_enter"])
    found = np.zeros((n_states, n_boundaries), dtype=np.bool_)
    is_end = arrays["end_terminal"] == terminal
    state_of = np.repeat(np.arange(n_states), np.diff(arrays["end_first"]))
    found[state_of[is_end], arrays["end_boundary"][is_end]] = True
    columns = np.flatnonzero(found.any(axis=0))
    for column in columns.tolist():
        reached = found[:, column]
        while True:
            more = reached | reached[following].any(axis=1)
            more[0] = False
            if np.array_equal(more, reached):
                break
            reached = more
        found[:, column] = reached
    return found
