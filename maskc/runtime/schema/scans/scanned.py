"""What does an automaton do to a whole vocabulary, from one of its states?

Tokens that are alike are a *unit*. What an automaton does is a number for each unit: the state that
the unit's characters lead to, or, where they end inside one, a set of states.

Example: for ``^[a-z]+$`` the units of ``ab`` and ``abc`` stay in one state, and that of ``1`` is
dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.transitions import only
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import Ints

Places = NDArray[np.intp]
Bools = NDArray[np.bool_]

_MOST_KEYS = 1 << 22
_FEWER = 5  # so many times fewer units than there are, of which it is better to write each


class Units(NamedTuple):
    """The units of a vocabulary; 0 is that of tokens of no string.

    Attributes:
        unit_of: intp[vocab_size], of each token its unit.
        sizes: uint16[n_units], of each unit its characters, one left open included.
        quote_places: of each token that closes a string, the token.
        quote_rests: its rest.
        quote_sizes: int32[n_quotes], the characters before the quote.
        ids: int32[n_units], of each unit but 0 its only token, -1: of none; ``None``: units have
            several.
    """

    unit_of: Places
    sizes: NDArray[np.uint16]
    quote_places: Ints
    quote_rests: Ints
    quote_sizes: Ints
    ids: Ints | None = None


class Group(NamedTuple):
    """Tokens that a string does the same to.

    Attributes:
        targets: the states that their characters can lead to.
        size: their characters, one left open included.
    """

    targets: frozenset[int]
    size: int


class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        units: of the vocabulary.
        ends: of each unit the state after it, 0: dead; or, where it ends inside a character,
            ``n_states`` and more: the number of a set of states.
        n_states: of the automaton.
        sets: these sets.
        quote_states: of each token that closes the string the state before; 0: none.

    Attributes:
        units, quote_states: as given.
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

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        n_bytes: int = self._ends.nbytes + self.quote_states.nbytes
        return n_bytes + 2000

    def groups(self) -> tuple[list[Group], Places]:
        """Return what tokens can lead to with which sizes, each once, and which each unit has."""
        sizes = self.units.sizes
        n_sizes = int(sizes.max()) + 1
        distinct, which = number_keys(self._ends.astype(np.intp) * n_sizes + sizes)
        pairs = [divmod(key, n_sizes) for key in distinct.tolist()]
        return [Group(self._targets_of(end), size) for end, size in pairs], which

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

    def pack_ends(self, ends: Iterable[int]) -> Words:
        """Return the mask of the tokens that lead to some of what they can lead to, by number."""
        kept = np.zeros(self._n_states + len(self._sets), dtype=np.bool_)
        kept[list(ends)] = True
        return self.pack(kept, self._ends)

    def pack(self, kept: Bools, which: NDArray[np.integer]) -> Words:
        """Return the mask of the tokens of some groups.

        Args:
            kept: of each group whether it is one of them.
            which: group each unit has.
        """
        return self._pack_units(kept.take(which))

    def pack_live(self) -> Words:
        """Return the mask of the tokens that lead to something."""
        empty = [n for n, targets in enumerate(self._sets, self._n_states) if not targets]
        live = self._ends != 0
        for end in empty:
            live &= self._ends != end
        return self._pack_units(live)

    def _pack_units(self, live: Bools) -> Words:
        units = self.units
        n_live = int(np.count_nonzero(live))
        if units.ids is not None and n_live * _FEWER < len(live):
            of_token = np.zeros(len(units.unit_of), dtype=np.bool_)
            of_token[units.ids[np.flatnonzero(live)]] = True
        else:
            of_token = live.take(units.unit_of, mode="clip")
        return np.packbits(of_token, bitorder="little").view("<i4")

    def quote_pairs(self) -> tuple[list[tuple[int, int]], Places]:
        """Return states with sizes before quotes, each pair once, and which each token has."""
        keys = self.quote_states.astype(np.int64) << 16 | self.units.quote_sizes
        distinct, inverse = np.unique(keys, return_inverse=True)
        return [(key >> 16, key & 0xFFFF) for key in distinct.tolist()], inverse


def number_keys(keys: Places) -> tuple[Places, Places]:
    """Return some keys, each once and ascending, and of each where it is among them."""
    n_keys = int(keys.max(initial=-1)) + 1
    if n_keys > _MOST_KEYS:
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse
    number = np.zeros(n_keys, dtype=np.intp)
    number[keys] = 1
    distinct = np.flatnonzero(number)
    number[distinct] = np.arange(len(distinct))
    return distinct, number.take(keys)
