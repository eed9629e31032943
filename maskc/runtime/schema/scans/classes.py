"""What does a string do to a whole vocabulary, where its automaton takes many characters?

All texts are read at once, character by character: level by level of the trie of their characters,
with arrays. A character counts only by its class, so from a state on only the classes count that
the automaton tells apart there; where these cut no range that patterns seldom cut, a trie is taken
in which most texts are one (:mod:`maskc.runtime.schema.scans.folding`).

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.folding import Places, Shape, number_keys, shape_for
from maskc.runtime.schema.scans.scans import spread
from maskc.runtime.schema.scans.spelled import Spelled
from maskc.runtime.schema.strings.characters import CharDfa, only
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints

_FEW_NODES = 12  # that are followed one by one
_THIN = 8  # nodes of a level to each that is live, from which on only these are followed
_MOST_CELLS = 1 << 16  # of an automaton of which we ask what it tells apart from a state on


class Group(NamedTuple):
    """Tokens that a string does the same to.

    Attributes:
        targets: the states that their characters can lead to.
        size: their characters, one left open included.
    """

    targets: frozenset[int]
    size: int


class Kinds(NamedTuple):
    """A vocabulary's characters by class.

    Attributes:
        shape: of the vocabulary.
        of_node: of each node of the shape the class of its last character.
        openings: the sets of classes that a character left open can be of.
        opening_of: of each character left open, by its number, its set.
    """

    shape: Shape
    of_node: NDArray[Any]
    openings: list[tuple[int, ...]]
    opening_of: Places

    def scan(self, delta: Ints, state: int) -> Scanned:
        """Return what an automaton of these classes does.

        Args:
            delta: int32[n_states, n_classes], the automaton.
            state: before the tokens.
        """
        # A state is where its row begins.
        shift = int(delta.shape[1]).bit_length()
        table = np.zeros((len(delta), 1 << shift), dtype=np.intp)
        table[:, : delta.shape[1]] = delta.astype(np.intp) << shift
        states = self._follow(table.reshape(-1), state << shift)
        return Scanned(self, delta, states, shift)

    def _follow(self, rows: Places, start: int) -> Places:
        """Return of each node where the row of its state begins; 0: dead."""
        shape, of_node = self.shape, self.of_node
        states = np.zeros(len(shape.parents), dtype=np.intp)
        states[0] = start
        live: Places = np.zeros(1, dtype=np.intp)
        for level, (first, last) in enumerate(itertools.pairwise(shape.levels[1:])):
            if level > 1 and len(live) <= _FEW_NODES:
                self._follow_few(rows.data, states.data, live.tolist())
                break
            if len(live) * _THIN < last - first:
                # Only what is below them.
                above, children = spread(shape.first.take(live), shape.first.take(live + 1))
                cells = states.take(live).take(above)
                cells += of_node.take(children)
                found = rows.take(cells, mode="clip")
                states[children] = found
                live = children[found > 0].astype(np.intp)
                continue
            # No cell is outside; without a mode NumPy would go through a buffer.
            cells = states.take(shape.parents[first:last], mode="clip")
            cells += of_node[first:last]
            rows.take(cells, out=states[first:last], mode="clip")
            live = states[first:last].nonzero()[0] + first
        return states

    def _follow_few(self, rows: memoryview, states: memoryview, open_: list[int]) -> None:
        """Follow some nodes one by one: mostly runs of one character."""
        first, of_node = self.shape.first.data, self.of_node.data
        for node in open_:
            before = states[node]
            for child in range(first[node], first[node + 1]):
                after = rows[before + of_node[child]]
                if after:
                    states[child] = after
                    open_.append(child)


class Scanned:
    """What an automaton does to a vocabulary, from one state.

    Args:
        kinds: the vocabulary.
        delta: int32[n_states, n_classes].
        states: of each node of the vocabulary's shape, shifted; 0: dead.
        shift: by so many bits.

    Attributes:
        shape: of the vocabulary, whose units these are.
        quote_states: of each token that closes the string the state before; 0: none.
        quote_sizes: the characters.
        quote_places: the token.
        quote_rests: its rest.
    """

    def __init__(self, kinds: Kinds, delta: Ints, states: Places, shift: int) -> None:
        shape, n_states = kinds.shape, len(delta)
        keys = kinds.opening_of[shape.cut_begun] * n_states
        distinct, inverse = number_keys(keys + (states[shape.cut_nodes] >> shift))
        numbers: dict[frozenset[int], int] = {}
        of_key = np.zeros(len(distinct), dtype=np.intp)
        for n, key in enumerate(distinct.tolist()):
            row = delta[key % n_states].take(kinds.openings[key // n_states])
            targets = frozenset(row.tolist()) - {0}
            of_key[n] = numbers.setdefault(targets, len(numbers))
        self._n_states, self._sets, self.shape = n_states, list(numbers), shape
        # Of each unit the state; where it ends inside a character, the number of a set of states.
        after = states.take(shape.unit_nodes, mode="clip") >> shift
        ends = np.concatenate([np.zeros(1, dtype=np.intp), after, n_states + of_key[inverse]])
        self._ends = ends.astype(np.min_scalar_type(n_states + len(self._sets)))
        self.quote_states = (states[shape.quote_nodes] >> shift).astype(np.int32)
        self.quote_sizes = shape.quote_sizes
        self.quote_places, self.quote_rests = shape.quote_places, shape.quote_rests

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        n_bytes: int = self._ends.nbytes + self.quote_states.nbytes
        return n_bytes + 2000

    def groups(self) -> tuple[list[Group], Places]:
        """Return what tokens can lead to with which sizes, each once, and which each unit has."""
        n_sizes = int(self.shape.sizes.max()) + 1
        distinct, which = number_keys(self._ends.astype(np.intp) * n_sizes + self.shape.sizes)
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

    def pack(self, kept: NDArray[np.bool_], which: Places) -> Words:
        """Return the mask of the tokens of some groups.

        Args:
            kept: of each group whether it is one of them.
            which: group each unit has.
        """
        of_token = kept.take(which).take(self.shape.unit_of, mode="clip")
        return np.packbits(of_token, bitorder="little").view("<i4")

    def pack_live(self) -> Words:
        """Return the mask of the tokens that lead to something."""
        return self.pack_ends(end for end, _ in self.ends())

    def quote_pairs(self) -> tuple[list[tuple[int, int]], Places]:
        """Return states with sizes before quotes, each pair once, and which each token has."""
        keys = self.quote_states.astype(np.int64) << 16 | self.quote_sizes
        distinct, inverse = np.unique(keys, return_inverse=True)
        return [(key >> 16, key & 0xFFFF) for key in distinct.tolist()], inverse


def scan_all(index: TokenIndex, spelled: Spelled, dfa: CharDfa, delta: Ints, state: int) -> Scanned:
    """Return what an automaton does to a whole vocabulary.

    Args:
        index: the vocabulary.
        spelled: its characters.
        dfa: the automaton.
        delta: the same, of :func:`matrix_of`.
        state: before the tokens.
    """
    classes = np.array(dfa.classes, dtype=np.int32)
    if delta.size <= _MOST_CELLS:
        rows = delta[list(reachable(dfa, state))]
        # Columns as bytes: NumPy's own way to tell them apart takes a field for each row.
        numbers: dict[bytes, int] = {}
        columns = np.ascontiguousarray(rows.T)
        merged = np.array([numbers.setdefault(c.tobytes(), len(numbers)) for c in columns])
        if len(numbers) < len(merged):
            of_merged = np.zeros(len(numbers), dtype=np.intp)
            of_merged[merged] = np.arange(len(merged))
            classes, delta = merged[classes].astype(np.int32), delta[:, of_merged]
    return _kinds_of(index, spelled, dfa.starts, classes).scan(delta, state)


def reachable(dfa: CharDfa, state: int) -> set[int]:
    """Return a state and all that it leads to."""
    found = {state}
    open_ = [state]
    while open_:
        for target in dfa.successors(open_.pop()):
            if target not in found:
                found.add(target)
                open_.append(target)
    return found


def _kinds_of(index: TokenIndex, spelled: Spelled, starts: Sequence[int], classes: Ints) -> Kinds:
    """Return a vocabulary's characters by class.

    Args:
        index: whose memory is used.
        spelled: its characters.
        starts: where each range of characters starts.
        classes: the class of each range.
    """
    key = (Kinds, spelled.minimal, tuple(starts), classes.tobytes())
    found: Kinds | None = index.shared.get(key)
    if found is None:
        ranges = np.array(starts, dtype=np.int32)
        kind_of = classes[np.searchsorted(ranges, spelled.distinct, side="right") - 1]
        shape = shape_for(index, spelled, kind_of)
        narrow = np.min_scalar_type(int(classes.max()))
        of_node = kind_of.astype(narrow).take(shape.characters)
        found = Kinds(shape, of_node, *_group_openings(spelled, ranges, classes))
        index.shared.put(key, found, of_node.nbytes + 2000)
    return found


def _group_openings(
    spelled: Spelled, starts: Ints, classes: Ints
) -> tuple[list[tuple[int, ...]], Places]:
    """Return the sets of classes that a character left open can be of, and which each has."""
    lows, highs, opening = spelled.openings
    first = np.searchsorted(starts, lows, side="right") - 1
    last = np.searchsorted(starts, highs, side="right")
    pairs, which = np.unique(first * (len(starts) + 1) + last, return_inverse=True)
    listed = classes.tolist()
    kinds = [
        frozenset(listed[pair // (len(starts) + 1) : pair % (len(starts) + 1)])
        for pair in pairs.tolist()
    ]
    # All but a few can become the characters of one range.
    numbers: dict[frozenset[int], int] = {frozenset(): 0}
    of_pair = [numbers.setdefault(found, len(numbers)) for found in kinds]
    of = np.zeros(len(spelled.ranges), dtype=np.intp)
    of[opening] = np.array(of_pair, dtype=np.intp)[which]
    for n, rows in spelled.many_openings:
        several = frozenset().union(*(kinds[k] for k in which[rows].tolist()))
        of[n] = numbers.setdefault(several, len(numbers))
    return [tuple(sorted(found)) for found in numbers], of


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
