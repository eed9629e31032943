"""Masks that are put together of rows and of few tokens, each once for all who ask the same.

Two schemas have the same rows where they ask the same: any string, the gap before a key, the tokens
that close a string. So what is put together of them is known by which rows they are, and nobody has
to write 16 KB and compare them to find that the mask was there.

Example: inside a string that a comma or a brace follows, tools of any names have one mask: the row
of any string, the row of what closes it, and no other token.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.schema.tries.tokens import TokenIndex, Words

_TOKEN_BYTES = 16
_ROW_BYTES = 100  # of a reference to a row


class Mixes:
    """Puts masks together. Shared by all machines that share a pool.

    Args:
        index: the vocabulary.
        pool: the distinct masks.
        budget: what is remembered is charged to it.

    Attributes:
        index, pool, budget: as given.
    """

    def __init__(self, index: TokenIndex, pool: MaskPool, budget: Budget) -> None:
        self.index, self.pool, self.budget = index, pool, budget
        self._known = Cache(budget, _measure)

    def mask(
        self,
        rows: tuple[Words, ...],
        few: tuple[int, ...],
        gone: tuple[int, ...] = (),
        ends: tuple[int, ...] = (),
    ) -> PooledMask:
        """Return the mask of the tokens of some rows and a few more, without others, with ends.

        Args:
            rows: int32[n_words] each, never written to again.
            few: more tokens, by id.
            gone: tokens that are in none of these, by id.
            ends: tokens that may end the text, by id.
        """
        by_number = {id(row): row for row in rows}
        key = (frozenset(by_number), few, gone, ends)
        found: tuple[dict[int, Any], PooledMask] | None = self._known.get(key)
        # The number of a row that is gone may be another one's.
        if found is None or any(found[0][number]() is not row for number, row in by_number.items()):
            if self.pool.is_full:
                self.pool.forget()
                self.budget.clear()
            words = self.index.mix(tuple(by_number.values()), few, gone)
            mask = self.pool.share(self.index.set_bits(words, ends) if ends else words)
            found = ({number: ref(row) for number, row in by_number.items()}, mask)
            self._known.put(key, found)
        return found[1]


def _measure(key: tuple[Any, ...]) -> int:
    rows, few, gone, _ = key
    return ENTRY_BYTES + _ROW_BYTES * len(rows) + _TOKEN_BYTES * (len(few) + len(gone))
