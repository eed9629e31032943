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

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.schema.scans.character_trie import CharacterTrie
from maskc.runtime.schema.scans.class_tries import N_GROUPS, Bits, Indices, number_keys, trie_for
from maskc.runtime.schema.scans.scanned import FEWER, Scanned
from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints
from maskc.runtime.step_budget import AT_ONCE, charge_steps

# Steps of a scan, and characters of it that are one step.
_SCAN_STEPS, _NODES_AT_ONCE = 200, 64
# So many times fewer nodes than a trie has are looked up; more take longer than all in order.
_FEW = 16
_MOST_CELLS = 1 << 15  # of an automaton of which we ask what it tells apart from a state on


class Kinds:
    """A vocabulary's characters by class."""

    def __init__(
        self, index: TokenIndex, character_trie: CharacterTrie, starts: Sequence[int], classes: Ints
    ) -> None:
        ranges = np.array(starts, dtype=np.int32)
        kind_of = classes[np.searchsorted(ranges, character_trie.distinct, side="right") - 1]
        self._trie = trie = trie_for(index, character_trie, kind_of)
        of_symbol = np.zeros(len(trie.groups), dtype=np.min_scalar_type(int(classes.max())))
        of_symbol[trie.symbols] = kind_of
        self._of_symbol = of_symbol
        # uint64[n_classes], of each class the groups that have some of its characters.
        is_there = np.zeros((int(classes.max()) + 1, N_GROUPS), dtype=np.bool_)
        is_there[kind_of, trie.groups[trie.symbols]] = True
        self._turning = np.packbits(is_there, axis=1, bitorder="little").view("<u8")[:, 0]
        # The sets of classes that a character left open can be of, and of each text its own.
        self._beginnings, beginning_of = _group_beginnings(character_trie, ranges, classes)
        self._beginning_of_cut = beginning_of[character_trie.tables.begun[trie.cut_items]]

    @property
    def n_bytes(self) -> int:
        n_bytes: int = self._of_symbol.nbytes + self._beginning_of_cut.nbytes
        return n_bytes + 2_000

    def scan(self, delta: Ints, state: int) -> Scanned:
        """Return what an automaton does, int32[n_states, n_classes], from a state of it on."""
        # A state is where its row begins.
        shift = int(delta.shape[1]).bit_length()
        table = np.zeros((len(delta), 1 << shift), dtype=np.intp)
        table[:, : delta.shape[1]] = delta.astype(np.intp) << shift
        trie, turns = self._trie, turns_of(delta, self._turning)
        ends, reached = self._walk(table.reshape(-1), shift, turns, state << shift)
        quotes = ends.take(trie.units.quotes).astype(np.int32)
        sets, inside = self._end_inside(delta, ends.take(trie.cut))
        ends[trie.cut] = inside
        ends[trie.closing] = 0
        return Scanned(trie.units, ends, reached, len(delta), sets, quotes)

    def _end_inside(
        self, delta: Ints, states: NDArray[np.integer]
    ) -> tuple[list[frozenset[int]], Indices]:
        """Return sets of states, and to which of them texts lead that end inside a character."""
        n_states, beginnings = len(delta), self._beginnings
        begun = self._beginning_of_cut
        distinct, inverse = number_keys(begun * n_states + states)
        numbers: dict[frozenset[int], int] = {}
        of_key = np.zeros(len(distinct), dtype=np.intp)
        for n, key in enumerate(distinct.tolist()):
            row = delta[key % n_states].take(beginnings[key // n_states])
            targets = frozenset(row.tolist()) - {0}
            of_key[n] = numbers.setdefault(targets, len(numbers))
        return list(numbers), n_states + of_key[inverse]

    def _walk(
        self, rows: Indices, shift: int, turns: Bits, start: int
    ) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return of each unit the state that its characters lead to; 0: dead.

        If few are not dead, these are returned, too.

        Args:
            rows: the automaton, of which a state is where its row begins.
            shift: of a state's number, to where that is.
            turns: uint64[n_states], of each state the groups of characters that may move it.
            start: the state before them, as ``rows`` has it.
        """
        trie, of_symbol = self._trie, self._of_symbol
        n_units = len(trie.units.sizes) - 1
        if not n_units:
            return np.zeros(1, dtype=np.uint8), None
        first, last, symbols, below = trie.first, trie.first[1:], trie.symbol_of, trie.below
        n_left, most = len(trie.low) // _FEW, len(turns) + len(trie.cut)
        # The nodes of a level that are reached, level by level, and their states. The children of
        # one that was gone on from have all of its units but its own.
        live, here = np.zeros(1, dtype=np.intp), np.array([start], dtype=np.intp)
        nodes, states, goes_on = [live], [here], [first[:1] < last[:1]]
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
            # Nothing moves the dead state, and nothing is below a leaf.
            moved = turns.take(after >> shift)
            moved &= below.take(children)
            is_moved = moved != 0
            goes_on.append(is_moved)
            turned = is_moved.nonzero()[0]
            live, here = children.take(turned), after.take(turned)
        all_nodes, all_after = np.concatenate(nodes), np.concatenate(states) >> shift
        alive = (all_after != 0).nonzero()[0]
        some = all_nodes.take(alive)
        lows, highs = trie.low.take(some), trie.high.take(some)
        own = np.concatenate(goes_on).take(alive).nonzero()[0]
        # Its own units come before those of its children.
        highs[own] = trie.low.take(first.take(some.take(own)))
        if int((highs - lows).sum()) * FEWER > n_units:
            return _spread(trie.low.take(all_nodes), all_after, n_units, most), None
        run, reached = spread(lows + 1, highs + 1)
        found = np.zeros(1 + n_units, dtype=np.min_scalar_type(most))
        found[reached] = all_after.take(alive).take(run)
        return found, reached

    def _follow_all(
        self, rows: Indices, shift: int, start: int, most: int
    ) -> NDArray[np.unsignedinteger]:
        """Return the same from the states of all nodes, which are whole levels of arrays."""
        trie = self._trie
        kinds, parents = self._of_symbol.take(trie.symbol_of), trie.parents
        states = np.empty(len(kinds), dtype=np.intp)
        states[0] = start
        for begin, end in pairwise(trie.levels[1:]):
            cells = states.take(parents[begin:end])
            cells += kinds[begin:end]
            rows.take(cells, out=states[begin:end], mode="clip")
        states >>= shift
        ends = np.zeros(1 + len(trie.owners), dtype=np.min_scalar_type(most))
        ends[1:] = states.take(trie.owners)
        return ends


def turns_of(delta: Ints, turning: Bits) -> Bits:
    """Return uint64[n_states], of each state the groups of characters that may move it."""
    moves = delta != np.arange(len(delta), dtype=delta.dtype)[:, None]
    found: Bits = np.bitwise_or.reduce(np.where(moves, turning, np.uint64(0)), axis=1)
    return found


def _spread(lows: Ints, states: Indices, n_units: int, most: int) -> NDArray[np.unsignedinteger]:
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
    index: TokenIndex, character_trie: CharacterTrie, dfa: CharDfa, delta: Ints, state: int
) -> Scanned:
    """Return what an automaton, as :func:`matrix_of` has it too, does to a whole vocabulary."""
    classes = np.array(dfa.classes, dtype=np.int32)
    charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE + delta.size // AT_ONCE)
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
    key = (
        Kinds,
        character_trie.escapes,
        character_trie.before,
        tuple(dfa.starts),
        classes.tobytes(),
    )
    kinds: Kinds | None = index.shared.get(key)
    if kinds is None:
        charge_steps(_SCAN_STEPS + len(character_trie.chars) // _NODES_AT_ONCE)
        kinds = Kinds(index, character_trie, dfa.starts, classes)
        index.shared.put(key, kinds, kinds.n_bytes)
    return kinds.scan(delta, state)


def reachable(dfa: CharDfa, state: int) -> set[int]:
    """Return a state and all that it leads to."""
    found = {state}
    open_ = [state]
    while open_:
        for target in dfa.successors(open_.pop()):
            if target not in found:
                found.add(target)
                open_.append(target)
    charge_steps(len(found))
    return found


def never_dies(dfa: CharDfa, state: int) -> bool:
    """Return whether each character leads on from a state, and so forth, to a live one.

    So it is where a pattern may begin anywhere, as ``[Hh]otel`` does.
    """
    kinds, rows = frozenset(dfa.classes), dfa.rows
    seen, worklist = {state}, [state]
    for here in worklist:  # it grows meanwhile
        row = rows[here]
        if DEAD in row.values() or not (dfa.defaults[here] or kinds <= row.keys()):
            return False
        new = dfa.successors(here) - seen
        seen |= new
        worklist += new
    charge_steps(len(seen))
    return True


def _group_beginnings(
    character_trie: CharacterTrie, starts: Ints, classes: Ints
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


def matrix_of(dfa: CharDfa) -> Ints:
    """Return an automaton as an array: int32[n_states, n_classes]."""
    n_kinds = max(dfa.classes) + 1
    charge_steps(dfa.n_states)
    delta = np.repeat(np.array(dfa.defaults, dtype=np.int32)[:, None], n_kinds, axis=1)
    rows = list(dfa.rows)
    counts = list(map(len, rows))
    n_cells = sum(counts)
    kinds = np.fromiter(chain.from_iterable(rows), np.int32, n_cells)
    targets = np.fromiter(chain.from_iterable(row.values() for row in rows), np.int32, n_cells)
    states = np.arange(len(rows), dtype=np.int32).repeat(counts)
    is_there = kinds < n_kinds
    delta[states[is_there], kinds[is_there]] = targets[is_there]
    return delta
