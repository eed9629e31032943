"""Scans a whole vocabulary by an automaton that takes many characters.

A walk over a trie of classes of characters (:mod:`maskc.runtime.schema.scans.class_walks`) says to
which state the whole characters of each text lead; here follows what the beginning of another one
at its end may become. A character counts only by its class, so from a state on only the classes
count that the automaton tells apart there.

Example: for ``^[a-zé]+$`` the token of the first byte of ``é`` leads to the same state as ``é``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.character_trie import CharacterTrie
from maskc.runtime.schema.scans.class_tries import (
    N_GROUPS,
    Indices,
    number_keys,
    trie_for,
)
from maskc.runtime.schema.scans.class_walks import ClassTable, ClassWalk, tabulate
from maskc.runtime.schema.scans.residuals import Automaton, Matrix, residual_of
from maskc.runtime.schema.scans.scanned import Scanned, VocabularyScan
from maskc.runtime.schema.strings.characters import DEAD, CharDfa, set_of
from maskc.runtime.schema.tries import Ints, TokenIndex
from maskc.runtime.step_budget import charge_steps

# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64


class Kinds:
    """A vocabulary's characters by class."""

    def __init__(
        self,
        index: TokenIndex,
        character_trie: CharacterTrie,
        starts: Ints,
        classes: NDArray[np.unsignedinteger],
    ) -> None:
        # Both are ascending.
        first = character_trie.distinct.searchsorted(starts)
        counts = np.empty(len(first), dtype=np.intp)
        np.subtract(first[1:], first[:-1], out=counts[:-1])
        counts[-1] = len(character_trie.distinct) - first[-1]
        self._trie, of_symbol = trie_for(index, character_trie, classes.repeat(counts))
        self._n_bytes = of_symbol.nbytes + 2_000
        self._walk = ClassWalk(self._trie, of_symbol)
        # uint64[n_classes], of each class the groups that have some of its characters.
        is_there = np.zeros((int(classes.max()) + 1, N_GROUPS), dtype=np.bool_)
        is_there[of_symbol, self._trie.groups] = True
        self.turning = np.packbits(is_there, axis=1, bitorder="little").view("<u8")[:, 0]
        # The sets of classes that a character left open can be of, and of each text its own.
        self._beginnings, beginning_of = _group_beginnings(character_trie, starts, classes)
        begun = character_trie.tables.begun.take(self._trie.cut_items)
        self._beginning_of_cut = beginning_of.take(begun)

    @property
    def n_bytes(self) -> int:
        return self._n_bytes + self._beginning_of_cut.nbytes

    def scan(
        self, delta: NDArray[np.unsignedinteger], table: ClassTable, start: int
    ) -> VocabularyScan:
        """Return what an automaton of these classes does to the vocabulary from a state on."""
        trie = self._trie
        ends, reached = self._walk.run(table, start)
        quotes = ends.take(trie.units.quotes)
        sets, inside = self._end_inside(delta, ends.take(trie.cut))
        ends[trie.cut] = inside
        ends[trie.closing] = DEAD
        if reached is not None:
            ends = ends.take(reached)
        ends = ends.astype(np.min_scalar_type(len(delta) + len(sets)), copy=False)
        return VocabularyScan(trie.units, ends, reached, len(delta), sets, quotes)

    def _end_inside(
        self, delta: NDArray[np.unsignedinteger], states: NDArray[np.unsignedinteger]
    ) -> tuple[list[frozenset[int]], Indices]:
        """Return sets of states, and to which of them texts lead that end inside a character.

        Args:
            delta: of the automaton.
            states: of each text the one before that character.

        Returns:
            Sets that are not empty; and of each text ``n_states`` and the index of one, or 0.
        """
        n_states, beginnings = len(delta), self._beginnings
        alive = states.nonzero()[0]
        # A huge automaton has few of its states here, so that no key is large.
        some, which_state = number_keys(states.take(alive))
        distinct, which = number_keys(self._beginning_of_cut.take(alive) * len(some) + which_state)
        rows = delta.take(some, axis=0).tolist()
        numbers: dict[frozenset[int], int] = {frozenset(): DEAD}
        of_key: list[int] = []
        for key in distinct.tolist():
            row = rows[key % len(rows)]
            targets = {row[kind] for kind in beginnings[key // len(rows)]}
            targets.discard(DEAD)
            of_key.append(numbers.setdefault(set_of(targets), n_states + len(numbers) - 1))
        inside = np.zeros(len(states), dtype=np.intp)
        inside[alive] = np.array(of_key, dtype=np.intp).take(which)
        return list(numbers)[1:], inside


def scan_all(
    index: TokenIndex, character_trie: CharacterTrie, dfa: CharDfa, matrix: Matrix, state: int
) -> Scanned:
    """Return what an automaton does to a whole vocabulary from a state on.

    Args:
        index: of the vocabulary, whose artifacts share it.
        character_trie: what its tokens write.
        dfa: the automaton.
        matrix: the same one as arrays.
        state: a live one.
    """
    residual = residual_of(dfa, matrix, state)
    automaton = residual.automaton
    begun = (character_trie.escapes, character_trie.before)
    key = (VocabularyScan, *begun, automaton.digest, residual.start)
    found: VocabularyScan | None = index.shared.get(key)
    if found is None:
        charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE)
        kinds = _kinds_of(index, character_trie, automaton)
        table: ClassTable | None = automaton.tables.get(begun)
        if table is None:
            table = automaton.tables[begun] = tabulate(automaton.delta, kinds.turning)
        found = kinds.scan(automaton.delta, table, residual.start)
        index.shared.put(key, found, found.n_bytes)
    return Scanned(found, residual.states)


def _kinds_of(index: TokenIndex, character_trie: CharacterTrie, automaton: Automaton) -> Kinds:
    classes = automaton.classes.astype(np.min_scalar_type(len(automaton.classes)))
    begun = (character_trie.escapes, character_trie.before)
    key = (Kinds, *begun, automaton.starts.tobytes(), classes.tobytes())
    found: Kinds | None = index.shared.get(key)
    if found is None:
        charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE)
        found = Kinds(index, character_trie, automaton.starts, classes)
        index.shared.put(key, found, found.n_bytes)
    return found


def _group_beginnings(
    character_trie: CharacterTrie, starts: Ints, classes: NDArray[np.unsignedinteger]
) -> tuple[list[tuple[int, ...]], Indices]:
    """Return the sets of classes that beginnings of characters can be of, and which each has."""
    lows, highs, beginning = character_trie.beginning_ranges
    n_begun = len(character_trie.ranges)
    first = np.searchsorted(starts, lows, side="right") - 1
    last = np.searchsorted(starts, highs, side="right")
    pairs, which = number_keys(first * (len(starts) + 1) + last)
    listed = classes.tolist()
    kinds = [
        frozenset(listed[pair // (len(starts) + 1) : pair % (len(starts) + 1)])
        for pair in pairs.tolist()
    ]
    numbers: dict[frozenset[int], int] = {frozenset(): 0}
    of_pair = [numbers.setdefault(found, len(numbers)) for found in kinds]
    of = np.zeros(n_begun, dtype=np.intp)
    of[beginning] = np.array(of_pair, dtype=np.intp)[which]
    # All but a few can become the characters of one range.
    counts = np.bincount(beginning, minlength=n_begun)
    for n in np.flatnonzero(counts > 1).tolist():
        several = frozenset().union(*(kinds[k] for k in which[beginning == n].tolist()))
        of[n] = numbers.setdefault(several, len(numbers))
    return [tuple(sorted(found)) for found in numbers], of
