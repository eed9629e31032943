"""The side automaton of restricted terminals: the open lexeme's state in the words of each hole.

A *hole* is a terminal that is narrowed: each of its lexemes is one of some words. Beside the
scanner runs, for each hole, the automaton of its words, from where the lexeme began. All of them
together are a *track*, a number. Where the lexeme can no longer become a hole's terminal, or has
left its words, that hole's automaton has stopped; in the track ``OUTSIDE`` all of them have.

Example: with TABLE narrowed to ``users`` and ``orders``, the track after ``us`` is that of the
words' state after ``us``; after ``ux``, and inside of a string, it is ``OUTSIDE``.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from maskc.ids import ScannerStateId, TerminalId
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.link.automata.automaton import START, ByteAutomaton

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
