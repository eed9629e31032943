"""Runs every token from every source at once: scanner × trie → raw rows.

The walk goes down the trie level by level. Its frontier is a table with one line per (seed, path so
far, scanner state, trie node); one step gathers the children of all nodes, moves all states by the
bytes on their edges, and adds the lines in which a lexeme ends before the byte. Nothing is done
token by token. Seeds (:mod:`maskc.compiler.rows.seeds`), which many lexer states and boundaries
share, go through in batches, so that the frontier fits into the caches and memory stays bounded.

What a path is, and which of them a parser may take, is a :class:`PathRule`: the moves of an LALR
table (:mod:`maskc.compiler.rows.paths`), or three terminals in a row of a general grammar's
productions (:mod:`maskc.compiler.glr.walk`).

Source: token spanner tables (Park et al. 2025); ``docs/lalr.md``, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.budget import reserve
from maskc.compiler import LexicalAnalysis
from maskc.compiler.rows import RawRows
from maskc.compiler.rows.paths import Opens, PathRule, order_opens
from maskc.compiler.rows.seeds import (
    Seeds,
    fold_trie,
    list_tokens,
    number_seeds,
    replace_equivalent,
    walk_in_batches,
    write_items,
)
from maskc.compiler.rows.steps import InvariantSubtrees, LexemeSteps
from maskc.compiler.rows.token_sets import RowCollector
from maskc.grammar import Grammar
from maskc.ids import DEAD, DROPPED, NO_LINE, SAME
from maskc.levels import spread
from maskc.vocab.trie import TokenTrie

Ints = NDArray[np.int32]
Indices = NDArray[np.intp]

BYTES_A_LINE = 64  # of a frontier: five columns, and what they are made from
_STATES = 4096  # whose first bytes are taken at once
_TOO_WIDE = 4  # a batch that comes to so many times the lines aimed at is taken in smaller ones


@dataclass(slots=True)
class Frontier:
    """Lines; each attribute is int32[n_lines]."""

    origin: Ints  # the source or the seed that a line comes from
    path: Ints  # what was completed on the way
    state: Ints  # the scanner's
    node: Ints  # of the trie
    column: Ints  # the column change of an open newline

    def __len__(self) -> int:
        return len(self.origin)

    def columns(self) -> tuple[Ints, ...]:
        return self.origin, self.path, self.state, self.node, self.column

    def take(self, lines: Indices) -> Frontier:
        return Frontier(*(column[lines] for column in self.columns()))

    @staticmethod
    def join(parts: list[Frontier]) -> Frontier:
        """Return the lines of some frontiers, one after the other."""
        columns = zip(*(part.columns() for part in parts), strict=True)
        return Frontier(*(np.concatenate(column) for column in columns))


def walk_tokens(
    lexed: LexicalAnalysis[Grammar],
    steps: LexemeSteps,
    rule: PathRule,
    trie: TokenTrie,
    progress: Callable[[float], None] | None = None,
) -> RawRows:
    """Return the rows of all sources.

    Raises:
        LimitError: a single seed needs too large a frontier, or as the rule says.
    """
    walk = _Walk(lexed, steps, rule, trie)
    size = max(64 if rule.joins_boundaries else 1, rule.lines // trie.widest_level())
    walk_in_batches(walk.run, len(walk.seeds), size, rule.lines, progress)
    return walk.finish()


class _Walk:
    def __init__(
        self, lexed: LexicalAnalysis[Grammar], steps: LexemeSteps, rule: PathRule, trie: TokenTrie
    ) -> None:
        scanner, boundaries, layout = lexed.scanner, lexed.boundaries, lexed.grammar.lexer.layout
        self.lexed, self.scanner, self.steps, self.rule = lexed, scanner, steps, rule
        self.layout = layout
        self.trie = trie = fold_trie(trie, scanner, steps, layout)
        self.n_classes = scanner.next.shape[1]
        self.next = scanner.next.reshape(-1)
        self.node_class = scanner.byte_class[trie.byte].astype(np.int32)
        self.has_token = np.diff(trie.first_token) > 0
        self.open_lexeme_of = np.array(boundaries.open_lexeme_of, dtype=np.int32)
        self.has_end = np.diff(steps.end_first) > 0
        may_be_newline = np.array(
            [bool(f.newlines) for f in boundaries.open_lexemes], dtype=np.bool_
        )
        # Only lexemes that may become a newline have a column.
        self.has_column = may_be_newline[self.open_lexeme_of] & (layout is not None)
        self.tab_len = layout.tab_len if layout else 1
        self.event_is_newline = np.array(
            [layout is not None and e.terminal == layout.newline for e in steps.events],
            dtype=np.bool_,
        )
        self.invariant = InvariantSubtrees(
            scanner.next, steps, trie, self.node_class, self.has_column
        )
        self.opens = Opens()
        self.rows = RowCollector()
        self.seeds = self._find_seeds()

    def run(self, low: int, high: int) -> int | None:
        """Walk the seeds ``low … high - 1``.

        Returns:
            The width of the widest level; ``None`` if it is too much for several seeds at once,
            of which then no rows are kept.
        """
        frontier = self._begin(low, high)
        widest, most = 0, _TOO_WIDE * self.rule.lines
        found: list[tuple[Ints, Ints, Ints, Ints]] = []
        while len(frontier):
            widest = max(widest, len(frontier))
            if widest > most and high - low > 1:
                return None
            self.rule.check(widest)
            frontier = self._step(self._collect(frontier, found), high - low)
        columns = zip(*found, strict=True) if found else [[np.zeros(0, np.int32)]] * 4
        self.rows.add(high - low, *(np.concatenate(column) for column in columns))
        return widest

    def _find_seeds(self) -> Seeds:
        """Take the first byte, inside every scanner state and after every boundary."""
        first_nodes = np.arange(1, int(self.trie.first_child[1]), dtype=np.int32)
        n_states, n_first = self.scanner.n_states, len(first_nodes)
        n_sources = n_states + len(self.scanner.closed)
        reserve(n_sources * n_first * BYTES_A_LINE, "the first bytes of tokens")
        parts = []
        for low in range(0, n_states, _STATES):
            states = np.arange(low, min(low + _STATES, n_states), dtype=np.int32)
            source, node = np.repeat(states, n_first), np.tile(first_nodes, len(states))
            column = np.where(self.has_column[source], SAME, 0).astype(np.int32)
            state = self.next[source * self.n_classes + self.node_class[node]]
            nothing = np.zeros(len(source), dtype=np.int32)
            # Nothing goes on from the dead state, and nothing has to.
            line = Frontier(source, nothing, state, node, column)
            parts.append(self._arrive(line, np.arange(len(source)), None, state, node))
        nothing = np.zeros(n_first, dtype=np.int32)
        first_kind = len(self.steps.kinds) - len(self.scanner.closed)
        for boundary in range(len(self.scanner.closed)):
            sources = np.full(n_first, n_states + boundary, dtype=np.int32)
            line = Frontier(sources, nothing, nothing, first_nodes, nothing)
            kinds = np.full(n_first, first_kind + boundary, dtype=np.int32)
            parts.append(self._enter(line, np.arange(n_first), first_nodes, kinds))
        line = Frontier.join(parts)
        # What may become a newline has a column, so states that are alike agree on that too.
        n_bytes = self.trie.count_bytes_below()[line.node - 1]
        line.state = replace_equivalent(self.scanner, self.lexed.boundaries, line.state, n_bytes)
        before = np.zeros(len(line), dtype=np.int32)
        if self.rule.joins_boundaries:
            before, line.path = line.path, before
        columns = {name: getattr(line, name) for name in self.rule.seed_order}
        return number_seeds(line.origin, before, columns, n_sources)

    def _begin(self, low: int, high: int) -> Frontier:
        """Return the first level: seeds have taken their first byte."""
        columns = self.seeds.columns
        path, state, node, column = (
            columns[name][low:high] if name in columns else np.zeros(high - low, np.int32)
            for name in ("path", "state", "node", "column")
        )
        return Frontier(np.arange(high - low, dtype=np.int32), path, state, node, column)

    def _step(self, frontier: Frontier, n_origins: int) -> Frontier:
        """Return the next level: every line with every child of its node, one byte further.

        A line of n children becomes n lines that agree but for the node; each of them goes on
        inside its lexeme by the byte of its node, and where the lexeme may end before that byte,
        once more for each traversal that ends it and each state that the byte then enters.

        Invariant: a line of a level is a token's beginning of that many bytes, read from the line's
        seed in one of the ways in which the scanner reads it and the parser may take it; none is
        left out.
        """
        trie, state_of = self.trie, frontier.state
        # Children of a node lie side by side: first_child[node] … first_child[node + 1].
        begin = trie.first_child[frontier.node]
        counts = trie.first_child[frontier.node + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens inside lexemes")
        inner = np.flatnonzero(counts)
        parent, node = spread(begin[inner], (begin + counts)[inner])
        parent = inner[parent]
        state = state_of[parent]
        parts = []
        ending = np.flatnonzero(self.has_end[state])
        if len(ending):
            # The nth end of all lines that have so many: a few rounds, none line by line.
            first = self.steps.end_first[state[ending]]
            n_ends = self.steps.end_first[state[ending] + 1] - first
            for nth in range(int(n_ends.max())):
                some = np.flatnonzero(n_ends > nth)
                kinds = self.steps.end_kind[first[some] + nth]
                parts.append(self._enter(frontier, parent[ending[some]], node[ending[some]], kinds))
        # `next` is flat: row by state, column by byte class.
        state = self.next[state * self.n_classes + self.node_class[node]]
        parts.append(self._arrive(frontier, parent, None, state, node))
        after = Frontier.join(parts)
        return self.rule.prune(after, n_origins, trie) if len(parts) > 1 else after

    def _enter(self, frontier: Frontier, parent: Indices, node: Ints, kinds: Ints) -> Frontier:
        """End the open lexemes of some lines and take the byte of ``node`` as the next's first."""
        steps = self.steps
        cell = kinds * self.n_classes + self.node_class[node]
        begin = steps.move_first[cell]
        counts = steps.move_first[cell + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens that end lexemes")
        index, moves = spread(begin, begin + counts)
        events, parent = steps.move_event[moves], parent[index]
        change = np.where(self.event_is_newline[events], frontier.column[parent], 0)
        path = self.rule.extend(frontier.path[parent], events, change)
        state = np.where(path == DROPPED, DEAD, steps.move_state[moves])
        return self._arrive(frontier, parent, path, state, node[index])

    def _arrive(
        self, frontier: Frontier, parent: Indices, path: Ints | None, state: Ints, node: Ints
    ) -> Frontier:
        """Return lines that have just taken a byte, without the dead ones.

        Args:
            frontier: the lines that they come from.
            parent: intp[n], which of those each comes from.
            path: int32[n], what is completed now; ``None`` if no lexeme has ended.
            state: int32[n], where the byte leads.
            node: int32[n], the byte's.
        """
        alive = np.flatnonzero(state != DEAD)
        parent, state, node = parent[alive], state[alive], node[alive]
        has_ended, path = path is not None, frontier.path[parent] if path is None else path[alive]
        if self.layout is None:
            column = np.zeros(len(alive), dtype=np.int32)
        else:
            before = (
                np.full(len(alive), NO_LINE, np.int32) if has_ended else frontier.column[parent]
            )
            moved = self._move_column(before, self.trie.byte[node])
            column = np.where(self.has_column[state], moved, 0).astype(np.int32)
        return Frontier(frontier.origin[parent], path, state, node, column)

    def _move_column(self, before: Ints, byte: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the columns after one more byte each."""
        width = np.where(byte == 32, 1, np.where(byte == 9, self.tab_len, 0)).astype(np.int32)
        moved = np.where(
            before >= 0, before + width, np.where(before == NO_LINE, before, before - width)
        )
        return np.where(byte == 10, 0, moved)

    def _collect(self, line: Frontier, found: list[tuple[Ints, Ints, Ints, Ints]]) -> Frontier:
        """Add the items in which tokens end, and return the lines that go on.

        Below those that are left out nothing changes any more.
        """
        done = self.invariant.find(line.state, line.node)
        ending = np.flatnonzero(done | self.has_token[line.node])
        opens = self.opens.number(self.open_lexeme_of[line.state[ending]], line.column[ending])
        items = write_items(line.node[ending], done[ending])
        found.append((line.origin[ending], line.path[ending], opens, items))
        return line.take(np.flatnonzero(~done))

    def finish(self) -> RawRows:
        """Return the rows from all batches."""
        seeds = self.seeds
        # Sources of the same seeds have the same rows.
        groups: dict[bytes, int] = {}
        group_of, first, chosen = list[int](), [0], [np.zeros(0, np.intp)]
        for low, high in pairwise(seeds.first.tolist()):
            key = seeds.of_source[low:high].tobytes() + seeds.before[low:high].tobytes()
            group_of.append(groups.setdefault(key, len(groups)))
            if len(groups) == len(first):
                first.append(first[-1] + high - low)
                chosen.append(np.arange(low, high))
        taken = np.concatenate(chosen)
        counts, path, opened, sets = self.rows.join(
            np.array(first), seeds.of_source[taken], seeds.before[taken], self.rule.join
        )
        end, n_rows = np.cumsum(counts)[group_of], counts[group_of]
        source, row = spread(end - n_rows, end)
        path, opened, sets = path[row], opened[row], sets[row]
        paths = self.rule.order(path)
        open_number, open_lexeme, open_column = order_opens(*self.opens.list(), opened)
        path, opened = paths.number_of[path], open_number[opened]
        tokens, sets = list_tokens(self.rows.items, self.trie, sets)
        order = np.lexsort((opened, path, source))
        return RawRows(
            n_states=self.scanner.n_states,
            source_first=np.append(0, np.cumsum(n_rows)).astype(np.int32),
            row_path=path[order],
            row_open=opened[order],
            row_tokens=sets[order],
            path_parent=paths.parent,
            path_event=paths.event,
            path_column=paths.column,
            events=self.steps.events,
            open_lexeme=open_lexeme,
            open_column=open_column,
            tokens=tokens,
            without_rows=self.rule.list_tokens_without_rows(self.trie),
        )
