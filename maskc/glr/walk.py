"""The rows of a scanner that cuts a text in many ways, for a general grammar.

As :mod:`maskc.store.walk`, with three differences. Lexemes may overlap in every way, so the same
bytes can lead to the same place along several ways: lines of the frontier that agree are one.
Nearly all of these ways are none that a grammar knows, so a path is only gone on with by
terminals that can stand after its last two in some text. And there is one context, and no
columns.

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
from maskc.errors import LimitError
from maskc.glr.triples import ANY_PAIR, Triples
from maskc.ids import DEAD, END, ENTRY, IGNORED
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner
from maskc.store.model import MaskStore
from maskc.store.steps import Steps
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_GENERAL_FRONTIER = 20_000_000
MAX_CUTS = 128
MAX_UNLISTED = 5_000  # nodes of the trie: each is a step of every hypothesis that comes there
MAX_PATHS = 2_000_000
BYTES_A_LINE = 64  # of a frontier: its columns, and what they are made from

_Start = tuple[int, int, int]  # path, scanner state and trie node after the first byte


def build_general_store(
    scanner: Scanner,
    boundaries: Boundaries,
    triples: Triples,
    steps: Steps,
    trie: TokenTrie,
    progress: Callable[[float], None] | None = None,
    quote: Callable[[int], str] = str,
) -> MaskStore:
    """Return the rows of all sources.

    Args:
        scanner: of a grammar with one context, and no layout.
        boundaries: its boundaries.
        triples: which terminals may come after two others.
        steps: the scanner's steps.
        trie: the tokens.
        progress: called with the fraction done.
        quote: terminal → what it is called in a message.

    Raises:
        LimitError: tokens can be cut into terminals in too many ways.
    """
    walk = _Walk(scanner, boundaries, triples, steps, trie)
    at(lambda: walk.describe(quote))
    n_sources = scanner.n_states + len(scanner.closed)
    counts = np.zeros(n_sources + 1, dtype=np.int64)
    rows = []
    for source in range(1, n_sources):
        found = walk.run(source)
        counts[source + 1] = len(found)
        rows += found
        if progress:
            progress(source / n_sources)
    return walk.finish(rows, np.cumsum(counts).astype(np.int32))


class _Frontier:
    """One line per (path, scanner state, trie node); no two agree."""

    def __init__(self, path: Ints, state: Ints, node: Ints) -> None:
        alive = np.flatnonzero(state != DEAD)
        self.path, self.state, self.node = path[alive], state[alive], node[alive]

    def __len__(self) -> int:
        return len(self.path)

    def key(self, n_states: int, n_nodes: int) -> Longs:
        """Return a number for each line."""
        return (self.path.astype(np.int64) * n_states + self.state) * n_nodes + self.node


class _Walk:
    def __init__(
        self,
        scanner: Scanner,
        boundaries: Boundaries,
        triples: Triples,
        steps: Steps,
        trie: TokenTrie,
    ) -> None:
        self.scanner, self.steps, self.trie = scanner, steps, trie
        self.node_class = scanner.byte_class[trie.byte].astype(np.int32)
        self.open_lexeme_of = np.array(boundaries.open_lexeme_of, dtype=np.int32)
        self.n_open_lexemes = int(self.open_lexeme_of.max()) + 1
        self.n_ends = np.diff(steps.end_first)
        self.first_node = trie.first_nodes()
        self.triples = triples
        self.event_terminal = np.array([e.terminal for e in steps.events] or [END], dtype=np.int32)
        # Path 0 is empty; a path's number is that of its key.
        self.paths = [0]
        self.number = {0: 0}
        self.last = np.full(1 << 12, ANY_PAIR, dtype=np.int32)  # pair of its last two terminals
        self.known: dict[_Start, list[tuple[int, int]]] = {}
        self.unions: dict[tuple[int, ...], int] = {}
        self.set_number: dict[bytes, int] = {}
        self.sets: list[Ints] = []
        self.is_unlisted = np.zeros(trie.n_nodes, dtype=np.bool_)

    def run(self, source: int) -> list[tuple[int, int, int]]:
        """Return the (path, open lexeme, token set) of a source, in order.

        Its rows are those of its starts, one for each first byte, put together; most starts it
        has in common with other sources.
        """
        begin = self.start(source)
        starts = list(
            zip(begin.path.tolist(), begin.state.tolist(), begin.node.tolist(), strict=True)
        )
        self.walk([start for start in starts if start not in self.known])
        parts: dict[int, list[int]] = {}
        for start in starts:
            for row, part in self.known[start]:
                parts.setdefault(row, []).append(part)
        return [
            (*divmod(row, self.n_open_lexemes), self.unite(tuple(numbers)))
            for row, numbers in sorted(parts.items())
        ]

    def walk(self, starts: list[_Start]) -> None:
        """Find the rows of some starts, whose nodes differ."""
        self.known.update((start, []) for start in starts)
        if not starts:
            return
        start_at = {node: (path, state, node) for path, state, node in starts}
        frontier = _Frontier(*np.array(starts, dtype=np.int32).T)
        found: list[tuple[Ints, Longs, Ints]] = []
        while len(frontier):
            if len(frontier) > MAX_GENERAL_FRONTIER:
                raise _too_many(MAX_GENERAL_FRONTIER)
            self.collect(frontier, found)
            frontier = self.step(frontier)
        if not found:
            return
        first, key, tokens = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((tokens, key, first))
        first, key, tokens = first[order], key[order], tokens[order]
        is_row = np.append(True, (first[1:] != first[:-1]) | (key[1:] != key[:-1]))
        is_new = is_row.copy()
        is_new[1:] |= tokens[1:] != tokens[:-1]
        first, key, tokens, is_row = first[is_new], key[is_new], tokens[is_new], is_row[is_new]
        bounds = np.append(np.flatnonzero(is_row), len(key)).tolist()
        for low, high in itertools.pairwise(bounds):
            part = self.number_set(tokens[low:high])
            self.known[start_at[int(first[low])]].append((int(key[low]), part))

    def unite(self, numbers: tuple[int, ...]) -> int:
        """Return the number of the union of token sets that have nothing in common."""
        if len(numbers) == 1:
            return numbers[0]
        found = self.unions.get(numbers)
        if found is None:
            union = np.sort(np.concatenate([self.sets[number] for number in numbers]))
            found = self.unions[numbers] = self.number_set(union)
        return found

    def start(self, source: int) -> _Frontier:
        """Take the first byte: a state goes on, a boundary enters the next lexeme."""
        children = np.arange(1, int(self.trie.first_child[1]), dtype=np.int32)
        nowhere = np.zeros(len(children), dtype=np.int32)
        if source < self.scanner.n_states:
            states = self.scanner.next[source, self.node_class[children]]
            return _Frontier(nowhere, states, children)
        kind = len(self.steps.kinds) - len(self.scanner.closed) + source - self.scanner.n_states
        return _Frontier(*self.enter(nowhere, children, np.full(len(children), kind, np.int32)))

    def step(self, frontier: _Frontier) -> _Frontier:
        """Take one more byte."""
        begin = self.trie.first_child[frontier.node]
        counts = self.trie.first_child[frontier.node + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens inside lexemes")
        index = np.repeat(np.arange(len(frontier)), counts)
        node = (begin[index] + _count_up(counts)).astype(np.int32)
        path, state = frontier.path[index], frontier.state[index]
        parts = [(path, self.scanner.next[state, self.node_class[node]], node)]
        n_ends = self.n_ends[state]
        for nth in range(int(n_ends.max(initial=0))):
            some = np.flatnonzero(n_ends > nth)
            kinds = self.steps.end_kind[self.steps.end_first[state[some]] + nth]
            parts.append(self.enter(path[some], node[some], kinds))
        after = _Frontier(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if len(parts) == 1:
            return after
        key = after.key(self.scanner.n_states, self.trie.n_nodes)
        _, kept = np.unique(key, return_index=True)
        nodes, cut_of, n_cuts = np.unique(after.node[kept], return_inverse=True, return_counts=True)
        self.is_unlisted[nodes[n_cuts > MAX_CUTS]] = True
        kept = kept[n_cuts[cut_of.reshape(-1)] <= MAX_CUTS]
        return _Frontier(after.path[kept], after.state[kept], after.node[kept])

    def list_unlisted(self) -> Ints:
        """Return the tokens that begin with what is cut in too many ways.

        Raises:
            LimitError: they are too many for the runtime to read.
        """
        nodes = np.flatnonzero(self.trie.mark_below(self.is_unlisted))
        if len(nodes) > MAX_UNLISTED:
            raise _too_many(MAX_CUTS)
        begin, end = self.trie.first_token[nodes], self.trie.first_token[nodes + 1]
        counts = end - begin
        found: Ints = np.sort(self.trie.tokens[np.repeat(begin, counts) + _count_up(counts)])
        return found

    def enter(self, path: Ints, node: Ints, kinds: Ints) -> tuple[Ints, Ints, Ints]:
        """End the open lexeme and take the byte of ``node`` as the first one of the next."""
        steps = self.steps
        cell = kinds * self.scanner.next.shape[1] + self.node_class[node]
        begin = steps.move_first[cell]
        counts = steps.move_first[cell + 1] - begin
        reserve(int(counts.sum()) * BYTES_A_LINE, "tokens that end lexemes")
        index = np.repeat(np.arange(len(path)), counts)
        moves = begin[index] + _count_up(counts)
        events, states = steps.move_event[moves], steps.move_state[moves]
        terminal = self.event_terminal[events]
        pairs = self.last[path[index]]
        for pair in np.unique(pairs[terminal >= 0]).tolist():
            self.triples.find(pair)
        fits = (terminal < 0) | self.triples.rows[pairs, np.maximum(terminal, 0)]
        index, events, states = index[fits], events[fits], states[fits]
        return self.extend(path[index], events), states, node[index]

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

    def collect(self, frontier: _Frontier, found: list[tuple[Ints, Longs, Ints]]) -> None:
        """Add the tokens that end here, with their nodes, and with path and open lexeme in one."""
        begin = self.trie.first_token[frontier.node]
        counts = self.trie.first_token[frontier.node + 1] - begin
        index = np.repeat(np.arange(len(frontier)), counts)
        if len(index):
            key = (
                frontier.path.astype(np.int64) * self.n_open_lexemes
                + self.open_lexeme_of[frontier.state]
            )
            first = self.first_node[frontier.node]
            tokens = self.trie.tokens[begin[index] + _count_up(counts)]
            found.append((first[index], key[index], tokens))

    def number_set(self, tokens: Ints) -> int:
        """Return the number of a token set."""
        key = tokens.tobytes()
        number = self.set_number.setdefault(key, len(self.sets))
        if number == len(self.sets):
            self.sets.append(tokens.copy())
        return number

    def finish(self, rows: list[tuple[int, int, int]], source_first: Ints) -> MaskStore:
        """Return the store."""
        columns = np.array(rows, dtype=np.int32).reshape(-1, 3)
        keys = np.array(self.paths[1:], dtype=np.int64) - 1
        n_events = max(len(self.steps.events), 1)
        n_paths = len(self.paths)
        return MaskStore(
            n_states=self.scanner.n_states,
            source_first=source_first,
            row_path=columns[:, 0],
            row_open=columns[:, 1],
            row_tokens=columns[:, 2],
            path_parent=np.append(0, keys // n_events).astype(np.int32),
            path_terminal=np.append(ENTRY, self.event_terminal[keys % n_events]).astype(np.int32),
            path_contexts=np.zeros(n_paths, dtype=np.int32),
            path_column=np.zeros(n_paths, dtype=np.int32),
            contexts=np.ones((1, 1), dtype=np.bool_),
            open_lexeme=np.arange(self.n_open_lexemes, dtype=np.int32),
            open_column=np.zeros(self.n_open_lexemes, dtype=np.int32),
            set_first=np.cumsum([0, *map(len, self.sets)]).astype(np.int32),
            set_tokens=np.concatenate([*self.sets, np.zeros(0, dtype=np.int32)]),
            unlisted=self.list_unlisted(),
        )


def _count_up(counts: Ints) -> Longs:
    """Return 0, 1, … for each count in turn."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)


def _too_many(limit: int) -> LimitError:
    return LimitError(
        Phrase.CUTS,
        limit,
        Phrase.FEWER_CUTS,
    )
