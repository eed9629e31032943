"""The mask of a hypothesis, composed once and remembered.

The artifact's decision graph says, by the refined state on top of the stack, which tokens every
stack takes, and which questions are left for the parser with the stack at hand. Answers to
questions and finished masks are remembered.

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
from maskc.runtime.graph import NO_TOKENS, GraphReader, Mask, Question, Unions
from maskc.runtime.machine import Hypothesis, Machine, Trace
from maskc.runtime.memory import Stack, StackMemory

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
        self._newline = machine.tables.layout.newline if machine.tables.layout else NO_EVENT
        self._reader = GraphReader(arrays, vocab_size)
        self._n_words = -(-vocab_size // 32)
        self._cache_bytes = cache_bytes
        self._n_bytes = 0
        self._plain = StackMemory(MAX_MASKS)
        self._by_layout = StackMemory(MAX_MASKS)
        self._asked = StackMemory(MAX_MASKS)
        self._by_content: dict[bytes, Mask] = {}
        self._by_unions: dict[tuple[Unions, bool], Mask] = {}
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
        self._make_room()
        trace = Trace(h.stack.depth)
        can_finish = self._machine.can_finish(h, trace)
        unions: set[int] = set()
        for question in self._reader.root(h.state):
            if question.terminal == NO_EVENT:
                unions |= self._ask(question.node, h, h.stack, trace)
            else:
                unions |= self._follow(question, h, h.stack, trace)
        key = (frozenset(unions), can_finish)
        mask = self._by_unions.get(key)
        if mask is None:
            mask = self._reader.unite(key[0])
            if can_finish:
                mask |= self.end_only
            mask = self._by_unions[key] = self._share(mask)
        self._remember(h, mask, trace)
        return mask

    def _follow(self, question: Question, h: Hypothesis, stack: Stack, trace: Trace) -> Unions:
        """Return what a question's node allows behind its terminal.

        Args:
            question: its terminal goes to the parser.
            h: where the token starts.
            stack: in the place of that of ``h``.
            trace: told what was read.
        """
        terminal, change, node = question
        if terminal >= 0 and terminal != self._newline:
            after = self._machine.shift(stack, terminal, trace)
            return NO_TOKENS if after is None else self._ask(node, h, after, trace)
        here = Hypothesis(0, stack, h.indents, h.column)
        ended = self._machine.end(here, terminal, column_after(h.column, change), trace)
        return NO_TOKENS if ended is None else self._ask(node, ended, ended.stack, trace)

    def _ask(self, node: int, h: Hypothesis, stack: Stack, trace: Trace) -> Unions:
        """Return what a node allows a stack, remembered by the stack as far as it is read."""
        unions, questions, trials = self._reader.answer(node, stack.state)
        if not questions and not trials:
            return unions
        key = (node, stack.state)
        found = self._asked.get(key, stack)
        if found is not None:
            n_read, known = found
            trace.lowest = min(trace.lowest, stack.depth - n_read)
            return known  # type: ignore[no-any-return]
        inner = Trace(stack.depth)
        if trials:
            here = Hypothesis(0, stack, h.indents, h.column)
            for final, change, allowed in trials:
                if self._machine.leads_on(final, here, column_after(h.column, change), inner):
                    unions |= allowed
        for question in questions:
            unions |= self._follow(question, h, stack, inner)
        if inner.read_layout:
            trace.read_layout = True
        else:
            self._asked.put(key, stack, inner.lowest, (stack.depth - inner.lowest, unions))
        trace.lowest = min(trace.lowest, inner.lowest)
        return unions

    def _make_room(self) -> None:
        """Forget everything if it takes too much."""
        if self._n_bytes > self._cache_bytes:
            self._by_content.clear()
            self._by_unions.clear()
            self._plain.clear()
            self._by_layout.clear()
            self._asked.clear()
            self._n_bytes = 0

    def _share(self, mask: Mask) -> Mask:
        """Return an equal mask that is kept."""
        mask.setflags(write=False)
        shared = self._by_content.setdefault(mask.tobytes(), mask)
        if shared is mask:
            self._n_bytes += 2 * mask.nbytes
        return shared
