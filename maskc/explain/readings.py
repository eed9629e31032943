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
from maskc.ids import EMPTY_TEXT, IGNORED
from maskc.runtime.artifact import Artifact
from maskc.runtime.lalr.machine import Hypothesis, LalrMachine
from maskc.runtime.lalr.read_set import ReadSet

NO_NEWLINE = -2


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
        self._machine = cast(LalrMachine, artifact.machine)
        self._tables = artifact.machine.tables
        layout = self._tables.layout
        self._newline = layout.newline if layout is not None else NO_NEWLINE

    def start(self) -> tuple[Open, ...]:
        """Return the readings of the empty text."""
        return tuple(Open(h, b"") for h in self._machine.start())

    def read(
        self, readings: tuple[Open, ...], text: bytes
    ) -> tuple[tuple[Open, ...], Death | None]:
        """Return the readings behind a text, or where they die."""
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
        h, tables = reading.hypothesis, self._tables
        final, live = tables.final(tables.final_of[h.state]), tables.live[h.stack.state]
        may_become = self._terminals_of(final[0] & live)
        is_enclosed = bool(tables.enclosed[h.stack.state])
        if final[2] and tables.layout is not None and self._takes_newline(h):
            may_become.add(tables.layout.newline)
        ignored = (*final[1], *(final[2] if is_enclosed else ()))
        is_start = tables.end_of_text[h.state] == EMPTY_TEXT
        endings = [] if is_start else self._list_endings(h)
        return Reading(
            reading.lexeme,
            self._names.terminals(may_become),
            any(tables.rest(boundary, h.stack.state) & live for boundary in ignored),
            tuple(endings),
            self._items(h),
        )

    def may_end(self, readings: tuple[Open, ...]) -> bool:
        """Return whether the text may end here."""
        return any(self._machine.can_finish(r.hypothesis, ReadSet(0)) for r in readings)

    def _step(self, reading: Open, byte: int) -> list[Open]:
        h = reading.hypothesis
        byte_class = self._tables.classes[byte]
        goes_on = self._tables.next(h.state)[byte_class]
        text = bytes([byte])
        return [
            Open(x, reading.lexeme + text if self._is_same(h, x, goes_on) else text)
            for x in self._machine.step((h,), bytes([byte_class]), text)
        ]

    @staticmethod
    def _is_same(before: Hypothesis, after: Hypothesis, goes_on: int) -> bool:
        return after.state == goes_on and after.stack is before.stack

    def _end(self, h: Hypothesis, terminal: int) -> Hypothesis | None:
        return self._machine.end(h, terminal, h.column, ReadSet(0))

    def _list_endings(self, h: Hypothesis) -> list[Ending]:
        tables = self._tables
        found: dict[str | None, set[int]] = {}
        for terminal, boundary in tables.ends(h.state):
            ended = self._end(h, terminal)
            if ended is None:
                continue
            rest = tables.rest(boundary, ended.stack.state)
            following = self._terminals_of(rest & tables.live[ended.stack.state])
            name = None if terminal == IGNORED else self._names.terminal(terminal)
            found.setdefault(name, set()).update(following)
        return [Ending(name, self._names.terminals(t)) for name, t in found.items() if t]

    def _list_causes(self, reading: Open, byte: int) -> list[Cause]:
        tables, h = self._tables, reading.hypothesis
        byte_class = tables.classes[byte]
        causes = []
        goes_on = tables.next(h.state)[byte_class]
        if goes_on:
            causes.append(self._refuse(reading, None, h, goes_on))
        for terminal, boundary in tables.ends(h.state):
            name = "something ignored" if terminal == IGNORED else self._names.terminal(terminal)
            ended = self._end(h, terminal)
            if ended is None:
                expected = self._terminals_of(tables.live[h.stack.state])
                names = self._names.terminals(expected)
                fits = terminal != self._newline or not self._takes_newline(h)
                blocks = () if fits else h.indents
                causes.append(Cause(reading.lexeme, None, (name,), names, self._items(h), blocks))
                continue
            entered = tables.entry(boundary, tables.context(ended.stack.state))[byte_class]
            causes.append(self._refuse(reading, name, ended, entered))
        if not causes:
            causes.append(self._refuse(reading, None, h, 0))
        return causes

    def _refuse(self, reading: Open, ended_as: str | None, h: Hypothesis, state: int) -> Cause:
        """Return the cause of a death in a scanner state; 0: no terminal takes the byte."""
        tables = self._tables
        live = tables.live[h.stack.state]
        refused = self._terminals_of(tables.final(tables.final_of[state])[0]) if state else set()
        blocks: tuple[int, ...] = ()
        if state and tables.final(tables.final_of[state])[2]:
            refused.add(self._newline)
            blocks = h.indents if self._takes_newline(h) else ()
        return Cause(
            reading.lexeme,
            ended_as,
            self._names.terminals(refused),
            self._names.terminals(self._terminals_of(live)),
            self._items(h),
            blocks,
        )

    def _takes_newline(self, h: Hypothesis) -> bool:
        """Return whether the parser takes a newline here, whatever the next column."""
        if self._newline < 0 or self._tables.enclosed[h.stack.state]:
            return False
        return self._machine.shift(h.stack, self._newline, ReadSet(0)) is not None

    def _terminals_of(self, looks: int) -> set[int]:
        return {t for t, own in enumerate(self._tables.terminal_looks) if own & looks}

    def _items(self, h: Hypothesis) -> tuple[str, ...]:
        return self._names.items(self._tables.lalr_state[h.stack.state])
