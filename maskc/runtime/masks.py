"""The mask of a hypothesis, composed from rows once and remembered.

A mask depends on the scanner state, on as much of the stack as the rows' terminals make the
parser look at, and with indentation on the layout. We record how deep the parser looked while a
mask was composed, and keep the mask in a tree whose edges are the stack's states from the top
down to that depth: a later stack that agrees so far gets the same row, however different it is
below. Equal masks are stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.machine import NO_LINE, Hypothesis, Machine

SAME = -2  # a column change, as in maskc.store.model

Mask = NDArray[np.int32]
_Rows = list[tuple[int, int, int]]  # final, column change, token set


class _Branch:
    """Rows that share a path, and the longer paths behind it."""

    __slots__ = ("branches", "rows")

    def __init__(self) -> None:
        self.rows: _Rows = []
        self.branches: list[tuple[int, int, int, _Branch]] = []  # terminal, column, contexts


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
        self._vocab_size = vocab_size
        self._n_words = -(-vocab_size // 32)
        self._eos = np.array(eos_ids, dtype=np.int64)
        self._room = max(1, cache_bytes // (self._n_words * 4))
        self._masks: dict[object, Any] = {}
        self._by_content: dict[bytes, Mask] = {}
        self._sources: dict[int, _Branch] = {}
        self._groups = [
            int.from_bytes(row.astype("<u8").tobytes(), "little") for row in arrays["context_group"]
        ]
        self._column_matters = machine.tables.layout is not None
        self.end_only = self._union([], with_end=True)

    def mask(self, h: Hypothesis) -> Mask:
        """Return int32[ceil(vocab_size / 32)], shared: not to be written to."""
        stack = h.stack
        key = (
            (h.state, stack.state, h.column, h.indents)
            if self._column_matters
            else (h.state, stack.state)
        )
        found = self._masks.get(key)
        while type(found) is dict:
            if stack.below is None:
                raise ValueError("a remembered mask looks below the stack")
            stack = stack.below
            found = found.get(stack.state)
        return self._compose(h, key) if found is None else found

    def _compose(self, h: Hypothesis, key: object) -> Mask:
        machine = self._machine
        machine.lowest = h.stack.depth
        sets: list[int] = []
        finishing = machine.can_finish(h)
        self._collect(self._source(h.state), h, h, sets)
        tables = machine.tables
        for terminal, boundary in tables.ends(h.state):
            ended = machine.end(h, terminal, h.column)
            if ended is not None:
                context = tables.context(ended.stack.state)
                for _, _, group, branch in self._source(tables.n_states + boundary).branches:
                    if self._groups[group] >> context & 1:
                        self._collect(branch, ended, h, sets)
        mask = self._union(sets, with_end=finishing)
        if len(self._by_content) >= self._room:
            self._by_content.clear()
            self._masks.clear()
        mask = self._by_content.setdefault(mask.tobytes(), mask)
        self._remember(h, key, mask)
        return mask

    def _remember(self, h: Hypothesis, key: object, mask: Mask) -> None:
        """Store a mask under the stack's states down to the lowest one that was read."""
        stack, place, edge = h.stack, self._masks, key
        while stack.depth > self._machine.lowest and stack.below is not None:
            place = place.setdefault(edge, {})
            stack = stack.below
            edge = stack.state
        place[edge] = mask

    def _collect(
        self, branch: _Branch, here: Hypothesis, start: Hypothesis, sets: list[int]
    ) -> None:
        """Add the token sets of all rows below a branch that are legal from ``here``.

        Args:
            branch: rows whose path the parser has taken.
            here: the hypothesis behind that path.
            start: the hypothesis before the token.
            sets: where to add.
        """
        machine = self._machine
        for final, change, token_set in branch.rows:
            if machine.leads_on(final, here, _column_after(start.column, change)):
                sets.append(token_set)
        ended: dict[tuple[int, int], Hypothesis | None] = {}
        for terminal, change, group, below in branch.branches:
            if (terminal, change) not in ended:
                column = _column_after(start.column, change)
                ended[terminal, change] = machine.end(here, terminal, column)
            after = ended[terminal, change]
            if after is not None:
                context = machine.tables.context(after.stack.state)
                if self._groups[group] >> context & 1:
                    self._collect(below, after, start, sets)

    def _source(self, number: int) -> _Branch:
        found = self._sources.get(number)
        if found is None:
            found = self._sources[number] = self._read_source(number)
        return found

    def _read_source(self, number: int) -> _Branch:
        """Return the rows of a source as a tree of paths."""
        arrays = self._arrays
        low, high = arrays["source_first"][number : number + 2].tolist()
        root = _Branch()
        branches = {0: root}

        def branch_of(path: int) -> _Branch:
            found = branches.get(path)
            if found is None:
                found = branches[path] = _Branch()
                parent = branch_of(int(arrays["path_parent"][path]))
                parent.branches.append(
                    (
                        int(arrays["path_terminal"][path]),
                        int(arrays["path_column"][path]),
                        int(arrays["path_contexts"][path]),
                        found,
                    )
                )
            return found

        for path, opened, token_set in zip(
            arrays["row_path"][low:high].tolist(),
            arrays["row_open"][low:high].tolist(),
            arrays["row_set"][low:high].tolist(),
            strict=True,
        ):
            branch_of(path).rows.append(
                (
                    int(arrays["open_final"][opened]),
                    int(arrays["open_column"][opened]),
                    token_set,
                )
            )
        return root

    def _union(self, sets: list[int], *, with_end: bool) -> Mask:
        arrays = self._arrays
        chosen = np.array(sets, dtype=np.int64)
        dense = arrays["set_mask"][chosen] if len(chosen) else chosen
        legal = np.zeros(self._n_words * 32, dtype=np.bool_)
        sparse = chosen[dense < 0]
        for low, high in zip(
            arrays["set_first"][sparse].tolist(),
            arrays["set_first"][sparse + 1].tolist(),
            strict=True,
        ):
            legal[arrays["set_tokens"][low:high]] = True
        if with_end:
            legal[self._eos] = True
        mask = np.packbits(legal, bitorder="little").view("<i4")
        for number in np.unique(dense[dense >= 0]).tolist():
            mask |= arrays["masks"][number]
        mask.setflags(write=False)
        return mask


def _column_after(before: int, change: int) -> int:
    """Return a column after a token's change; see maskc.store.model.column_after."""
    if change > SAME:
        return change
    return before if before == NO_LINE else before + SAME - change
