"""What does a string that is open do to the whole vocabulary?

A *scan* walks its automaton over the trie of all tokens: which stay inside, in which state, after
how many characters; and where others close it. A scan knows nothing of lengths or of which keys may
come, so it is one for an automaton's state and a tokenizer, and artifacts share it: that of a
string of any characters at once, others by what their automaton is.

There are two ways to walk, which find the same: by looking up the few bytes that the automaton
takes, and level by level with arrays, which takes some milliseconds. Where a string differs from
one of any characters for few texts, the scan is that one's with these changed
(:mod:`maskc.runtime.schema.scans.exceptions`).

Example: in a string of any characters nearly all tokens stay inside, and ``",`` closes it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.schema.scans.exceptions import find_exceptions
from maskc.runtime.schema.scans.stepping import step_body
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.strings import UNKNOWN, Body
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints

_FEW_NODES = 300  # looked up one by one before arrays are taken
_QUOTE = 0x22
# Steps of a level of the trie, and nodes of it that are one step.
_LEVEL_STEPS, _NODES_AT_ONCE = 40, 16
FREE_SCANS = ("free scan", False)  # under what those of usual strings are shared, with a state


class Scan(NamedTuple):
    """What a string does to a vocabulary.

    Attributes:
        body: whose states these are.
        places: tokens that stay inside.
        states: of the body, after each of them.
        sizes: whole characters that each of them reads.
        quote_places: tokens that close the string.
        quote_rests: the rest of each.
        quote_states: of the automaton, before the quote.
        quote_sizes: characters before the quote.
    """

    body: Body
    places: Ints
    states: Ints
    sizes: Ints
    quote_places: Ints
    quote_rests: Ints
    quote_states: Ints
    quote_sizes: Ints

    def pairs(self) -> tuple[list[tuple[int, int]], Ints, list[tuple[int, int]], Ints]:
        """Return states with sizes, each pair once, and which one each token has.

        First of the tokens that stay inside, then of those that close the string.
        """
        return (
            *_distinct(self.states, self.sizes),
            *_distinct(self.quote_states, self.quote_sizes),
        )


def _distinct(states: Ints, sizes: Ints) -> tuple[list[tuple[int, int]], Ints]:
    pairs = states.astype(np.int64) << 16 | sizes
    distinct, inverse = np.unique(pairs, return_inverse=True)
    return [(pair >> 16, pair & 0xFFFF) for pair in distinct.tolist()], inverse.astype(np.int32)


class Scanner:
    """Scans the vocabulary.

    Args:
        index: the vocabulary.
        minimal: whether strings are written with no more escapes than they need.

    Attributes:
        free: the body of strings of any characters.
    """

    def __init__(self, index: TokenIndex, *, minimal: bool) -> None:
        self._index, self._minimal = index, minimal
        key = ("free body", minimal)
        found: Body | None = index.shared.get(key)
        if found is None:
            any_ = CharDfa([0], [0], [0, 1], [{}, {}], [-1, 0], 1)
            found = Body(any_, minimal=minimal)
            index.shared.put(key, found, 10_000)
        self.free = found

    def scan_free(self, key: tuple[Any, ...]) -> Scan:
        """Return what a string of any characters does, in a state of its body."""
        name = ("free scan", self._minimal, key)
        found: Scan | None = self._index.shared.get(name)
        if found is None:
            at = self.free.state_of(key, frozenset([1]))
            found = scan_levels(self._index, self.free, at)
            self._index.shared.put(name, found, _size_of(found))
        return found

    def scan(self, body: Body, at: int, *, is_shared: bool) -> Scan:
        """Return what a string does, in a state of its body.

        Args:
            body: of the string.
            at: its state.
            is_shared: whether other artifacts may have the same automaton.
        """
        if not is_shared:
            return self._scan(body, at)
        key = ("scan", self._minimal, body.dfa.digest, body.key_of(at))
        found: Scan | None = self._index.shared.get(key)
        if found is None:
            found = self._scan(body, at)
            self._index.shared.put(key, found, _size_of(found))
        return found

    def _scan(self, body: Body, at: int) -> Scan:
        usual = body.usual_target(at)
        if usual == DEAD:
            found = self._scan_few(body, at)
        else:
            found = self._scan_exceptions(body, at, usual)
        return found or scan_levels(self._index, body, at)

    def _scan_exceptions(self, body: Body, at: int, usual: int) -> Scan | None:
        """Return the scan if it differs from a free string's for few texts, else ``None``.

        Args:
            body: of the string.
            at: its state.
            usual: of the automaton, where strings are free.
        """
        trie = self._index.tokens
        found = find_exceptions(trie, body, at, usual, most=_FEW_NODES)
        if found is None:
            return None
        free = self.scan_free(
            self.free.key_of(self.free.begun_before(self.free.dfa.start, body.key_of(at)))
        )
        state_of = np.zeros(int(free.states.max(initial=0)) + 1, dtype=np.int32)
        for state in np.flatnonzero(np.bincount(free.states)).tolist():
            state_of[state] = body.begun_before(usual, free.body.key_of(state))
        changes = np.zeros(trie.high[ROOT], dtype=np.bool_)
        changes[found.places] = True
        closes_else = np.zeros(trie.high[ROOT], dtype=np.bool_)
        for node in found.dead:
            changes[trie.low[node] : trie.high[node]] = True
            closes_else[trie.low[node] : trie.high[node]] = True
        for node, _, _ in found.ended:
            closes_else[trie.low[node] : trie.high[node]] = True
        kept, closing = ~changes[free.places], ~closes_else[free.quote_places]
        labels = body.dfa.labels
        ended = [triple for triple in found.ended if labels[triple[1]] != NO_LABEL]
        nodes, befores, sizes = (
            np.array([triple[k] for triple in ended], dtype=np.int32) for k in range(3)
        )
        own = tuple(np.array(column, dtype=np.int32) for column in found[:3])
        inside = (free.places[kept], state_of[free.states[kept]], free.sizes[kept])
        n_free = int(closing.sum())
        quotes = (
            free.quote_places[closing],
            free.quote_rests[closing],
            np.full(n_free, usual, dtype=np.int32),
            free.quote_sizes[closing],
        )
        closed = find_quotes(self._index, nodes, befores, sizes)
        return Scan(body, *_join([inside, own], 3), *_join([quotes, closed], 4))

    def _scan_few(self, body: Body, at: int) -> Scan | None:
        """Return the scan if few nodes take part, else ``None``."""
        inside = step_body(self._index.tokens, body, at, (ROOT,), most=_FEW_NODES)
        if inside is None:
            return None
        nodes, states, sizes = (
            np.array([ended[k] for ended in inside.ended], dtype=np.int32) for k in range(3)
        )
        quotes = find_quotes(self._index, nodes, states, sizes)
        columns = (inside.places, inside.states, inside.sizes)
        return Scan(body, *(np.array(c, dtype=np.int32) for c in columns), *quotes)

    def closers_of(self, node: int) -> Closers:
        """Return the tokens below a quote."""
        key = (Closers, node)
        found: Closers | None = self._index.shared.get(key)
        if found is None:
            first, last = np.searchsorted(self._index.quote_nodes, [node, node + 1])
            index = self._index
            found = Closers(index.quote_places[first:last], index.quote_rests[first:last])
            self._index.shared.put(key, found, 400)
        return found


def scan_levels(index: TokenIndex, body: Body, at: int) -> Scan:
    """Return what a string does by walking the trie level by level with arrays."""
    trie = index.tokens
    # Of the nodes of a level that are reached: number, state, characters read.
    nodes = np.array([ROOT], dtype=np.int32)
    states, sizes = np.array([at], dtype=np.int32), np.zeros(1, dtype=np.int32)
    labels = np.array(body.dfa.labels, dtype=np.int32)
    inside: list[tuple[Ints, ...]] = []
    quotes: list[tuple[Ints, ...]] = []
    while len(nodes):
        above, nodes = trie.children_of(nodes)
        spend(_LEVEL_STEPS + len(nodes) // _NODES_AT_ONCE)
        bytes_, before, read = trie.byte_array[nodes], states[above], sizes[above]
        characters = np.array(body.characters, dtype=np.int32)
        ended = characters[before]
        # A label of the automaton's dead state is that of no string.
        closes = np.flatnonzero((bytes_ == _QUOTE) & (ended > 0) & (labels[ended] >= 0))
        if len(closes):
            quotes.append(find_quotes(index, nodes[closes], ended[closes], read[closes]))
        after = step_all(body, before, bytes_)
        alive = np.flatnonzero(after)
        nodes, states, read = nodes[alive], after[alive], read[alive]
        sizes = read + (np.array(body.characters, dtype=np.int32)[states] >= 0)
        n_ending = trie.ending_array[nodes]
        for n in range(int(n_ending.max(initial=0))):
            more = np.flatnonzero(n_ending > n)
            inside.append((trie.low_array[nodes[more]] + n, states[more], sizes[more]))
    return Scan(body, *_join(inside, 3), *_join(quotes, 4))


def _join(parts: list[tuple[Ints, ...]], n: int) -> list[Ints]:
    if not parts:
        return [np.zeros(0, dtype=np.int32) for _ in range(n)]
    return [np.concatenate(column).astype(np.int32) for column in zip(*parts, strict=True)]


def find_quotes(index: TokenIndex, nodes: Ints, ended: Ints, read: Ints) -> tuple[Ints, ...]:
    """Return the tokens below some quotes: token, rest, state, characters."""
    run, rows = index.quotes_below(nodes)
    return index.quote_places[rows], index.quote_rests[rows], ended[run], read[run]


def step_all(body: Body, states: Ints, bytes_: NDArray[np.uint8]) -> Ints:
    """Return the states after some bytes, each from its own."""
    after: Ints = body.table[states, bytes_]
    missing = np.flatnonzero(after == UNKNOWN)
    if len(missing):
        pairs = states[missing].astype(np.int64) * 256 + bytes_[missing]
        distinct, inverse = np.unique(pairs, return_inverse=True)
        spend(len(distinct))
        found = [body.step(pair >> 8, pair & 255) for pair in distinct.tolist()]
        after[missing] = np.array(found, dtype=np.int32)[inverse]
    return after


def _size_of(scan: Scan) -> int:
    return sum(part.nbytes for part in scan[1:]) + 1000


class Closers:
    """Tokens that close a string.

    Attributes:
        places: of the tokens.
        rests: of what comes after their quotes.
        is_shared: whether all artifacts have them.
    """

    __slots__ = ("is_shared", "places", "rests")

    def __init__(self, places: Ints, rests: Ints, *, is_shared: bool = False) -> None:
        self.places, self.rests, self.is_shared = places, rests, is_shared

    def of_rests(self, index: TokenIndex, bits: int) -> Ints:
        """Return the tokens whose rests are in a bit set, by place."""
        raw = bits.to_bytes(-(-index.n_rests // 8), "little")
        allowed = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
        found: Ints = self.places[np.flatnonzero(allowed[self.rests])]
        return found
