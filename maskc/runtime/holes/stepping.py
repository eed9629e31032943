"""What do bytes make of a reading whose terminals are narrowed, and does some text go on from it?

As :mod:`maskc.runtime.lalr.stepping`, with a track beside the scanner's state: a lexeme may end as
a hole's terminal only where one of its words ends.

A reading is *live* if its open lexeme may still become a terminal that is no hole, as without
holes; or if some of its words lead to an end as a hole's terminal after which the parser goes on.
What the parser can go on with after a whole lexeme is as without holes: that is what
:mod:`maskc.runtime.holes.usable` has found out.

Example: with TABLE narrowed to ``users``, ``FROM us`` is live and ``FROM ux`` is not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from maskc.ids import (
    DEAD,
    EMPTY_TEXT,
    ENDS,
    FORKS,
    NO_LINE,
    BoundaryId,
    OpenLexemeId,
    ScannerStateId,
)
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.tracks import BEGINNING, Tracks
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses

NO_ENDS: frozenset[BoundaryId] = frozenset()


class Reading:
    """A hypothesis of the artifact's machine, and the track of its open lexeme. Never changes."""

    __slots__ = ("hypothesis", "track")

    def __init__(self, hypothesis: Hypothesis, track: int) -> None:
        self.hypothesis, self.track = hypothesis, track


Readings = tuple[Reading, ...]


class HoleStepper:
    """Moves readings by bytes.

    Args:
        machine: of the artifact.
        lexemes: of each hole.
        tracks: of the holes.
        budget: what is remembered is charged to.

    Attributes:
        scanner: of the artifact.
        may_leave: scanner state → whether the open lexeme may become what is no hole.
    """

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: Sequence[TerminalLexemes],
        tracks: Tracks,
        budget: Budget,
    ) -> None:
        self.scanner, self._tables = machine.scanner, machine.tables
        self._lookaheads, self._lexemes = machine.lookaheads, machine.lexemes
        self._newlines, self._counts = machine.newlines, machine.counts_columns
        self._shift = machine.effects.shift
        self._tracks = tracks
        holes = 0
        for hole in lexemes:
            holes |= self._lookaheads.of_terminal[hole.terminal]
        self.may_leave = [
            self._becomes_other(number, holes) for number in self.scanner.open_lexeme_of
        ]
        self._holes, self._holes_lexemes = holes, lexemes
        self._ends = Cache(budget)

    def start(self, hypotheses: Sequence[Hypothesis]) -> Readings:
        """Return the readings before the first byte."""
        return tuple(Reading(h, BEGINNING) for h in hypotheses)

    def step(self, readings: Sequence[Reading], text: bytes, reads: ReadSet) -> Readings:
        """Return the live readings after some bytes; none: the bytes are illegal there.

        Raises:
            LimitError: there are too many.
        """
        classes = text.translate(self.scanner.byte_classes)
        here = list(readings)
        for byte_class, byte in zip(classes, text, strict=True):
            if len(here) > MANY_HYPOTHESES:
                here = [r for r in here if self.is_live(r, reads)]
                check_hypotheses(len(here))
            spend(len(here))
            here = [x for r in here for x in self.advance(r, byte_class, byte, reads)]
        live = [r for r in here if self.is_live(r, reads)]
        check_hypotheses(len(live))
        return tuple(live)

    def advance(
        self, reading: Reading, byte_class: int, byte: int, reads: ReadSet
    ) -> list[Reading]:
        """Return what a reading becomes after one byte."""
        h, track, scanner, tracks = reading.hypothesis, reading.track, self.scanner, self._tracks
        move = scanner.moves(h.state)[byte_class]
        if move == DEAD:
            return []
        after: list[Reading] = []
        if move != ENDS:
            state = scanner.next(h.state)[byte_class] if move == FORKS else move
            moved = tracks.step(track, byte, state)
            if moved or self.may_leave[state]:
                after.append(Reading(self._go_on(h, state, byte), moved))
            if move != FORKS:
                return after
        for terminal, boundary in scanner.ends(h.state):
            if not tracks.allows(track, terminal):
                continue
            ended = self._lexemes.end(h.stack, h.indents, terminal, h.column, reads)
            if ended is None:
                continue
            stack, indents = ended
            entered = scanner.entry(boundary, self._tables.context[stack.state])[byte_class]
            if entered != DEAD:
                moved = tracks.step(BEGINNING, byte, entered)
                if moved or self.may_leave[entered]:
                    begun = Hypothesis(entered, stack, indents, NO_LINE)
                    after.append(Reading(self._go_on(begun, entered, byte), moved))
        return after

    def is_live(self, reading: Reading, reads: ReadSet) -> bool:
        """Return whether some text goes on from a reading and ends."""
        h, track, inside = reading.hypothesis, reading.track, self._tracks.inside
        if not inside[h.state]:
            return self._lexemes.is_live(h, reads)
        if self.scanner.end_of_text[h.state] == EMPTY_TEXT and self.may_end(reading, reads):
            return True
        if self.may_leave[h.state] and self._leads_on_outside(h, reads):
            return True
        for number, terminal in enumerate(self._tracks.terminals):
            ends = self.ends_from(number, h.state, track)
            after = self._shift(h.stack, terminal, reads) if ends else None
            if after is not None:
                taken, place = self._lookaheads.taken[after.state], self._tables.place[after.state]
                if any(self._lookaheads.after(boundary, place) & taken for boundary in ends):
                    return True
        return False

    def ends_from(self, number: int, state: ScannerStateId, track: int) -> frozenset[BoundaryId]:
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
            for place in row:
                self._ends.put((number, *place), found)
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
            spend(1)
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
            spend(1)
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

    def may_end(self, reading: Reading, reads: ReadSet) -> bool:
        """Return whether the text may end here."""
        h = reading.hypothesis
        terminal = self.scanner.end_of_text[h.state]
        return self._tracks.allows(reading.track, terminal) and self._lexemes.may_end(h, reads)

    def _becomes_other(self, number: OpenLexemeId, holes: int) -> bool:
        lexeme = self._lookaheads.open_lexeme(number)
        return bool(lexeme.direct & ~holes or lexeme.ignored or lexeme.newlines)

    def _leads_on_outside(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether the open lexeme may become what is no hole, and some text goes on."""
        lookaheads, state = self._lookaheads, h.stack.state
        lexeme = lookaheads.open_lexeme(self.scanner.open_lexeme_of[h.state])
        taken, place = lookaheads.taken[state], self._tables.place[state]
        if lexeme.direct & ~self._holes & taken:
            return True
        if any(lookaheads.after(boundary, place) & taken for boundary in lexeme.ignored):
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
        return (others, column, *(self.ends_from(n, state, track) for n in range(n_holes)))

    def counts(self, stack: Stack) -> bool:
        """Return whether the columns of a newline count on a stack."""
        return self._newlines is not None and not self._tables.enclosed[stack.state]

    def count(self, column: int, byte: int, state: ScannerStateId) -> int:
        """Return the column after a byte that led the open lexeme to a scanner state."""
        if self._newlines is None or not self._counts[state]:
            return column
        return self._newlines.next_column(column, byte)

    def _go_on(self, h: Hypothesis, state: ScannerStateId, byte: int) -> Hypothesis:
        column = self.count(h.column, byte, state) if self.counts(h.stack) else h.column
        return Hypothesis(state, h.stack, h.indents, column)
