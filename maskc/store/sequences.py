"""What does a row ask of the parser after its first event? Terminal sequences, each kept once.

A row's tokens complete some terminals and leave a lexeme open. The first terminal ends the lexeme
in which the token started; the further terminals, and the open lexeme last, are the row's *terminal
sequence*. Very many rows have equal sequences, whatever source they belong to, so a sequence is a
number, and facts about it are found once. It is an open lexeme alone, or an event and a shorter
sequence, its *rest*.

Sequences are only ever added: each streamlining step maps rows to other sequences.

Example: the rows NUMBER · RPAR · open(NAME) and NAME · RPAR · open(NAME) share the sequence
RPAR · open(NAME), and its rest open(NAME).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from maskc.ids import NO_COLUMNS, NO_EVENT, OpenLexemeId, SequenceId, TerminalId
from maskc.lexer.boundaries import Lookaheads, OpenLexeme

ContextSet = int  # a set of contexts as bits


class Event(NamedTuple):
    """A terminal goes to the parser, which then names a context of the set.

    Attributes:
        terminal: the terminal, ``IGNORED``, or ``NO_EVENT``.
        contexts: the set.
        column: for a newline with indentation, its column change; 0 otherwise.
    """

    terminal: TerminalId
    contexts: ContextSet
    column: int

    def inside(self, contexts: ContextSet) -> Event:
        """Return the event with those of its contexts that are in a set."""
        kept = self.contexts & contexts
        return self if kept == self.contexts else Event(self.terminal, kept, self.column)

    def without_column(self) -> Event:
        """Return the event with no column change."""
        return Event(self.terminal, self.contexts, 0) if self.column else self


NOTHING_ENDS = Event(NO_EVENT, 0, 0)


class Sequences:
    """Numbers sequences and open lexemes. A rest has a smaller number than its sequence.

    Attributes:
        event: sequence → its first event; for an open lexeme an event that is none, with the
            column.
        rest: sequence → the sequence after its first event; 0 for an open lexeme.
        length: sequence → number of events.
        opened: sequence → number of the open lexeme that it ends with.
        open_lexemes: number → open lexeme.
    """

    def __init__(self, open_lexemes: Sequence[OpenLexeme]) -> None:
        self.event: list[Event] = []
        self.rest: list[SequenceId] = []
        self.length: list[int] = []
        self.opened: list[OpenLexemeId] = []
        self.open_lexemes: list[OpenLexeme] = list(open_lexemes)
        self._open_lexeme_number = {
            open_lexeme: OpenLexemeId(i) for i, open_lexeme in enumerate(open_lexemes)
        }
        self._number: dict[tuple[Event, int], SequenceId] = {}

    def __len__(self) -> int:
        return len(self.event)

    def open_to(self, lookaheads: Lookaheads) -> SequenceId:
        """Return the sequence of no event whose open lexeme may become some lookaheads.

        One that may become any of them asks for nothing: every live stack goes on with it.
        """
        return self.close(self.number_open_lexeme(OpenLexeme(lookaheads, (), (), NO_COLUMNS)), 0)

    def numbers(self) -> Iterator[SequenceId]:
        """Yield all sequences, rests before those that they are rests of."""
        return map(SequenceId, range(len(self.event)))

    def extend(self, event: Event, rest: SequenceId) -> SequenceId:
        """Return the sequence that begins with an event."""
        return self._intern((event, rest), rest, self.length[rest] + 1, self.opened[rest])

    def close(self, open_lexeme: OpenLexemeId, column: int) -> SequenceId:
        """Return the sequence that is an open lexeme, by the open lexeme's number."""
        return self._intern(
            (Event(NO_EVENT, 0, column), open_lexeme), SequenceId(0), 0, open_lexeme
        )

    def number_open_lexeme(self, open_lexeme: OpenLexeme) -> OpenLexemeId:
        """Return an open lexeme's number."""
        number = self._open_lexeme_number.setdefault(
            open_lexeme, OpenLexemeId(len(self.open_lexemes))
        )
        if number == len(self.open_lexemes):
            self.open_lexemes.append(open_lexeme)
        return number

    def open_lexeme(self, sequence: SequenceId) -> tuple[OpenLexeme, int]:
        """Return the open lexeme, and the column change, of a sequence without events."""
        return self.open_lexemes[self.opened[sequence]], self.event[sequence].column

    def _intern(
        self, key: tuple[Event, int], rest: SequenceId, length: int, opened: OpenLexemeId
    ) -> SequenceId:
        number = self._number.setdefault(key, SequenceId(len(self.event)))
        if number == len(self.event):
            self.event.append(key[0])
            self.rest.append(rest)
            self.length.append(length)
            self.opened.append(opened)
        return number
