"""The automaton of a pattern without look-aheads and word boundaries.

Its states are sets of positions in the pattern, as bits of an integer.

Example: after ``a`` of ``ab|ac`` two positions wait, for ``b`` and for ``c``.

Source: Thompson, 1968, doi:10.1145/363347.363387.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from maskc.budget import poll
from maskc.jsonschema.charsets import CharSet
from maskc.jsonschema.exploring import MAX_STATES, TooLargeError, explore_rows, merge_starts
from maskc.jsonschema.syntax import (
    Assertion,
    Choice,
    Node,
    PatternError,
    Repeat,
    Sequence,
    Set,
)
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa


class _Nfa:
    """Thompson's automaton; moves between its states may be bound to the start or the end."""

    def __init__(self) -> None:
        self.free: list[list[int]] = []
        self.bound: list[list[tuple[str, int]]] = []
        self.reads: list[tuple[CharSet, int] | None] = []

    def add(self) -> int:
        """Return a new state.

        Raises:
            TooLargeError: there are too many.
        """
        if len(self.free) > 4 * MAX_STATES:
            raise TooLargeError
        self.free.append([])
        self.bound.append([])
        self.reads.append(None)
        return len(self.free) - 1

    def build(self, node: Node, following: int) -> int:
        """Return the state from which a node is matched before going on at another."""
        match node:
            case Set(characters):
                start = self.add()
                self.reads[start] = (characters, following)
                return start
            case Sequence(parts):
                for part in reversed(parts):
                    following = self.build(part, following)
                return following
            case Choice(parts):
                start = self.add()
                self.free[start] = [self.build(part, following) for part in parts]
                return start
            case Repeat(body, least, most):
                if most is None:
                    loop = self.add()
                    self.free[loop] = [self.build(body, loop), following]
                    following = loop
                else:
                    last = following
                    for _ in range(most - least):
                        start = self.add()
                        self.free[start] = [self.build(body, following), last]
                        following = start
                for _ in range(least):
                    following = self.build(body, following)
                return following
            case Assertion(kind):
                start = self.add()
                self.bound[start] = [(kind, following)]
                return start
        raise PatternError("has a look-ahead in an unexpected place")

    def close(self, state: int, kinds: str) -> int:
        """Return the states reached without a character, as bits; some bound moves are free."""
        poll()
        found, open_ = 1 << state, [state]
        while open_:
            here = open_.pop()
            reached = self.free[here] + [t for kind, t in self.bound[here] if kind in kinds]
            for target in reached:
                if not found >> target & 1:
                    found |= 1 << target
                    open_.append(target)
        return found


class _Readers:
    """Which states read which sets of characters, and what comes after them.

    Args:
        reads: state → the set that it reads, and the state after it.
        closed: a state after a character → all that it leads to, as bits.
        characters: one of each kind.
    """

    def __init__(
        self,
        reads: list[tuple[CharSet, int] | None],
        closed: dict[int, int],
        characters: list[int],
    ) -> None:
        self._after = {s: closed[read[1]] for s, read in enumerate(reads) if read is not None}
        reading: dict[CharSet, int] = {}
        for state, read in enumerate(reads):
            if read is not None:
                reading[read[0]] = reading.get(read[0], 0) | 1 << state
        self._reading = list(reading.values())
        self._sets_of = [[n for n, s in enumerate(reading) if c in s] for c in characters]
        self._known: list[dict[int, int]] = [{} for _ in reading]

    def follow(self, bits: int) -> list[int | None]:
        """Return the states after each kind of character, ``None`` for none."""
        after = [self._read(n, bits & reading) for n, reading in enumerate(self._reading)]
        found: list[int | None] = []
        for sets in self._sets_of:
            target = 0
            for n in sets:
                target |= after[n]
            found.append(target or None)
        return found

    def _read(self, number: int, bits: int) -> int:
        """Return the states after some that read a set."""
        if not bits:
            return 0
        known = self._known[number]
        found = known.get(bits)
        if found is None:
            found, left = 0, bits
            while left:
                low = left & -left
                found |= self._after[low.bit_length() - 1]
                left ^= low
            known[bits] = found
        return found


def build_simple(node: Node, sets: list[CharSet]) -> CharDfa:
    """Return the automaton of a pattern without look-aheads and word boundaries.

    Args:
        node: its tree.
        sets: the sets in it.
    """
    nfa = _Nfa()
    final = nfa.add()
    start = nfa.build(node, final)
    starts = merge_starts(characters.starts for characters in sets)
    kinds = [tuple(low in characters for characters in sets) for low in starts]
    closed: dict[int, int] = {}
    reading = 0
    for state, read in enumerate(nfa.reads):
        if read is not None:
            reading |= 1 << state
            if read[1] not in closed:
                closed[read[1]] = nfa.close(read[1], "")
    useful = reading
    for state, bound in enumerate(nfa.bound):
        if bound or state == final:
            useful |= 1 << state
    closed = {state: bits & useful for state, bits in closed.items()}
    may_end = 0
    for state in range(len(nfa.free)):
        if useful >> state & 1 and nfa.close(state, "$") >> final & 1:
            may_end |= 1 << state
    first = nfa.close(start, "^") & useful
    ends_empty = bool(nfa.close(start, "^$") >> final & 1)
    first_of: dict[tuple[bool, ...], int] = {}
    for low, kind in zip(starts, kinds, strict=True):
        first_of.setdefault(kind, low)
    column_of = {kind: n for n, kind in enumerate(first_of)}
    columns = [column_of[kind] for kind in kinds]
    readers = _Readers(nfa.reads, closed, list(first_of.values()))

    def follow(state: Hashable) -> Iterable[Hashable]:
        return readers.follow(state if isinstance(state, int) else first)

    def label(state: Hashable) -> int:
        if not isinstance(state, int):
            return 0 if ends_empty else NO_LABEL
        return 0 if state & may_end else NO_LABEL

    return explore_rows(starts, columns, len(column_of), "start", follow, label, 1)
