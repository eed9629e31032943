"""Where can a text be left in the middle of a token? At nodes from which what follows goes on.

Of 275,000 nodes of a trie, from 150 a ``<`` goes on, and 218 lie on the way to these. So where a
tag follows a text, 218 nodes are looked at and not all of them.

Example: of the tokens ``a<``, ``ab`` and ``c``, only ``a`` leads to where ``<`` goes on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_FEW_NODES = 5_000  # are listed


class Ways(NamedTuple):
    """The ways to some nodes of a trie.

    Attributes:
        is_end: bool[n_nodes], whether a node is one of these; not the root.
        is_on: bool[n_nodes], whether a node leads to one of these, or is one.
        children: node → those of its children that lead on, with their bytes; ``None`` if there
            are many nodes on the way.
    """

    is_end: NDArray[np.bool_]
    is_on: NDArray[np.bool_]
    children: dict[int, list[tuple[int, int]]] | None


class Leaving:
    """Finds ways through the trie of a vocabulary's tokens.

    Args:
        trie: of the tokens.
        budget: what ways are charged to.
    """

    def __init__(self, trie: Trie, budget: Budget) -> None:
        self._trie, self._budget = trie, budget
        self._known = Cache(budget)

    def ways(self, bytes_: frozenset[int]) -> Ways:
        """Return the ways to the nodes from which one of some bytes goes on."""
        found: Ways | None = self._known.get(bytes_)
        if found is None:
            found = self._find(bytes_)
            self._known.put(bytes_, found)
            self._budget.charge(2 * len(found.is_on) + 200 * len(found.children or ()))
        return found

    def _find(self, bytes_: frozenset[int]) -> Ways:
        trie = self._trie
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
        return Ways(is_end, is_on, children)
