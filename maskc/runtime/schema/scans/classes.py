"""What does a string do to a whole vocabulary, where its automaton takes many characters?

All texts are read at once, level by level of the trie of their characters, with arrays. A character
counts only by its class, so from a state on only the classes count that the automaton tells apart
there; and what an automaton does not move is not looked at
(:mod:`maskc.runtime.schema.scans.subtrees`).

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import AT_ONCE, spend
from maskc.runtime.schema.scans.scanned import Places, Scanned, number_keys, units_of
from maskc.runtime.schema.scans.spelled import Spelled
from maskc.runtime.schema.scans.subtrees import subtrees_of, turning_of, turns_of, walk
from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64
_MOST_CELLS = 1 << 16  # of an automaton of which we ask what it tells apart from a state on


class Kinds:
    """A vocabulary's characters by class.

    Args:
        index: whose memory is used.
        spelled: what it writes.
        starts: where each range of characters starts.
        classes: int32[n], the class of each range.
    """

    __slots__ = ("_of_character", "_opening_of", "_openings", "_subtrees", "_turning", "_units")

    def __init__(
        self, index: TokenIndex, spelled: Spelled, starts: Sequence[int], classes: Ints
    ) -> None:
        ranges = np.array(starts, dtype=np.int32)
        kind_of = classes[np.searchsorted(ranges, spelled.distinct, side="right") - 1]
        self._of_character = kind_of.astype(np.min_scalar_type(int(classes.max())))
        self._units, self._subtrees = units_of(index, spelled), subtrees_of(index, spelled)
        self._turning = turning_of(self._subtrees, kind_of)
        # The sets of classes that a character left open can be of, and which each beginning has.
        n_begun = len(spelled.ranges)
        self._openings, self._opening_of = _group_openings(
            self._subtrees.openings, n_begun, ranges, classes
        )

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        return self._of_character.nbytes + self._opening_of.nbytes + 2_000

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
        subtrees, turns = self._subtrees, turns_of(delta, self._turning)
        rows = table.reshape(-1)
        ends = walk(subtrees, self._of_character, rows, shift, turns, state << shift)
        quotes = ends.take(self._units.quotes).astype(np.int32)
        sets, inside = self._end_inside(delta, ends.take(subtrees.cut_units))
        ends[subtrees.cut_units] = inside
        ends[subtrees.closing_units] = 0
        return Scanned(self._units, ends, len(delta), sets, quotes)

    def _end_inside(
        self, delta: Ints, states: NDArray[np.integer]
    ) -> tuple[list[frozenset[int]], Places]:
        """Return what texts lead to that end inside a character: sets, and which, from n_states on.

        Args:
            delta: the automaton.
            states: after the last whole character of each text.
        """
        n_states, openings = len(delta), self._openings
        begun = self._opening_of[self._subtrees.cut_begun]
        distinct, inverse = number_keys(begun * n_states + states)
        numbers: dict[frozenset[int], int] = {}
        of_key = np.zeros(len(distinct), dtype=np.intp)
        for n, key in enumerate(distinct.tolist()):
            row = delta[key % n_states].take(openings[key // n_states])
            targets = frozenset(row.tolist()) - {0}
            of_key[n] = numbers.setdefault(targets, len(numbers))
        return list(numbers), n_states + of_key[inverse]


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
    key = (Kinds, spelled.minimal, spelled.before, tuple(dfa.starts), classes.tobytes())
    kinds: Kinds | None = index.shared.get(key)
    if kinds is None:
        spend(_SCAN_STEPS + len(spelled.chars) // _NODES_AT_ONCE)
        kinds = Kinds(index, spelled, dfa.starts, classes)
        index.shared.put(key, kinds, kinds.n_bytes)
    return kinds.scan(delta, state)


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


def never_dies(dfa: CharDfa, state: int) -> bool:
    """Return whether each character leads on from a state, and so forth, to a live one.

    So it is where a pattern may begin anywhere, as ``[Hh]otel`` does.
    """
    kinds, rows = frozenset(dfa.classes), dfa.rows
    if DEAD in rows[state].values():
        return False
    return all(
        DEAD not in rows[here].values() and (dfa.defaults[here] or kinds <= rows[here].keys())
        for here in reachable(dfa, state)
    )


def _group_openings(
    openings: Ints, n_begun: int, starts: Ints, classes: Ints
) -> tuple[list[tuple[int, ...]], Places]:
    """Return the sets of classes that a character left open can be of, and which each has.

    Args:
        openings: see :class:`maskc.runtime.schema.scans.subtrees.Subtrees`.
        n_begun: how many beginnings there are.
        starts: where each range of characters starts.
        classes: of each range.
    """
    lows, highs, opening = openings
    first = np.searchsorted(starts, lows, side="right") - 1
    last = np.searchsorted(starts, highs, side="right")
    pairs, which = np.unique(first * (len(starts) + 1) + last, return_inverse=True)
    listed = classes.tolist()
    kinds = [
        frozenset(listed[pair // (len(starts) + 1) : pair % (len(starts) + 1)])
        for pair in pairs.tolist()
    ]
    numbers: dict[frozenset[int], int] = {frozenset(): 0}
    of_pair = [numbers.setdefault(found, len(numbers)) for found in kinds]
    of = np.zeros(n_begun, dtype=np.intp)
    of[opening] = np.array(of_pair, dtype=np.intp)[which]
    # All but a few can become the characters of one range.
    counts = np.bincount(opening, minlength=n_begun)
    for n in np.flatnonzero(counts > 1).tolist():
        several = frozenset().union(*(kinds[k] for k in which[opening == n].tolist()))
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
