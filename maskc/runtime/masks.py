"""The mask of a hypothesis, composed from rows once and remembered.

For most rows the artifact already says, by the refined state on top of the stack, whether every
stack takes it or none does; :mod:`maskc.runtime.rows` turns that into a few token sets and a few
questions, which the parser answers with the stack at hand.

A mask depends on the scanner state, on as much of the stack as the parser looked at, and on the
layout if a line ended. We record how deep the parser looked while a mask was composed,
and keep the mask in a tree whose edges are the stack's states from the top down to that depth: a
later stack that agrees so far gets the same row, however different it is below. Equal masks are
stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import NO_EVENT, column_after
from maskc.runtime.machine import Hypothesis, Machine, Trace
from maskc.runtime.memory import StackMemory
from maskc.runtime.rows import Mask, Node, RowReader

MAX_MASKS = 500_000  # places where masks are remembered; the masks themselves have their own room

_BY_LAYOUT = "by layout"  # in the place of a mask: look it up with the layout


class MaskCache:
    """Masks of one artifact, shared by its matchers.

    Args:
        arrays: the artifact's sections.
        machine: its machine.
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: forget all masks when they take more than this; at least one is kept.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        machine: Machine,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self._machine = machine
        self._reader = RowReader(arrays, machine.tables, vocab_size)
        self._n_words = -(-vocab_size // 32)
        self._cache_bytes = cache_bytes
        self._n_bytes = 0
        self._plain = StackMemory(MAX_MASKS)
        self._by_layout = StackMemory(MAX_MASKS)
        self._by_content: dict[bytes, Mask] = {}
        ends = np.zeros(self._n_words * 32, dtype=np.bool_)
        ends[list(eos_ids)] = True
        self.end_only: Mask = np.packbits(ends, bitorder="little").view("<i4")
        self.end_only.setflags(write=False)

    def mask(self, h: Hypothesis) -> Mask:
        """Return int32[ceil(vocab_size / 32)], shared: not to be written to."""
        stack = h.stack
        found = self._plain.tree.get((h.state, stack.state))
        while type(found) is dict:
            stack = stack.below  # type: ignore[assignment]  # as deep as when it was remembered
            found = found.get(stack.state)
        if found is _BY_LAYOUT:
            key = (h.state, h.stack.state, h.column, h.indents)
            found = self._by_layout.get(key, h.stack)
        return self._compose(h) if found is None else found

    def _remember(self, h: Hypothesis, mask: Mask, trace: Trace) -> None:
        key: tuple[object, ...] = (h.state, h.stack.state)
        # Stacks with this top may differ in whether the layout is read: then always ask for it.
        if trace.read_layout or self._plain.get(key, h.stack) is _BY_LAYOUT:
            self._plain.replace(key, _BY_LAYOUT)
            key = (h.state, h.stack.state, h.column, h.indents)
            self._by_layout.put(key, h.stack, trace.lowest, mask)
        else:
            self._plain.put(key, h.stack, trace.lowest, mask)

    def _compose(self, h: Hypothesis) -> Mask:
        machine, reader, trace = self._machine, self._reader, Trace(h.stack.depth)
        mask: Mask = np.zeros(self._n_words, dtype=np.int32)
        if machine.can_finish(h, trace):
            mask |= self.end_only
        pending: list[tuple[Node, Hypothesis]] = []
        for terminal, change, node in reader.root(h.state):
            if terminal == NO_EVENT:
                pending.append((node, h))
            else:
                after = machine.end(h, terminal, column_after(h.column, change), trace)
                if after is not None:
                    pending.append((node, after))
        for terminal, _, source in machine.tables.ends(h.state):
            after = machine.end(h, terminal, h.column, trace)
            if after is not None:
                pending += [(question.node, after) for question in reader.root(source)]
        while pending:
            node, here = pending.pop()
            tokens, questions, trials = reader.answer(node, here.stack.state)
            if tokens is not None:
                tokens.add_to(mask)
            for final, change, tokens in trials:
                if machine.leads_on(final, here, column_after(h.column, change), trace):
                    tokens.add_to(mask)
            for terminal, change, child in questions:
                after = machine.end(here, terminal, column_after(h.column, change), trace)
                if after is not None:
                    pending.append((child, after))
        mask = self._share(mask)
        self._remember(h, mask, trace)
        return mask

    def _share(self, mask: Mask) -> Mask:
        """Return an equal mask that is kept, after making room for it."""
        if self._n_bytes + self._reader.n_bytes > self._cache_bytes:
            self._by_content.clear()
            self._plain.clear()
            self._by_layout.clear()
            self._reader.forget()
            self._n_bytes = 0
        mask.setflags(write=False)
        shared = self._by_content.setdefault(mask.tobytes(), mask)
        if shared is mask:
            self._n_bytes += 2 * mask.nbytes
        return shared
