"""What an automaton does to a whole vocabulary, from one of its states.

It is a number for each unit of a :class:`maskc.runtime.schema.scans.class_tries.ClassTrie`: the
state that its characters lead to, or, where they end inside one, a set of states.

Example: for ``^[a-z]+$`` the units of ``ab`` and ``abc`` stay in one state, and that of ``1`` is
dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.levels import spread
from maskc.runtime.schema.scans.class_tries import Bools, ClosingTokens, Indices, Units, number_keys
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, only
from maskc.runtime.schema.tries import Ints, Words

FEWER: Final = 5  # so many times fewer units than there are, which are listed
_FEWER_TOKENS: Final = 8  # so many times fewer tokens than there are, which are written one by one


class Group(NamedTuple):
    """Tokens that a string does the same to."""

    targets: frozenset[int]
    size: int


class VocabularyScan(NamedTuple):
    """What a residual automaton does to a vocabulary; artifacts share it.

    Attributes:
        units: of the vocabulary.
        ends: of each unit, or of those of ``reached``, the state after it, 0: dead; or, where it
            ends inside a character, ``n_states`` and more: the index of one of ``sets``.
        reached: the units that may not be dead, if these are few.
        n_states: of the automaton.
        sets: of states.
        quotes: of each token that closes the string the state before; 0: none.
    """

    units: Units
    ends: NDArray[np.unsignedinteger]
    reached: Ints | None
    n_states: int
    sets: list[frozenset[int]]
    quotes: NDArray[np.unsignedinteger]

    @property
    def n_bytes(self) -> int:
        n_bytes: int = self.ends.nbytes + self.quotes.nbytes
        return n_bytes + (0 if self.reached is None else self.reached.nbytes) + 2_000


@mypyc_attr(acyclic=True)
class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        scan: by the residual automaton of the state.
        states: of each state of that one which it is of the automaton.
    """

    def __init__(self, scan: VocabularyScan, states: Sequence[int]) -> None:
        self.units, self.reached = scan.units, scan.reached
        self._scan, self._states, self._ends = scan, states, scan.ends
        self._n_ends = scan.n_states + len(scan.sets)
        self._groups: tuple[list[Group], Indices] | None = None
        self._pairs: tuple[list[tuple[int, int]], Indices] | None = None

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes, with what is made if it is asked for, without the scan."""
        return 12 * (len(self._ends) + len(self._scan.quotes)) + 8 * len(self._states) + 2_000

    @property
    def groups(self) -> tuple[list[Group], Indices]:
        """What tokens can lead to with which sizes, each once, and which each unit has."""
        if self._groups is None:
            sizes = self.units.sizes
            if self.reached is not None:
                sizes = sizes.take(self.reached)
            n_sizes = int(sizes.max(initial=0)) + 1
            keys = self._ends.astype(np.intp)
            keys *= n_sizes
            keys += sizes
            distinct, which = number_keys(keys)
            pairs = [divmod(key, n_sizes) for key in distinct.tolist()]
            self._groups = [Group(self._targets_of(end), size) for end, size in pairs], which
        return self._groups

    @property
    def quote_pairs(self) -> tuple[list[tuple[int, int]], Indices]:
        """States with sizes before quotes, each pair once, and which each closing token has."""
        if self._pairs is None:
            sizes = self.units.sizes[self.units.quotes]
            n_sizes = int(sizes.max(initial=0)) + 1
            distinct, which = number_keys(self._scan.quotes.astype(np.intp) * n_sizes + sizes)
            pairs = [divmod(key, n_sizes) for key in distinct.tolist()]
            self._pairs = [(self._states[number], size) for number, size in pairs], which
        return self._pairs

    def closed_by(self, labels: Sequence[int]) -> list[tuple[int, ClosingTokens]]:
        """Return the tokens that close the string, by label, from the labels of all states."""
        quotes, closing_tokens = self._scan.quotes, self.units.closing_tokens
        is_there = np.zeros(self._scan.n_states, dtype=np.bool_)
        is_there[quotes] = True
        by_label: dict[int, list[int]] = {}
        for number in is_there.nonzero()[0].tolist():
            by_label.setdefault(labels[self._states[number]], []).append(number)
        by_label.pop(NO_LABEL, None)
        found: list[tuple[int, ClosingTokens]] = []
        for label in sorted(by_label):
            is_there[:] = False
            is_there[by_label[label]] = True
            found.append((label, closing_tokens.chosen(is_there.take(quotes))))
        return found

    def _targets_of(self, end: int) -> frozenset[int]:
        if end < self._scan.n_states:
            return only(self._states[end]) if end else frozenset()
        return frozenset([self._states[n] for n in self._scan.sets[end - self._scan.n_states]])

    def ends(self) -> list[tuple[int, frozenset[int]]]:
        """Return what tokens can lead to, each with a number, where it is not nothing."""
        is_there = np.zeros(self._n_ends, dtype=np.bool_)
        is_there[self._ends] = True
        return [(end, self._targets_of(end)) for end in is_there.nonzero()[0].tolist() if end]

    @property
    def live(self) -> Bools:
        """Of what tokens can lead to, by number, whether it is something."""
        kept = np.ones(self._n_ends, dtype=np.bool_)
        kept[DEAD] = False
        return kept

    def choose(self, ends: Iterable[int]) -> Bools:
        """Return the same of what is among some numbers."""
        kept = np.zeros(self._n_ends, dtype=np.bool_)
        kept[list(ends)] = True
        return kept

    def tokens_of(self, kept: Bools) -> Ints | None:
        """Return the tokens that lead to what is kept, by id; ``None`` if they are many."""
        if self.reached is None:
            return None
        # No index is outside; without a mode each is looked at.
        found = self.reached[kept.take(self._ends, mode="clip")]
        return None if self._are_many(found) else self._tokens_of(found)

    def _are_many(self, found: NDArray[np.integer]) -> bool:
        """Return whether it is better to look at each token than at those of some units."""
        units = self.units
        n_found = int((units.first.take(found + 1) - units.first.take(found)).sum())
        return units.unit_of is not None and n_found * _FEWER_TOKENS > units.n_tokens

    def _tokens_of(self, found: NDArray[np.integer]) -> Ints:
        first = self.units.first
        _, rows = spread(first.take(found), first.take(found + 1))
        return self.units.tokens.take(rows)

    def pack_ends(self, kept: Bools) -> Words:
        """Return the mask of the tokens that lead to what is kept."""
        return self.pack(kept, self._ends)

    def pack(self, kept: Bools, which: NDArray[np.integer]) -> Words:
        """Return the mask of the tokens of some groups."""
        units, live = self.units, kept.take(which, mode="clip")
        found: NDArray[np.integer]
        if self.reached is not None:
            found = self.reached[live]
        elif units.unit_of is not None and np.count_nonzero(live) * FEWER >= len(live):
            # To list most of the units takes longer than to look at each token.
            return _pack(live.take(units.unit_of, mode="clip"))
        else:
            found = live.nonzero()[0]
        if units.unit_of is not None and self._are_many(found):
            is_found = np.zeros(len(units.sizes), dtype=np.bool_)
            is_found[found] = True
            of_token = is_found.take(units.unit_of, mode="clip")
        else:
            of_token = np.zeros(units.n_tokens, dtype=np.bool_)
            of_token[self._tokens_of(found)] = True
        return _pack(of_token)


def _pack(of_token: Bools) -> Words:
    return np.packbits(of_token, bitorder="little").view("<i4")
