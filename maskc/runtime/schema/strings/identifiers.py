"""Which characters may stand in the name of a group, ``(?<name>…)``?

Those of identifiers: ID_Start, ``$`` and ``_`` anywhere, ID_Continue and the two joiners after the
first character (ECMA-262, 15th edition, 22.2.1: RegExpIdentifierName).

Example: ``a1`` is a name, and ``1a`` is none.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.identifier_table import RUNS

_MORE_STARTS = (0x24, 0x5F)  # $ and _
_JOINERS = (0x200C, 0x200D)


@lru_cache(maxsize=2)
def _ranges(*, is_first: bool) -> tuple[list[int], list[int]]:
    """Return the first and the last characters of ranges, ascending."""
    runs, at = [], 0
    for word in RUNS.split():
        skipped, size = (int(part, 16) for part in word[:-1].split(":"))
        at += skipped + size
        if word[-1] == "s" or not is_first:
            runs.append((at - size, at - 1))
    more = _MORE_STARTS if is_first else (*_MORE_STARTS, *_JOINERS)
    runs = sorted({*runs, *((code, code) for code in more)})
    return [first for first, _ in runs], [last for _, last in runs]


def has_identifier(low: int, high: int, *, is_first: bool) -> bool:
    """Return whether some character of a range may stand in a name.

    Args:
        low: the first character of the range.
        high: the last.
        is_first: whether the name begins with it.

    >>> has_identifier(0x30, 0x39, is_first=False), has_identifier(0x30, 0x39, is_first=True)
    (True, False)
    """
    firsts, lasts = _ranges(is_first=is_first)
    at = bisect_right(firsts, high) - 1
    return at >= 0 and lasts[at] >= low


def identifier_kinds(codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return of each character 2 if a name may begin with it, 1 if it may stand in one, else 0.

    >>> identifier_kinds(np.array([0x61, 0x31, 0x2D])).tolist()
    [2, 1, 0]
    """
    found = np.zeros(len(codes), dtype=np.int64)
    for is_first in (True, False):
        firsts, lasts = _ranges(is_first=is_first)
        at = np.searchsorted(firsts, codes, side="right") - 1
        found += (at >= 0) & (np.array(lasts)[at] >= codes)
    return found
