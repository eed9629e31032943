"""Runs every token from every source at once: scanner × trie → rows.

The walk goes down the trie level by level. Its frontier is a table with one line per (source,
path so far, scanner state, trie node); one step gathers the children of all nodes, moves all
states by the bytes on their edges, and adds the lines in which a lexeme ends before the byte.
Nothing is done token by token. Sources go through in portions, so that the frontier fits into
the caches and memory stays bounded.

Example: from inside the NAME ``fo``, the token ``o(`` ends with path ``NAME{…}`` and an open LPAR.

Source: DESIGN, section 2, "Store"; token spanner tables (Park et al. 2025).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import NO_LINE, SAME
from maskc.errors import LimitError
from maskc.grammar.model import Grammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import DEAD, Scanner
from maskc.store.model import MaskStore
from maskc.store.steps import Steps
from maskc.vocab.trie import TokenTrie

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_FRONTIER = 60_000_000
_PORTION = 1_500_000  # lines aimed at in one portion's widest level
_COLUMNS = 1 << 21  # more than any column change of one token, both signs


@dataclass(slots=True)
class _Frontier:
    source: Ints
    path: Ints
    state: Ints
    node: Ints
    column: Ints

    def __len__(self) -> int:
        return len(self.source)

    def take(self, index: NDArray[np.intp]) -> _Frontier:
        return _Frontier(
            self.source[index],
            self.path[index],
            self.state[index],
            self.node[index],
            self.column[index],
        )

    @staticmethod
    def join(parts: list[_Frontier]) -> _Frontier:
        return _Frontier(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("source", "path", "state", "node", "column")
            )
        )


class _Interner:
    """Numbers pairs of integers in the order in which they are first asked for."""

    def __init__(self, first: list[int]) -> None:
        self.keys = list(first)
        self._number = {key: i for i, key in enumerate(first)}

    def number(self, keys: Longs) -> Ints:
        distinct, inverse = np.unique(keys, return_inverse=True)
        found = []
        for key in distinct.tolist():
            if key not in self._number:
                self._number[key] = len(self.keys)
                self.keys.append(key)
            found.append(self._number[key])
        return np.array(found, dtype=np.int32)[inverse.reshape(-1)]


def build_store(
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    steps: Steps,
    trie: TokenTrie,
    progress: Callable[[float], None] | None = None,
) -> MaskStore:
    """Return the rows of all sources.

    Raises:
        LimitError: a single source needs a frontier of more than ``MAX_FRONTIER`` lines.
    """
    walk = _Walk(grammar, scanner, boundaries, steps, trie)
    n_sources = scanner.n_states + len(scanner.closed)
    collector = _Collector()
    low, size = 1, 4
    first = np.zeros(n_sources + 1, dtype=np.int32)
    while low < n_sources:
        high = min(low + size, n_sources)
        widest = walk.run(low, high, collector, first)
        # Aim at the same width again; neighbouring sources are alike.
        size = max(1, min(64, int(size * _PORTION / max(widest, 1)), size * 2))
        low = high
        if progress:
            progress(low / n_sources)
    return walk.finish(collector, np.cumsum(first).astype(np.int32))


class _Collector:
    """Rows found so far, and the distinct token sets."""

    def __init__(self) -> None:
        self.path: list[Ints] = []
        self.final: list[Ints] = []
        self.tokens: list[Ints] = []
        self.set_number: dict[bytes, int] = {}
        self.sets: list[Ints] = []

    def add_rows(self, path: Ints, final: Ints, bounds: Longs, tokens: Ints) -> None:
        self.path.append(path)
        self.final.append(final)
        numbers = np.empty(len(path), dtype=np.int32)
        starts, stops = bounds[:-1].tolist(), bounds[1:].tolist()
        for i, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            key = tokens[start:stop].tobytes()
            number = self.set_number.get(key)
            if number is None:
                number = self.set_number[key] = len(self.sets)
                self.sets.append(tokens[start:stop].copy())
            numbers[i] = number
        self.tokens.append(numbers)


class _Walk:
    def __init__(
        self,
        grammar: Grammar,
        scanner: Scanner,
        boundaries: Boundaries,
        steps: Steps,
        trie: TokenTrie,
    ) -> None:
        self.grammar, self.scanner, self.steps, self.trie = grammar, scanner, steps, trie
        self.n_classes = scanner.next.shape[1]
        self.next = scanner.next.reshape(-1)
        self.node_class = scanner.byte_class[trie.byte].astype(np.int32)
        self.final_of = np.array(boundaries.final_of, dtype=np.int32)
        self.has_end = np.diff(steps.end_first) > 0
        layout = grammar.layout
        newline_final = np.array([bool(f.newlines) for f in boundaries.finals], dtype=np.bool_)
        # Only lexemes that may become a newline have a column.
        self.has_column = newline_final[self.final_of] & (layout is not None)
        self.tab_len = layout.tab_len if layout else 1
        self.event_is_newline = np.array(
            [layout is not None and t == layout.newline for t, _ in steps.events], dtype=np.bool_
        )
        self.paths = _Interner([0])
        self.opens = _Interner([])

    def run(self, low: int, high: int, collector: _Collector, first: Ints) -> int:
        """Walk the sources ``low … high - 1``; return the width of the widest level."""
        frontier = self._start(low, high)
        widest = 0
        found: list[tuple[Ints, Ints, Ints, Ints]] = []
        while len(frontier):
            widest = max(widest, len(frontier))
            if widest > MAX_FRONTIER:
                raise LimitError(
                    "lines in the store's walk", MAX_FRONTIER, "simplify the terminals"
                )
            self._collect(frontier, found)
            frontier = self._step(frontier)
        if found:
            self._add_rows(low, high, found, collector, first)
        return widest

    def _start(self, low: int, high: int) -> _Frontier:
        """Take the first byte: states go on, boundaries enter the next lexeme."""
        n_states = self.scanner.n_states
        children = np.arange(1, int(self.trie.first_child[1]), dtype=np.int32)
        classes = self.node_class[children]
        parts = []
        for source in range(low, high):
            n = len(children)
            sources = np.full(n, source, dtype=np.int32)
            if source < n_states:
                states = self.scanner.next[source, classes]
                column = np.full(n, SAME if self.has_column[source] else 0, dtype=np.int32)
                line = _Frontier(sources, np.zeros(n, dtype=np.int32), states, children, column)
                parts.append(self._arrive(line, fresh=False))
            else:
                kind = len(self.steps.kinds) - len(self.scanner.closed) + source - n_states
                line = _Frontier(sources, np.zeros(n, np.int32), sources, children, sources)
                parts.append(self._enter(line, np.full(n, kind, dtype=np.int32)))
        return _Frontier.join(parts)

    def _step(self, frontier: _Frontier) -> _Frontier:
        trie = self.trie
        begin = trie.first_child[frontier.node]
        counts = trie.first_child[frontier.node + 1] - begin
        inner = np.flatnonzero(counts)
        counts = counts[inner]
        line = frontier.take(np.repeat(inner, counts))
        offsets = np.arange(len(line), dtype=np.int32) - np.repeat(
            np.cumsum(counts) - counts, counts
        )
        line.node = (np.repeat(begin[inner], counts) + offsets).astype(np.int32)
        ending = np.flatnonzero(self.has_end[line.state])
        parts = []
        if len(ending):
            ends = line.take(ending)
            n_ends = self.steps.end_first[ends.state + 1] - self.steps.end_first[ends.state]
            most = int(n_ends.max())
            for nth in range(most):
                some = np.flatnonzero(n_ends > nth)
                line_n = ends.take(some)
                kinds = self.steps.end_kind[self.steps.end_first[line_n.state] + nth]
                parts.append(self._enter(line_n, kinds))
        line.state = self.next[line.state * self.n_classes + self.node_class[line.node]]
        parts.append(self._arrive(line, fresh=False))
        return _Frontier.join(parts)

    def _enter(self, line: _Frontier, kinds: Ints) -> _Frontier:
        """End the open lexeme and take the byte of ``line.node`` as the first of the next."""
        steps = self.steps
        cell = kinds * self.n_classes + self.node_class[line.node]
        begin = steps.move_first[cell]
        counts = steps.move_first[cell + 1] - begin
        index = np.repeat(np.arange(len(line)), counts)
        moves = np.repeat(begin - (np.cumsum(counts) - counts), counts) + np.arange(len(index))
        events = steps.move_event[moves]
        entered = line.take(index)
        change = np.where(self.event_is_newline[events], entered.column, 0).astype(np.int64)
        if len(index):
            key = (entered.path.astype(np.int64) * len(steps.events) + events) * _COLUMNS
            entered.path = self.paths.number(key + change + _COLUMNS // 2)
        entered.state = steps.move_state[moves]
        return self._arrive(entered, fresh=True)

    def _arrive(self, line: _Frontier, *, fresh: bool) -> _Frontier:
        """Drop dead lines, and move the columns by the byte that was just taken."""
        line = line.take(np.flatnonzero(line.state != DEAD))
        if self.grammar.layout is None:
            return line
        column = np.full(len(line), NO_LINE, dtype=np.int32) if fresh else line.column
        byte = self.trie.byte[line.node]
        width = np.where(byte == 32, 1, np.where(byte == 9, self.tab_len, 0)).astype(np.int32)
        moved = np.where(
            column >= 0, column + width, np.where(column == NO_LINE, column, column - width)
        )
        column = np.where(byte == 10, 0, moved)
        line.column = np.where(self.has_column[line.state], column, 0).astype(np.int32)
        return line

    def _collect(self, line: _Frontier, found: list[tuple[Ints, Ints, Ints, Ints]]) -> None:
        begin = self.trie.first_token[line.node]
        counts = self.trie.first_token[line.node + 1] - begin
        index = np.repeat(np.arange(len(line)), counts)
        if not len(index):
            return
        offsets = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
        tokens = self.trie.tokens[begin[index] + offsets]
        key = self.final_of[line.state].astype(np.int64) * _COLUMNS + line.column + _COLUMNS // 2
        opens = self.opens.number(key)[index]
        found.append((line.source[index], line.path[index], opens, tokens))

    def _add_rows(
        self,
        low: int,
        high: int,
        found: list[tuple[Ints, Ints, Ints, Ints]],
        collector: _Collector,
        first: Ints,
    ) -> None:
        source, path, opens, tokens = (
            np.concatenate(column) for column in zip(*found, strict=True)
        )
        n_paths, n_opens = len(self.paths.keys), len(self.opens.keys)
        key = ((source - low).astype(np.int64) * n_paths + path) * n_opens + opens
        order = np.lexsort((tokens, key))
        key, tokens = key[order], tokens[order]
        starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        bounds = np.append(starts, len(key)).astype(np.int64)
        distinct = key[starts]
        collector.add_rows(
            (distinct // n_opens % n_paths).astype(np.int32),
            (distinct % n_opens).astype(np.int32),
            bounds,
            tokens,
        )
        per_source = np.bincount(distinct // n_opens // n_paths, minlength=high - low)
        first[low + 1 : high + 1] = per_source

    def finish(self, collector: _Collector, source_first: Ints) -> MaskStore:
        """Return the store from all portions."""
        path_keys = np.array(self.paths.keys, dtype=np.int64)
        path_keys[0] = _COLUMNS // 2
        events = path_keys // _COLUMNS % max(len(self.steps.events), 1)
        masks = sorted({mask for _, mask in self.steps.events})
        mask_number = {mask: i for i, mask in enumerate(masks)}
        n_contexts = len(self.grammar.contexts)
        terminals = np.array([t for t, _ in self.steps.events] or [0], dtype=np.int32)
        sets = np.array([mask_number[m] for _, m in self.steps.events] or [0], dtype=np.int32)
        open_keys = np.array(self.opens.keys, dtype=np.int64)
        return MaskStore(
            n_states=self.scanner.n_states,
            source_first=source_first,
            row_path=_joined(collector.path),
            row_final=_joined(collector.final),
            row_tokens=_joined(collector.tokens),
            path_parent=(path_keys // _COLUMNS // max(len(self.steps.events), 1)).astype(np.int32),
            path_terminal=terminals[events],
            path_contexts=sets[events],
            path_column=(path_keys % _COLUMNS - _COLUMNS // 2).astype(np.int32),
            contexts=np.array(
                [[bool(mask >> c & 1) for c in range(n_contexts)] for mask in masks],
                dtype=np.bool_,
            ).reshape(len(masks), n_contexts),
            open_final=(open_keys // _COLUMNS).astype(np.int32),
            open_column=(open_keys % _COLUMNS - _COLUMNS // 2).astype(np.int32),
            set_first=np.cumsum([0, *map(len, collector.sets)]).astype(np.int32),
            set_tokens=_joined(collector.sets),
        )


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
