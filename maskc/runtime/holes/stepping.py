"""The side automaton of restricted terminals, the stepper beside it, and which hypotheses are live.

A *hole* is a terminal that is narrowed: each of its lexemes is one of some words, which are a list
or an automaton such as a pattern's. Beside the scanner runs, for each hole, the automaton of its
words, from where the lexeme began. All of them together are a *track*, a number. Where the lexeme
can no longer become a hole's terminal, or has left its words, that hole's automaton has stopped; in
the track ``OUTSIDE`` all of them have. A lexeme may end as a hole's terminal only where one of its
words ends.

A hypothesis is *live* if its open lexeme may still become a terminal that is no hole, as without
holes; or if some of its words lead to an end as a hole's terminal after which the parser goes on.
What the parser can go on with after a whole lexeme is as without holes: that is what
:meth:`maskc.runtime.holes.lexemes.TerminalLexemes.has_words` has found out.

Example: with TABLE narrowed to ``["users", "orders"]``, the track after ``us`` is that of the
words' state after ``us``, and ``FROM us`` is live; after ``ux``, and inside of a string, the track
is ``OUTSIDE``, and ``FROM ux`` is not live.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from maskc.ids import EMPTY_TEXT, BoundaryId, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, Stack
from maskc.runtime.lalr.stepping import Step, Stepper
from maskc.runtime.link.automata import START, ByteAutomaton
from maskc.runtime.step_budget import charge_steps

if TYPE_CHECKING:
    from maskc.runtime.holes.lexemes import TerminalLexemes

OUTSIDE = 0
BEGINNING = 1
STOPPED = -1

Automaton = ByteAutomaton[Any]


class Tracks:
    """The tracks of some holes. Safe to use from any thread.

    Args:
        holes: terminals, each with the automaton of its words.
        reach: of each hole, in this order: scanner state → whether its lexeme may become the
            hole's terminal.
    """

    def __init__(
        self,
        holes: Sequence[tuple[TerminalId, Automaton]],
        reach: Sequence[Sequence[bool]],
        budget: Budget,
    ) -> None:
        self.terminals = tuple(terminal for terminal, _ in holes)  # of the holes, in order
        self.automata = tuple(automaton for _, automaton in holes)  # of the holes
        # terminal → number of its hole
        self.number_of = {terminal: n for n, terminal in enumerate(self.terminals)}
        # scanner state → the holes that its lexeme may become, as a bit set
        self.inside: list[int] = [
            sum(reaches << n for n, reaches in enumerate(column))
            for column in zip(*reach, strict=True)
        ]
        self._states: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._lock = threading.Lock()
        self._moves = Cache(budget)
        self._number((STOPPED,) * len(holes))
        self._number((START,) * len(holes))

    def step(self, track: int, byte: int, state: ScannerStateId) -> int:
        """Return the track after a byte that led the open lexeme to a scanner state.

        Before its first byte the track is ``BEGINNING``.
        """
        inside = self.inside[state]
        if not track or not inside:
            return OUTSIDE
        key = (track, byte, inside)
        found: int | None = self._moves.get(key)
        if found is None:
            found = self._number(
                tuple(
                    automaton.moves(here).get(byte, STOPPED)
                    if here >= 0 and inside >> n & 1
                    else STOPPED
                    for n, (here, automaton) in enumerate(
                        zip(self._states[track], self.automata, strict=True)
                    )
                )
            )
            self._moves.put(key, found)
        return found

    def states_of(self, track: int) -> tuple[int, ...]:
        """Return the state of each hole's automaton, ``STOPPED`` if it has stopped."""
        return self._states[track]

    def allows(self, track: int, terminal: TerminalId) -> bool:
        """Return whether the open lexeme may end as a terminal, as far as it is narrowed."""
        number = self.number_of.get(terminal)
        if number is None:
            return True
        state = self._states[track][number]
        return state >= 0 and self.automata[number].accepts(state)

    def bytes_on(self, track: int) -> frozenset[int]:
        """Return the bytes with which some hole's automaton goes on."""
        return frozenset(
            byte
            for here, automaton in zip(self._states[track], self.automata, strict=True)
            if here >= 0
            for byte in automaton.moves(here)
        )

    def _number(self, states: tuple[int, ...]) -> int:
        found = self._numbers.get(states)
        if found is None:
            with self._lock:
                found = self._numbers.get(states)
                if found is None:
                    found = len(self._states)
                    self._states.append(states)
                    self._numbers[states] = found
        return found


NO_ENDS: frozenset[BoundaryId] = frozenset()


class HoleStepper(Stepper):
    """Moves hypotheses by bytes; the side state of each is a track."""

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: Sequence[TerminalLexemes],
        tracks: Tracks,
        budget: Budget,
    ) -> None:
        super().__init__(machine, follows_bytes=True)
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
        moved = self._tracks.step(side, byte, state)
        return moved if moved or self.may_leave[state] else None

    def end(
        self, h: Hypothesis, terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], int] | None:
        if not self._tracks.allows(h.side, terminal):
            return None
        ended = self._lexemes.end(h.stack, h.indents, terminal, h.column, step.reads)
        return None if ended is None else (*ended, BEGINNING)

    def begin(self, side: int, byte: int, state: ScannerStateId, step: Step) -> int | None:  # noqa: ARG002
        return self.go_on(side, byte, state)

    def is_live(self, h: Hypothesis, reads: ReadSet) -> bool:
        track, tables = h.side, self._tables
        if not self._tracks.inside[h.state]:
            return self._lexemes.is_live(h, reads)
        if self.scanner.end_of_text[h.state] == EMPTY_TEXT and self.may_end(h, reads):
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

    def may_end(self, h: Hypothesis, reads: ReadSet) -> bool:
        terminal = self.scanner.end_of_text[h.state]
        return self._tracks.allows(h.side, terminal) and self._lexemes.may_end(h, reads)

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
