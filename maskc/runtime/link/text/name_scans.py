"""Which tokens does a name that is none of some read? Those of any name; it ends elsewhere.

What is none of some names reads what any name reads, and may not end where one of them is whole. So
names are scanned once for a tokenizer, and of each list of names only the nodes are looked for at
which one of them ends.

Example: without ``city``, after ``ci`` the token ``ty`` is read, and ``ty>`` is none of the name
and what comes after it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from maskc.runtime.cache.budget import Budget
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton_scans import AutomatonScans
from maskc.runtime.link.automata.scanning import Scan, Scanner
from maskc.runtime.link.joining.pieces import RegularPiece
from maskc.runtime.link.text.names import ANY_NAME, NO_NAME, OtherName
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie


class NameScans(AutomatonScans):
    """The scans of a name that is none of some.

    Args:
        names: the automaton.
        plain: that of any name, and what is known of it.
        scanner: of the vocabulary.
        index: the vocabulary.
        budget: what cached rows are charged to.
    """

    def __init__(
        self,
        names: OtherName,
        plain: AutomatonScans,
        scanner: Scanner,
        index: TokenIndex,
        budget: Budget,
    ) -> None:
        super().__init__(names, scanner, index, budget)
        self._other, self._plain = names, plain

    def _scan(self, at: int) -> Scan:
        node, has_begun = self._other.name_of(at)
        begun = ANY_NAME if has_begun else NO_NAME
        found = self._plain.scan(self._plain.automaton.state_of(begun))
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
    """Return a scan without some exits."""
    if not gone or not len(found.exits):
        return found
    listed = np.array(sorted(gone), dtype=np.int32)
    places = np.minimum(np.searchsorted(found.exits, listed), len(found.exits) - 1)
    places = places[found.exits[places] == listed]
    return found._replace(exits=np.delete(found.exits, places)) if len(places) else found


class NamePiece(RegularPiece):
    """A piece of a name that is none of some.

    Args:
        scans: the automaton, and what is known of it.
    """

    def __init__(self, scans: NameScans) -> None:
        self._set(scans)
