"""Scans a whole vocabulary by an automaton that takes many characters.

All texts are read at once, level by level of a trie of classes of characters
(:mod:`maskc.runtime.schema.scans.class_tries`), with arrays. A character counts only by its class,
so from a state on only the classes count that the automaton tells apart there.

Most states of a pattern's automaton are left by few characters: after ``^[^,]*`` only a comma leads
on. So what is looked at is where a character moves the automaton, and what begins with it. A group
of characters in which some character moves a state counts as if all did. Where that is much of the
trie, all of it is read, in the order in which it lies: a node then takes a tenth of the time.

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does. From
the start of ``.*,.*`` the node ``ab`` is left alone if no text that begins so has a comma.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.schema.scans.character_trie import CharacterTrie
from maskc.runtime.schema.scans.class_tries import (
    N_GROUPS,
    Bits,
    Bools,
    Indices,
    number_keys,
    trie_for,
)
from maskc.runtime.schema.scans.residuals import Matrix, Residual, residual_of
from maskc.runtime.schema.scans.scanned import FEWER, Scanned, VocabularyScan
from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints
from maskc.runtime.step_budget import charge_steps

# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64
# So many times fewer nodes than a trie has are looked up; more take longer than all in order.
_FEW = 16
_FEW_FOLLOWED = 300  # nodes that are looked at one by one


_Cells = NDArray[np.unsignedinteger]


class _Followed(NamedTuple):
    """Nodes that were reached, level by level; those of the last one are open."""

    nodes: list[int]
    states: list[int]
    goes_on: list[bool]  # of each whether something below it may move its state
    open: list[int]  # those from which to go on, by index


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
        self._of_symbol = of_symbol
        # uint64[n_classes], of each class the groups that have some of its characters.
        is_there = np.zeros((int(classes.max()) + 1, N_GROUPS), dtype=np.bool_)
        is_there[of_symbol, self._trie.groups] = True
        self._turning = np.packbits(is_there, axis=1, bitorder="little").view("<u8")[:, 0]
        # The sets of classes that a character left open can be of, and of each text its own.
        self._beginnings, beginning_of = _group_beginnings(character_trie, starts, classes)
        begun = character_trie.tables.begun.take(self._trie.cut_items)
        self._beginning_of_cut = beginning_of.take(begun)

    @property
    def n_bytes(self) -> int:
        n_bytes: int = self._of_symbol.nbytes + self._beginning_of_cut.nbytes
        return n_bytes + 2_000

    def scan(self, residual: Residual) -> VocabularyScan:
        """Return what a residual automaton of these classes does to the vocabulary."""
        # A state is where its row begins. Narrow numbers take a third of the time of wide ones.
        delta = residual.delta
        shift = int(delta.shape[1]).bit_length()
        table = np.zeros((len(delta), 1 << shift), dtype=np.min_scalar_type(len(delta) << shift))
        table[:, : delta.shape[1]] = delta
        table <<= shift
        trie, turns = self._trie, turns_of(delta, self._turning)
        ends, reached = self._walk(table.reshape(-1), shift, turns, residual.start << shift)
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
        keys = self._beginning_of_cut.take(alive) * n_states
        keys += states.take(alive)
        distinct, which = number_keys(keys)
        numbers: dict[frozenset[int], int] = {frozenset(): DEAD}
        of_key: list[int] = []
        for key in distinct.tolist():
            row = delta[key % n_states].take(beginnings[key // n_states])
            targets = frozenset(row.tolist()) - {DEAD}
            of_key.append(numbers.setdefault(targets, n_states + len(numbers) - 1))
        inside = np.zeros(len(states), dtype=np.intp)
        inside[alive] = np.array(of_key, dtype=np.intp).take(which)
        return list(numbers)[1:], inside

    def _walk(
        self, rows: _Cells, shift: int, turns: Bits, start: int
    ) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return of each unit the state that its characters lead to; 0: dead.

        If few are not dead, these are returned, too.

        Args:
            rows: the automaton, of which a state is where its row begins.
            shift: of a state's number, to where that is.
            turns: uint64[n_states], of each state the groups of characters that may move it.
            start: the state before them, as ``rows`` has it.
        """
        trie, of_symbol = self._trie, self._of_symbol.astype(rows.dtype)
        if not len(trie.units.sizes) - 1:
            return np.zeros(1, dtype=np.uint8), None
        first, last, symbols, below = trie.first, trie.first[1:], trie.symbol_of, trie.below
        n_left, most = len(trie.low) // _FEW, len(turns) + len(trie.cut)
        # The nodes of a level that are reached, level by level, and their states. The children of
        # one that was gone on from have all of its units but its own.
        seen = self._follow_few(rows, shift, turns, start)
        nodes, states = [np.array(seen.nodes)], [np.array(seen.states, dtype=rows.dtype)]
        goes_on = [np.array(seen.goes_on)]
        open_ = np.array(seen.open, dtype=np.intp)
        live, here = nodes[0].take(open_), states[0].take(open_)
        while len(live):
            begin, end = first.take(live), last.take(live)
            counts = end - begin
            ends = counts.cumsum()
            n_left -= int(ends[-1])
            if n_left < 0:
                found = self._follow_all(rows, shift, start, most)
                is_few = np.count_nonzero(found) * FEWER <= len(found)
                return found, found.nonzero()[0].astype(np.int32) if is_few else None
            children = np.arange(int(ends[-1]))
            children += (end - ends).repeat(counts)
            cells = here.repeat(counts)
            cells += of_symbol.take(symbols.take(children))
            # No cell is outside; without a mode NumPy would go through a buffer.
            after = rows.take(cells, mode="clip")
            nodes.append(children)
            states.append(after)
            moved = turns.take(after >> shift)
            moved &= below.take(children)
            is_moved = moved != 0
            goes_on.append(is_moved)
            turned = is_moved.nonzero()[0]
            live, here = children.take(turned), after.take(turned)
        after_all: _Cells = np.concatenate(states)
        after_all >>= shift
        return self._list_units(np.concatenate(nodes), after_all, np.concatenate(goes_on), most)

    def _list_units(
        self, nodes: Indices, states: _Cells, goes_on: Bools, most: int
    ) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return what :meth:`_walk` does, of the nodes that it has reached.

        Args:
            nodes: those nodes.
            states: their states.
            goes_on: whether the children of a node are among the nodes.
            most: more than any state.
        """
        trie = self._trie
        n_units = len(trie.units.sizes) - 1
        alive = states.nonzero()[0]
        some = nodes.take(alive)
        lows, highs = trie.low.take(some), trie.high.take(some)
        own = goes_on.take(alive).nonzero()[0]
        # Its own units come before those of its children.
        highs[own] = trie.low.take(trie.first.take(some.take(own)))
        if int((highs - lows).sum()) * FEWER > n_units:
            return _spread(trie.low.take(nodes), states, n_units, most), None
        run, reached = spread(lows + 1, highs + 1)
        found = np.zeros(1 + n_units, dtype=np.min_scalar_type(most))
        found[reached] = states.take(alive).take(run)
        return found, reached

    def _follow_few(self, rows: _Cells, shift: int, turns: Bits, start: int) -> _Followed:
        """Return what :meth:`_walk` reaches in its first levels, as long as these are few nodes."""
        # A level takes 15 to 20 microseconds with arrays, and a node a seventh of one here.
        trie = self._trie
        first, symbols, below = trie.first.data, trie.symbol_of.data, trie.below.data
        kinds, cells, moves = self._of_symbol.data, rows.data, turns.data
        nodes, states, goes_on = [0], [start], [first[0] < first[1]]
        open_ = [0] if goes_on[0] else []
        n_left = _FEW_FOLLOWED
        while open_:
            for n in open_:
                n_left -= first[nodes[n] + 1] - first[nodes[n]]
            if n_left < 0:
                break
            level, open_ = open_, []
            for n in level:
                node, state = nodes[n], states[n]
                for child in range(first[node], first[node + 1]):
                    after = cells[state + kinds[symbols[child]]]
                    # Nothing moves the dead state, and nothing is below a leaf.
                    is_moved = after != DEAD and moves[after >> shift] & below[child] != 0
                    if is_moved:
                        open_.append(len(nodes))
                    nodes.append(child)
                    states.append(after)
                    goes_on.append(is_moved)
        return _Followed(nodes, states, goes_on, open_)

    def _follow_all(
        self, rows: _Cells, shift: int, start: int, most: int
    ) -> NDArray[np.unsignedinteger]:
        """Return the same from the states of all nodes, which are whole levels of arrays."""
        trie = self._trie
        kinds, parents = self._of_symbol.astype(rows.dtype), trie.parents
        # No index is outside; without a mode each is looked at.
        symbols = kinds.take(trie.symbol_of, mode="clip")
        states = np.empty(len(symbols), dtype=rows.dtype)
        states[0] = start
        for begin, end in pairwise(trie.levels[1:]):
            cells = states.take(parents[begin:end], mode="clip")
            cells += symbols[begin:end]
            rows.take(cells, out=states[begin:end], mode="clip")
        ends = np.zeros(1 + len(trie.owners), dtype=np.min_scalar_type(most))
        ends[1:] = states.take(trie.owners, mode="clip") >> shift
        return ends


def turns_of(delta: NDArray[np.unsignedinteger], turning: Bits) -> Bits:
    """Return uint64[n_states], of each state the groups of characters that may move it."""
    moves = delta != np.arange(len(delta), dtype=delta.dtype)[:, None]
    found: Bits = np.bitwise_or.reduce(np.where(moves, turning, np.uint64(0)), axis=1)
    return found


def _spread(lows: Ints, states: _Cells, n_units: int, most: int) -> NDArray[np.unsignedinteger]:
    """Return the states of all units from where those of nodes begin, inner nodes last."""
    # Sorting them takes longer. What is written last to a cell is the innermost node there.
    last, is_begin = np.empty(n_units, dtype=np.int32), np.zeros(n_units, dtype=np.bool_)
    last[lows] = np.arange(len(lows), dtype=np.int32)
    is_begin[lows] = True
    begin = is_begin.nonzero()[0]
    counts = np.empty(1 + len(begin), dtype=np.intp)
    counts[0] = 1  # the unit of tokens of no string
    np.subtract(begin[1:], begin[:-1], out=counts[1:-1])
    counts[-1] = n_units - begin[-1]
    ends = np.zeros(1 + len(begin), dtype=np.min_scalar_type(most))
    ends[1:] = states.take(last.take(begin))
    return ends.repeat(counts)


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
    begun = (character_trie.escapes, character_trie.before)
    key = (VocabularyScan, *begun, residual.digest)
    found: VocabularyScan | None = index.shared.get(key)
    if found is None:
        charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE)
        found = _kinds_of(index, character_trie, residual).scan(residual)
        index.shared.put(key, found, found.n_bytes)
    return Scanned(found, residual.states)


def _kinds_of(index: TokenIndex, character_trie: CharacterTrie, residual: Residual) -> Kinds:
    classes = residual.classes.astype(np.min_scalar_type(len(residual.classes)))
    begun = (character_trie.escapes, character_trie.before)
    key = (Kinds, *begun, residual.starts.tobytes(), classes.tobytes())
    found: Kinds | None = index.shared.get(key)
    if found is None:
        charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE)
        found = Kinds(index, character_trie, residual.starts, classes)
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
