"""The mask of a hypothesis, composed once and remembered.

The artifact's decision graph says, by the refined state on top of the stack, which tokens every
stack takes, and which questions are left for the parser with the stack at hand. Answers to
questions and finished masks are remembered.

A mask depends on the scanner state, on as much of the stack as the parser looked at, and on the
layout if a line ended. We record how deep the parser looked while a mask was composed,
and keep the mask in a tree whose edges are the stack's states from the top down to that depth: a
later stack that agrees so far gets the same mask, however different it is below. Equal masks are
stored once, in :mod:`maskc.runtime.cache.pool`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.cache.composing import Composer
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.lalr.machine import Hypothesis, LalrMachine
from maskc.runtime.lalr.questions import Questioner
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack_cache import StackCache, descend

_BY_LAYOUT = "by layout"  # in the place of a mask: look it up with the layout


class LalrMasks:
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
        machine: LalrMachine,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self._machine = machine
        self._composer = Composer(arrays, machine.budget, vocab_size, eos_ids, cache_bytes)
        self._questioner = Questioner(self._composer.reader, machine)
        self._plain = StackCache(machine.budget)
        self._by_layout = StackCache(machine.budget)
        self.pool = self._composer.pool

    def mask(self, h: Hypothesis) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        stack = h.stack
        found = self._plain.current.get((h.state, stack.state))
        while type(found) is dict:
            stack = stack.below  # type: ignore[assignment]  # as deep as when it was remembered
            found = found.get(stack.state)
        if type(found) is list:
            found, _ = descend(found, stack)
        if found is None:
            found = self._plain.recall((h.state, h.stack.state), h.stack)
        if found is _BY_LAYOUT:
            found = self._by_layout.find((h.state, h.stack.state, h.column, h.indents), h.stack)
        return self._compose(h) if found is None else found

    def numbers(self, batch: Iterable[tuple[Hypothesis, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one.

        It is :meth:`mask` in a loop without calls: a call takes as long as the rest.
        """
        numbers: list[int] = []
        get, append = self._plain.current.get, numbers.append
        for hypotheses in batch:
            if len(hypotheses) == 1:
                h = hypotheses[0]
                stack = h.stack
                found = get((h.state, stack.state))
                while type(found) is dict:
                    stack = stack.below  # type: ignore[assignment]  # as deep as remembered
                    found = found.get(stack.state)
                if type(found) is list or found is None or found is _BY_LAYOUT:
                    found = self.mask(h)
            else:
                found = self.pool.unite(map(self.mask, hypotheses))
            append(found.number)
        return numbers

    def _remember(self, h: Hypothesis, mask: PooledMask, reads: ReadSet) -> None:
        key: tuple[object, ...] = (h.state, h.stack.state)
        # Stacks with this top may differ in whether the layout is read: then always ask for it.
        if reads.layout or self._plain.find(key, h.stack) is _BY_LAYOUT:
            self._plain.put(key, _BY_LAYOUT)
            key = (h.state, h.stack.state, h.column, h.indents)
            self._by_layout.keep(key, h.stack, reads.lowest, mask)
        else:
            self._plain.keep(key, h.stack, reads.lowest, mask)

    def _compose(self, h: Hypothesis) -> PooledMask:
        self._composer.make_room()
        reads = ReadSet(h.stack.depth)
        can_finish = self._machine.can_finish(h, reads)
        unions: set[int] = set()
        for question in self._composer.reader.root(h.state):
            unions |= self._questioner.ask(question, h, reads)
        mask = self._composer.compose(unions, can_finish=can_finish)
        self._remember(h, mask, reads)
        return mask
