"""Pieces whose passes are counted, and what is legal in a loop that allows ever fewer of them.

An automaton with counters has a state for each count, too many to number them. So what its piece
knows of a text is the state itself, with exact counts; numbers have only states in which each count
stands for all those that no token tells from it. A mask of the count 3 is the mask of 60,000 if the
bound is 65,536.

In a raw string with ``maxLength`` each character is a pass, and each character that was read leaves
one pass less. A token needs some number of passes: all of them if it ends inside the loop, or those
before a node at which the text may end, if the rest of the token is read by what follows. The least
of these numbers decides, so the masks are nested: with one pass less a mask loses the tokens that
need just so many. Where the loop demands passes before it is left, the greatest number with which a
token leaves it counts as well. So what is legal is worked out once for all numbers of passes.

What follows the loop is walked once, level by level from all nodes at which the text may end, with
the passes before each. It is determinised on the way: a state is a set of hypotheses.

Example: before ``</p>``, the token ``ab</`` needs two passes, as ``</`` then ends the string, and
``ab<b`` needs four.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from maskc.acyclic import mypyc_attr
from maskc.errors import LimitError
from maskc.runtime.link.automata import MAX_MEGABYTES, START, ByteAutomaton
from maskc.runtime.link.automata.loop_reader import LEVEL, NODES_AT_ONCE, LoopReader
from maskc.runtime.link.automata.loops import (
    MOST_PASSES,
    ComponentReading,
    Loop,
    Passes,
    going_on,
    list_ending,
)
from maskc.runtime.link.automata.scanning import AutomatonScans, TrieScanner
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, ScannedPiece, cross
from maskc.runtime.machine import EVERY_BYTE, NOT_FOLLOWED, StepTable
from maskc.runtime.schema.tries import ROOT, Ints, TokenIndex, Words
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.step_budget import charge_steps

if TYPE_CHECKING:
    from maskc.runtime.link.joining import PieceBoundaries

MAX_STATES, MAX_BYTES = 50_000, MAX_MEGABYTES * 1_000_000

_Name = TypeVar("_Name", bound=Hashable)


@mypyc_attr(allow_interpreted_subclasses=True)
class CountingAutomaton(ByteAutomaton[_Name]):
    """An automaton over bytes whose states have counters; only capped states have numbers."""

    @abstractmethod
    def read(self, name: _Name, byte: int) -> _Name | None:
        """Return the state after a byte, with exact counts; ``None`` if none follows."""

    @abstractmethod
    def cap(self, name: _Name) -> _Name:
        """Return the state whose counts stand for all that no token tells from these."""

    def fill(self, name: _Name, bytes_: Sequence[int]) -> tuple[list[int], _Name]:  # noqa: ARG002
        """Return bytes that lead nearer to an end as there must be more, and the state after them.

        Of those that may follow a state the first of ``bytes_`` is taken. Here there are none.
        """
        return [], name

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

    def __init__(self, make: Callable[[], CountingAutomaton[Any]], scanner: TrieScanner) -> None:
        self.counting = counting = make()
        super().__init__(AutomatonScans(counting, scanner))
        self._make = make

    @property
    def n_states(self) -> int:
        return self._scans.automaton.n_states

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, self.counting.name_of(START), rest),)

    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        after = self.counting.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Any) -> bool:
        return self.counting.is_accepting(inner)

    def seen(self, inner: Any) -> Any:
        return self.counting.cap(inner)

    def legal(self, inner: Any, rest: Rest) -> Part:
        automaton = self._scans.automaton
        if automaton.n_states > MAX_STATES // 2 or automaton.n_bytes > MAX_BYTES // 2:
            # Texts need ever new states: those of old ones are forgotten.
            self._scans = AutomatonScans(self._make(), self._scans.scanner)
        scans = self._scans
        state = scans.automaton.state_of(self.counting.cap(inner))
        part = rest.count_down(scans.automaton.loop_of(state))
        return part or cross(scans.scan(state, rest.first_bytes), scans, rest)


_MOST_MOVES, _MOST_HYPOTHESES = 1_000, 16  # of what follows; beyond it is walked for each mask
_FEW = 100  # tokens that are left out one by one


class Countdown(NamedTuple):
    """What is legal in a loop, by how many passes it allows."""

    reading: ComponentReading  # of the loop's component, below the root
    words: Words  # the mask with any number of passes
    text_indices: Ints  # int32[n], the tokens, by text index, that may leave the loop
    # leaving, latest: uint16[n], the fewest and the most passes with which each of them does
    leaving: Passes
    latest: Passes
    inside: Passes  # uint16[n], the passes with which it stays in the loop; MOST_PASSES: it cannot

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes; the reading is counted by who keeps it."""
        return self.words.nbytes + 10 * len(self.text_indices) + 1_000

    def legal(self, index: TokenIndex, least: int, most: int) -> Part | None:
        """Return the tokens that make no more passes, and leave after no fewer.

        ``None`` if some token leaves after too few and after too many, and maybe between them.
        """
        if least and np.any((self.leaving < least) & (self.latest > most)):
            return None
        order = index.order
        read, excluded = self.reading.read_within(most)
        does_leave = (self.leaving <= most) & (self.latest >= least)
        if len(read) < len(excluded):
            return Part((index.pack(order[np.concatenate([read, self.text_indices[does_leave]])]),))
        only_left = ~does_leave & (self.inside == MOST_PASSES)
        excluded = order[np.concatenate([excluded, self.text_indices[only_left]])]
        kept = order[self.text_indices[does_leave & (self.inside > most)]]
        if len(excluded) <= _FEW:
            removed = set(excluded.tolist()).difference(kept.tolist())
            return Part((self.words,), removed=tuple(sorted(removed)))
        bits = np.unpackbits(self.words.view(np.uint8), bitorder="little")
        bits[excluded] = 0
        bits[kept] = 1
        return Part((np.packbits(bits, bitorder="little").view("<i4"),))


def count_down(
    boundaries: PieceBoundaries, reader: LoopReader, loop: Loop, rest: Rest
) -> Countdown | None:
    """Return what is legal in a loop that only the text's end leaves, before a rest.

    ``None`` if what follows has too many states.
    """
    index, component = boundaries.index, loop.component
    ends = reader.ends(loop, boundaries.scanner.onward(index.tokens, rest.first_bytes))
    leaving = np.full(len(index.order), MOST_PASSES, dtype=np.uint16)
    latest = np.zeros(len(index.order), dtype=np.uint16)
    if rest.expression is not None and not _walk(boundaries, rest, ends, leaving, latest):
        return None
    reading, inside = reader.read(component, ROOT), reader.passes_of(component)
    text_indices = np.flatnonzero(leaving < MOST_PASSES).astype(np.int32)
    words = index.pack(index.order[reading.text_indices]) if reading.row is None else reading.row
    if len(text_indices):
        words = index.set_bits(words, index.order[text_indices])
    return Countdown(
        reading,
        words,
        text_indices,
        leaving[text_indices],
        latest[text_indices],
        inside[text_indices],
    )


def _walk(
    boundaries: PieceBoundaries,
    rest: Rest,
    ends: tuple[Ints, Passes],
    leaving: Passes,
    latest: Passes,
) -> bool:
    """Write the fewest and the most passes of each token that the rest reads from some nodes on.

    Returns:
        False if there are too many states; then not all is written.
    """
    trie, first, (nodes, passes) = boundaries.index.tokens, rest.first_bytes, ends
    if first is None:
        return False
    table = StepTable(boundaries.step, tuple, EVERY_BYTE, _as_plain, 1)
    here = np.full(len(nodes), table.find(rest.starts), dtype=np.int32)
    table.leave_out(table.find(rest.starts), [byte for byte in range(256) if byte not in first])
    while len(nodes):
        above, nodes = trie.children_of(nodes)
        charge_steps(LEVEL + len(nodes) // NODES_AT_ONCE)
        columns = table.column_of[trie.byte_array[nodes]]
        after = table.after(here[above], columns, _MOST_MOVES - table.n_made)
        if (after == NOT_FOLLOWED).any():
            return False
        alive = np.flatnonzero(after)
        nodes, here, passes = nodes[alive], after[alive], passes[above[alive]]
        ending, at = list_ending(trie, nodes)
        # One level on, a token is read from a node that is nearer to the root: with no more passes.
        new = leaving[ending] == MOST_PASSES
        latest[ending[new]] = passes[at][new]
        leaving[ending] = passes[at]
        on = going_on(trie, nodes)
        nodes, here, passes = nodes[on], here[on], passes[on]
    return True


def _as_plain(here: tuple[Link, ...]) -> tuple[Link, ...] | None:
    """Return hypotheses, ``None`` if they are many, or count tokens."""
    counts = len(here) > _MOST_HYPOTHESES or any(link.piece.counts_tokens for link in here)
    return None if counts else here
