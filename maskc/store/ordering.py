"""In which order do a store's paths and open lexemes stand, however they were found?

A walk numbers what it meets as it comes, which depends on how it portions its work. A store's
numbers do not: shorter paths come first, and paths of a length are in order of what they go on
from, of their last event, and of its column. Paths that no row has, nor goes on from, are none.

Example: of the paths ``b``, ``a b`` and ``a``, the numbers are 2, 3 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPaths:
    """Paths in order; path 0 is the empty one, its own parent.

    Attributes:
        number_of: int32[n_found], of each path that was found; -1 if it is left out.
        parent: int32[n_paths], the path before its last event.
        event: int32[n_paths], that event.
        column: int32[n_paths], its column change.
    """

    number_of: Ints
    parent: Ints
    event: Ints
    column: Ints


def order_paths(parent: Ints, event: Ints, column: Ints, used: Ints) -> OrderedPaths:
    """Return paths in order.

    Args:
        parent: int32[n_found], smaller than the path itself; 0 for the empty path, which is 0.
        event: int32[n_found].
        column: int32[n_found].
        used: int32[n], the paths of rows.
    """
    kept = np.zeros(len(parent), np.bool_)
    kept[0] = True
    here = np.unique(used)
    while not kept[here].all():
        here = here[~kept[here]]
        kept[here] = True
        here = np.unique(parent[here])
    number_of = np.full(len(parent), -1, np.int32)
    number_of[0] = 0
    ordered, n_ordered = [np.zeros(1, np.intp)], 1
    waiting = np.flatnonzero(kept)[1:]
    while len(waiting):
        ready = number_of[parent[waiting]] >= 0
        level, waiting = waiting[ready], waiting[~ready]
        level = level[np.lexsort((column[level], event[level], number_of[parent[level]]))]
        number_of[level] = np.arange(n_ordered, n_ordered + len(level), dtype=np.int32)
        n_ordered += len(level)
        ordered.append(level)
    order = np.concatenate(ordered)
    return OrderedPaths(number_of, number_of[parent[order]], event[order], column[order])


def order_opens(lexeme: Ints, column: Ints, used: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the number of each open lexeme with a column, and those that are used, in order.

    Args:
        lexeme: int32[n_found], the open lexemes.
        column: int32[n_found], their column changes.
        used: int32[n], those of rows.

    Returns:
        int32[n_found], -1 if it is left out; int32[n_opens] lexemes; int32[n_opens] columns.
    """
    kept = np.unique(used)
    kept = kept[np.lexsort((column[kept], lexeme[kept]))]
    number_of = np.full(len(lexeme), -1, np.int32)
    number_of[kept] = np.arange(len(kept), dtype=np.int32)
    return number_of, lexeme[kept], column[kept]
