"""The mask of a general grammar's hypothesis, composed once and remembered.

The artifact's decision graph is that of :mod:`maskc.runtime.lalr.masks`, by the states of the LR(0)
table. What it leaves open is answered by reading the stacks (:mod:`maskc.runtime.glr.debts`).
Sets of stacks that are equal are one object, so finished masks are remembered by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.cache.budget import Cache
from maskc.runtime.cache.composing import Composer
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.glr.debts import END_OF_TEXT, DebtReader
from maskc.runtime.glr.machine import GlrHypothesis, GlrMachine


class GlrMasks:
    """Masks of one artifact, shared by its matchers.

    Args:
        arrays: the artifact's sections.
        machine: its machine.
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: how much memory composed masks may take; see :class:`Composer`.

    Attributes:
        pool: the distinct masks.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        machine: GlrMachine,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self._machine = machine
        self._composer = Composer(arrays, machine.budget, vocab_size, eos_ids, cache_bytes)
        self._masks = Cache(machine.budget)  # (scanner state, stacks) → mask
        self._stacks = DebtReader(
            self._composer.reader, machine.tables, machine.parser, machine.closed, machine.budget
        )
        self.pool = self._composer.pool

    def mask(self, h: GlrHypothesis) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        key = (h.state, h.stacks)
        found: PooledMask | None = self._masks.get(key)
        if found is None:
            self._composer.make_room()
            found = self._compose(h)
            self._masks.put(key, found)
        return found

    def numbers(self, batch: Iterable[tuple[GlrHypothesis, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [
            self.mask(hypotheses[0]).number
            if len(hypotheses) == 1
            else self.pool.unite(map(self.mask, hypotheses)).number
            for hypotheses in batch
        ]

    def _compose(self, h: GlrHypothesis) -> PooledMask:
        unions = self._stacks.read(h.state, h.stacks)
        can_finish = END_OF_TEXT in unions
        unions.discard(END_OF_TEXT)
        return self._composer.compose(unions, can_finish=can_finish)
