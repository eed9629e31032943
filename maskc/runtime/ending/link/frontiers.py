"""Where in their trie may tokens be that write a text so far, and how many have begun?

A *frontier* says it of several beginnings at once, its rows: a sparse matrix of (min, +). It is
pushed through the parts of a text, one after the other; at a joint only nodes are kept from which
some token goes on as the next part may, and the root, where the next token begins. *Anywhere*
stands for what is not known: nothing that follows costs more there.

Example: of llama3, after ``</arg_value>`` whose first byte began a token, the frontier has the root
after three tokens, as ``</``, ``arg`` and ``_value>`` are tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.json.joints import NEVER, Prices
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.schema.tries.trie import ROOT

# Bytes with which a text may go on; ``None``: with any.
First = frozenset[int] | None

ANYWHERE = -1
_NONE: Ints = np.zeros(0, dtype=np.int32)
_MOST_KEPT = 100  # sets of bytes


class Frontier(NamedTuple):
    """Rows of nodes. Each row has a node once.

    Attributes:
        rows: int32[n], ascending.
        nodes: int32[n], of the trie, or ``ANYWHERE``.
        costs: int32[n], tokens that have begun.
    """

    rows: Ints
    nodes: Ints
    costs: Ints

    def row(self, number: int) -> tuple[Ints, Ints]:
        """Return the nodes of a row, and their costs."""
        first, last = np.searchsorted(self.rows, [number, number + 1]).tolist()
        return self.nodes[first:last], self.costs[first:last]

    def then(self, leads_to: Mapping[int, tuple[Ints, Ints]]) -> Frontier:
        """Return where each node leads.

        Args:
            leads_to: node → nodes, and what they cost.
        """
        parts = [leads_to[node] for node in self.nodes.tolist()]
        counts = [len(nodes) for nodes, _ in parts]
        nodes, costs = (np.concatenate([_NONE, *(part[k] for part in parts)]) for k in (0, 1))
        return Frontier(np.repeat(self.rows, counts), nodes, costs + np.repeat(self.costs, counts))


NOTHING = Frontier(_NONE, _NONE, _NONE)


def begin(nodes: Iterable[int]) -> Frontier:
    """Return a row for each of some nodes, where nothing has begun."""
    listed = np.array(list(nodes), dtype=np.int32)
    return Frontier(np.arange(len(listed), dtype=np.int32), listed, np.zeros_like(listed))


def unite(parts: Iterable[Frontier]) -> Frontier:
    """Return all that is in some frontiers, each node of a row with the least cost."""
    found = [part for part in parts if len(part.rows)]
    if not found:
        return NOTHING
    rows, nodes, costs = (np.concatenate([part[k] for part in found]) for k in range(3))
    order = np.lexsort((costs, nodes, rows))
    rows, nodes, costs = rows[order], nodes[order], costs[order]
    is_first = np.ones(len(rows), dtype=np.bool_)
    is_first[1:] = (rows[1:] != rows[:-1]) | (nodes[1:] != nodes[:-1])
    return Frontier(rows[is_first], nodes[is_first], costs[is_first])


def list_new(frontier: Frontier, before: Frontier) -> Frontier:
    """Return what is in a frontier and was not in it before."""
    known = set(zip(*(column.tolist() for column in before), strict=True))
    found = zip(*(column.tolist() for column in frontier), strict=True)
    is_new = np.array([entry not in known for entry in found], dtype=np.bool_)
    return Frontier(*(column[is_new] for column in frontier))


def least_of(frontier: Frontier, n_rows: int) -> Prices:
    """Return int32[n_rows], the least cost of each row; ``NEVER`` for one without a node."""
    found = np.full(n_rows, NEVER, dtype=np.int32)
    np.minimum.at(found, frontier.rows, frontier.costs)
    return found


def count_rows(frontier: Frontier) -> int:
    """Return how many rows there are at least: one more than the greatest number."""
    return int(frontier.rows.max(initial=-1)) + 1


def forget(frontier: Frontier, n_rows: int) -> Frontier:
    """Return the least cost of each row, anywhere."""
    costs = least_of(frontier, n_rows)
    rows = np.flatnonzero(costs < NEVER).astype(np.int32)
    return Frontier(rows, np.full_like(rows, ANYWHERE), costs[rows])


class GoingOn:
    """Which nodes of a trie do some tokens go on from with one of some bytes?

    Args:
        paths: the tokens, in letters that tell all bytes apart.
    """

    def __init__(self, paths: TokenPaths) -> None:
        self._trie = paths.trie
        self._known: dict[First, NDArray[np.bool_]] = {}

    def find(self, first: First) -> NDArray[np.bool_]:
        """Return bool[n_nodes].

        Args:
            first: the bytes; ``None``: any.
        """
        found = self._known.get(first)
        if found is None:
            trie = self._trie
            found = np.zeros(len(trie.byte_array), dtype=np.bool_)
            above, last = trie.parent_array[1:], trie.byte_array[1:]
            if first is not None:
                is_first = np.zeros(256, dtype=np.bool_)
                is_first[list(first)] = True
                above = above[is_first[last]]
            found[above] = True
            if len(self._known) > _MOST_KEPT:
                self._known.clear()
            self._known[first] = found
        return found

    def keep(self, parts: Iterable[Frontier], first: First) -> Frontier:
        """Return what is kept of some frontiers at a joint.

        Args:
            parts: where the text may be.
            first: bytes with which it may go on; ``None``: with any.
        """
        found = unite(parts)
        rows, nodes, costs = found
        is_end = (nodes > ROOT) & (self._trie.ending_array[nodes] > 0)
        is_kept = (nodes <= ROOT) | self.find(first)[nodes]
        over = np.full(int(is_end.sum()), ROOT, dtype=np.int32)
        whole = Frontier(rows[is_end], over, costs[is_end])
        return unite([Frontier(rows[is_kept], nodes[is_kept], costs[is_kept]), whole])

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return len(self._trie.byte_array) * len(self._known)
