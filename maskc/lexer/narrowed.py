"""The scanner of a grammar whose terminals are narrowed to some words.

A state is one of the scanner's, with the state of each hole's words; a lexeme ends as a hole's
terminal only where one of its words ends. Where a lexeme ends is as before, so contexts, boundaries
and what the end of a lexeme demands of the next one stay, and all passes after this one see a
scanner like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, TerminalId
from maskc.lexer.exploration import Exploration
from maskc.lexer.scanner import End, Scanner
from maskc.regular.partition import Predecessors, find_coaccessible

_STOPPED = -1
_BEFORE = -1  # the boundary before the text


class WordStates(Protocol):
    """Reads words byte by byte; its first state is 0, and from each state some word is read."""

    def moves(self, state: int) -> Mapping[int, int]:
        """Return byte → the state that it leads to."""

    def accepts(self, state: int) -> bool:
        """Return whether a word ends in a state."""


def narrow_scanner(
    scanner: Scanner, lexer: LexerSpec, holes: Mapping[TerminalId, WordStates]
) -> Scanner:
    """Return the minimal scanner whose lexemes of some terminals are words.

    Raises:
        LimitError: it has too many states before it is minimised.
    """
    return _Narrowing(scanner, lexer, holes).explore()


_State = tuple[int, tuple[int, ...]]


class _Narrowing(Exploration[_State, int]):
    """Explores the pairs of a scanner's state and the state of each hole's words that can occur."""

    most_states = 20_000
    remedy = "give fewer or shorter words"

    def __init__(
        self, scanner: Scanner, lexer: LexerSpec, holes: Mapping[TerminalId, WordStates]
    ) -> None:
        self._scanner, self._terminals = scanner, tuple(holes)
        self._words = tuple(holes.values())
        before = Predecessors(scanner.next)
        # Of each hole: the states whose lexeme may become it.
        self._reach = [
            find_coaccessible(
                before, np.array([any(t == hole for t, _ in ends) for ends in scanner.ends])
            ).tolist()
            for hole in holes
        ]
        bytes_ = np.arange(256, dtype=np.uint8)
        super().__init__(lexer, bytes_, scanner.enter.shape[1], (_BEFORE, 0))

    def entry(self, boundary: int, context: int) -> list[int]:
        scanner, begun = self._scanner, (0,) * len(self._words)
        if boundary == _BEFORE:
            return self._step(scanner.next[scanner.start], begun)
        return self._step(scanner.entries[scanner.enter[boundary, context]], begun)

    def row(self, state: _State) -> list[int]:
        here, words = state
        return self._step(self._scanner.next[here], words)

    def _step(self, row: NDArray[np.int32], words: tuple[int, ...]) -> list[int]:
        """Return by byte the pair after it, of a row of the scanner's."""
        pairs = zip(words, self._words, strict=True)
        moves = [automaton.moves(here) if here >= 0 else {} for here, automaton in pairs]
        found = []
        for byte, state in enumerate(row[self._scanner.byte_class].tolist()):
            after = (
                move.get(byte, _STOPPED) if reach[state] else _STOPPED
                for move, reach in zip(moves, self._reach, strict=True)
            )
            found.append(self.state((state, tuple(after))) if state else DEAD)
        return found

    def list_ends(self, state: _State) -> Iterator[End]:
        for terminal, boundary in self._scanner.ends[state[0]]:
            if self._allows(terminal, state[1]):
                contexts = np.flatnonzero(self._scanner.enter[boundary]).tolist()
                yield End(terminal, self.boundary(boundary, contexts))

    def may_close(self, boundary: int) -> bool:
        return self._scanner.closed[boundary]

    def end_of_text(self, state: _State, ends: Iterable[End]) -> TerminalId | None:
        del ends
        terminal = self._scanner.end_of_text[state[0]]
        return terminal if terminal is None or self._allows(terminal, state[1]) else None

    def _allows(self, terminal: TerminalId, words: tuple[int, ...]) -> bool:
        if terminal not in self._terminals:
            return True
        index = self._terminals.index(terminal)
        return words[index] >= 0 and self._words[index].accepts(words[index])
