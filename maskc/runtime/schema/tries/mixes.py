"""Masks that are put together of rows and of few tokens, each once for all who ask the same.

Two schemas have the same rows where they ask the same: any string, the gap before a key, the tokens
that close a string. So what is put together of them is known by which rows they are, and nobody has
to write 16 KB and compare them to find that the mask was there. Where it was not, the rows are
mostly those of another schema's mask, and only the few tokens differ.

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
_MANY = 200  # tokens that are not set one by one


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
        distinct = [(id(row), row) for row in rows]
        if len(rows) > 1:
            distinct = sorted(dict(distinct).items())
        # Of numbers and tuples, which the garbage collector does not look at.
        key = (tuple([number for number, _ in distinct]), few, gone, ends)
        found: tuple[Any, ...] | None = self._known.get(key)
        # The number of a row that is gone may be another one's.
        if found is None or not _are_same(found[1:], [row for _, row in distinct]):
            if self.pool.is_full:
                self.pool.forget()
                self.budget.clear()
            mask = self._compose([row for _, row in distinct], few, gone, ends)
            found = (mask, *[ref(row) for _, row in distinct])
            self._known.put(key, found)
        made: PooledMask = found[0]
        return made

    def _compose(
        self, rows: list[Words], few: tuple[int, ...], gone: tuple[int, ...], ends: tuple[int, ...]
    ) -> PooledMask:
        if len(few) + len(gone) > _MANY:
            words = self.index.mix(tuple(rows), few, gone)
            return self.pool.share(self.index.set_bits(words, ends) if ends else words)
        if ends:
            few, gone = few + ends, tuple([token for token in gone if token not in ends])
        if not rows:
            return self.pool.change(None, 0, few, gone)
        united, total = self._unite(rows)
        return self.pool.change(united, total, few, gone)

    def _unite(self, rows: list[Words]) -> tuple[Words, int]:
        """Return the tokens of some rows, and the sum of these, which all artifacts share."""
        key = (Mixes, *[id(row) for row in rows])
        found: tuple[Any, ...] | None = self.index.shared.get(key)
        if found is None or not _are_same(found[2:], rows):
            words = self.index.mix(tuple(rows), ())
            kept = words if len(rows) > 1 else None
            found = (kept, self.pool.sum(words), *[ref(row) for row in rows])
            n_bytes = _ROW_BYTES * len(rows) + (0 if kept is None else words.nbytes)
            self.index.shared.put(key, found, ENTRY_BYTES + n_bytes)
        return rows[0] if found[0] is None else found[0], found[1]


def _are_same(known: tuple[Any, ...], rows: list[Words]) -> bool:
    """Return whether some references are still to some rows."""
    for n, row in enumerate(rows):  # noqa: SIM110 - a generator would take longer than the rest
        if known[n]() is not row:
            return False
    return True


def _measure(key: tuple[Any, ...]) -> int:
    rows, few, gone, _ = key
    return ENTRY_BYTES + _ROW_BYTES * len(rows) + _TOKEN_BYTES * (len(few) + len(gone))
