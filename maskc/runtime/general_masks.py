"""The mask of a general grammar's hypothesis, composed once and remembered.

The artifact's decision graph is that of :mod:`maskc.runtime.masks`, with one state in the place of
all stack tops: every question goes to the set of stacks at hand. Sets that are equal are one
object, so answers and masks are remembered by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.artifact.model import NO_EVENT
from maskc.runtime.general import GeneralHypothesis, GeneralMachine
from maskc.runtime.graph import GraphReader, Unions
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.stacks import StackSet

MAX_MASKS = 100_000  # places where masks and answers are remembered

_ONLY_STATE = 0


class GeneralMasks:
    """Masks of one artifact, shared by its matchers.

    Args:
        arrays: the artifact's sections.
        machine: its machine.
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: how much memory composed masks may take; see :class:`MaskPool`.

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
        self._reader = GraphReader(arrays, vocab_size)
        self._generation = 0
        self._masks: dict[tuple[int, StackSet], PooledMask] = {}
        self._asked: dict[tuple[int, StackSet], Unions] = {}
        self._by_unions: dict[tuple[Unions, bool], PooledMask] = {}
        self.pool = MaskPool(vocab_size, eos_ids, cache_bytes)

    def mask(self, h: GeneralHypothesis) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        key = (h.state, h.stacks)
        found = self._masks.get(key)
        if found is None:
            self._make_room()
            found = self._masks[key] = self._compose(h)
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
        unions: set[int] = set()
        for terminal, _, node in self._reader.root(h.state):
            ended = h.stacks if terminal == NO_EVENT else self._machine.end(h.stacks, terminal)
            if ended is not None:
                unions |= self._ask(node, ended)
        can_finish = self._machine.is_complete(h)
        key = (frozenset(unions), can_finish)
        mask = self._by_unions.get(key)
        if mask is None:
            words = self._reader.unite(key[0])
            if can_finish:
                words |= self.pool.end_only.words
            mask = self._by_unions[key] = self.pool.share(words)
        return mask

    def _ask(self, node: int, stacks: StackSet) -> Unions:
        """Return what a node allows."""
        # A token may have thousands of terminals: this stack is ours, not Python's.
        open_ = [(node, stacks)]
        while open_:
            place = open_[-1]
            if place in self._asked:
                open_.pop()
                continue
            unions, missing = self._look_up(*place)
            open_ += missing
            if not missing:
                self._asked[open_.pop()] = unions
        return self._asked[node, stacks]

    def _look_up(self, node: int, stacks: StackSet) -> tuple[Unions, list[tuple[int, StackSet]]]:
        """Return what a node allows, as far as it is known, and what is to be asked before."""
        unions, questions, trials = self._reader.answer(node, _ONLY_STATE)
        for final, _, allowed in trials:
            if self._machine.leads_on(final, stacks):
                unions |= allowed
        missing = []
        for terminal, _, child in questions:
            ended = self._machine.end(stacks, terminal)
            if ended is not None:
                known = self._asked.get((child, ended))
                if known is None:
                    missing.append((child, ended))
                else:
                    unions |= known
        return unions, missing

    def _make_room(self) -> None:
        """Forget everything if it takes too much."""
        if (
            self.pool.is_full
            or len(self._asked) > MAX_MASKS
            or len(self._masks) > MAX_MASKS
            or self._generation != self._machine.sets.generation
        ):
            self._generation = self._machine.sets.generation
            self.pool.forget()
            self._masks.clear()
            self._asked.clear()
            self._by_unions.clear()
