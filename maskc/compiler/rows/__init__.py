"""Token rows: which tokens complete which terminals, from which lexer state.

A raw row is (source, path, what stays open) → tokens. A *source* is where a token starts: inside a
lexeme (scanner state ``q``: the token's first byte goes on with the lexeme) or just after one
(boundary ``b``: its first byte starts the next lexeme). Keeping both apart lets all operators of a
language share the rows after them.

A *path* is the sequence of events that a token completes, a tree node with its parent; an
*open lexeme* is what the lexeme in which the token ends may still become. A token of a row is legal
iff the parser takes the path's terminals one by one, names each time a context of the event's
set, and what stays open is live in the end. The papers call these rows the mask store.

For indentation, events and open lexemes of newlines carry a *column*: how the token moves the
column that an open newline lexeme has reached, see :func:`maskc.artifact.model.column_after`.

The first terminal of a row ends the lexeme in which the token started; the further terminals, and
the open lexeme last, are the row's *terminal sequence*. Very many rows have equal sequences,
whatever source they belong to, so a sequence is a number, and facts about it are found once. It is
an open lexeme alone, or an event and a shorter sequence, its *rest*. Sequences are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.rows.token_sets import TokenSets
from maskc.ids import NO_COLUMNS, NO_EVENT, OpenLexemeId, SequenceId, TerminalId
from maskc.lexer.boundaries import Lookaheads, PartialLexeme


@dataclass(frozen=True, slots=True, eq=False)
class RawRows:
    """Rows by source, in order of their paths.

    Attributes:
        n_states: sources below this are scanner states, the others ``n_states + boundary``.
        source_first: int32[n_sources + 1], rows of a source.
        row_path, row_open, row_tokens: int32[n_rows]; ``row_tokens`` names a token set.
        path_parent: int32[n_paths]; path 0 is the empty one, its own parent.
        path_event: int32[n_paths], its last event, without a column; that of path 0 is none.
        path_column: int32[n_paths], column change of a newline; 0 otherwise.
        events: of paths.
        open_lexeme, open_column: int32[n_opens]: what ``row_open`` names: an open lexeme of the
            scanner and, if it may become a newline, its column change.
        tokens: the token sets; steps that come later may add to them.
        without_rows: int32[…], ascending: tokens that lack rows, as they are cut into terminals in
            too many ways; a general grammar's only.
    """

    n_states: int
    source_first: NDArray[np.int32]
    row_path: NDArray[np.int32]
    row_open: NDArray[np.int32]
    row_tokens: NDArray[np.int32]
    path_parent: NDArray[np.int32]
    path_event: NDArray[np.int32]
    path_column: NDArray[np.int32]
    events: tuple[ParserEvent, ...]
    open_lexeme: NDArray[np.int32]
    open_column: NDArray[np.int32]
    tokens: TokenSets
    without_rows: NDArray[np.int32]


ContextSet = int  # a set of contexts as bits


class ParserEvent(NamedTuple):
    """A terminal goes to the parser, which then names a context of the set."""

    terminal: TerminalId  # the terminal, IGNORED, NO_EVENT, or ENTRY where a boundary is left
    contexts: ContextSet  # the set
    column: int  # for a newline with indentation, its column change; 0 otherwise

    def inside(self, contexts: ContextSet) -> ParserEvent:
        kept = self.contexts & contexts
        return self if kept == self.contexts else ParserEvent(self.terminal, kept, self.column)

    def without_column(self) -> ParserEvent:
        return ParserEvent(self.terminal, self.contexts, 0) if self.column else self


NOTHING_ENDS = ParserEvent(NO_EVENT, 0, 0)


class Sequences:
    """Numbers sequences and open lexemes. A rest has a smaller number than its sequence."""

    def __init__(self, open_lexemes: Sequence[PartialLexeme]) -> None:
        # sequence → its first event; for an open lexeme an event that is none, with the column
        self.event: list[ParserEvent] = []
        # sequence → the sequence after its first event; 0 for an open lexeme
        self.rest: list[SequenceId] = []
        self.length: list[int] = []  # sequence → number of events
        # sequence → number of the open lexeme that it ends with
        self.opened: list[OpenLexemeId] = []
        self.open_lexemes: list[PartialLexeme] = list(open_lexemes)  # number → open lexeme
        self._open_lexeme_number = {
            open_lexeme: OpenLexemeId(i) for i, open_lexeme in enumerate(open_lexemes)
        }
        self._number: dict[tuple[ParserEvent, int], SequenceId] = {}

    def __len__(self) -> int:
        return len(self.event)

    def open_to(self, lookaheads: Lookaheads) -> SequenceId:
        """Return the sequence of no event whose open lexeme may become some lookaheads.

        One that may become any of them asks for nothing: every live stack goes on with it.
        """
        return self.close(self.number_open_lexeme(PartialLexeme(lookaheads, (), (), NO_COLUMNS)), 0)

    def numbers(self) -> Iterator[SequenceId]:
        """Yield all sequences, rests before those that they are rests of."""
        return map(SequenceId, range(len(self.event)))

    def extend(self, event: ParserEvent, rest: SequenceId) -> SequenceId:
        return self._intern((event, rest), rest, self.length[rest] + 1, self.opened[rest])

    def close(self, open_lexeme: OpenLexemeId, column: int) -> SequenceId:
        return self._intern(
            (ParserEvent(NO_EVENT, 0, column), open_lexeme), SequenceId(0), 0, open_lexeme
        )

    def number_open_lexeme(self, open_lexeme: PartialLexeme) -> OpenLexemeId:
        number = self._open_lexeme_number.setdefault(
            open_lexeme, OpenLexemeId(len(self.open_lexemes))
        )
        if number == len(self.open_lexemes):
            self.open_lexemes.append(open_lexeme)
        return number

    def split(self, sequence: SequenceId) -> tuple[list[ParserEvent], SequenceId]:
        """Return the events of a sequence, and the open lexeme after them."""
        events = []
        while self.length[sequence]:
            events.append(self.event[sequence])
            sequence = self.rest[sequence]
        return events, sequence

    def open_lexeme(self, sequence: SequenceId) -> tuple[PartialLexeme, int]:
        """Return the open lexeme, and the column change, of a sequence without events."""
        return self.open_lexemes[self.opened[sequence]], self.event[sequence].column

    def _intern(
        self, key: tuple[ParserEvent, int], rest: SequenceId, length: int, opened: OpenLexemeId
    ) -> SequenceId:
        number = self._number.setdefault(key, SequenceId(len(self.event)))
        if number == len(self.event):
            self.event.append(key[0])
            self.rest.append(rest)
            self.length.append(length)
            self.opened.append(opened)
        return number
