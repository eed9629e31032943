"""Lazy product construction of a scanner, from the beginning of the text.

A state is what is known inside of a lexeme, such as the threads that are open with the conditions
that earlier lexemes left; a boundary is what is known between two lexemes. A subclass says what
follows from a state on a byte, how its lexeme may end, and what follows from a boundary on the
first byte of the next lexeme, in a context of the parser. States, boundaries and rows are numbered
as they come up, until no new one does. Then they become the arrays of a
:class:`~maskc.lexer.Scanner`, minimal, without states from which no text ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskc.budget import at
from maskc.errors import LimitError
from maskc.grammar import LexerSpec
from maskc.ids import EMPTY_TEXT, BoundaryId, ScannerStateId, TerminalId
from maskc.lexer import End, Scanner, describe_states, drop_useless, minimise
from maskc.wording import Phrase

_SHOWN = 1_000  # the latest states, whose terminals a message names

State = TypeVar("State", bound=Hashable)
Boundary = TypeVar("Boundary", bound=Hashable)
Row = Sequence[int] | NDArray[np.int32]  # by byte class, a state's number or ``DEAD``


class Exploration(ABC, Generic[State, Boundary]):
    """The states and boundaries that can occur; number 0 is the dead state.

    Attributes:
        most_states: before minimising: a matter of memory, as each takes about a kilobyte.
        remedy: for who has more.
        states, boundaries: those that are known, by number; state 1 is the first of ``states``.
    """

    most_states = 1_000_000
    remedy: str = Phrase.SIMPLER_TERMINALS

    def __init__(
        self,
        lexer: LexerSpec,
        byte_class: NDArray[np.uint8],
        n_contexts: int,
        first: tuple[Boundary, int],
    ) -> None:
        """Begin; ``first`` is the boundary before the text, and the context there."""
        self.lexer, self.byte_class, self._first = lexer, byte_class, first
        self.n_classes = int(byte_class.max()) + 1
        self._n_contexts = n_contexts
        self.states: list[State] = []
        self._state_numbers: dict[State, int] = {}
        self.boundaries: list[Boundary] = []
        self._boundary_numbers: dict[Boundary, BoundaryId] = {}
        self._entered: dict[tuple[int, int], int] = {}
        self._rows: list[Row] = [(0,) * self.n_classes]
        self._row_numbers: dict[bytes, int] = {}

    @abstractmethod
    def row(self, state: State) -> Row:
        """Return the states after one more byte."""

    @abstractmethod
    def list_ends(self, state: State) -> Iterable[End]:
        """Return the ways in which the open lexeme may end."""

    @abstractmethod
    def entry(self, boundary: Boundary, context: int) -> Row:
        """Return the states after the first byte of a lexeme."""

    @abstractmethod
    def may_close(self, boundary: Boundary) -> bool:
        """Return whether the text may end at a boundary."""

    def end_of_text(self, state: State, ends: Iterable[End]) -> TerminalId | None:  # noqa: ARG002
        """Return a terminal that the open lexeme may be if the text ends here, ``None``: none."""
        closing = (end.terminal for end in ends if self.may_close(self.boundaries[end.boundary]))
        return min(closing, default=None)

    def terminals_in(self, state: State) -> Iterable[int]:  # noqa: ARG002
        """Return the terminals that a state is inside of, as far as a message needs them."""
        return ()

    def state(self, state: State) -> int:
        """Return the number of a state that is not dead.

        Raises:
            LimitError: there are more than ``most_states``.
        """
        found = self._state_numbers.setdefault(state, len(self.states) + 1)
        if found > len(self.states):
            if found > self.most_states:
                raise LimitError("scanner states", self.most_states, self.remedy)
            self.states.append(state)
        return found

    def boundary(self, boundary: Boundary, contexts: Iterable[int] = (0,)) -> BoundaryId:
        """Return the number of a boundary, which the parser leaves in these contexts."""
        number = self._boundary_numbers.setdefault(boundary, BoundaryId(len(self.boundaries)))
        if number == len(self.boundaries):
            self.boundaries.append(boundary)
        for context in contexts:
            if (number, context) not in self._entered:
                row = self.entry(boundary, context)
                key = np.asarray(row, dtype=np.int32).tobytes()
                self._entered[number, context] = self._row_numbers.setdefault(key, len(self._rows))
                if self._entered[number, context] == len(self._rows):
                    self._rows.append(row)
        return number

    def explore(self) -> Scanner:
        """Return the minimal scanner of all states and boundaries.

        Raises:
            LimitError: there are too many states.
        """
        # What was explored takes far more memory than its tables, which alone are minimised.
        return minimise(drop_useless(self.find_all()))

    def find_all(self) -> Scanner:
        """Return the scanner of all states and boundaries, not minimal."""
        at(self._describe)
        start = self.entry(*self._first)
        rows: list[Row] = []
        ends: list[tuple[End, ...]] = []
        for state in self.states:  # grows while we walk it
            rows.append(self.row(state))
            ends.append(tuple(sorted(set(self.list_ends(state)))))
        # The start is the last state, before the first byte.
        following = np.array([self._rows[0], *rows, start], dtype=np.int32)
        enter = np.zeros((len(self.boundaries), self._n_contexts), dtype=np.int32)
        for (boundary, context), number in self._entered.items():
            enter[boundary, context] = number
        return Scanner(
            byte_class=self.byte_class,
            next=following.reshape(-1, self.n_classes),
            ends=((), *ends, ()),
            end_of_text=(None, *map(self.end_of_text, self.states, ends), EMPTY_TEXT),
            enter=enter,
            entries=np.array(self._rows, dtype=np.int32).reshape(-1, self.n_classes),
            closed=tuple(map(self.may_close, self.boundaries)),
            start=ScannerStateId(len(rows) + 1),
        )

    def _describe(self) -> str:
        """Return which terminals the states are inside of that were found last."""
        inside = (t for state in self.states[-_SHOWN:] for t in self.terminals_in(state))
        return describe_states(self.lexer, len(self.states), inside)
