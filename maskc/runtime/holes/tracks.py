"""The side automaton of restricted terminals: the open lexeme's state in the words of each hole.

A *hole* is a terminal that is narrowed: each of its lexemes is one of some words, which are a list
or an automaton such as a pattern's. Beside the scanner runs, for each hole, the automaton of its
words, from where the lexeme began. All of them together are a *track*, a number. Where the lexeme
can no longer become a hole's terminal, or has left its words, that hole's automaton has stopped; in
the track ``OUTSIDE`` all of them have.

Example: with TABLE narrowed to ``["users", "orders"]``, the track after ``us`` is that of the
words' state after ``us``; after ``ux``, and inside of a string, it is ``OUTSIDE``.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from maskc.arguments import as_items
from maskc.errors import HoleError, WrongTypeError
from maskc.ids import ScannerStateId, TerminalId
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.link.automata import START, ByteAutomaton, Words

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


# What can be iterated over and is no list of words.
_NO_LISTS = (str, bytes, bytearray, memoryview)


def read_words(grammar: str, hole: str, given: Iterable[str] | Automaton) -> Automaton:
    """Return the automaton of what a hole is narrowed to.

    Raises:
        HoleError: a word is empty or not UTF-8.
        TypeError: it is neither.
    """
    if isinstance(given, ByteAutomaton):
        return given
    if isinstance(given, _NO_LISTS) or not isinstance(given, Iterable):
        raise WrongTypeError(_tell_kinds(hole, given))
    words: set[bytes] = set()
    for word in as_items(f"what {hole} is narrowed to", given):
        if not isinstance(word, str):
            raise WrongTypeError(f"a word of {hole} must be a str, not {type(word).__name__}")
        try:
            words.add(word.encode())
        except UnicodeEncodeError:
            raise HoleError(
                grammar, hole, f"the word {word!r} is not UTF-8", "write it in UTF-8"
            ) from None
    if b"" in words:
        raise HoleError(grammar, hole, "a word is empty, and a lexeme never is", "leave it out")
    return Words(sorted(words))


def _tell_kinds(hole: str, given: object) -> str:
    """Return the sentence about what is neither words nor an automaton."""
    taken = "a list of words, or to a pattern of maskc.compile_pattern(…)"
    kind = type(given).__name__
    found, remedy = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}", ""
    if given is None:
        found = "None"
    elif isinstance(given, re.Pattern):
        found, remedy = "one of re.compile", "; give its text to maskc.compile_pattern"
    return f"{hole} is narrowed to {taken}, not to {found}{remedy}"


def bytes_of(automaton: Automaton) -> bytes:
    """Return the bytes that an automaton may read: those of the words, or all."""
    if isinstance(automaton, Words):
        return bytes(sorted(set(b"".join(automaton.words))))
    return bytes(range(256))
