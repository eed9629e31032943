"""Scans: what an automaton that takes many characters does to a whole vocabulary, from a state on.

A walk over a trie of classes of characters (:mod:`maskc.runtime.schema.scans.class_walks`) says to
which state the whole characters of each text lead; here follows what the beginning of another one
at its end may become. A character counts only by its class, so from a state on only the classes
count that the automaton tells apart there.

What comes of it is a number for each unit of a
:class:`maskc.runtime.schema.scans.class_tries.ClassTrie`: the state that its characters lead to,
or, where they end inside one, a set of states.

Example: for ``^[a-zé]+$`` the token of the first byte of ``é`` leads to the same state as ``é``.
The units of ``ab`` and ``abc`` stay in one state, and that of ``1`` is dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.levels import spread
from maskc.runtime.schema.scans.character_trie import CharacterTrie
from maskc.runtime.schema.scans.class_tries import (
    N_GROUPS,
    Bools,
    ClosingTokens,
    Indices,
    Units,
    number_keys,
    trie_for,
)
from maskc.runtime.schema.scans.class_walks import FEWER, ClassTable, ClassWalk, tabulate
from maskc.runtime.schema.scans.residuals import Automaton, Matrix, residual_of
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa, only, set_of
from maskc.runtime.schema.tries import Ints, TokenIndex, Words
from maskc.runtime.step_budget import charge_steps

_FEWER_TOKENS: Final = 8  # so many times fewer tokens than there are, which are written one by one
# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64


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
