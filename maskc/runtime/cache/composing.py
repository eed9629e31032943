"""Masks made of unions: each combination once, and each distinct mask once.

What the decision graph says of a configuration is a set of unions of tokens, and whether the text
may end. Different configurations have the same set, and different sets the same tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.graph import GraphReader, Unions


class Composer:
    """Makes the masks of one artifact.

    Args:
        arrays: the artifact's sections.
        budget: where sets of unions are remembered.
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: how much memory composed masks may take; see :class:`MaskPool`.

    Attributes:
        reader: of the decision graph.
        pool: the distinct masks.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        budget: Budget,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self.reader = GraphReader(arrays, vocab_size)
        self.pool = MaskPool(vocab_size, eos_ids, cache_bytes)
        self._budget = budget
        self._known = Cache(budget, _measure)

    def make_room(self) -> None:
        """Forget everything that is remembered if masks take too much."""
        if self.pool.is_full:
            self.pool.forget()
            self._budget.clear()

    def compose(self, unions: Iterable[int], *, can_finish: bool) -> PooledMask:
        """Return the mask of all tokens of some unions, with the ends if the text may end."""
        key = (frozenset(unions), can_finish)
        mask: PooledMask | None = self._known.get(key)
        if mask is None:
            words = self.reader.unite(key[0])
            if can_finish:
                words |= self.pool.end_only.words
            mask = self.pool.share(words)
            self._known.put(key, mask)
        return mask


def _measure(key: tuple[Unions, bool]) -> int:
    return ENTRY_BYTES + sys.getsizeof(key[0])
