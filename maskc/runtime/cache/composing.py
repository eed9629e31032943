"""Masks made of unions: each combination of unions once, and each distinct mask once.

What the decision graph says of a configuration is a set of unions of tokens, and whether the text
may end. Different configurations have the same set, and different sets the same tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.graph import Mask, Unions


class Uniting(Protocol):
    """What a decision graph is asked for here."""

    def unite(self, unions: Unions, n_words: int) -> Mask:
        """Return a new mask, int32[n_words], of all tokens of some unions."""


class MaskComposer:
    """Makes the masks of one artifact.

    Args:
        graph: its decision graph.
        pool: the distinct masks.
        budget: what cached sets of unions are charged to.
    """

    def __init__(self, graph: Uniting, pool: MaskPool, budget: Budget) -> None:
        self._graph = graph
        self._pool = pool
        self._budget = budget
        self._masks = Cache(budget, _measure)  # (unions, whether the text may end) → mask

    def evict_if_full(self) -> None:
        """Evict everything if masks without a number take more than their share."""
        if self._pool.is_full:
            self._pool.forget()
            self._budget.clear()

    def compose(self, unions: Iterable[int], *, can_finish: bool) -> PooledMask:
        """Return the mask of all tokens of some unions, with the ends if the text may end."""
        key = (frozenset(unions), can_finish)
        mask: PooledMask | None = self._masks.get(key)
        if mask is None:
            words = self._graph.unite(key[0], self._pool.n_words)
            if can_finish:
                words |= self._pool.end_only.words
            mask = self._pool.share(words)
            self._masks.put(key, mask)
        return mask


def _measure(key: tuple[Unions, bool], _: PooledMask) -> int:
    return ENTRY_BYTES + sys.getsizeof(key[0])
