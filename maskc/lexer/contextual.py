"""The scanner of Lark's contextual and basic lexers.

A state is a pair: an open lexeme (:mod:`maskc.lexer.lexeme`), and the condition that earlier
lexemes left open. A boundary is the state of the look-behinds with a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, TerminalId
from maskc.lexer.exploration import Exploration
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton
from maskc.lexer.scanner import End, Scanner, contexts_after
from maskc.regular.threads import settle

Shape = bytes  # class → its part, numbered by first occurrence; there are at most 256 classes


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
