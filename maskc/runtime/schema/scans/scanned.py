"""What an automaton does to a whole vocabulary, from one of its states.

It is a number for each *unit*, an item of what the vocabulary writes: the state that its characters
lead to, or, where they end inside one, a set of states.

Example: for ``^[a-z]+$`` the units of ``ab`` and ``abc`` stay in one state, and that of ``1`` is
dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled, owners_of
from maskc.runtime.schema.strings.characters import only
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints, Nodes

Places = NDArray[np.intp]
Bools = NDArray[np.bool_]

_MOST_KEYS = 1 << 22
_FEWER = 5  # so many times fewer units than there are, of which it is better to write each


class Closers:
    """Tokens that close a string, by place, and the rests after their quotes."""

    __slots__ = ("is_shared", "places", "rests")

    def __init__(self, places: Ints, rests: Ints, *, is_shared: bool = False) -> None:
        self.places, self.rests, self.is_shared = places, rests, is_shared

    def chosen(self, kept: Bools) -> Closers:
        return Closers(self.places[kept], self.rests[kept])

    def of_rests(self, index: TokenIndex, bits: int) -> Ints:
        """Return the tokens whose rests are in a bit set, by place."""
        raw = bits.to_bytes(-(-index.n_rests // 8), "little")
        allowed = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
        found: Ints = self.places[np.flatnonzero(allowed[self.rests])]
        return found


def closers_at(index: TokenIndex, nodes: Nodes) -> Closers:
    key = (Closers, nodes)
    found: Closers | None = index.shared.get(key)
    if found is None:
        _, rows = index.quotes_below(np.array(nodes, dtype=np.int32))
        found = Closers(index.quote_places[rows], index.quote_rests[rows], is_shared=True)
        index.shared.put(key, found, ENTRY_BYTES + 8 * (len(rows) + len(nodes)))
    return found


class Units(NamedTuple):
    """What tokens write: unit n + 1 is item n of a :class:`Spelled`, 0 that of no string.

    Attributes:
        ids: int32[n_units], the token, -1 of one that closes a string and of 0.
        sizes: int32[n_units], the characters, one left open included.
        unit_of: intp[vocab_size], of each token that closes no string its unit.
        closers: the tokens that close a string, ascending by their units.
        quotes: intp[n_closers], their units.
    """

    ids: Ints
    sizes: Ints
    unit_of: Places
    closers: Closers
    quotes: Places


def units_of(index: TokenIndex, spelled: Spelled) -> Units:
    """Return the units of what a whole vocabulary writes."""
    key = (Units, spelled.minimal, spelled.before)
    found: Units | None = index.shared.get(key)
    if found is None:
        kinds, places, levels = spelled.tables.kinds, spelled.tables.places, spelled.levels
        closing = np.flatnonzero(kinds == CLOSES)
        inside = np.flatnonzero(kinds != CLOSES)
        ids = np.full(1 + len(kinds), -1, dtype=np.int32)
        ids[1 + inside] = index.order[places[inside]]
        lengths = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
        sizes = np.zeros(1 + len(kinds), dtype=np.int32)
        sizes[1:] = lengths[owners_of(spelled.tables)] + (spelled.tables.begun > 0)
        unit_of = np.zeros(index.n_words * 32, dtype=np.intp)
        unit_of[ids[1 + inside]] = 1 + inside
        run, rows = index.quotes_below(places[closing])
        closers = Closers(index.quote_places[rows], index.quote_rests[rows], is_shared=True)
        found = Units(ids, sizes, unit_of, closers, 1 + closing[run])
        n_bytes = ids.nbytes + sizes.nbytes + unit_of.nbytes + 16 * len(found.quotes)
        index.shared.put(key, found, n_bytes)
    return found


class Group(NamedTuple):
    """Tokens that a string does the same to."""

    targets: frozenset[int]
    size: int


class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        units: of the vocabulary.
        ends: of each unit the state after it, 0: dead; or, where it ends inside a character,
            ``n_states`` and more: the index of one of ``sets``.
        n_states: of the automaton.
        sets: of states.
        quote_states: of each token that closes the string the state before; 0: none.
    """

    def __init__(
        self,
        units: Units,
        ends: NDArray[np.integer],
        n_states: int,
        sets: list[frozenset[int]],
        quote_states: Ints,
    ) -> None:
        self.units, self.quote_states = units, quote_states
        self._n_states, self._sets = n_states, sets
        self._ends = ends.astype(np.min_scalar_type(n_states + len(sets)), copy=False)
        self._groups: tuple[list[Group], Places] | None = None
        self._pairs: tuple[list[tuple[int, int]], Places] | None = None

    @property
    def n_bytes(self) -> int:
        n_bytes: int = self._ends.nbytes + self.quote_states.nbytes
        return n_bytes + 2000

    @property
    def groups(self) -> tuple[list[Group], Places]:
        """What tokens can lead to with which sizes, each once, and which each unit has."""
        if self._groups is None:
            sizes = self.units.sizes
            n_sizes = int(sizes.max()) + 1
            distinct, which = number_keys(self._ends.astype(np.intp) * n_sizes + sizes)
            pairs = [divmod(key, n_sizes) for key in distinct.tolist()]
            self._groups = [Group(self._targets_of(end), size) for end, size in pairs], which
        return self._groups

    @property
    def quote_pairs(self) -> tuple[list[tuple[int, int]], Places]:
        """States with sizes before quotes, each pair once, and which each closing token has."""
        if self._pairs is None:
            sizes = self.units.sizes[self.units.quotes]
            keys = self.quote_states.astype(np.int64) << 32 | sizes
            distinct, inverse = np.unique(keys, return_inverse=True)
            self._pairs = [(key >> 32, key & 0xFFFFFFFF) for key in distinct.tolist()], inverse
        return self._pairs

    def _targets_of(self, end: int) -> frozenset[int]:
        if end < self._n_states:
            return only(end) if end else frozenset()
        return self._sets[end - self._n_states]

    def ends(self) -> list[tuple[int, frozenset[int]]]:
        """Return what tokens can lead to, each with a number, where it is not nothing."""
        is_there = np.zeros(self._n_states + len(self._sets), dtype=np.bool_)
        is_there[self._ends] = True
        found = [(end, self._targets_of(end)) for end in np.flatnonzero(is_there).tolist()]
        return [(end, targets) for end, targets in found if targets]

    def pack_live(self) -> Words:
        kept = np.ones(self._n_states + len(self._sets), dtype=np.bool_)
        kept[[0, *(n for n, some in enumerate(self._sets, self._n_states) if not some)]] = False
        return self.pack(kept, self._ends)

    def pack_ends(self, ends: Iterable[int]) -> Words:
        """Return the mask of the tokens that lead to some of what they can lead to, by number."""
        kept = np.zeros(self._n_states + len(self._sets), dtype=np.bool_)
        kept[list(ends)] = True
        return self.pack(kept, self._ends)

    def pack(self, kept: Bools, which: NDArray[np.integer]) -> Words:
        """Return the mask of the tokens of some groups."""
        units, live = self.units, kept.take(which)
        if int(np.count_nonzero(live)) * _FEWER < len(live):
            of_token = np.zeros(len(units.unit_of), dtype=np.bool_)
            of_token[units.ids[np.flatnonzero(live)]] = True
        else:
            of_token = live.take(units.unit_of, mode="clip")
        return np.packbits(of_token, bitorder="little").view("<i4")


def number_keys(keys: Places) -> tuple[Places, Places]:
    n_keys = int(keys.max(initial=-1)) + 1
    if n_keys > _MOST_KEYS:
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse
    number = np.zeros(n_keys, dtype=np.intp)
    number[keys] = 1
    distinct = np.flatnonzero(number)
    number[distinct] = np.arange(len(distinct))
    return distinct, number.take(keys)
