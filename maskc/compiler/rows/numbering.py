"""Numbers for tuples in columns, and the canonical order of paths and open lexemes.

To sort millions of lines that agree in nearly everything is most of the work of numbering them.
Numbers that lie close together are marked in an array of flags instead, and counted: first each
column by itself, then what the columns are together.

A walk numbers what it meets as it comes, which depends on how it batches its work. The numbers of
rows do not: shorter paths come first, and paths of a length are in order of what they go on from,
of their last event, and of its column. Paths that no row has, nor goes on from, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Indices = NDArray[np.intp]

COLUMNS = 1 << 21  # more than any column change of one token, both signs

_SPARSE = 4  # flags a line, beyond which lines are sorted
_FEW = 1 << 16  # flags that cost nothing


def distinguish(*columns: NDArray[Any]) -> tuple[tuple[Longs, ...], Indices]:
    """Return the distinct lines of some columns, in order, and which of them each line is.

    Returns:
        Of each column int64[n_distinct]; intp[n].

    >>> distinguish(np.array([3, 1, 3]), np.array([7, 7, 7]))
    ((array([1, 3]), array([7, 7])), array([1, 0, 1]))
    """
    values, together = _rank(columns[0])
    kept = [values]
    for column in columns[1:]:
        values, index = _rank(column)
        if len(values) > 1:
            together = together * len(values) + index
        kept.append(values)
    distinct, index = _rank(together)
    found = []
    for values in reversed(kept):
        distinct, rest = np.divmod(distinct, max(len(values), 1))
        found.append(values[rest])
    return tuple(reversed(found)), index


def _rank(numbers: NDArray[Any]) -> tuple[Longs, Indices]:
    """Return the distinct numbers, ascending, and the index of each among them."""
    if not len(numbers):
        return np.zeros(0, np.int64), np.zeros(0, np.intp)
    low, high = int(numbers.min()), int(numbers.max())
    if low == high:
        return np.array([low], np.int64), np.zeros(len(numbers), np.intp)
    if high - low >= max(_FEW, _SPARSE * len(numbers)):
        distinct, index = np.unique(numbers, return_inverse=True)
        return distinct.astype(np.int64), index.reshape(-1)
    at = numbers.astype(np.intp)
    at -= low
    occurs = np.zeros(high - low + 1, np.bool_)
    occurs[at] = True
    rank = np.cumsum(occurs, dtype=np.intp)
    rank -= 1
    return np.flatnonzero(occurs).astype(np.int64) + low, rank[at]


Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPaths:
    """Paths in order; path 0 is the empty one, its own parent."""

    number_of: Ints  # int32[n_found], of each path that was found; -1 if it is left out
    parent: Ints  # int32[n_paths], the path before its last event
    event: Ints  # int32[n_paths], that event
    column: Ints  # int32[n_paths], its column change


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


class Opens:
    """Numbers what a token leaves open: an open lexeme and, for a newline, its column change."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}

    def number(self, open_lexeme: Ints, column: Ints) -> Ints:
        """Return int32[n], a number for each pair."""
        (lexemes, columns), inverse = distinguish(open_lexeme, column)
        keys = (lexemes * COLUMNS + columns + COLUMNS // 2).tolist()
        found = [self._number.setdefault(key, len(self._number)) for key in keys]
        return np.array(found, dtype=np.int32)[inverse]

    def list(self) -> tuple[Ints, Ints]:
        """Return the open lexemes and the column changes, by number."""
        keys = np.array(list(self._number), dtype=np.int64)
        return (keys // COLUMNS).astype(np.int32), (keys % COLUMNS - COLUMNS // 2).astype(np.int32)
