"""Scanners made from a scanner: for a postlex that drops and renames lexemes, and for words.

The parser is to see what the postlex gives it, so the ends of lexemes are changed here: one that
is dropped ends as an ignored one does, one that is renamed as the other terminal. A state is a
state of the scanner with what the rules look at: the kind of the last lexeme, and the context.

A rule with ``before`` asks for the next lexeme. As everywhere in the scanner, its answer is
guessed: the lexeme ends in every way that the rules have, and what it leaves allows only those
terminals next for which this way is the right one. Lark's lexer reads that next lexeme before
the parser gets the one that waits, so in the context of the parser's state before it: the
boundary holds that context, and goes into it whatever context the parser names by then.

The meaning of the rules is that of :mod:`maskc.frontends.lark.rule_postlex`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from maskc.grammar import LexerSpec, Rewrite
from maskc.ids import DEAD, END, IGNORED, TerminalId
from maskc.lexer import End, Scanner
from maskc.lexer.exploration import Exploration
from maskc.regular.partition import Predecessors, find_coaccessible

_ANY = 0  # of the sets of terminals that may come next
_UNKNOWN = -1  # a context that nothing will ask for
_BEFORE = -1  # the boundary before the text


class _State(NamedTuple):
    """What is known inside of a lexeme."""

    state: int  # of the scanner
    last: int  # which kind of lexeme was the one before it
    wanted: int  # number of the set of terminals that it may become
    pinned: int  # the context in which it is lexed, if it waits in front of another; or _UNKNOWN
    context: int  # that the parser named, _UNKNOWN where nothing asks for it


class _Boundary(NamedTuple):
    """What is known between two lexemes; as :class:`_State`."""

    boundary: int
    last: int
    wanted: int
    pinned: int


def rewrite_scanner(scanner: Scanner, lexer: LexerSpec) -> Scanner:
    """Return the minimal scanner whose ends are what the parser gets.

    It is the same scanner if no postlex rewrites lexemes.

    Raises:
        LimitError: it has too many states before it is minimised.
    """
    return _Rewriting(scanner, lexer).explore() if lexer.rewrites else scanner


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What becomes of a lexeme, and which may come next for that."""

    terminal: TerminalId
    wanted: int


class _Rewriting(Exploration[_State, _Boundary]):
    """Explores what can occur, from the beginning of the text."""

    most_states = 200_000

    def __init__(self, scanner: Scanner, lexer: LexerSpec) -> None:
        self._scanner = scanner
        self._rules: dict[int, list[Rewrite]] = {}
        for rewrite in lexer.rewrites:
            self._rules.setdefault(rewrite.terminal, []).append(rewrite)
        # Terminals are of one kind if they are in the same sets of what a rule comes after.
        after = [r.after for r in lexer.rewrites if r.after is not None]
        kinds = [tuple(t in names for names in after) for t in range(len(lexer.terminals))]
        numbers = {kind: n for n, kind in enumerate(dict.fromkeys(kinds))}
        self._kind = [numbers[kind] for kind in kinds]
        self._members = [
            frozenset(t for t, k in enumerate(self._kind) if k == number)
            for number in range(len(numbers))
        ]
        every = frozenset(range(len(lexer.terminals)))
        self._wanted: dict[frozenset[int], int] = {every: _ANY}
        self._sets = [every]
        # States whose lexeme may come to an end of a terminal with rules, or be ignored.
        before = Predecessors(scanner.next)
        self._may_rewrite = _reaching(scanner, before, frozenset(self._rules)).tolist()
        self._may_ignore = _reaching(scanner, before, frozenset([IGNORED])).tolist()
        self._next, self._entries = scanner.next.tolist(), scanner.entries.tolist()
        self._outcomes: dict[tuple[int, int, int], tuple[_Outcome, ...]] = {}
        first = _Boundary(_BEFORE, self._kind[END], _ANY, _UNKNOWN)
        n_contexts = scanner.enter.shape[1]
        super().__init__(lexer, scanner.byte_class, n_contexts, (first, lexer.first_context))

    def entry(self, boundary: _Boundary, context: int) -> list[int]:
        number, last, wanted, pinned = boundary
        if number == _BEFORE:
            row = self._next[self._scanner.start]
        else:
            lexed_in = context if pinned == _UNKNOWN else pinned
            row = self._entries[int(self._scanner.enter[number, lexed_in])]
        return self._follow(row, last, wanted, pinned, context)

    def row(self, state: _State) -> list[int]:
        return self._follow(self._next[state.state], *state[1:])

    def _follow(
        self, row: Sequence[int], last: int, wanted: int, pinned: int, context: int
    ) -> list[int]:
        """Return the states of a row of the scanner's."""
        return [self._number(to, last, wanted, pinned, context) if to else DEAD for to in row]

    def _number(self, state: int, last: int, wanted: int, pinned: int, context: int) -> int:
        may_rewrite, may_ignore = self._may_rewrite[state], self._may_ignore[state]
        return self.state(
            _State(
                state,
                last if may_rewrite or may_ignore else 0,
                wanted,
                pinned if may_ignore else _UNKNOWN,
                context if may_rewrite or may_ignore else _UNKNOWN,
            )
        )

    def list_ends(self, state: _State) -> Iterator[End]:
        for terminal, boundary in self._scanner.ends[state.state]:
            if terminal == IGNORED:
                left = _Boundary(boundary, state.last, state.wanted, state.pinned)
                yield End(IGNORED, self.boundary(left, [state.context]))
                continue
            if terminal not in self._sets[state.wanted]:
                continue
            waits = any(rule.before is not None for rule in self._rules.get(terminal, ()))
            pinned = state.context if waits else _UNKNOWN
            for outcome in self._decide(terminal, state):
                left = _Boundary(boundary, self._kind[terminal], outcome.wanted, pinned)
                contexts: Iterable[int] = [state.context]
                if outcome.terminal != IGNORED:
                    contexts = sorted(self.lexer.contexts_after.get(outcome.terminal, ()))
                yield End(outcome.terminal, self.boundary(left, contexts))

    def _decide(self, terminal: TerminalId, here: _State) -> tuple[_Outcome, ...]:
        """Return what a lexeme may become, each with what may come next."""
        rules = self._rules.get(terminal)
        if rules is None:
            return (_Outcome(terminal, _ANY),)
        key = (terminal, here.last, here.context)
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = tuple(self._find_outcomes(terminal, rules, here))
        return found

    def _find_outcomes(
        self, terminal: TerminalId, rules: Sequence[Rewrite], here: _State
    ) -> Iterable[_Outcome]:
        innermost = self.lexer.innermost[here.context] if self.lexer.innermost else None
        members = self._members[here.last]
        left = set(range(len(self.lexer.terminals)))
        nexts: dict[TerminalId, set[int]] = {}
        for rule in rules:
            # Terminals of one kind are in the same sets.
            if rule.after is not None and not members <= rule.after:
                continue
            if rule.between is not None and innermost not in rule.between:
                continue
            taken = left if rule.before is None else left & rule.before
            becomes = IGNORED if rule.becomes is None else rule.becomes
            nexts.setdefault(becomes, set()).update(taken)
            left = left - taken
        nexts.setdefault(terminal, set()).update(left)
        for becomes, allowed in sorted(nexts.items()):
            if allowed:
                wanted = frozenset(allowed)
                number = self._wanted.setdefault(wanted, len(self._sets))
                if number == len(self._sets):
                    self._sets.append(wanted)
                yield _Outcome(becomes, number)

    def may_close(self, boundary: _Boundary) -> bool:
        return self._scanner.closed[boundary.boundary] and END in self._sets[boundary.wanted]

    def end_of_text(self, state: _State, ends: Iterable[End]) -> TerminalId | None:
        del ends
        terminal = self._scanner.end_of_text[state.state]
        if terminal is None:
            return None
        if terminal == IGNORED:
            return IGNORED if END in self._sets[state.wanted] else None
        if terminal not in self._sets[state.wanted]:
            return None
        outcomes = self._decide(terminal, state)
        return next(o.terminal for o in outcomes if END in self._sets[o.wanted])


def _reaching(
    scanner: Scanner, before: Predecessors, terminals: frozenset[TerminalId] | frozenset[int]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return bool[n_states], whether an open lexeme may still become one of some terminals."""
    ends = [
        any(t in terminals for t, _ in pairs) or at_end in terminals
        for pairs, at_end in zip(scanner.ends, scanner.end_of_text, strict=True)
    ]
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = find_coaccessible(before, np.array(ends))
    return found


_STOPPED = -1


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

    A state is one of the scanner's, with the state of each hole's words. Where a lexeme ends is as
    before, so contexts, boundaries and what the end of a lexeme demands of the next one stay.

    Raises:
        LimitError: it has too many states before it is minimised.
    """
    return _Narrowing(scanner, lexer, holes).explore()


_NarrowedState = tuple[int, tuple[int, ...]]


class _Narrowing(Exploration[_NarrowedState, int]):
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

    def row(self, state: _NarrowedState) -> list[int]:
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

    def list_ends(self, state: _NarrowedState) -> Iterator[End]:
        for terminal, boundary in self._scanner.ends[state[0]]:
            if self._allows(terminal, state[1]):
                contexts = np.flatnonzero(self._scanner.enter[boundary]).tolist()
                yield End(terminal, self.boundary(boundary, contexts))

    def may_close(self, boundary: int) -> bool:
        return self._scanner.closed[boundary]

    def end_of_text(self, state: _NarrowedState, ends: Iterable[End]) -> TerminalId | None:
        del ends
        terminal = self._scanner.end_of_text[state[0]]
        return terminal if terminal is None or self._allows(terminal, state[1]) else None

    def _allows(self, terminal: TerminalId, words: tuple[int, ...]) -> bool:
        if terminal not in self._terminals:
            return True
        index = self._terminals.index(terminal)
        return words[index] >= 0 and self._words[index].accepts(words[index])
