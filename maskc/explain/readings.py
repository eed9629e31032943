"""How is a text read, byte by byte, and of what does a reading die?

The artifact's own machine moves, one byte at a time, so that what is said here is what the masks
do. Beside each hypothesis we remember where its open lexeme began.

A reading dies of a byte in one of three ways: no terminal goes on with it; the lexeme had to end
before it, as a terminal that the parser refuses; or the lexeme could go on, but only to terminals
that the parser refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from maskc.explain.model import Cause, Death, Ending, Reading
from maskc.explain.names import GrammarNames
from maskc.ids import DEAD, EMPTY_TEXT, IGNORED, NO_EVENT, NO_LINE, TerminalId
from maskc.runtime.artifact import Artifact
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet

NO_NEWLINE = NO_EVENT  # no terminal is a newline that counts


@dataclass(frozen=True, slots=True)
class Open:
    """A hypothesis, and the bytes of its open lexeme."""

    hypothesis: Hypothesis
    lexeme: bytes


class Reader:
    """Reads texts with an artifact, and says what it sees."""

    def __init__(self, artifact: Artifact) -> None:
        self._names = GrammarNames(artifact)
        # The names are those of an LALR grammar, or there would be none.
        self._machine = machine = cast(LalrMachine, artifact.machine)
        self._scanner, self._lookaheads = machine.scanner, machine.lookaheads
        self._tables = machine.tables
        layout = self._tables.layout
        self._newline: TerminalId = layout.newline if layout is not None else NO_NEWLINE

    def start(self) -> tuple[Open, ...]:
        """Return the readings of the empty text."""
        return tuple(Open(h, b"") for h in self._machine.start())

    def read(
        self, readings: tuple[Open, ...], text: bytes
    ) -> tuple[tuple[Open, ...], Death | None]:
        """Return the readings after a text, or where they die."""
        for offset, byte in enumerate(text):
            after = tuple(x for reading in readings for x in self._step(reading, byte))
            if not after:
                causes = [
                    cause for reading in readings for cause in self._list_causes(reading, byte)
                ]
                return (), Death(offset, byte, tuple(dict.fromkeys(causes)))
            readings = after
        return readings, None

    def describe(self, reading: Open) -> Reading:
        """Return what a reading is, in names."""
        h, tables, lookaheads = reading.hypothesis, self._tables, self._lookaheads
        lexeme = lookaheads.open_lexeme(self._scanner.open_lexeme_of[h.state])
        taken, place = lookaheads.taken[h.stack.state], tables.place[h.stack.state]
        may_become = self._terminals_of(lexeme.direct & taken)
        is_enclosed = bool(tables.enclosed[h.stack.state])
        if lexeme.newlines and tables.layout is not None and self._takes_newline(h):
            may_become.add(tables.layout.newline)
        ignored = (*lexeme.ignored, *(lexeme.newlines if is_enclosed else ()))
        is_start = self._scanner.end_of_text[h.state] == EMPTY_TEXT
        endings = [] if is_start else self._list_endings(h)
        return Reading(
            reading.lexeme,
            self._names.terminals(may_become),
            any(lookaheads.after(boundary, place) & taken for boundary in ignored),
            tuple(endings),
            self._items(h),
        )

    def may_end(self, readings: tuple[Open, ...]) -> bool:
        """Return whether the text may end here."""
        return any(self._machine.may_end(r.hypothesis) for r in readings)

    def _step(self, reading: Open, byte: int) -> list[Open]:
        h = reading.hypothesis
        goes_on = self._scanner.next(h.state)[self._scanner.byte_classes[byte]]
        text = bytes([byte])
        return [
            Open(x, reading.lexeme + text if self._is_same(h, x, goes_on) else text)
            for x in self._machine.step((h,), text)
        ]

    @staticmethod
    def _is_same(before: Hypothesis, after: Hypothesis, goes_on: int) -> bool:
        return after.state == goes_on and after.stack is before.stack

    def _end(self, h: Hypothesis, terminal: TerminalId) -> Hypothesis | None:
        end = self._machine.lexemes.end
        ended = end(h.stack, h.indents, terminal, h.column, ReadSet(0))
        return None if ended is None else Hypothesis(DEAD, *ended, NO_LINE)

    def _list_endings(self, h: Hypothesis) -> list[Ending]:
        lookaheads = self._lookaheads
        found: dict[str | None, set[int]] = {}
        for terminal, boundary in self._scanner.ends(h.state):
            ended = self._end(h, terminal)
            if ended is None:
                continue
            state = ended.stack.state
            after = lookaheads.after(boundary, self._tables.place[state])
            following = self._terminals_of(after & lookaheads.taken[state])
            name = None if terminal == IGNORED else self._names.terminal(terminal)
            found.setdefault(name, set()).update(following)
        return [Ending(name, self._names.terminals(t)) for name, t in found.items() if t]

    def _list_causes(self, reading: Open, byte: int) -> list[Cause]:
        scanner, h = self._scanner, reading.hypothesis
        byte_class = scanner.byte_classes[byte]
        causes = []
        goes_on = scanner.next(h.state)[byte_class]
        if goes_on:
            causes.append(self._refuse(reading, None, h, goes_on))
        for terminal, boundary in scanner.ends(h.state):
            name = "something ignored" if terminal == IGNORED else self._names.terminal(terminal)
            ended = self._end(h, terminal)
            if ended is None:
                expected = self._terminals_of(self._lookaheads.taken[h.stack.state])
                names = self._names.terminals(expected)
                fits = terminal != self._newline or not self._takes_newline(h)
                blocks = () if fits else h.indents
                causes.append(Cause(reading.lexeme, None, (name,), names, self._items(h), blocks))
                continue
            context = self._tables.context[ended.stack.state]
            entered = scanner.entry(boundary, context)[byte_class]
            causes.append(self._refuse(reading, name, ended, entered))
        if not causes:
            causes.append(self._refuse(reading, None, h, 0))
        return causes

    def _refuse(self, reading: Open, ended_as: str | None, h: Hypothesis, state: int) -> Cause:
        """Return the cause of a death in a scanner state; 0: no terminal takes the byte."""
        lookaheads = self._lookaheads
        refused: set[int] = set()
        blocks: tuple[int, ...] = ()
        if state:
            lexeme = lookaheads.open_lexeme(self._scanner.open_lexeme_of[state])
            refused = self._terminals_of(lexeme.direct)
            if lexeme.newlines:
                refused.add(self._newline)
                blocks = h.indents if self._takes_newline(h) else ()
        return Cause(
            reading.lexeme,
            ended_as,
            self._names.terminals(refused),
            self._names.terminals(self._terminals_of(lookaheads.taken[h.stack.state])),
            self._items(h),
            blocks,
        )

    def _takes_newline(self, h: Hypothesis) -> bool:
        """Return whether the parser takes a newline here, whatever the next column."""
        if self._newline < 0 or self._tables.enclosed[h.stack.state]:
            return False
        return self._machine.effects.shift(h.stack, self._newline, ReadSet(0)) is not None

    def _terminals_of(self, lookaheads: int) -> set[int]:
        return {t for t, own in enumerate(self._lookaheads.of_terminal) if own & lookaheads}

    def _items(self, h: Hypothesis) -> tuple[str, ...]:
        return self._names.items(self._tables.lalr_state[h.stack.state])
