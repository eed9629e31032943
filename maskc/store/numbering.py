"""Which tuples of small numbers occur in some columns, and which of them is each line?

To sort millions of lines that agree in nearly everything is most of the work of numbering them.
Numbers that lie close together are marked in an array of flags instead, and counted: first each
column by itself, then what the columns are together.

Example: of the lines (3, 7), (1, 7), (3, 7) the distinct ones are (1, 7) and (3, 7); the lines are
1, 0 and 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Places = NDArray[np.intp]

_SPARSE = 4  # flags a line, beyond which lines are sorted
_FEW = 1 << 16  # flags that cost nothing


def distinguish(*columns: NDArray[Any]) -> tuple[tuple[Longs, ...], Places]:
    """Return the distinct lines of some columns, in order, and which of them each line is.

    Returns:
        Of each column int64[n_distinct]; intp[n].

    >>> distinguish(np.array([3, 1, 3]), np.array([7, 7, 7]))
    ((array([1, 3]), array([7, 7])), array([1, 0, 1]))
    """
    values, together = _rank(columns[0])
    kept = [values]
    for column in columns[1:]:
        values, place = _rank(column)
        if len(values) > 1:
            together = together * len(values) + place
        kept.append(values)
    distinct, place = _rank(together)
    found = []
    for values in reversed(kept):
        distinct, rest = np.divmod(distinct, max(len(values), 1))
        found.append(values[rest])
    return tuple(reversed(found)), place


def _rank(numbers: NDArray[Any]) -> tuple[Longs, Places]:
    """Return the distinct numbers, ascending, and the place of each among them."""
    if not len(numbers):
        return np.zeros(0, np.int64), np.zeros(0, np.intp)
    low, high = int(numbers.min()), int(numbers.max())
    if low == high:
        return np.array([low], np.int64), np.zeros(len(numbers), np.intp)
    if high - low >= max(_FEW, _SPARSE * len(numbers)):
        distinct, place = np.unique(numbers, return_inverse=True)
        return distinct.astype(np.int64), place.reshape(-1)
    at = numbers.astype(np.intp)
    at -= low
    occurs = np.zeros(high - low + 1, np.bool_)
    occurs[at] = True
    rank = np.cumsum(occurs, dtype=np.intp)
    rank -= 1
    return np.flatnonzero(occurs).astype(np.int64) + low, rank[at]
