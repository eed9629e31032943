"""The mask of a hypothesis, composed from rows once and remembered.

For almost every row the artifact already says, by the refined state on top of the stack, whether
every stack takes it or none does; only rows that depend on what lies below, or on the columns of
open blocks, are tried on the stack at hand. So a mask is a union of token sets and a few trials.

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

from maskc.artifact.model import MAY
from maskc.runtime.machine import NO_LINE, Hypothesis, Machine
from maskc.runtime.memory import StackMemory

SAME = -2  # a column change, as in maskc.store.model

Mask = NDArray[np.int32]
Ints = NDArray[np.int32]

MAX_MASKS = 500_000  # places where masks are remembered; the masks themselves have their own room

_BY_LAYOUT = "by layout"  # in the place of a mask: look it up with the layout


class _Group:
    """Rows of a source that share their first event.

    Attributes:
        terminal, column, contexts: the event; contexts is a bit set.
        rows: int32[n], row numbers.
        classes: int32[n], the class of each row's word.
    """

    __slots__ = ("classes", "column", "contexts", "rows", "terminal")

    def __init__(
        self, terminal: int, column: int, contexts: int, rows: Ints, classes: Ints
    ) -> None:
        self.terminal = terminal
        self.column = column
        self.contexts = contexts
        self.rows = rows
        self.classes = classes


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
        self._arrays = arrays
        self._machine = machine
        self._n_words = -(-vocab_size // 32)
        self._eos = np.array(eos_ids, dtype=np.int64)
        self._room = max(1, cache_bytes // (self._n_words * 4))
        self._plain = StackMemory(MAX_MASKS)
        self._by_layout = StackMemory(MAX_MASKS)
        self._by_content: dict[bytes, Mask] = {}
        self._entries: dict[tuple[int, int], tuple[Mask, list[int]]] = {}
        self._groups: dict[int, list[_Group]] = {}
        self.end_only = self._union(np.zeros(0, dtype=np.int32))
        self.end_only = self._with_end(self.end_only)

    def mask(self, h: Hypothesis) -> Mask:
        """Return int32[ceil(vocab_size / 32)], shared: not to be written to."""
        found = self._plain.get((h.state, h.stack.state), h.stack)
        if found is _BY_LAYOUT:
            key = (h.state, h.stack.state, h.column, h.indents)
            found = self._by_layout.get(key, h.stack)
        return self._compose(h) if found is None else found

    def _remember(self, h: Hypothesis, mask: Mask) -> None:
        machine = self._machine
        key: tuple[object, ...] = (h.state, h.stack.state)
        # Stacks with this top may differ in whether the layout is read: then always ask for it.
        if machine.read_layout or self._plain.get(key, h.stack) is _BY_LAYOUT:
            self._plain.replace(key, _BY_LAYOUT)
            key = (h.state, h.stack.state, h.column, h.indents)
            self._by_layout.put(key, h.stack, machine.lowest, mask)
        else:
            self._plain.put(key, h.stack, machine.lowest, mask)

    def _compose(self, h: Hypothesis) -> Mask:
        machine, tables = self._machine, self._machine.tables
        machine.lowest, machine.read_layout = h.stack.depth, False
        finishing = machine.can_finish(h)
        chosen: list[Ints] = []
        trials: list[tuple[int, Hypothesis]] = []
        ended: dict[tuple[int, int], Hypothesis | None] = {}
        for group in self._source(h.state):
            here = h
            if group.terminal != tables.no_event:
                key = (group.terminal, group.column)
                if key not in ended:
                    column = _column_after(h.column, group.column)
                    ended[key] = machine.end(h, group.terminal, column)
                after = ended[key]
                if after is None or not group.contexts >> tables.context(after.stack.state) & 1:
                    continue
                here = after
            flags = tables.verdicts(here.stack.state)[group.classes]
            chosen.append(group.rows[flags == MAY])
            trials += [(row, here) for row in group.rows[flags > MAY + 1].tolist()]
        masks = []
        for terminal, boundary in tables.ends(h.state):
            after = machine.end(h, terminal, h.column)
            if after is not None:
                mask, open_rows = self._entry(boundary, after.stack.state)
                masks.append(mask)
                trials += [(row, after) for row in open_rows]
        passed = [row for row, after in trials if self._takes(row, after, h)]
        rows = np.concatenate([*chosen, np.array(passed, dtype=np.int32)])
        mask = self._union(rows)
        for other in masks:
            mask |= other
        if finishing:
            mask = self._with_end(mask)
        mask.setflags(write=False)
        if len(self._by_content) >= self._room:
            self._by_content.clear()
            self._plain.clear()
            self._by_layout.clear()
            self._entries.clear()
        mask = self._by_content.setdefault(mask.tobytes(), mask)
        self._remember(h, mask)
        return mask

    def _entry(self, boundary: int, state: int) -> tuple[Mask, list[int]]:
        """Return what is legal behind a boundary in a refined state, and the rows to try."""
        found = self._entries.get((boundary, state))
        if found is None:
            tables = self._machine.tables
            context = tables.context(state)
            verdicts = tables.verdicts(state)
            chosen, open_rows = [np.zeros(0, dtype=np.int32)], []
            for group in self._source(tables.n_states + boundary):
                if group.contexts >> context & 1:
                    flags = verdicts[group.classes]
                    chosen.append(group.rows[flags == MAY])
                    open_rows += group.rows[flags > MAY + 1].tolist()
            found = self._entries[boundary, state] = (
                self._union(np.concatenate(chosen)),
                open_rows,
            )
        return found

    def _takes(self, row: int, after: Hypothesis, start: Hypothesis) -> bool:
        """Return whether the row is legal, given the hypothesis behind its first event."""
        machine, tables = self._machine, self._machine.tables
        events, final, change = tables.row(row)
        here: Hypothesis | None = after
        for terminal, contexts, column_change in events:
            if here is None:
                return False
            here = machine.end(here, terminal, _column_after(start.column, column_change))
            if here is None or not contexts >> tables.context(here.stack.state) & 1:
                return False
        return here is not None and machine.leads_on(
            final, here, _column_after(start.column, change)
        )

    def _source(self, number: int) -> list[_Group]:
        found = self._groups.get(number)
        if found is None:
            arrays, tables = self._arrays, self._machine.tables
            low, high = arrays["source_first"][number : number + 2].tolist()
            firsts = arrays["row_first"][low:high]
            order = np.argsort(firsts, kind="stable")
            cuts = np.flatnonzero(np.diff(firsts[order])) + 1
            found = []
            for index in np.split(order, cuts) if high > low else []:
                path = int(firsts[index[0]])
                found.append(
                    _Group(
                        int(arrays["path_terminal"][path]) if path else tables.no_event,
                        int(arrays["path_column"][path]),
                        tables.group(int(arrays["path_contexts"][path])),
                        (index + low).astype(np.int32),
                        arrays["row_class"][low:high][index],
                    )
                )
            self._groups[number] = found
        return found

    def _union(self, rows: Ints) -> Mask:
        """Return the union of the token sets of some rows, writable."""
        arrays = self._arrays
        chosen = np.unique(arrays["row_set"][rows])
        dense = arrays["set_mask"][chosen]
        legal = np.zeros(self._n_words * 32, dtype=np.bool_)
        sparse = chosen[dense < 0]
        if len(sparse):
            first = arrays["set_first"]
            begin, counts = first[sparse], first[sparse + 1] - first[sparse]
            offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
            legal[arrays["set_tokens"][np.repeat(begin, counts) + offsets]] = True
        mask = np.packbits(legal, bitorder="little").view("<i4")
        for number in dense[dense >= 0].tolist():
            mask |= arrays["masks"][number]
        return mask

    def _with_end(self, mask: Mask) -> Mask:
        legal = np.unpackbits(mask.view(np.uint8), bitorder="little")
        legal[self._eos] = 1
        return np.packbits(legal, bitorder="little").view("<i4")


def _column_after(before: int, change: int) -> int:
    """Return a column after a token's change; see maskc.store.model.column_after."""
    if change > SAME:
        return change
    return before if before == NO_LINE else before + SAME - change
