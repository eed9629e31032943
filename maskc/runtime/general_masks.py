"""The mask of a general grammar's hypothesis, composed once and remembered.

The artifact's decision graph is that of :mod:`maskc.runtime.masks`, by the states of the general
table. What it leaves open is answered by reading the stacks (:mod:`maskc.runtime.reading`).
Sets of stacks that are equal are one object, so finished masks are remembered by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.composing import Composer
from maskc.runtime.general import GeneralHypothesis, GeneralMachine
from maskc.runtime.pool import PooledMask
from maskc.runtime.reading import END_OF_TEXT, StackReader
from maskc.runtime.room import Memory


class GeneralMasks:
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
        machine: GeneralMachine,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self._machine = machine
        self._composer = Composer(arrays, machine.room, vocab_size, eos_ids, cache_bytes)
        self._masks = Memory(machine.room)  # (scanner state, stacks) → mask
        self._stacks = StackReader(
            self._composer.reader, machine.tables, machine.parser, machine.closed, machine.room
        )
        self.pool = self._composer.pool

    def mask(self, h: GeneralHypothesis) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        key = (h.state, h.stacks)
        found: PooledMask | None = self._masks.get(key)
        if found is None:
            self._composer.make_room()
            found = self._compose(h)
            self._masks.put(key, found)
        return found

    def numbers(self, batch: Iterable[tuple[GeneralHypothesis, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [
            self.mask(hypotheses[0]).number
            if len(hypotheses) == 1
            else self.pool.unite(map(self.mask, hypotheses)).number
            for hypotheses in batch
        ]

    def _compose(self, h: GeneralHypothesis) -> PooledMask:
        unions = self._stacks.read(h.state, h.stacks)
        can_finish = END_OF_TEXT in unions
        unions.discard(END_OF_TEXT)
        return self._composer.compose(unions, can_finish=can_finish)
