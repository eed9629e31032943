"""Pieces that a machine of their own reads: a JSON Schema, and an artifact of a grammar.

What follows the text of a JSON Schema stands at the bottom of its machine's stack.

The masks of a grammar's artifact say which tokens stay inside it. It has no walk of its own, so
where a token begins before it or goes on after it, its machine is stepped through the trie: all of
it, or only on the paths to where what follows can begin. Of 275,000 nodes of a trie, from 150 a
``<`` goes on, and 218 lie on the paths to these. So where a tag follows a text, 218 nodes are
looked at.

Example: of ``"(" start ")" | "a"`` before ``!``, after ``a`` the trie is followed to where ``!``
goes on, and the text may end at the root, but not at ``(``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.link.automata.loops import ascending, going_on, list_ending
from maskc.runtime.link.automata.scanning import NO_EXITS, Scan, TrieScanner
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, Piece
from maskc.runtime.machine import DEAD, Machine, StepTable, key_of
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.step_budget import charge_steps

_STEP = 20  # what a step of a grammar's machine counts for
_FEW_NODES = 5_000  # on paths, which are listed


class SchemaPiece(Piece):
    """A JSON Schema."""

    def __init__(self, machine: MaskedSchemaMachine) -> None:
        self.machine = machine
        self.first_bytes = machine.may_read(machine.start()[0])

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, self.machine.start_before(rest.capped), rest),)

    def step(self, inner: Configuration, byte: int) -> Sequence[Configuration]:
        after = self.machine.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Configuration) -> bool:
        return self.machine.has_ended(inner)

    def describe(self, inner: Configuration) -> Hashable:
        return self.machine.describe(inner)

    def identify(self, inner: Configuration) -> Hashable:
        return self.machine.identify(inner)

    def legal(self, inner: Configuration, rest: Rest) -> Part:  # noqa: ARG002  # it is in the stack
        return self.machine.masks.legal(inner)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it and its rest read from some nodes on: no exit is left."""
        start = self.machine.start_before(rest.capped)
        return Scan(self.machine.masks.begin(trie, tuple(nodes.tolist()), start), NO_EXITS)


class TriePaths(NamedTuple):
    """The paths to some nodes of a trie."""

    is_end: NDArray[np.bool_]  # bool[n_nodes], whether a node is one of these; not the root
    is_on: NDArray[np.bool_]  # bool[n_nodes], whether a node leads to one of these, or is one
    # node → those of its children that lead on, with their bytes; None if there are many nodes on
    # the paths
    children: dict[int, list[tuple[int, int]]] | None

    @property
    def n_bytes(self) -> int:
        """About how many bytes they take."""
        return 2 * ENTRY_BYTES + 2 * len(self.is_on) + 350 * len(self.children or ())


class MachinePiece(Piece):
    """An artifact of a grammar, and its machine, without the tokens that end the sequence."""

    def __init__(
        self, contents: Contents, machine: Machine[Any], ends: frozenset[int], scanner: TrieScanner
    ) -> None:
        self.contents = contents
        self.machine, self._scanner, self._index = machine, scanner, scanner.index
        self._ends = scanner.index.pack(sorted(ends))
        self._walks = Cache(scanner.budget, lambda key, scan: 2 * len(key[1]) + scan.n_bytes)
        self._crossing = Cache(scanner.budget, lambda _, exits: 2 * ENTRY_BYTES + exits.nbytes)
        self._paths = Cache(scanner.budget, lambda _, paths: paths.n_bytes)
        start = machine.start()
        self.may_be_empty = any(map(machine.may_end, start))
        self.first_bytes = frozenset(
            byte
            for group in machine.byte_groups
            if machine.step(start, group[:1])
            for byte in group
        )

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return tuple(Link(self, inner, rest) for inner in self.machine.start())

    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        return self.machine.step((inner,), bytes([byte]))

    def unite(self, inners: Sequence[Any]) -> Sequence[Any]:
        """Return the machine's hypotheses, of which it makes one where it reads them together."""
        return self.machine.step(tuple(inners), b"")

    def has_ended(self, inner: Any) -> bool:
        return self.machine.may_end(inner)

    def describe(self, inner: Any) -> Hashable:
        return self.machine.describe(inner)

    def identify(self, inner: Any) -> Hashable:
        return self.machine.identify(inner)

    def legal(self, inner: Any, rest: Rest) -> Part:
        words = self.machine.mask(inner).words & ~self._ends
        part = Part((words,))
        if rest.expression is None:
            return part
        exits = self._exits(inner, rest.first_bytes)
        return self._scanner.unite((part, rest.walk(self._index.tokens, exits)))

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:  # noqa: ARG002
        key = (trie is self._index.suffixes, nodes.tobytes())
        return self._walks.get_or_make(
            key, lambda: self._follow(trie, nodes.tolist(), self.machine.start())
        )

    def _exits(self, inner: Any, bytes_: frozenset[int] | None) -> Ints:
        """Return the nodes of the trie of tokens at which the machine's text may end.

        Only those are listed from which one of ``bytes_`` goes on; ``None``: all.
        """
        key = (self.machine.identify(inner), bytes_)
        return self._crossing.get_or_make(key, lambda: self._find_exits(inner, bytes_))

    def _find_exits(self, inner: Any, bytes_: frozenset[int] | None) -> Ints:
        if bytes_ is None:
            return self._follow(self._index.tokens, (ROOT,), (inner,)).exits
        paths = self._paths.get_or_make(bytes_, lambda: find_paths(self._index.tokens, bytes_))
        if paths.children is None:
            every = self._follow(self._index.tokens, (ROOT,), (inner,), paths.is_on).exits
            return every[paths.is_end[every]]
        machine, exits = self.machine, list[int]()
        open_: list[tuple[int, tuple[Any, ...]]] = [(ROOT, (inner,))]
        while open_:
            node, here = open_.pop()
            for child, byte in paths.children.get(node, ()):
                charge_steps(_STEP)
                after = machine.step(here, bytes([byte]))
                if after:
                    open_.append((child, after))
                    if paths.is_end[child] and any(map(machine.may_end, after)):
                        exits.append(child)
        return np.array(sorted(exits), dtype=np.int32)

    def _follow(
        self,
        trie: Trie,
        nodes: Iterable[int],
        start: tuple[Any, ...],
        within: NDArray[np.bool_] | None = None,
    ) -> Scan:
        """Return what the machine reads from some nodes on, where it has the hypotheses ``start``.

        Only nodes are looked at that are marked in ``within``, bool[n_nodes]; ``None``: all.

        Most nodes of a level are reached with the same hypotheses, as inside a string; so the walk
        goes level by level, and from hypotheses to hypotheses by groups of bytes.
        """
        machine = self.machine
        table = StepTable(
            machine.step, partial(key_of, machine), machine.byte_groups, lambda here: here, _STEP
        )
        text_indices, exits = [NO_EXITS], [NO_EXITS]
        here = np.fromiter(nodes, dtype=np.int32)
        states = np.full(len(here), table.find(start), dtype=np.int32)
        while len(here):
            above, here = trie.children_of(here)
            if within is not None:
                above, here = above[within[here]], here[within[here]]
            charge_steps(_STEP + len(here) // 16)
            states = table.after(states[above], table.column_of[trie.byte_array[here]])
            here, states = here[states != DEAD], states[states != DEAD]
            text_indices.append(list_ending(trie, here)[0])
            goes_on = going_on(trie, here)
            here, states = here[goes_on], states[goes_on]
            may_end = np.zeros(len(table.hypotheses), dtype=np.bool_)
            for state in np.unique(states).tolist():
                may_end[state] = any(map(machine.may_end, table.hypotheses[state]))
            exits.append(here[may_end[states]])
        return Scan(
            self._scanner.part(trie, np.concatenate(text_indices)), ascending(np.concatenate(exits))
        )


def find_paths(trie: Trie, bytes_: frozenset[int]) -> TriePaths:
    """Return the paths to the nodes from which one of some bytes goes on."""
    is_read = np.zeros(256, dtype=np.bool_)
    is_read[list(bytes_)] = True
    is_end = np.zeros(len(trie.byte_array), dtype=np.bool_)
    # The root is no child, and has byte 0.
    is_end[trie.parent_array[1:][is_read[trie.byte_array[1:]]]] = True
    is_end[ROOT] = False
    is_on = is_end.copy()
    for low, high in reversed(list(zip(trie.levels[1:], trie.levels[2:], strict=False))):
        is_on[trie.parent_array[low:high][is_on[low:high]]] = True
    on: Ints = np.flatnonzero(is_on[1:]).astype(np.int32) + 1
    children: dict[int, list[tuple[int, int]]] | None = None
    if len(on) <= _FEW_NODES:
        children = {}
        columns = (on.tolist(), trie.parent_array[on].tolist(), trie.byte_array[on].tolist())
        for node, parent, byte in zip(*columns, strict=True):
            children.setdefault(parent, []).append((node, byte))
    return TriePaths(is_end, is_on, children)
