"""What does a string do to a whole vocabulary, where its automaton takes many characters?

The vocabulary is folded by the classes of characters that the automaton tells apart
(:mod:`maskc.runtime.schema.folding`), once for all automata that have the same. Each state then
walks what is left, some hundreds of nodes.

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.characters import CharDfa
from maskc.runtime.schema.folding import Shape, fold_shape, shape_for
from maskc.runtime.schema.spelled import Spelled
from maskc.runtime.schema.tokens import TokenIndex, Words
from maskc.runtime.schema.trie import Ints

_FEW = 32  # nodes of a level that are looked at one by one


class Group(NamedTuple):
    """Tokens that a string does the same to.

    Attributes:
        targets: the states that their characters can lead to.
        size: their characters, one left open included.
    """

    targets: frozenset[int]
    size: int


class Folded:
    """A vocabulary's characters by class.

    Args:
        shape: of the vocabulary.
        kinds: int32[n], the class of each node's last character.
        openings: the sets of classes that a character left open can be of, by its number.
    """

    def __init__(self, shape: Shape, kinds: Ints, openings: list[tuple[int, ...]]) -> None:
        self.shape, self._kinds, self.openings = shape, kinds, openings
        sizes = np.diff(shape.levels)
        self._sizes = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        wide = np.flatnonzero(sizes > _FEW)
        # From here on a loop is faster than arrays.
        self._n_wide = int(wide[-1]) + 1 if len(wide) else 1
        first = shape.levels[self._n_wide]
        above, last = shape.parents[first:].tolist(), kinds[first:].tolist()
        self._tail = list(zip(above, last, strict=True))

    def scan(self, delta: Ints, state: int) -> Scanned:
        """Return what an automaton of these classes does.

        Args:
            delta: int32[n_states, n_classes], the automaton.
            state: before the tokens.
        """
        levels, parents = self.shape.levels, self.shape.parents
        states = np.zeros(len(parents), dtype=np.int32)
        states[0] = state
        for level in range(1, self._n_wide):
            own = slice(levels[level], levels[level + 1])
            states[own] = delta[states[parents[own]], self._kinds[own]]
        if self._tail:
            reached = states[: levels[self._n_wide]].tolist()
            rows: dict[int, list[int]] = {0: [0] * delta.shape[1]}
            for parent, kind in self._tail:
                before = reached[parent]
                row = rows.get(before)
                if row is None:
                    row = rows[before] = delta[before].tolist()
                reached.append(row[kind])
            states = np.array(reached, dtype=np.int32)
        return Scanned(self, delta, states)

    @property
    def sizes(self) -> Ints:
        """Of each group its characters, one left open included."""
        return np.concatenate([self._sizes, self._sizes[self.shape.cut_nodes] + 1])

    @property
    def quote_sizes(self) -> Ints:
        """Of each token that closes the string, the characters before the quote."""
        found: Ints = self._sizes[self.shape.quote_nodes]
        return found

    def pack(self, kept: NDArray[np.bool_]) -> Words:
        """Return the mask of the tokens of some groups."""
        table = np.concatenate([[False], kept])
        return np.packbits(table[self.shape.group_of], bitorder="little").view("<i4")


class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        folded: the vocabulary.
        delta: int32[n_states, n_classes].
        states: of each folded node; 0: dead.

    Attributes:
        quote_states: of each token that closes the string the state before; 0: none.
        quote_sizes: the characters.
        quote_places: the token.
        quote_rests: its rest.
    """

    def __init__(self, folded: Folded, delta: Ints, states: Ints) -> None:
        self._folded, shape = folded, folded.shape
        n_states = delta.shape[0]
        keys = shape.cut_begun.astype(np.int64) * n_states + states[shape.cut_nodes]
        distinct, inverse = np.unique(keys, return_inverse=True)
        sets: dict[frozenset[int], int] = {}
        numbers = []
        for key in distinct.tolist():
            kinds = list(folded.openings[key // n_states])
            targets = frozenset(delta[key % n_states, kinds].tolist()) - {0}
            numbers.append(sets.setdefault(targets, len(sets)))
        # Of the nodes the state, of what ends inside a character the number of a set of states.
        self._sets = list(sets)
        cut = np.array(numbers, dtype=np.int32)[inverse] if numbers else inverse
        self._ends = np.concatenate([states, n_states + cut]).astype(np.int32)
        self._n_states = n_states
        self.quote_states: Ints = states[shape.quote_nodes]
        self.quote_sizes = folded.quote_sizes
        self.quote_places, self.quote_rests = shape.quote_places, shape.quote_rests

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        return 4 * (len(self._ends) + len(self.quote_states)) + 2000

    def groups(self, *, sized: bool) -> tuple[list[Group], Ints]:
        """Return what tokens can lead to, each once, and which of it each group has.

        Args:
            sized: whether those of other sizes differ; else all sizes are 0.
        """
        keys = self._ends.astype(np.int64)
        if sized:
            keys = keys << 16 | self._folded.sizes
        distinct, inverse = np.unique(keys, return_inverse=True)
        found = []
        for key in distinct.tolist():
            end, size = (key >> 16, key & 0xFFFF) if sized else (key, 0)
            if end < self._n_states:
                found.append(Group(frozenset((end,)) - {0}, size))
            else:
                found.append(Group(self._sets[end - self._n_states], size))
        return found, inverse.astype(np.int32)

    def quote_pairs(self) -> tuple[list[tuple[int, int]], Ints]:
        """Return states with sizes before quotes, each pair once, and which each token has."""
        keys = self.quote_states.astype(np.int64) << 16 | self.quote_sizes
        distinct, inverse = np.unique(keys, return_inverse=True)
        return [(key >> 16, key & 0xFFFF) for key in distinct.tolist()], inverse.astype(np.int32)

    def pack(self, kept: NDArray[np.bool_]) -> Words:
        """Return the mask of the tokens of some groups: bool[n_groups]."""
        return self._folded.pack(kept)


def fold(index: TokenIndex, spelled: Spelled, dfa: CharDfa) -> Folded:
    """Return a vocabulary folded by an automaton's classes."""
    key = (Folded, spelled.minimal, tuple(dfa.starts), tuple(dfa.classes))
    found: Folded | None = index.shared.get(key)
    if found is None:
        starts, classes = (np.array(part, dtype=np.int32) for part in (dfa.starts, dfa.classes))
        kind_of = classes[np.searchsorted(starts, spelled.distinct, side="right") - 1]
        openings, begun_of = _group_openings(spelled, dfa)
        shape, kinds = fold_shape(shape_for(index, spelled, kind_of), kind_of, begun_of)
        found = Folded(shape, kinds, openings)
        index.shared.put(key, found, shape.n_bytes + 8 * len(kinds))
    return found


def _group_openings(spelled: Spelled, dfa: CharDfa) -> tuple[list[tuple[int, ...]], Ints]:
    """Return the sets of classes that a character left open can be of, and which each has."""
    numbers: dict[tuple[int, ...], int] = {}
    of = np.zeros(len(spelled.ranges), dtype=np.int32)
    starts, classes = dfa.starts, dfa.classes
    for n, ranges in enumerate(spelled.ranges):
        found: set[int] = set()
        for low, high in ranges:
            found.update(classes[bisect_right(starts, low) - 1 : bisect_right(starts, high)])
        of[n] = numbers.setdefault(tuple(sorted(found)), len(numbers))
    return list(numbers), of


def matrix_of(dfa: CharDfa) -> Ints:
    """Return an automaton as an array: int32[n_states, n_classes]."""
    n_kinds = max(dfa.classes) + 1
    delta = np.repeat(np.array(dfa.defaults, dtype=np.int32)[:, None], n_kinds, axis=1)
    cells = [
        (state, kind, target)
        for state, row in enumerate(dfa.rows)
        for kind, target in row.items()
        if kind < n_kinds
    ]
    if cells:
        states, kinds, targets = np.array(cells, dtype=np.int32).T
        delta[states, kinds] = targets
    return delta
