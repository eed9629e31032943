"""The scanner of a grammar whose terminals are narrowed to some words.

A state is one of the scanner's, with the state of each hole's words; a lexeme ends as a hole's
terminal only where one of its words ends. Where a lexeme ends is as before, so contexts, boundaries
and what the end of a lexeme demands of the next one stay, and all passes after this one see a
scanner like any other.

Example: with TABLE narrowed to ``users``, the states inside a table's name are those of ``users``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from maskc.errors import LimitError
from maskc.ids import DEAD, ScannerStateId, TerminalId
from maskc.lexer.scanner import End, Scanner, drop_useless, minimise
from maskc.regular.partition import Predecessors, find_coaccessible

MAX_STATES = 20_000  # before they are minimised
_STOPPED = -1
_START = 0


class WordStates(Protocol):
    """Reads words byte by byte; its first state is 0, and from each state some word is read."""

    def moves(self, state: int) -> Mapping[int, int]:
        """Return byte → the state that it leads to."""

    def accepts(self, state: int) -> bool:
        """Return whether a word ends in a state."""


def narrow_scanner(scanner: Scanner, holes: Mapping[TerminalId, WordStates]) -> Scanner:
    """Return the minimal scanner whose lexemes of some terminals are words.

    Raises:
        LimitError: it has more than ``MAX_STATES`` states before it is minimised.
    """
    builder = _Builder(scanner, holes)
    start = builder.number(int(scanner.start), (_START,) * len(holes))
    entries = [
        [
            builder.step((_START,) * len(holes), byte, state) if state else 0
            for byte, state in enumerate(row)
        ]
        for row in scanner.entries[:, scanner.byte_class].tolist()
    ]
    following = builder.explore()
    return minimise(
        drop_useless(
            Scanner(
                byte_class=np.arange(256, dtype=np.uint8),
                next=np.array(following, dtype=np.int32).reshape(-1, 256),
                ends=tuple(builder.ends(*pair) for pair in builder.pairs),
                end_of_text=tuple(builder.end_of_text(*pair) for pair in builder.pairs),
                enter=scanner.enter,
                entries=np.array(entries, dtype=np.int32).reshape(-1, 256),
                closed=scanner.closed,
                start=ScannerStateId(start),
            )
        )
    )


class _Builder:
    """The pairs of a scanner's state and the state of each hole's words that can occur.

    Attributes:
        pairs: by number; number 0 is dead.
    """

    def __init__(self, scanner: Scanner, holes: Mapping[TerminalId, WordStates]) -> None:
        self._scanner = scanner
        self._terminals, self._words = tuple(holes), tuple(holes.values())
        dead = (int(DEAD), (_STOPPED,) * len(holes))
        self.pairs = [dead]
        self._numbers = {dead: 0}
        before = Predecessors(scanner.next)
        # Of each hole: the states whose lexeme may become it.
        self._reach = [
            find_coaccessible(
                before, np.array([any(t == hole for t, _ in ends) for ends in scanner.ends])
            ).tolist()
            for hole in holes
        ]

    def number(self, state: int, words: tuple[int, ...]) -> int:
        """Return the number of a pair."""
        found = self._numbers.setdefault((state, words), len(self.pairs))
        if found == len(self.pairs):
            if found >= MAX_STATES:
                raise LimitError("scanner states", MAX_STATES, "give fewer or shorter words")
            self.pairs.append((state, words))
        return found

    def step(self, words: tuple[int, ...], byte: int, state: int) -> int:
        """Return the pair after a byte that led to a scanner state, which is not dead."""
        return self.number(
            state,
            tuple(
                automaton.moves(here).get(byte, _STOPPED)
                if here >= 0 and reach[state]
                else _STOPPED
                for here, automaton, reach in zip(words, self._words, self._reach, strict=True)
            ),
        )

    def explore(self) -> list[list[int]]:
        """Return what each byte makes of each pair."""
        rows = []
        for state, words in self.pairs:  # grows while we walk it
            row = self._scanner.next[state][self._scanner.byte_class].tolist()
            rows.append(
                [self.step(words, byte, after) if after else 0 for byte, after in enumerate(row)]
            )
        return rows

    def ends(self, state: int, words: tuple[int, ...]) -> tuple[End, ...]:
        """Return the ways in which the open lexeme of a pair may end."""
        return tuple(end for end in self._scanner.ends[state] if self._allows(end.terminal, words))

    def end_of_text(self, state: int, words: tuple[int, ...]) -> TerminalId | None:
        """Return the terminal that the open lexeme of a pair is if the text ends there."""
        terminal = self._scanner.end_of_text[state]
        return terminal if terminal is None or self._allows(terminal, words) else None

    def _allows(self, terminal: TerminalId, words: tuple[int, ...]) -> bool:
        if terminal not in self._terminals:
            return True
        place = self._terminals.index(terminal)
        return words[place] >= 0 and self._words[place].accepts(words[place])
