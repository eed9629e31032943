"""The lexemes of narrowed terminals; the stepper of hypotheses, and which of these are live.

A lexeme may end as a hole's terminal only where one of its words ends.

A hypothesis is *live* if its open lexeme may still become a terminal that is no hole, as without
holes; or if some of its words lead to an end as a hole's terminal after which the parser goes on.
What the parser can go on with after a whole lexeme is as without holes: that is what
:meth:`TerminalLexemes.has_words` has found out. What it looks at, which lexemes may become one
terminal and where one may begin, depends on the scanner alone and is worked out once for an
artifact.

Example: with TABLE narrowed to ``users``, ``FROM us`` is live and ``FROM ux`` is not.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.sections import read_rows
from maskc.ids import DEAD, EMPTY_TEXT, BoundaryId, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.holes.side import SideHypothesis, SideStepper, Step
from maskc.runtime.holes.tracks import BEGINNING, Automaton, Tracks
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, Stack
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.tables import LalrTables
from maskc.runtime.link.automata import START
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


NO_ENDS: frozenset[BoundaryId] = frozenset()


class HoleStepper(SideStepper[int]):
    """Moves hypotheses by bytes; the side state of each is a track."""

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: Sequence[TerminalLexemes],
        tracks: Tracks,
        budget: Budget,
    ) -> None:
        super().__init__(machine)
        self._lookaheads, self._shift = machine.lookaheads, machine.effects.shift
        self._tracks = tracks
        holes = 0
        for hole in lexemes:
            holes |= self._lookaheads.of_terminal[hole.terminal]
        # scanner state → whether the open lexeme may become what is no hole
        self.may_leave = [
            self._becomes_other(number, holes) for number in self.scanner.open_lexeme_of
        ]
        self._holes, self._holes_lexemes = holes, lexemes
        self._ends = Cache(budget)

    def go_on(self, side: int, byte: int, state: ScannerStateId) -> int | None:
        """Return the track after a byte; ``None`` if the lexeme can become no terminal."""
        moved = self._tracks.step(side, byte, state)
        return moved if moved or self.may_leave[state] else None

    def end(
        self, known: SideHypothesis[int], terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], int] | None:
        """Return what is left when the open lexeme has become a terminal."""
        h = known.hypothesis
        if not self._tracks.allows(known.side, terminal):
            return None
        ended = self._lexemes.end(h.stack, h.indents, terminal, h.column, step.reads)
        return None if ended is None else (*ended, BEGINNING)

    def begin(self, side: int, byte: int, state: ScannerStateId, step: Step) -> int | None:  # noqa: ARG002
        """Return the track after the first byte of a lexeme."""
        return self.go_on(side, byte, state)

    def is_live(self, known: SideHypothesis[int], reads: ReadSet) -> bool:
        """Return whether some text goes on from a hypothesis and ends."""
        h, track, tables = known.hypothesis, known.side, self._tables
        if not self._tracks.inside[h.state]:
            return self._lexemes.is_live(h, reads)
        if self.scanner.end_of_text[h.state] == EMPTY_TEXT and self.may_end(known, reads):
            return True
        if self.may_leave[h.state] and self._leads_on_outside(h, reads):
            return True
        for number, terminal in enumerate(self._tracks.terminals):
            ends = self._ends_from(number, h.state, track)
            after = self._shift(h.stack, terminal, reads) if ends else None
            if after is not None:
                taken, context = tables.taken[after.state], tables.layout_context[after.state]
                if any(self._lookaheads.after(boundary, context) & taken for boundary in ends):
                    return True
        return False

    def _ends_from(self, number: int, state: ScannerStateId, track: int) -> frozenset[BoundaryId]:
        """Return the boundaries that an open lexeme may leave as a hole's terminal.

        Of boundaries after which the parser sees no difference one stands for all.
        """
        words = self._tracks.states_of(track)[number]
        if words < 0:
            return NO_ENDS
        key = (number, state, words)
        found: frozenset[BoundaryId] | None = self._ends.get(key)
        if found is None:
            row = self._follow_row(number, state, words)
            found = self._search(number, *row[-1])
            for passed in row:
                self._ends.put((number, *passed), found)
        return found

    def _follow_row(
        self, number: int, state: ScannerStateId, words: int
    ) -> list[tuple[ScannerStateId, int]]:
        """Return where a lexeme gets as long as there is one way to go on and none to end.

        All of it may leave the same: the rest of a long word is looked at once.
        """
        scanner, automaton = self.scanner, self._tracks.automata[number]
        row = dict.fromkeys([(state, words)])
        while not automaton.accepts(words):
            moves = automaton.moves(words)
            if len(moves) != 1:
                break
            ((byte, words),) = moves.items()
            state = scanner.next(state)[scanner.byte_classes[byte]]
            if not self._holes_lexemes[number].reach[state] or (state, words) in row:
                break
            charge_steps(1)
            row[state, words] = None
            if self._ends.get((number, state, words)) is not None:
                break
        return list(row)

    def _search(self, number: int, state: ScannerStateId, words: int) -> frozenset[BoundaryId]:
        """Return these ends by following words until all that the scanner knows are found."""
        scanner, automaton = self.scanner, self._tracks.automata[number]
        hole = self._holes_lexemes[number]
        found: set[BoundaryId] = set()
        most = len(hole.classes_of(state))
        pending, seen = [(state, words)], {(state, words)}
        while pending and len(found) < most:
            charge_steps(1)
            here, at = pending.pop()
            known = self._ends.get((number, here, at))
            if known is not None:
                found |= known
                continue
            if automaton.accepts(at):
                for ended, boundary in scanner.ends(here):
                    if ended == hole.terminal:
                        found.add(hole.class_of[boundary])
            following = scanner.next(here)
            for byte, moved in automaton.moves(at).items():
                entered = following[scanner.byte_classes[byte]]
                if hole.reach[entered] and (entered, moved) not in seen:
                    seen.add((entered, moved))
                    pending.append((entered, moved))
        return frozenset(found)

    def may_end(self, known: SideHypothesis[int], reads: ReadSet) -> bool:
        """Return whether the text may end here."""
        terminal = self.scanner.end_of_text[known.hypothesis.state]
        return self._tracks.allows(known.side, terminal) and super().may_end(known, reads)

    def _becomes_other(self, number: OpenLexemeId, holes: int) -> bool:
        lexeme = self._lookaheads.open_lexeme(number)
        return bool(lexeme.direct & ~holes or lexeme.ignored or lexeme.newlines)

    def _leads_on_outside(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether the open lexeme may become what is no hole, and some text goes on."""
        lookaheads, state = self._lookaheads, h.stack.state
        lexeme = lookaheads.open_lexeme(self.scanner.open_lexeme_of[h.state])
        taken, context = self._tables.taken[state], self._tables.layout_context[state]
        if lexeme.direct & ~self._holes & taken:
            return True
        if any(lookaheads.after(boundary, context) & taken for boundary in lexeme.ignored):
            return True
        if self._newlines is None:
            return False
        return any(
            self._newlines.lead_on(lexeme.columns, boundary, h.stack, h.indents, h.column, reads)
            for boundary in lexeme.newlines
        )

    def sign(self, state: ScannerStateId, track: int, column: int) -> Hashable:
        """Return what is the same for open lexemes of which every parser says the same."""
        others = self.scanner.open_lexeme_of[state] if self.may_leave[state] else None
        if not track:
            return (others, column)
        n_holes = len(self._tracks.terminals)
        return (others, column, *(self._ends_from(n, state, track) for n in range(n_holes)))
