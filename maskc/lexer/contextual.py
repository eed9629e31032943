"""The scanners of Lark's lexers ``contextual`` and ``basic``, and of ``dynamic``, Earley's default.

A state of the former is a pair: an open lexeme (:mod:`maskc.lexer.lexeme`), and the condition that
earlier lexemes left open. A boundary is the state of the look-behinds with a condition.

With ``dynamic`` each terminal is an open lexeme of its own, with one alternative and no keywords,
whose end is a guess with a condition. A scanner state is the open lexemes of all terminals that may
have begun at one position, and the conditions that the lexemes before it left; what none of them
can go on with is dead.

Example: with ``NAME: /[a-z]+/`` and ``IF: "if"``, ``ifx`` is a NAME, or IF and the NAME ``x``;
it is never the NAME ``if`` and then ``x``, since the condition of that end is that no letter
follows. ``if`` may be IF or a NAME: the rules decide.

Source: Lark 1.3, ``parsers/xearley.py``; ``docs/lexing.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from maskc.grammar import Context, LexerSpec
from maskc.ids import DEAD, IGNORED, TerminalId
from maskc.lexer import End, Scanner, contexts_after
from maskc.lexer.exploration import Exploration
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton
from maskc.regular.threads import settle

Shape = bytes  # class → its part, numbered by first occurrence; there are at most 256 classes

_Opened = tuple[int, ...]  # open lexemes, one for each terminal that can still match, ascending


def build_scanner(lexer: LexerSpec) -> Scanner:
    """Return the minimal scanner.

    Raises:
        UnsupportedTerminalError: a terminal is not regular.
        LimitError: there are too many states.
    """
    return Contextual(lexer).explore()


class Contextual(Exploration[tuple[int, int], tuple[int, int]]):
    """Explores the pairs (open lexeme, open condition) that can occur."""

    def __init__(self, lexer: LexerSpec) -> None:
        self._after = contexts_after(lexer)
        self.lexemes = LexemeAutomaton(lexer, self._after)
        byte_class, first = self.lexemes.threads.byte_class, (0, self.lexemes.free)
        super().__init__(lexer, byte_class, len(lexer.contexts), (first, lexer.first_context))
        self._joined = JoinedRows()
        self._lexeme_rows: dict[int, tuple[int, list[int]]] = {}
        self._condition_rows: dict[int, tuple[int, list[int]]] = {}

    def _pair(self, lexeme: int, condition: int) -> int:
        is_dead = lexeme == NO_STATE or condition == NO_STATE
        return DEAD if is_dead else self.state((lexeme, condition))

    def row(self, state: tuple[int, int]) -> NDArray[np.int32]:
        lexeme, condition = state
        if lexeme == NO_STATE:
            return np.full(self.n_classes, DEAD, dtype=np.int32)
        one = self._lexeme_rows.get(lexeme)
        if one is None:
            one = self._lexeme_rows[lexeme] = self._joined.read(self.lexemes.row(lexeme))
        other = self._condition_rows.get(condition)
        if other is None:
            read = self._joined.read(self.lexemes.condition_row(condition))
            other = self._condition_rows[condition] = read
        return self._joined.join(one, other, self._pair)

    def list_ends(self, state: tuple[int, int]) -> Iterator[End]:
        lexeme, condition = state
        look_behind = self.lexemes.states[lexeme].look_behind
        for terminal, demands in self.lexemes.ends(lexeme):
            obligations = settle([*demands, *self.lexemes.conditions[condition][1]])
            if obligations is not None:
                left = (look_behind, self.lexemes.condition(look_behind, obligations))
                contexts = sorted(self._after.get(terminal, ()))
                yield End(terminal, self.boundary(left, contexts))

    def entry(self, boundary: tuple[int, int], context: int) -> NDArray[np.int32]:
        look_behind, condition = boundary
        return self.row((self.lexemes.start(context, look_behind), condition))

    def may_close(self, boundary: tuple[int, int]) -> bool:
        return self.lexemes.condition_holds_at_end(boundary[1])

    def end_of_text(self, state: tuple[int, int], ends: Iterable[End]) -> TerminalId | None:
        del ends
        is_open = self.lexemes.condition_holds_at_end(state[1])
        return self.lexemes.end_of_text(state[0]) if is_open else None

    def terminals_in(self, state: tuple[int, int]) -> set[int]:
        return self.lexemes.terminals_in(state[0])


class JoinedRows:
    """Rows of two kinds, each given once, and what they are side by side.

    Most rows have few different values, and many share which classes have equal ones, their
    *shape*. The shape of two rows side by side is worked out once for each pair of shapes: the rows
    1 1 2 and 5 6 6 have the shapes 0 0 1 and 0 1 1, and side by side the parts (0, 0), (0, 1) and
    (1, 1), in the order of the classes.
    """

    def __init__(self) -> None:
        self._shape_number: dict[Shape, int] = {}
        self._shapes: list[Shape] = []
        self._joined: dict[tuple[int, int], tuple[list[tuple[int, int]], NDArray[np.intp]]] = {}

    def read(self, row: Iterable[int]) -> tuple[int, list[int]]:
        """Return the number of a row's shape, and the value of each part."""
        part: dict[int, int] = {}
        shape = bytes([part.setdefault(value, len(part)) for value in row])
        number = self._shape_number.setdefault(shape, len(self._shapes))
        if number == len(self._shapes):
            self._shapes.append(shape)
        return number, list(part)

    def join(
        self,
        one: tuple[int, Sequence[int]],
        other: tuple[int, Sequence[int]],
        ask: Callable[[int, int], int],
    ) -> NDArray[np.int32]:
        """Return int32[n_classes]: what ``ask`` says of the values of two rows, class by class.

        It is asked once for each pair of values, in the order in which they come first.
        """
        key = one[0], other[0]
        found = self._joined.get(key)
        if found is None:
            number: dict[tuple[int, int], int] = {}
            pairs = zip(self._shapes[key[0]], self._shapes[key[1]], strict=True)
            parts = [number.setdefault(pair, len(number)) for pair in pairs]
            found = self._joined[key] = list(number), np.array(parts, dtype=np.intp)
        values, others = one[1], other[1]
        answers = [ask(values[a], others[b]) for a, b in found[0]]
        return np.array(answers, dtype=np.int32)[found[1]]


def build_dynamic_scanner(
    lexer: LexerSpec,
    used: frozenset[TerminalId],
    stands_for: Mapping[TerminalId, TerminalId] = MappingProxyType({}),
) -> Scanner:
    """Return the minimal scanner of ``dynamic``; it has one context.

    Of the terminals that productions do not hold (``used``), only ignored ones are matched;
    ``stands_for`` is terminal → the one that its lexemes end as, where it is another one.

    Raises:
        UnsupportedTerminalError: a terminal is not regular.
        LimitError: there are too many states.
    """
    return _Dynamic(lexer, used, stands_for).explore()


# Open lexemes and the open condition; the look-behind and the open condition.
_State = tuple[_Opened, int]
_Boundary = tuple[int, int]


class _Dynamic(Exploration[_State, _Boundary]):
    """Explores the pairs (open lexemes, open condition) that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
    ) -> None:
        self._used, self._stands_for = used, stands_for
        self.lexemes, self._n_terminals = _match_one_by_one(lexer, used | lexer.ignored)
        byte_class, first = self.lexemes.threads.byte_class, (0, self.lexemes.free)
        super().__init__(lexer, byte_class, 1, (first, 0))
        self._starts: dict[int, _Opened] = {}
        self._moves: dict[_Opened, list[_Opened]] = {}
        self.boundary(first)  # which gets number 0

    def entry(self, boundary: _Boundary, context: int) -> list[int]:
        del context
        look_behind, condition = boundary
        opened = self._starts.get(look_behind)
        if opened is None:
            starts = (self.lexemes.start(c, look_behind) for c in range(self._n_terminals))
            opened = self._starts[look_behind] = tuple(s for s in starts if s != NO_STATE)
        return self.row((opened, condition))

    def row(self, state: _State) -> list[int]:
        opened, condition = state
        conditions = self.lexemes.condition_row(condition)
        return [
            self.state((moved, left)) if moved and left != NO_STATE else DEAD
            for moved, left in zip(self._move(opened), conditions, strict=True)
        ]

    def _move(self, opened: _Opened) -> list[_Opened]:
        """Return the open lexemes one byte later, by byte class."""
        found = self._moves.get(opened)
        if found is None:
            known: dict[_Opened, _Opened] = {}
            rows = zip(*map(self.lexemes.row, opened), strict=True)
            found = [known.setdefault(row, tuple(sorted({*row} - {NO_STATE}))) for row in rows] or [
                ()
            ] * self.n_classes
            self._moves[opened] = found
        return found

    def list_ends(self, state: _State) -> Iterator[End]:
        opened, condition = state
        for lexeme in opened:
            look_behind = self.lexemes.states[lexeme].look_behind
            for terminal, demands in self.lexemes.ends(lexeme):
                obligations = settle([*demands, *self.lexemes.conditions[condition][1]])
                if obligations is None:
                    continue
                boundary = self.boundary(
                    (look_behind, self.lexemes.condition(look_behind, obligations))
                )
                if terminal in self._used:
                    yield End(self._stands_for.get(terminal, terminal), boundary)
                if terminal in self.lexer.ignored:
                    yield End(IGNORED, boundary)

    def may_close(self, boundary: _Boundary) -> bool:
        return self.lexemes.condition_holds_at_end(boundary[1])

    def terminals_in(self, state: _State) -> list[int]:
        return [t for lexeme in state[0] for t in self.lexemes.terminals_in(lexeme)]


def _match_one_by_one(
    lexer: LexerSpec, wanted: frozenset[TerminalId]
) -> tuple[LexemeAutomaton, int]:
    """Return the open lexemes of the terminals that are wanted: each has a context of its own."""
    matched = [t for t in sorted(wanted) if lexer.patterns[t] is not None]
    patterns = (p if t in wanted else None for t, p in enumerate(lexer.patterns))
    alone = replace(
        lexer,
        patterns=tuple(patterns),
        ignored=frozenset(),  # what is ignored may be used as well
        contexts=tuple(Context((terminal,), ()) for terminal in matched),
        keyword_tail="",
    )
    return LexemeAutomaton(alone), len(matched)
