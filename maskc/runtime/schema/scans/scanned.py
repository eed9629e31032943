"""What an automaton does to a whole vocabulary, from one of its states.

It is a number for each unit of a :class:`maskc.runtime.schema.scans.class_tries.ClassTrie`: the
state that its characters lead to, or, where they end inside one, a set of states.

Example: for ``^[a-z]+$`` the units of ``ab`` and ``abc`` stay in one state, and that of ``1`` is
dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.levels import spread
from maskc.runtime.schema.scans.class_tries import Bools, Indices, Units, number_keys
from maskc.runtime.schema.strings.characters import only
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import Ints

# So many times fewer units than there are, of which it is better to write each token.
FEWER: Final = 5


class Group(NamedTuple):
    """Tokens that a string does the same to."""

    targets: frozenset[int]
    size: int


@mypyc_attr(acyclic=True)
class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        units: of the vocabulary.
        ends: of each unit the state after it, 0: dead; or, where it ends inside a character,
            ``n_states`` and more: the index of one of ``sets``.
        reached: the units that may not be dead, if these are few.
        n_states: of the automaton.
        sets: of states.
        quote_states: of each token that closes the string the state before; 0: none.
    """

    def __init__(
        self,
        units: Units,
        ends: NDArray[np.integer],
        reached: Ints | None,
        n_states: int,
        sets: list[frozenset[int]],
        quote_states: Ints,
    ) -> None:
        self.units, self.quote_states = units, quote_states
        self._n_states, self._sets = n_states, sets
        if reached is not None:
            ends = ends.take(reached)
        # Of each unit that is reached, or of each, what it leads to.
        self.reached = reached
        self._ends = ends.astype(np.min_scalar_type(n_states + len(sets)), copy=False)
        self._groups: tuple[list[Group], Indices] | None = None
        self._pairs: tuple[list[tuple[int, int]], Indices] | None = None

    @property
    def n_bytes(self) -> int:
        n_bytes: int = self._ends.nbytes + self.quote_states.nbytes
        # And for what is made if it is asked for.
        return n_bytes + 12 * (len(self._ends) + len(self.quote_states)) + 2000

    @property
    def groups(self) -> tuple[list[Group], Indices]:
        """What tokens can lead to with which sizes, each once, and which each unit has."""
        if self._groups is None:
            sizes = self.units.sizes
            if self.reached is not None:
                sizes = sizes.take(self.reached)
            n_sizes = int(sizes.max(initial=0)) + 1
            distinct, which = number_keys(self._ends.astype(np.intp) * n_sizes + sizes)
            pairs = [divmod(key, n_sizes) for key in distinct.tolist()]
            self._groups = [Group(self._targets_of(end), size) for end, size in pairs], which
        return self._groups

    @property
    def quote_pairs(self) -> tuple[list[tuple[int, int]], Indices]:
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

    @property
    def live(self) -> Bools:
        """Of what tokens can lead to, by number, whether it is something."""
        kept = np.ones(self._n_states + len(self._sets), dtype=np.bool_)
        kept[[0, *(n for n, some in enumerate(self._sets, self._n_states) if not some)]] = False
        return kept

    def choose(self, ends: Iterable[int]) -> Bools:
        """Return the same of what is among some numbers."""
        kept = np.zeros(self._n_states + len(self._sets), dtype=np.bool_)
        kept[list(ends)] = True
        return kept

    def tokens_of(self, kept: Bools) -> Ints | None:
        """Return the tokens that lead to what is kept, by id; ``None`` if many lead to anything."""
        reached = self.reached
        return None if reached is None else self._tokens_of(reached[kept.take(self._ends)])

    def _tokens_of(self, units: NDArray[np.integer]) -> Ints:
        first = self.units.first
        _, rows = spread(first.take(units), first.take(units + 1))
        return self.units.tokens.take(rows)

    def pack_ends(self, kept: Bools) -> Words:
        """Return the mask of the tokens that lead to what is kept."""
        return self.pack(kept, self._ends)

    def pack(self, kept: Bools, which: NDArray[np.integer]) -> Words:
        """Return the mask of the tokens of some groups."""
        # No index is outside; without a mode each is looked at.
        units, live = self.units, kept.take(which, mode="clip")
        unit_of, reached = units.unit_of, self.reached
        if reached is None and unit_of is not None and np.count_nonzero(live) * FEWER >= len(live):
            of_token = live.take(unit_of, mode="clip")
        else:
            some = live.nonzero()[0] if reached is None else reached[live]
            of_token = np.zeros(units.n_tokens, dtype=np.bool_)
            of_token[self._tokens_of(some)] = True
        return np.packbits(of_token, bitorder="little").view("<i4")
