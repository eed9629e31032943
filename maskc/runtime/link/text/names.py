"""A name that is none of some: letters, digits and underscores, no digit first.

What is none of some names reads what any name reads, and may not end where one of them is whole. So
names are scanned once for a tokenizer, and of each list of names only the nodes are looked for at
which one of them ends.

Example: without ``city``, ``cit`` and ``city2`` are read; after ``ci`` the token ``ty`` is read,
and ``ty>`` is none of the name and what comes after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import ByteAutomaton
from maskc.runtime.link.automata.scanning import AutomatonScans, Scan
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_FIRST = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_LATER = _FIRST + b"0123456789"
_OTHER = -1  # it is none of the names, whatever follows
# States of what is none of no names: nothing was read, and something was.
_NO_NAME, _ANY_NAME = (0, False), (_OTHER, True)


class OtherName(ByteAutomaton[tuple[int, bool]]):
    """Reads a name that is none of some."""

    def __init__(self, names: Iterable[bytes]) -> None:
        self._children: list[dict[int, int]] = [{}]
        self._taken: set[int] = set()
        self.names = tuple(names)
        for name in self.names:
            here = 0
            for byte in name:
                if byte not in self._children[here]:
                    self._children[here][byte] = len(self._children)
                    self._children.append({})
                here = self._children[here][byte]
            self._taken.add(here)
        super().__init__(_NO_NAME)

    def children(self, node: int) -> dict[int, int]:
        return {} if node == _OTHER else self._children[node]

    def is_taken(self, node: int) -> bool:
        return node in self._taken

    def find_moves(self, name: tuple[int, bool]) -> dict[int, tuple[int, bool]]:
        node, has_begun = name
        children = self.children(node)
        return {
            byte: (children.get(byte, _OTHER), True) for byte in (_LATER if has_begun else _FIRST)
        }

    def is_accepting(self, name: tuple[int, bool]) -> bool:
        return name[1] and name[0] not in self._taken


class NameScans(AutomatonScans):
    """What is known of a name that is none of some; ``plain`` is any name."""

    def __init__(self, names: OtherName, plain: AutomatonScans) -> None:
        super().__init__(names, plain.scanner)
        self._other, self._plain = names, plain

    def _scan(self, at: int, bytes_: frozenset[int] | None) -> Scan:
        node, has_begun = self._other.name_of(at)
        begun = _ANY_NAME if has_begun else _NO_NAME
        found = self._plain.scan(self._plain.automaton.state_of(begun), bytes_)
        return _without(found, self._find_whole(self.index.tokens, ROOT, node))

    def _walk(self, trie: Trie, nodes: Ints) -> Scan:
        found, starts = self._plain.walk(trie, nodes), frozenset(nodes.tolist())
        whole = {child for node in starts for child in self._find_whole(trie, node, 0)}
        if len(starts) > 1:
            whole = {child for child in whole if not self._is_reached(trie, child, starts)}
        return _without(found, whole)

    def _find_whole(self, trie: Trie, node: int, name: int) -> list[int]:
        """Return where names are whole that go on from a node of the trie and one of theirs."""
        other, whole, open_ = self._other, list[int](), [(node, name)]
        while open_:
            node, name = open_.pop()
            spend(1)
            for byte, after in other.children(name).items():
                child = trie.child(node, byte)
                if child >= 0:
                    open_.append((child, after))
                    if other.is_taken(after):
                        whole.append(child)
        return whole

    def _is_reached(self, trie: Trie, node: int, starts: frozenset[int]) -> bool:
        """Return whether some start leads to a node with a name that is none of these."""
        path, here = trie.path(node), node
        for begin in reversed(range(len(path))):
            here = int(trie.parent_array[here])
            if here in starts and self._other.reads(path[begin:]):
                return True
        return False


def _without(found: Scan, gone: Collection[int]) -> Scan:
    if not gone or not len(found.exits):
        return found
    listed = np.array(sorted(gone), dtype=np.int32)
    places = np.minimum(np.searchsorted(found.exits, listed), len(found.exits) - 1)
    places = places[found.exits[places] == listed]
    return found._replace(exits=np.delete(found.exits, places)) if len(places) else found
