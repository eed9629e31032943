"""What does a string do to a whole vocabulary, where its automaton takes many characters?

All texts are read at once, character by character: level by level of the trie of their characters,
with arrays. A character counts only by its class, so from a state on only the classes count that
the automaton tells apart there; where these cut no range that patterns seldom cut, a trie is taken
in which most texts are one (:mod:`maskc.runtime.schema.scans.folding`); else what an automaton does
not move is not looked at (:mod:`maskc.runtime.schema.scans.subtrees`), if that is most of it.

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import AT_ONCE, spend
from maskc.runtime.schema.scans.folding import shape_for
from maskc.runtime.schema.scans.scanned import Places, Scanned, number_keys
from maskc.runtime.schema.scans.spelled import Spelled
from maskc.runtime.schema.scans.subtrees import Walk, subtrees_of, turning_of, turns_of
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints, spread

# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64
_FEW_NODES = 12  # that are followed one by one
_THIN = 8  # nodes of a level to each that is live, from which on only these are followed
_MOST_CELLS = 1 << 16  # of an automaton of which we ask what it tells apart from a state on


class Kinds:
    """A vocabulary's characters by class.

    Args:
        index: whose memory is used.
        spelled: the vocabulary.
        starts: where each range of characters starts.
        classes: int32[n], the class of each range.

    Attributes:
        of_character: of each character of the vocabulary its class, by place.
        shape: of the vocabulary.
    """

    __slots__ = ("_of_node", "_openings", "_spelled", "_turning", "of_character", "shape")

    def __init__(
        self, index: TokenIndex, spelled: Spelled, starts: Sequence[int], classes: Ints
    ) -> None:
        ranges = np.array(starts, dtype=np.int32)
        self._spelled = spelled
        kind_of = classes[np.searchsorted(ranges, spelled.distinct, side="right") - 1]
        self.shape = shape_for(index, spelled, kind_of)
        self.of_character = kind_of.astype(np.min_scalar_type(int(classes.max())))
        self._openings = _group_openings(spelled, ranges, classes)
        self._of_node: NDArray[Any] | None = None
        # Made with the first shape, as that takes much longer.
        subtrees = subtrees_of(index, spelled)
        # Where no texts are alike, of each class the groups of characters that have some of it.
        self._turning: NDArray[np.uint64] | None = None
        if len(self.shape.parents) == len(spelled.chars):
            self._turning = turning_of(subtrees, kind_of)

    @property
    def of_node(self) -> NDArray[Any]:
        """Of each node of the shape the class of its last character."""
        if self._of_node is None:
            self._of_node = self.of_character.take(self.shape.characters)
        return self._of_node

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes, with what is made when it is first asked for."""
        itemsize = self.of_character.itemsize
        return itemsize * (len(self.of_character) + len(self.shape.characters)) + 2_000

    def scan(self, index: TokenIndex, delta: Ints, state: int) -> Scanned:
        """Return what an automaton of these classes does.

        Args:
            index: whose memory is used.
            delta: int32[n_states, n_classes], the automaton.
            state: before the tokens.
        """
        # A state is where its row begins.
        shift = int(delta.shape[1]).bit_length()
        table = np.zeros((len(delta), 1 << shift), dtype=np.intp)
        table[:, : delta.shape[1]] = delta.astype(np.intp) << shift
        rows, start, n_states = table.reshape(-1), state << shift, len(delta)
        if self._turning is not None:
            subtrees = subtrees_of(index, self._spelled)
            turns = turns_of(delta, self._turning)
            walk = Walk(subtrees, self.of_character, rows, shift, turns)
            ends = walk.run(start)
            if ends is not None:
                quotes = ends.take(subtrees.quote_units).astype(np.int32)
                cut = ends.take(subtrees.cut_units)
                sets, inside = self._end_inside(delta, cut, subtrees.cut_begun)
                ends[subtrees.cut_units] = inside
                ends[subtrees.closing_units] = 0
                return Scanned(subtrees.units, ends, n_states, sets, quotes)
        states = self._follow(rows, start)
        states >>= shift
        return self._scan_shape(delta, states)

    def _scan_shape(self, delta: Ints, states: Places) -> Scanned:
        """Return the same, from the state of each node of the shape."""
        shape = self.shape
        sets, ends = self._end_inside(delta, states[shape.cut_nodes], shape.cut_begun)
        none = np.zeros(1, dtype=np.intp)
        after = states.take(shape.unit_nodes, mode="clip")
        quotes = states[shape.quote_nodes].astype(np.int32)
        return Scanned(shape.units, np.concatenate([none, after, ends]), len(delta), sets, quotes)

    def _end_inside(
        self, delta: Ints, states: NDArray[np.integer], begun: NDArray[np.integer]
    ) -> tuple[list[frozenset[int]], Places]:
        """Return what texts lead to that end inside a character: sets, and which, from n_states on.

        Args:
            delta: the automaton.
            states: after the last whole character of each text.
            begun: the number of what is read of the next one.
        """
        n_states, (openings, opening_of) = len(delta), self._openings
        distinct, inverse = number_keys(opening_of[begun] * n_states + states)
        numbers: dict[frozenset[int], int] = {}
        of_key = np.zeros(len(distinct), dtype=np.intp)
        for n, key in enumerate(distinct.tolist()):
            row = delta[key % n_states].take(openings[key // n_states])
            targets = frozenset(row.tolist()) - {0}
            of_key[n] = numbers.setdefault(targets, len(numbers))
        return list(numbers), n_states + of_key[inverse]

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
    spend(_SCAN_STEPS + len(spelled.chars) // _NODES_AT_ONCE + delta.size // AT_ONCE)
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
    return _kinds_of(index, spelled, dfa.starts, classes).scan(index, delta, state)


def never_dies(dfa: CharDfa, state: int) -> bool:
    """Return whether each character leads on from a state, and so forth, to a live one.

    So it is where a pattern may begin anywhere, as ``[Hh]otel`` does.
    """
    kinds, found, open_ = frozenset(dfa.classes), {state}, [state]
    while open_:
        here = open_.pop()
        spend(1)
        row = dfa.rows[here]
        for target in row.values() if kinds <= row.keys() else (*row.values(), dfa.defaults[here]):
            if target == DEAD:
                return False
            if target not in found:
                found.add(target)
                open_.append(target)
    return True


def reachable(dfa: CharDfa, state: int) -> set[int]:
    """Return a state and all that it leads to."""
    found = {state}
    open_ = [state]
    while open_:
        spend(1)
        for target in dfa.successors(open_.pop()):
            if target not in found:
                found.add(target)
                open_.append(target)
    return found


def _kinds_of(index: TokenIndex, spelled: Spelled, starts: Sequence[int], classes: Ints) -> Kinds:
    """Return a vocabulary's characters by class, see :class:`Kinds`."""
    key = (Kinds, spelled.minimal, tuple(starts), classes.tobytes())
    found: Kinds | None = index.shared.get(key)
    if found is None:
        spend(_SCAN_STEPS + len(spelled.chars) // _NODES_AT_ONCE)
        found = Kinds(index, spelled, starts, classes)
        index.shared.put(key, found, found.n_bytes)
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
    spend(dfa.n_states)
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
