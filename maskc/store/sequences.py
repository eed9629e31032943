"""What a row asks of the parser after its first event: a word.

A row's tokens complete some terminals and leave a lexeme open. The first terminal ends the lexeme
in which the token started; what comes after it, the further terminals and what stays open, is a
*word*. Very many rows have equal words whatever source they belong to, so a word is kept once and
facts about it are found once. A word is a final, or an event and a shorter word.

Words are only ever added: each streamlining step maps rows to other words.

Example: the rows NUMBER · RPAR · open(NAME) and NAME · RPAR · open(NAME) share the word
RPAR · open(NAME), and its rest open(NAME).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maskc.ids import NO_EVENT, OpenLexemeId
from maskc.lexer.boundaries import Final

ContextSet = int  # a set of contexts as bits


class Event(NamedTuple):
    """A terminal goes to the parser, which then names a context of the set.

    Attributes:
        terminal: the terminal, ``IGNORED``, or ``NO_EVENT``.
        contexts: the set.
        column: for a newline with indentation, its column change; 0 otherwise.
    """

    terminal: int
    contexts: ContextSet
    column: int


NOTHING_ENDS = Event(NO_EVENT, 0, 0)


class Words:
    """Interned words and finals. A word's rest has a smaller number than the word.

    Attributes:
        event: word → its first event; for a final an event that is none, with the column.
        rest: word → the word after its first event; 0 for a final.
        length: word → number of events.
        opened: word → number of the final that it ends with.
        finals: number → final.
    """

    def __init__(self, finals: Sequence[Final]) -> None:
        self.event: list[Event] = []
        self.rest: list[int] = []
        self.length: list[int] = []
        self.opened: list[OpenLexemeId] = []
        self.finals: list[Final] = list(finals)
        self._final_number = {final: OpenLexemeId(i) for i, final in enumerate(finals)}
        self._number: dict[tuple[Event, int], int] = {}

    def __len__(self) -> int:
        return len(self.event)

    def extend(self, event: Event, rest: int) -> int:
        """Return the word that begins with an event."""
        return self._intern((event, rest), rest, self.length[rest] + 1, self.opened[rest])

    def close(self, final: OpenLexemeId, column: int) -> int:
        """Return the word that is a final, by the final's number."""
        return self._intern((Event(NO_EVENT, 0, column), final), 0, 0, final)

    def number_final(self, final: Final) -> OpenLexemeId:
        """Return a final's number."""
        number = self._final_number.setdefault(final, OpenLexemeId(len(self.finals)))
        if number == len(self.finals):
            self.finals.append(final)
        return number

    def final(self, word: int) -> tuple[Final, int]:
        """Return the final, and the column change, of a word without events."""
        return self.finals[self.opened[word]], self.event[word].column

    def _intern(self, key: tuple[Event, int], rest: int, length: int, opened: OpenLexemeId) -> int:
        number = self._number.setdefault(key, len(self.event))
        if number == len(self.event):
            self.event.append(key[0])
            self.rest.append(rest)
            self.length.append(length)
            self.opened.append(opened)
        return number


def anything(n_lookaheads: int) -> Final:
    """Return the final that every live stack goes on with: all lookaheads are welcome."""
    return Final((1 << n_lookaheads) - 1, (), (), -1)
