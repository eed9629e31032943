"""The rows of a scanner that cuts a text in many ways, for a general grammar.

As :mod:`maskc.compiler.rows.walk`, with three differences. Lexemes may overlap in every way, so the
same bytes can lead to the same place along several ways: lines of the frontier that agree are one.
Nearly all of these ways are none that a grammar knows, so a path is only gone on with by terminals
that can stand after its last two in some text. And there is one context, and no columns. Origins go
through in portions, too.

Some grammars do know very many: with unary and binary ``-`` and ``--``, fifty dashes are cut in
2^34 ways. Tokens that begin with what one start cuts in more than ``MAX_CUTS`` ways are *unlisted*:
they lack rows, and the runtime reads them byte by byte where a mask is first asked for.

Example: with ``W: /[a-z]+/`` the token ``cat`` is W, W W or W W W; where no text has W after W
there is one row.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maskc.budget import at, reserve
from maskc.compiler.glr.triples import ANY_PAIR, Triples
from maskc.compiler.rows.seeds import (
    fold_trie,
    list_tokens,
    replace_equivalent,
    walk_in_batches,
    write_items,
)
from maskc.compiler.rows.sequences import RawRows
from maskc.compiler.rows.steps import InvariantSubtrees, Steps
from maskc.compiler.rows.token_sets import TokenSets
from maskc.errors import LimitError
from maskc.ids import DEAD, END, ENTRY, IGNORED
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_LARGEST_KEY = 1 << 62


class Frontier:
    """One line per (origin, path, scanner state, trie node); no two agree."""

    def __init__(self, origin: Ints, path: Ints, state: Ints, node: Ints) -> None:
        alive = np.flatnonzero(state != DEAD)
        self.origin, self.path = origin[alive], path[alive]
        self.state, self.node = state[alive], node[alive]

    def __len__(self) -> int:
        return len(self.origin)

    def take(self, lines: Longs) -> Frontier:
        """Return some of the lines."""
        return Frontier(self.origin[lines], self.path[lines], self.state[lines], self.node[lines])

    def find_distinct(self, n_origins: int, n_paths: int, n_states: int, n_nodes: int) -> Longs:
        """Return the places of lines of which no two agree, sorted."""
        place = self.origin.astype(np.int64) * n_nodes + self.node
        reading = self.path.astype(np.int64) * n_states + self.state
        if n_origins * n_nodes * n_paths * n_states < _LARGEST_KEY:
            _, kept = np.unique(reading * (n_origins * n_nodes) + place, return_index=True)
            return kept
        order = np.lexsort((place, reading))
        place, reading = place[order], reading[order]
        is_new = np.append(True, (place[1:] != place[:-1]) | (reading[1:] != reading[:-1]))
        found: Longs = order[is_new]
        return found


def count_up(counts: Ints) -> Longs:
    """Return 0, 1, … for each count in turn."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)


MAX_GENERAL_FRONTIER = 20_000_000
MAX_CUTS = 128
MAX_UNLISTED = 5_000  # nodes of the trie: each is a step of every hypothesis that comes there
MAX_PATHS = 2_000_000
BYTES_A_LINE = 64  # of a frontier: its columns, and what they are made from
BYTES_A_START = 32  # of a source and a first byte
_SOURCES = 4_096  # whose first bytes are taken at once
_PORTION = 200_000  # lines aimed at in one portion's widest level
_TOO_WIDE = 4 * _PORTION  # a portion that comes to so many is taken in smaller ones


def build_general_store(
    scanner: Scanner,
    boundaries: Boundaries,
    triples: Triples,
    steps: Steps,
    trie: TokenTrie,
    progress: Callable[[float], None] | None = None,
    quote: Callable[[int], str] = str,
) -> RawRows:
    """Return the rows of all sources.

    Raises:
        LimitError: tokens can be cut into terminals in too many ways.
    """
    walk = _Walk(scanner, boundaries, triples, steps, trie)
    at(lambda: walk.describe(quote))
    source_first, starts_of = walk.find_starts()
    size = max(1, _PORTION // trie.widest_level())
    walk_in_batches(walk.walk, walk.n_starts, size, _PORTION, progress)
    return walk.finish(source_first, starts_of)


class _Walk:
    def __init__(
        self,
        scanner: Scanner,
        boundaries: Boundaries,
        triples: Triples,
        steps: Steps,
        trie: TokenTrie,
    ) -> None:
        self.scanner, self.steps = scanner, steps
        self.trie = trie = fold_trie(trie, scanner)
        self.node_class = scanner.byte_class[trie.byte].astype(np.int32)
        self.open_lexeme_of = np.array(boundaries.open_lexeme_of, dtype=np.int32)
        self.n_open_lexemes = int(self.open_lexeme_of.max()) + 1
        self.n_ends = np.diff(steps.end_first)
        self.n_boundaries = len(scanner.closed)
        self.first_nodes = np.arange(1, int(trie.first_child[1]), dtype=np.int32)
        self.boundaries = boundaries
        self.triples = triples
        self.event_terminal = np.array([e.terminal for e in steps.events] or [END], dtype=np.int32)
        # Path 0 is empty; a path's number is that of its key.
        self.paths = [0]
        self.number = {0: 0}
        self.last = np.full(1 << 12, ANY_PAIR, dtype=np.int32)  # pair of its last two terminals
        self.n_starts = 0
        self.begin = Frontier(*(np.zeros(0, dtype=np.int32) for _ in range(4)))
        # Start → its rows: path and open lexeme as one number, and the set of items.
        self.rows_of: list[list[tuple[int, int]]] = []
        self.items = TokenSets()
        self.has_token = np.diff(trie.first_token) > 0
        stays = np.zeros(scanner.n_states, np.bool_)
        self.staying = InvariantSubtrees(scanner.next, steps, trie, self.node_class, stays)
        self.is_unlisted = np.zeros(trie.n_nodes, dtype=np.bool_)

    def find_starts(self) -> tuple[Longs, Longs]:
        """Take the first byte of all sources, and number where that leads: the starts.

        A source's rows are those of its starts, one for each first byte, put together; most starts
        it has in common with other sources. Of states that the bytes which may follow do not tell
        apart, one is a start.

        Returns:
            int64[n_sources + 1] and int64[…]: the starts of a source are ``[first[s] : …]`` of
            the second.
        """
        n_states, n_sources = self.scanner.n_states, self.scanner.n_states + self.n_boundaries
        reserve(n_sources * len(self.first_nodes) * BYTES_A_START, "the first bytes of tokens")
        # The dead state goes on with nothing.
        parts = [
            self.take_first(low, min(low + _SOURCES, n_states))
            for low in range(1, n_states, _SOURCES)
        ]
        parts += [self.enter_first(boundary) for boundary in range(self.n_boundaries)]
        source = np.concatenate([part.origin for part in parts])
        path = np.concatenate([part.path for part in parts])
        node = np.concatenate([part.node for part in parts])
        state = np.concatenate([part.state for part in parts])
        n_bytes = self.trie.count_bytes_below()[node - 1]
        state = replace_equivalent(self.scanner, self.boundaries, state, n_bytes)
        n_first = int(self.trie.first_child[1])
        key = (path.astype(np.int64) * n_first + node) * n_states + state
        _, first, starts_of = np.unique(key, return_index=True, return_inverse=True)
        self.begin = Frontier(
            np.arange(len(first), dtype=np.int32), path[first], state[first], node[first]
        )
        self.n_starts = len(first)
        self.rows_of = [[] for _ in range(self.n_starts)]
        counts = np.bincount(source, minlength=n_sources)
        return np.append(0, np.cumsum(counts)), starts_of.reshape(-1)

    def take_first(self, low: int, high: int) -> Frontier:
        """Take the first byte inside the lexemes of some states."""
        children = self.first_nodes
        sources = np.repeat(np.arange(low, high, dtype=np.int32), len(children))
        nodes = np.tile(children, high - low)
        states = self.scanner.next[sources, self.node_class[nodes]]
        return Frontier(sources, np.zeros(len(sources), dtype=np.int32), states, nodes)

    def enter_first(self, boundary: int) -> Frontier:
        """Take the first byte after a boundary: it enters the next lexeme."""
        children = self.first_nodes
        kind = len(self.steps.kinds) - self.n_boundaries + boundary
        source = np.full(len(children), self.scanner.n_states + boundary, dtype=np.int32)
        nowhere = np.zeros(len(children), dtype=np.int32)
        kinds = np.full(len(children), kind, dtype=np.int32)
        found = Frontier(*self.enter(source, nowhere, children, kinds))
        # In the order of the sources' starts, which the rows' sets are united in.
        return found.take(np.argsort(found.node, kind="stable"))

    def walk(self, low: int, high: int) -> int | None:
        """Find the rows of the starts ``low … high - 1``.

        Returns:
            The width of the widest level; ``None`` if it is too much for several starts at once, of
            which then no rows are kept.

        Raises:
            LimitError: it is too much for one.
        """
        frontier = self.begin.take(np.arange(low, high))
        frontier.origin -= low
        found: list[tuple[Ints, Longs, Ints]] = []
        widest = 0
        while len(frontier):
            widest = max(widest, len(frontier))
            if widest > _TOO_WIDE and high - low > 1:
                return None
            if widest > MAX_GENERAL_FRONTIER:
                raise _too_many(MAX_GENERAL_FRONTIER)
            frontier = self.step(self.collect(frontier, found), high - low)
        if not found:
            return widest
        origin, key, items = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((items, key, origin))
        origin, key, items = origin[order], key[order], items[order]
        is_row = np.append(True, (origin[1:] != origin[:-1]) | (key[1:] != key[:-1]))
        is_new = is_row.copy()
        is_new[1:] |= items[1:] != items[:-1]
        origin, key, items, is_row = origin[is_new], key[is_new], items[is_new], is_row[is_new]
        bounds = np.append(np.flatnonzero(is_row), len(key)).tolist()
        for first, last in itertools.pairwise(bounds):
            part = self.items.intern(items[first:last])
            self.rows_of[low + int(origin[first])].append((int(key[first]), part))
        return widest

    def put_together(self, starts: list[int]) -> list[tuple[int, int, int]]:
        """Return the (path, open lexeme, token set) of a source, in order."""
        parts: dict[int, list[int]] = {}
        for start in starts:
            for row, part in self.rows_of[start]:
                parts.setdefault(row, []).append(part)
        return [
            (*divmod(row, self.n_open_lexemes), self.items.unite(tuple(numbers)))
            for row, numbers in sorted(parts.items())
        ]

    def step(self, frontier: Frontier, n_origins: int) -> Frontier:
        """Take one more byte."""
        begin = self.trie.first_child[frontier.node]
        counts = self.trie.first_child[frontier.node + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens inside lexemes")
        index = np.repeat(np.arange(len(frontier)), counts)
        node = (begin[index] + count_up(counts)).astype(np.int32)
        origin, path, state = frontier.origin[index], frontier.path[index], frontier.state[index]
        parts = [(origin, path, self.scanner.next[state, self.node_class[node]], node)]
        n_ends = self.n_ends[state]
        for nth in range(int(n_ends.max(initial=0))):
            some = np.flatnonzero(n_ends > nth)
            kinds = self.steps.end_kind[self.steps.end_first[state[some]] + nth]
            parts.append(self.enter(origin[some], path[some], node[some], kinds))
        after = Frontier(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if len(parts) == 1:
            return after
        n_nodes = self.trie.n_nodes
        kept = after.find_distinct(n_origins, len(self.paths), self.scanner.n_states, n_nodes)
        place = after.origin[kept].astype(np.int64) * n_nodes + after.node[kept]
        places, cut_of, n_cuts = np.unique(place, return_inverse=True, return_counts=True)
        self.is_unlisted[places[n_cuts > MAX_CUTS] % n_nodes] = True
        return after.take(kept[n_cuts[cut_of.reshape(-1)] <= MAX_CUTS])

    def list_unlisted(self) -> Ints:
        """Return the tokens that begin with what is cut in too many ways.

        Raises:
            LimitError: they are too many for the runtime to read.
        """
        nodes = np.flatnonzero(self.trie.mark_below(self.is_unlisted))
        if len(nodes) > MAX_UNLISTED:
            raise _too_many(MAX_CUTS)
        begin = self.trie.first_token[nodes]
        counts = self.trie.first_token[nodes + 1] - begin
        found: Ints = np.sort(self.trie.tokens[np.repeat(begin, counts) + count_up(counts)])
        return found

    def enter(
        self, origin: Ints, path: Ints, node: Ints, kinds: Ints
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """End the open lexeme and take the byte of ``node`` as the first one of the next."""
        steps = self.steps
        cell = kinds * self.scanner.next.shape[1] + self.node_class[node]
        begin = steps.move_first[cell]
        counts = steps.move_first[cell + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens that end lexemes")
        index = np.repeat(np.arange(len(path)), counts)
        moves = begin[index] + count_up(counts)
        events, states = steps.move_event[moves], steps.move_state[moves]
        terminal = self.event_terminal[events]
        pairs = self.last[path[index]]
        for pair in np.unique(pairs[terminal >= 0]).tolist():
            self.triples.find(pair)
        fits = (terminal < 0) | self.triples.rows[pairs, np.maximum(terminal, 0)]
        index, events, states = index[fits], events[fits], states[fits]
        return origin[index], self.extend(path[index], events), states, node[index]

    def extend(self, path: Ints, events: Ints) -> Ints:
        """Return the paths with one more event each; an ignored lexeme changes no stack.

        Where it is the first event, it ends the lexeme in which the tokens start.
        """
        stays = (path > 0) & (self.event_terminal[events] == IGNORED)
        keys = path.astype(np.int64) * len(self.steps.events) + events + 1
        keys[stays] = -path[stays]
        distinct, inverse = np.unique(keys, return_inverse=True)
        numbers = []
        for key in distinct.tolist():
            if key < 0:
                numbers.append(-key)
                continue
            found = self.number.setdefault(key, len(self.paths))
            if found == len(self.paths):
                self.add_path(key)
            numbers.append(found)
        extended: Ints = np.array(numbers, dtype=np.int32)[inverse.reshape(-1)]
        return extended

    def add_path(self, key: int) -> None:
        """Remember a path, and what its last terminal is; an ignored lexeme is none."""
        number = len(self.paths)
        if number >= MAX_PATHS:
            raise _too_many(MAX_PATHS)
        if number == len(self.last):
            self.last = np.append(self.last, np.full(number, ANY_PAIR, dtype=np.int32))
        parent, event = divmod(key - 1, len(self.steps.events))
        terminal = int(self.event_terminal[event])
        # In front of an ignored lexeme that begins a path stands any terminal.
        before = int(self.last[parent])
        self.last[number] = before if terminal == IGNORED else self.triples.extend(before, terminal)
        self.paths.append(key)

    def describe(self, quote: Callable[[int], str]) -> str:
        """Return which terminals the paths are made of that were found last."""
        inside: Counter[int] = Counter()
        for number in range(max(len(self.paths) - 20, 1), len(self.paths)):
            key = self.paths[number]
            while key:
                parent, event = divmod(key - 1, len(self.steps.events))
                inside[int(self.event_terminal[event])] += 1
                key = self.paths[parent]
        names = [quote(terminal) for terminal, _ in inside.most_common(2) if terminal >= 0]
        return f"pass store, tokens cut into {' and '.join(names)}" if names else "pass store"

    def collect(self, frontier: Frontier, found: list[tuple[Ints, Longs, Ints]]) -> Frontier:
        """Add the items in which tokens end, with path and open lexeme in one.

        Returns:
            The lines that go on: below those that are left out nothing changes any more.
        """
        done = self.staying.find(frontier.state, frontier.node)
        ending = np.flatnonzero(done | self.has_token[frontier.node])
        if len(ending):
            key = (
                frontier.path[ending].astype(np.int64) * self.n_open_lexemes
                + self.open_lexeme_of[frontier.state[ending]]
            )
            items = write_items(frontier.node[ending], done[ending])
            found.append((frontier.origin[ending], key, items))
        return frontier.take(np.flatnonzero(~done))

    def finish(self, first: Longs, starts_of: Longs) -> RawRows:
        """Return the store: the rows of all sources, from those of their starts."""
        rows: list[tuple[int, int, int]] = []
        known: dict[bytes, list[tuple[int, int, int]]] = {}
        source_first = np.zeros(len(first), dtype=np.int32)
        for source, (low, high) in enumerate(itertools.pairwise(first.tolist())):
            starts = starts_of[low:high]
            found = known.get(starts.tobytes())
            if found is None:
                found = known[starts.tobytes()] = self.put_together(starts.tolist())
            rows += found
            source_first[source + 1] = len(rows)
        columns = np.array(rows, dtype=np.int32).reshape(-1, 3)
        tokens, sets = list_tokens(self.items, self.trie, columns[:, 2])
        keys = np.array(self.paths[1:], dtype=np.int64) - 1
        n_events = max(len(self.steps.events), 1)
        n_paths = len(self.paths)
        return RawRows(
            n_states=self.scanner.n_states,
            source_first=source_first,
            row_path=columns[:, 0],
            row_open=columns[:, 1],
            row_tokens=sets,
            path_parent=np.append(0, keys // n_events).astype(np.int32),
            path_terminal=np.append(ENTRY, self.event_terminal[keys % n_events]).astype(np.int32),
            path_contexts=np.zeros(n_paths, dtype=np.int32),
            path_column=np.zeros(n_paths, dtype=np.int32),
            contexts=np.ones((1, 1), dtype=np.bool_),
            open_lexeme=np.arange(self.n_open_lexemes, dtype=np.int32),
            open_column=np.zeros(self.n_open_lexemes, dtype=np.int32),
            tokens=tokens,
            unlisted=self.list_unlisted(),
        )


def _too_many(limit: int) -> LimitError:
    return LimitError(
        Phrase.CUTS,
        limit,
        Phrase.FEWER_CUTS,
    )
