"""What a walk of tokens through a general grammar's scanner has reached.

Lexemes may overlap in every way, so the same bytes can lead to the same place along several ways:
of lines that agree one is kept (:mod:`maskc.glr.walk`).

Example: from inside ``W: /[a-z]+/`` the bytes ``at`` lead to one line in which W goes on, and to
one in which a W has ended before the ``t``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_LARGEST_KEY = 1 << 62


class Frontier:
    """One line per (origin, path, scanner state, trie node); no two agree."""

    def __init__(self, origin: Ints, path: Ints, state: Ints, node: Ints) -> None:
        alive = np.flatnonzero(state != DEAD)
        self.origin, self.path = origin[alive], path[alive]
        self.state, self.node = state[alive], node[alive]

    def __len__(self) -> int:
        return len(self.origin)

    def take(self, lines: Longs) -> Frontier:
        """Return some of the lines."""
        return Frontier(self.origin[lines], self.path[lines], self.state[lines], self.node[lines])

    def find_distinct(self, n_origins: int, n_paths: int, n_states: int, n_nodes: int) -> Longs:
        """Return the places of lines of which no two agree, sorted."""
        place = self.origin.astype(np.int64) * n_nodes + self.node
        reading = self.path.astype(np.int64) * n_states + self.state
        if n_origins * n_nodes * n_paths * n_states < _LARGEST_KEY:
            _, kept = np.unique(reading * (n_origins * n_nodes) + place, return_index=True)
            return kept
        order = np.lexsort((place, reading))
        place, reading = place[order], reading[order]
        is_new = np.append(True, (place[1:] != place[:-1]) | (reading[1:] != reading[:-1]))
        found: Longs = order[is_new]
        return found


def count_up(counts: Ints) -> Longs:
    """Return 0, 1, … for each count in turn."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
