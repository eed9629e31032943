"""An artifact of a grammar as a piece: its masks say which tokens stay inside it.

It has no walk of its own, so where a token begins before it or goes on after it, its machine is
stepped through the trie: all of it, or only on the ways to where what follows can begin
(:mod:`maskc.runtime.link.joining.leaving`).

Example: of ``"(" start ")" | "a"`` before ``!``, after ``a`` the trie is followed to where ``!``
goes on, and the text may end at the root, but not at ``(``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.scanning import NO_EXITS, Scan, Scanner, ascending
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.leaving import Leaving
from maskc.runtime.link.joining.pieces import Link, PlainPiece
from maskc.runtime.machine import Machine
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_STEP = 20  # what a step of a grammar's machine counts for


class MachinePiece(PlainPiece):
    """An artifact of a grammar.

    Args:
        contents: of the artifact.
        machine: of the artifact.
        ends: the end-of-sequence ids.
        scanner: of the vocabulary.
        index: the vocabulary.
        budget: what cached results are charged to.

    Attributes:
        contents, machine: of the artifact.
    """

    def __init__(
        self,
        contents: Contents,
        machine: Machine[Any],
        ends: frozenset[int],
        scanner: Scanner,
        index: TokenIndex,
        budget: Budget,
    ) -> None:
        self.contents = contents
        self.machine, self._scanner, self._index = machine, scanner, index
        self._ends = index.pack(sorted(ends))
        self._walks, self._crossing = Cache(budget), Cache(budget)
        self._leaving, self._budget = Leaving(index.tokens, budget), budget
        self._group_of = np.zeros(256, dtype=np.int32)
        for number, group in enumerate(machine.byte_groups):
            self._group_of[list(group)] = number
        start = machine.start()
        self.may_be_empty = any(map(machine.may_end, start))
        self.first_bytes = frozenset(
            byte
            for group in machine.byte_groups
            if machine.step(start, group[:1])
            for byte in group
        )

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the machine's hypotheses before the first byte."""
        return tuple(Link(self, inner, rest) for inner in self.machine.start())

    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        """Return the machine's hypotheses after one more byte."""
        return self.machine.step((inner,), bytes([byte]))

    def unite(self, inners: Sequence[Any]) -> Sequence[Any]:
        """Return the machine's hypotheses, of which it makes one where it reads them together."""
        return self.machine.step(tuple(inners), b"")

    def has_ended(self, inner: Any) -> bool:
        """Return whether the machine's text may end."""
        return self.machine.may_end(inner)

    def describe(self, inner: Any) -> Hashable:
        """Return the machine's description."""
        return self.machine.describe(inner)

    def identify(self, inner: Any) -> Hashable:
        """Return the machine's key."""
        return self.machine.identify(inner)

    def legal(self, inner: Any, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`Piece`."""
        words = self.machine.mask(inner).words & ~self._ends
        part = Part((words,))
        if rest.expression is None:
            return part
        exits = self._exits(inner, rest.first_bytes)
        return self._scanner.unite((part, rest.walk(self._index.tokens, exits)))

    def walk(self, trie: Trie, nodes: Ints, _rest: Rest) -> Scan:
        """Return what the machine reads from some nodes on; see :class:`Piece`."""
        key = (trie is self._index.rests, nodes.tobytes())
        found: Scan | None = self._walks.get(key)
        if found is None:
            found = self._follow(trie, nodes.tolist(), self.machine.start())
            self._walks.put(key, found)
            n_rows = len(found.part.rows)
            self._budget.charge(found.exits.nbytes + 4 * self._index.n_words * n_rows)
        return found

    def _exits(self, inner: Any, bytes_: frozenset[int] | None) -> Ints:
        """Return the nodes of the trie of tokens at which the machine's text may end.

        Args:
            inner: what the machine knows.
            bytes_: only those from which one of these goes on; ``None``: all.
        """
        key = (self.machine.identify(inner), bytes_)
        found: Ints | None = self._crossing.get(key)
        if found is None:
            found = self._find_exits(inner, bytes_)
            self._crossing.put(key, found)
            self._budget.charge(ENTRY_BYTES + found.nbytes)
        return found

    def _find_exits(self, inner: Any, bytes_: frozenset[int] | None) -> Ints:
        if bytes_ is None:
            return self._follow(self._index.tokens, (ROOT,), (inner,)).exits
        ways = self._leaving.ways(bytes_)
        if ways.children is None:
            every = self._follow(self._index.tokens, (ROOT,), (inner,), ways.is_on).exits
            return every[ways.is_end[every]]
        machine, exits = self.machine, list[int]()
        open_: list[tuple[int, tuple[Any, ...]]] = [(ROOT, (inner,))]
        while open_:
            node, here = open_.pop()
            for child, byte in ways.children.get(node, ()):
                spend(_STEP)
                after = machine.step(here, bytes([byte]))
                if after:
                    open_.append((child, after))
                    if ways.is_end[child] and any(map(machine.may_end, after)):
                        exits.append(child)
        return np.array(sorted(exits), dtype=np.int32)

    def _follow(
        self,
        trie: Trie,
        nodes: Iterable[int],
        start: tuple[Any, ...],
        within: NDArray[np.bool_] | None = None,
    ) -> Scan:
        """Return what the machine reads from some nodes on, all of them with one past.

        Args:
            trie: of the tokens, or of the rests after a quote.
            nodes: of it.
            start: the machine's hypotheses there.
            within: bool[n_nodes], the nodes that are looked at; ``None``: all.

        Most nodes of a level are reached with the same hypotheses, as inside a string; so the walk
        goes level by level, and from hypotheses to hypotheses by groups of bytes.
        """
        machine, group_of = self.machine, self._group_of
        first = self._name(start)
        known: dict[Hashable, tuple[Any, ...]] = {first: start}
        moves: dict[tuple[Hashable, int], Hashable] = {}
        places, exits = [NO_EXITS], [NO_EXITS]
        level: dict[Hashable, list[Ints]] = {first: [np.fromiter(nodes, dtype=np.int32)]}
        while level:
            below: dict[Hashable, list[Ints]] = {}
            for name, parts in level.items():
                here = np.concatenate(parts)
                _, children = trie.children_of(here)
                if within is not None:
                    children = children[within[children]]
                groups = group_of[trie.byte_array[children]]
                spend(_STEP + len(children) // 16)
                for group in np.flatnonzero(np.bincount(groups)).tolist():
                    move = moves.get((name, group), "")
                    if move == "":
                        spend(_STEP)
                        after = machine.step(known[name], machine.byte_groups[group][:1])
                        move = moves[name, group] = self._name(after) if after else None
                        if after:
                            known.setdefault(move, after)
                    if move is None:
                        continue
                    reached = children[groups == group]
                    n_ending = trie.ending_array[reached]
                    for n in range(int(n_ending.max(initial=0))):
                        places.append(trie.low_array[reached[n_ending > n]] + n)
                    reached = reached[trie.first_array[reached] < trie.first_array[reached + 1]]
                    if len(reached):
                        below.setdefault(move, []).append(reached)
                        if any(map(machine.may_end, known[move])):
                            exits.append(reached)
            level = below
        return Scan(
            self._scanner.part(trie, np.concatenate(places)), ascending(np.concatenate(exits))
        )

    def _name(self, hypotheses: tuple[Any, ...]) -> Hashable:
        return tuple(map(self.machine.identify, hypotheses))
