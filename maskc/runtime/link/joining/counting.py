"""What does a piece read whose state has counters?

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
from maskc.runtime.link.automata.automaton_scans import AutomatonScans
from maskc.runtime.link.automata.scanning import Scan
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, PlainPiece
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

MAX_STATES, MAX_BYTES = 50_000, MAX_MEGABYTES * 1_000_000
_MOST_FIRST = 64  # bytes that a piece may begin with, to be looked up ahead

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


class CountingScans(AutomatonScans):
    """What an automaton with counters reads of each trie."""

    automaton: CountingAutomaton[Any]

    def _scan(self, at: int) -> Scan:
        if self.automaton.counted(at) is None:
            return super()._scan(at)
        # Another count differs nearly everywhere, and what is common to both is known.
        return self.scanner.scan(self.automaton, self.index.tokens, [(ROOT, at)])


class CountingPiece(PlainPiece):
    """A piece that an automaton with counters reads; what it knows of its text is a state's name.

    Args:
        make_scans: returns a new automaton, and what is known of it.

    Attributes:
        automaton: the automaton.
    """

    def __init__(self, make_scans: Callable[[], CountingScans]) -> None:
        self._make_scans, self._scans = make_scans, make_scans()
        self.automaton = automaton = self._scans.automaton
        self.may_be_empty = automaton.accepts(START)
        first = automaton.moves(START)
        self.first_bytes = frozenset(first) if len(first) <= _MOST_FIRST else None

    @property
    def n_states(self) -> int:
        """How many states have a number."""
        return self._scans.automaton.n_states

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes by now, with the states that have a number."""
        return self.n_bytes + self._scans.automaton.n_bytes

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before its first byte."""
        return (Link(self, self.automaton.name_of(START), rest),)

    def step(self, inner: Hashable, byte: int) -> Sequence[Hashable]:
        """Return the state after one more byte."""
        after = self.automaton.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Hashable) -> bool:
        """Return whether the automaton accepts."""
        return self.automaton.is_accepting(inner)

    def describe(self, inner: Hashable) -> Hashable:
        """Return the state."""
        return inner

    def seen(self, inner: Hashable) -> Hashable:
        """Return the state with counts that no mask tells from these."""
        capped: Hashable = self.automaton.cap(inner)
        return capped

    def legal(self, inner: Hashable, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`maskc.runtime.link.joining.pieces.Piece`."""
        scans = self._scans
        automaton = scans.automaton
        if automaton.n_states > MAX_STATES // 2 or automaton.n_bytes > MAX_BYTES // 2:
            # Texts need ever new states: those of old ones are forgotten.
            self._scans = scans = self._make_scans()
        scan = scans.scan(scans.automaton.state_of(scans.automaton.cap(inner)))
        if rest.expression is None or not len(scan.exits):
            return scan.part
        return scans.scanner.unite((scan.part, rest.walk(scans.index.tokens, scan.exits)))

    def walk(self, trie: Trie, nodes: Ints, _rest: Rest) -> Scan:
        """Return what it reads from some nodes on, as any piece does."""
        return self._scans.walk(trie, nodes)
