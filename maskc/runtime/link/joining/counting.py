"""Pieces whose state has counters.

An automaton with counters has a state for each count, too many to number them. So what a piece
knows of its text is the state itself, with exact counts; numbers have only states in which each
count stands for all those that no token tells from it. A mask of the count 3 is the mask of 60,000
if the bound is 65,536.

Example: in ``[a-z]{1,65536}`` after three letters, and after thirty thousand, the capped count is
1: that of a loop that may be left, and that may go on for as long as any token.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from maskc.errors import LimitError
from maskc.runtime.link.automata.automaton import MAX_MEGABYTES, START, ByteAutomaton
from maskc.runtime.link.automata.scanning import AutomatonScans, Scanner
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, ScannedPiece, cross
from maskc.runtime.schema.tries.summary import Part

MAX_STATES, MAX_BYTES = 50_000, MAX_MEGABYTES * 1_000_000

_Name = TypeVar("_Name", bound=Hashable)


class CountingAutomaton(ByteAutomaton[_Name]):
    """An automaton over bytes whose states have counters; only capped states have numbers."""

    @abstractmethod
    def read(self, name: _Name, byte: int) -> _Name | None:
        """Return the state after a byte, with exact counts; ``None`` if none follows."""

    @abstractmethod
    def cap(self, name: _Name) -> _Name:
        """Return the state whose counts stand for all that no token tells from these."""

    @abstractmethod
    def measure(self, name: _Name) -> int:
        """Return about how many bytes of memory a name takes."""

    def _number(self, name: _Name) -> int:
        if name not in self._numbers:
            if self.n_states >= MAX_STATES:
                raise LimitError("states in the pattern's automaton", MAX_STATES, "simplify it")
            if self.n_bytes >= MAX_BYTES:
                raise LimitError("MB of states of a pattern", MAX_MEGABYTES, "simplify it")
            self.grow(self.measure(name))
        return super()._number(name)


class CountingPiece(ScannedPiece):
    """A piece that an automaton with counters reads; what it knows is the name of a state."""

    automaton: CountingAutomaton[Any]

    def __init__(self, make: Callable[[], CountingAutomaton[Any]], scanner: Scanner) -> None:
        super().__init__(AutomatonScans(make(), scanner))
        self._make = make

    @property
    def n_states(self) -> int:
        return self._scans.automaton.n_states

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, self.automaton.name_of(START), rest),)

    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        after = self.automaton.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Any) -> bool:
        return self.automaton.is_accepting(inner)

    def seen(self, inner: Any) -> Any:
        return self.automaton.cap(inner)

    def legal(self, inner: Any, rest: Rest) -> Part:
        automaton = self._scans.automaton
        if automaton.n_states > MAX_STATES // 2 or automaton.n_bytes > MAX_BYTES // 2:
            # Texts need ever new states: those of old ones are forgotten.
            self._scans = AutomatonScans(self._make(), self._scans.scanner)
        scans = self._scans
        scan = scans.scan(scans.automaton.state_of(self.automaton.cap(inner)))
        return cross(scan, scans, rest)
