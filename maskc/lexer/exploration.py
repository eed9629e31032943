"""Lazy product construction of a scanner that matches each terminal by itself, in one context.

A state is the lexemes that are open with the conditions that earlier lexemes left; a boundary is
what is known between two lexemes. Both are numbered as they come up, until no new one does. Then
they become the arrays of a :class:`~maskc.lexer.scanner.Scanner`, minimal, without states from
which no text ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskc.budget import at
from maskc.errors import LimitError
from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, EMPTY_TEXT, BoundaryId, ScannerStateId, TerminalId
from maskc.lexer.scanner import End, Scanner, describe_states, drop_useless, minimise
from maskc.wording import Phrase

MAX_PRODUCT_STATES = 1_000_000  # before minimising: a matter of memory
_SHOWN = 1_000  # the latest states, whose terminals a message names

State = TypeVar("State", bound=Hashable)
Boundary = TypeVar("Boundary", bound=Hashable)


class Exploration(ABC, Generic[State, Boundary]):
    """The states and boundaries that can occur; number 0 is the dead state.

    Args:
        lexer: what to look for.
        used: terminals that productions hold; of the others, only ignored ones are matched.
        stands_for: terminal → the one that its lexemes end as, where it is another one.
        byte_class: uint8[256].
        first: the boundary before the text.
    """

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
        byte_class: NDArray[np.uint8],
        first: Boundary,
    ) -> None:
        self.lexer, self.used, self.stands_for = lexer, used, stands_for
        self._byte_class = byte_class
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._boundary_numbers: dict[Boundary, BoundaryId] = {}
        self._boundaries: list[Boundary] = []
        self.boundary(first)

    @abstractmethod
    def entry(self, boundary: Boundary) -> list[int]:
        """Return the states after the first byte of a lexeme, by byte class."""

    @abstractmethod
    def row(self, state: State) -> list[int]:
        """Return the states after one more byte, by byte class."""

    @abstractmethod
    def list_ends(self, state: State) -> Iterable[End]:
        """Return the ways in which the open lexeme may end."""

    @abstractmethod
    def may_close(self, boundary: Boundary) -> bool:
        """Return whether the text may end at a boundary."""

    @abstractmethod
    def terminals_in(self, state: State) -> Iterable[TerminalId]:
        """Return the terminals that a state is inside of."""

    def state(self, state: State) -> int:
        """Return the number of a state that is not dead.

        Raises:
            LimitError: there are more than ``MAX_PRODUCT_STATES``.
        """
        found = self._numbers.setdefault(state, len(self._states) + 1)
        if found > len(self._states):
            if found > MAX_PRODUCT_STATES:
                raise LimitError("scanner states", MAX_PRODUCT_STATES, Phrase.SIMPLER_TERMINALS)
            self._states.append(state)
        return found

    def boundary(self, boundary: Boundary) -> BoundaryId:
        """Return the number of a boundary."""
        number = BoundaryId(len(self._boundaries))
        found = self._boundary_numbers.setdefault(boundary, number)
        if found == number:
            self._boundaries.append(boundary)
        return found

    def explore(self) -> Scanner:
        """Return the minimal scanner of all states and boundaries.

        Raises:
            LimitError: there are too many states.
        """
        at(self._describe)
        rows: list[list[int]] = []
        ends: list[tuple[End, ...]] = []
        entries: list[list[int]] = []
        while len(rows) < len(self._states) or len(entries) < len(self._boundaries):
            if len(entries) < len(self._boundaries):
                entries.append(self.entry(self._boundaries[len(entries)]))
                continue
            state = self._states[len(rows)]
            rows.append(self.row(state))
            ends.append(tuple(sorted(set(self.list_ends(state)))))
        return self._build(rows, ends, entries)

    def _describe(self) -> str:
        """Return which terminals the states are inside of that were found last."""
        inside = (t for state in self._states[-_SHOWN:] for t in self.terminals_in(state))
        return describe_states(self.lexer, len(self._states), inside, lambda t: (TerminalId(t),))

    def _build(
        self, rows: list[list[int]], ends: list[tuple[End, ...]], entries: list[list[int]]
    ) -> Scanner:
        n_states, n_classes = len(rows), int(self._byte_class.max()) + 1
        closed = tuple(map(self.may_close, self._boundaries))
        # The start is the last state, before the first byte.
        following = np.full((n_states + 2, n_classes), DEAD, dtype=np.int32)
        following[1:-1] = np.array(rows, dtype=np.int32).reshape(n_states, n_classes)
        following[-1] = entries[0]
        entered = np.zeros((len(entries) + 1, n_classes), dtype=np.int32)
        entered[1:] = np.array(entries, dtype=np.int32).reshape(-1, n_classes)

        def end_of_text(ends: tuple[End, ...]) -> TerminalId | None:
            """Return one of the terminals that the lexeme may be if the text ends here."""
            return min((e.terminal for e in ends if closed[e.boundary]), default=None)

        raw = Scanner(
            byte_class=self._byte_class,
            next=following,
            ends=((), *ends, ()),
            end_of_text=(None, *map(end_of_text, ends), EMPTY_TEXT),
            enter=np.arange(1, len(entered), dtype=np.int32).reshape(-1, 1),
            entries=entered,
            closed=closed,
            start=ScannerStateId(n_states + 1),
        )
        return minimise(drop_useless(raw))
