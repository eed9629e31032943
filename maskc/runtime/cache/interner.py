"""Hash consing: equal keys have one small number.

The number of a stack is that of what is on top and of the numbers below, however deep it is. So
only what is new of a stack is looked at: a text that grows by a token is numbered in the same time
at 100,000 open brackets as at one.

Example: after ``[[1`` of JSON the stack of ``[[`` has its number already, and after ``[[2`` all of
it has.

Limits: numbers are remembered as long as other results are. What comes up again after that has
another one, so different numbers say nothing. Two threads may give one key two numbers: a benign
race, which costs a cache miss.

Source: Ershov 1958 (doi:10.1145/368892.368907).
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache


class Interner:
    """Numbers keys from 1 on, in whatever threads it is used.

    Args:
        budget: what is remembered is charged to.
        n_bytes: of a key.
    """

    def __init__(self, budget: Budget, n_bytes: int = ENTRY_BYTES) -> None:
        self._numbers = count(1)
        self._known = Cache(budget, n_bytes=n_bytes)

    def number(self, key: Hashable) -> int:
        """Return the number of a key: only equal ones have it."""
        known: int | None = self._known.get(key)
        if known is None:
            known = next(self._numbers)
            self._known.put(key, known)
        return known
