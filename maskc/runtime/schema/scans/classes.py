"""What does a string do to a whole vocabulary, where its automaton takes many characters?

All texts are read at once, level by level of the trie of their characters, with arrays. A character
counts only by its class, so from a state on only the classes count that the automaton tells apart
there.

Most states of a pattern's automaton are left by few characters: after ``^[^,]*`` only a comma leads
on. So of each node of the trie we know which characters come below it, and where none of these
leads anywhere else, all texts below it end in the node's own state. What is looked at is where a
character moves the automaton, and what begins with it. For that characters are told apart in 128
groups: those of ASCII one by one, all others by script. A group in which some character moves a
state counts as if all did.

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does. From
the start of ``.*,.*`` the node ``ab`` is left alone if no text that begins so has a comma.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import AT_ONCE, spend
from maskc.runtime.schema.scans.scanned import Places, Scanned, number_keys, units_of
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled
from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

# Steps of a scan, and characters of it that are one step; and where they are first read.
_SCAN_STEPS, _NODES_AT_ONCE, _FIRST_AT_ONCE = 200, 64, 8
_MOST_CELLS = 1 << 16  # of an automaton of which we ask what it tells apart from a state on
_FEW_NODES = 12  # that are followed one by one
_N_GROUPS = 128
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
# Where scripts, or several of them, begin.
_SCRIPTS = [0x80, 0x100, 0x250, 0x370, 0x400, 0x530, 0x600, 0x900, 0xE00, 0x2000, 0x2010]
_SCRIPTS += [0x3000, 0x3040, 0x3100, 0x4E00, 0xA000, 0xAC00, 0xD800, 0xE000, 0x10000, 0x1F000]


class Subtrees(NamedTuple):
    """What comes below each node of a vocabulary's characters.

    Attributes:
        below: uint64[2, n], the groups of the characters that come below it, as bits.
        groups: intp[n_characters], of each character its group.
        cut: intp[n_cut], the items that end inside a character.
        closing: intp[n_closing], those that close a string.
        openings: int32[3, m], the ranges that beginnings can become: the first characters, the
            last, the beginnings by number, ascending.
    """

    below: NDArray[np.uint64]
    groups: Places
    cut: Places
    closing: Places
    openings: Ints


def subtrees_of(index: TokenIndex, spelled: Spelled) -> Subtrees:
    """Return them for what a vocabulary writes, made once: 20 ms for 128,000 tokens."""
    key = (Subtrees, spelled.minimal, spelled.before)
    found: Subtrees | None = index.shared.get(key)
    if found is None:
        spend(len(spelled.chars) // _FIRST_AT_ONCE)
        tables, groups = spelled.tables, _group(spelled.distinct)
        rows = [(low, high, n) for n, pairs in enumerate(spelled.ranges) for low, high in pairs]
        found = Subtrees(
            _join_below(spelled, groups),
            groups,
            np.flatnonzero(tables.begun),
            np.flatnonzero(tables.kinds == CLOSES),
            np.array(rows, dtype=np.int32).reshape(-1, 3).T,
        )
        index.shared.put(key, found, found.below.nbytes + 4 * spelled.n_items)
    return found


def _group(characters: Ints) -> Places:
    groups = np.where(characters < 0x80, characters, 0x7F).astype(np.intp)
    # Control characters but for these are rare, and their numbers are those of scripts.
    groups[(characters < 0x20) & ~np.isin(characters, (0x09, 0x0A, 0x0D))] = 0x7F
    numbers = [n for n in range(0x20) if n not in (0x09, 0x0A, 0x0D)]
    scripts = np.array([0x7F, *numbers[: len(_SCRIPTS)]], dtype=np.intp)
    others = characters >= 0x80
    groups[others] = scripts[np.searchsorted(_SCRIPTS, characters[others], side="right")]
    groups[np.isin(characters, _SPACES)] = numbers[len(_SCRIPTS)]
    return groups


def _join_below(spelled: Spelled, groups: Places) -> NDArray[np.uint64]:
    """Return uint64[2, n], the groups of the characters below each node, as bits."""
    levels, first = spelled.levels, spelled.tables.first
    own = np.zeros((2, len(spelled.chars)), dtype=np.uint64)
    of_node = groups[spelled.character_of]
    bits = np.left_shift(np.uint64(1), (of_node & 63).astype(np.uint64))
    own[of_node >> 6, np.arange(len(of_node))] = bits
    below = np.zeros_like(own)
    for start, stop in zip(levels[-3::-1], levels[-2:0:-1], strict=True):
        parents = start + np.flatnonzero(np.diff(first[start : stop + 1]))
        if len(parents):
            # The children of a level are the next level, in the order of their parents.
            begin, end = int(first[start]), int(first[stop])
            parts = (own[:, begin:end] | below[:, begin:end], first[parents] - begin)
            below[:, parents] = np.bitwise_or.reduceat(*parts, axis=1)
    return below


class Kinds:
    """A vocabulary's characters by class."""

    def __init__(
        self, index: TokenIndex, spelled: Spelled, starts: Sequence[int], classes: Ints
    ) -> None:
        ranges = np.array(starts, dtype=np.int32)
        kind_of = classes[np.searchsorted(ranges, spelled.distinct, side="right") - 1]
        self._of_character = kind_of.astype(np.min_scalar_type(int(classes.max())))
        self._spelled, self._units = spelled, units_of(index, spelled)
        self._subtrees = subtrees_of(index, spelled)
        # uint64[2, n_classes], of each class the groups that have some of its characters.
        is_there = np.zeros((int(kind_of.max()) + 1, _N_GROUPS), dtype=np.bool_)
        is_there[kind_of, self._subtrees.groups] = True
        self._turning = np.packbits(is_there, axis=1, bitorder="little").view("<u8").T
        # The sets of classes that a character left open can be of, and which each beginning has.
        openings = self._subtrees.openings
        groups = _group_openings(openings, len(spelled.ranges), ranges, classes)
        self._openings, self._opening_of = groups

    @property
    def n_bytes(self) -> int:
        return self._of_character.nbytes + self._opening_of.nbytes + 2_000

    def scan(self, delta: Ints, state: int) -> Scanned:
        """Return what an automaton does, int32[n_states, n_classes], from a state of it on."""
        # A state is where its row begins.
        shift = int(delta.shape[1]).bit_length()
        table = np.zeros((len(delta), 1 << shift), dtype=np.intp)
        table[:, : delta.shape[1]] = delta.astype(np.intp) << shift
        subtrees, turns = self._subtrees, turns_of(delta, self._turning)
        ends = self._walk(table.reshape(-1), shift, turns, state << shift)
        quotes = ends.take(self._units.quotes).astype(np.int32)
        sets, inside = self._end_inside(delta, ends.take(1 + subtrees.cut))
        ends[1 + subtrees.cut] = inside
        ends[1 + subtrees.closing] = 0
        return Scanned(self._units, ends, len(delta), sets, quotes)

    def _end_inside(
        self, delta: Ints, states: NDArray[np.integer]
    ) -> tuple[list[frozenset[int]], Places]:
        """Return sets of states, and to which of them texts lead that end inside a character."""
        n_states, openings = len(delta), self._openings
        begun = self._opening_of[self._spelled.tables.begun[self._subtrees.cut]]
        distinct, inverse = number_keys(begun * n_states + states)
        numbers: dict[frozenset[int], int] = {}
        of_key = np.zeros(len(distinct), dtype=np.intp)
        for n, key in enumerate(distinct.tolist()):
            row = delta[key % n_states].take(openings[key // n_states])
            targets = frozenset(row.tolist()) - {0}
            of_key[n] = numbers.setdefault(targets, len(numbers))
        return list(numbers), n_states + of_key[inverse]

    def _walk(
        self, rows: Places, shift: int, turns: NDArray[np.uint64], start: int
    ) -> NDArray[np.unsignedinteger]:
        """Return of each unit the state that its characters lead to; 0: dead.

        Args:
            rows: the automaton, of which a state is where its row begins.
            shift: of a state's number, to where that is.
            turns: uint64[2, n_states], of each state the groups of characters that may move it.
            start: the state before them, as ``rows`` has it.
        """
        spelled, of_character = self._spelled, self._of_character
        if not spelled.n_items:
            return np.zeros(1, dtype=np.uint8)
        first, low, characters = spelled.tables.first, spelled.tables.low, spelled.character_of
        (one, other), (one_below, other_below) = turns, self._subtrees.below
        # Of the nodes of a level that are reached, level by level: where their items begin, and the
        # state. The children of one that was gone on from have all of its items but its own.
        lows = [low[:1]]
        states = [np.array([start], dtype=np.intp)]
        live, here = np.zeros(1, dtype=np.intp), states[0]
        while len(live):
            begin = first.take(live)
            counts = first.take(live + 1) - begin
            ends = counts.cumsum()
            if ends[-1] <= _FEW_NODES:
                live, here = self._follow_few(rows, shift, turns, (live, here), (lows, states))
                continue
            children = np.arange(int(ends[-1])) + (begin - ends + counts).repeat(counts)
            cells = here.repeat(counts)
            cells += of_character.take(characters.take(children))
            # No cell is outside; without a mode NumPy would go through a buffer.
            after = rows.take(cells, mode="clip")
            lows.append(low.take(children))
            states.append(after)
            lives = after.nonzero()[0]
            live, here = children.take(lives), after.take(lives)
            numbers = here >> shift
            moved = one.take(numbers) & one_below.take(live)
            moved |= other.take(numbers) & other_below.take(live)
            turned = moved.nonzero()[0]
            live, here = live.take(turned), here.take(turned)
        all_after = np.concatenate(states) >> shift
        most = len(turns[0]) + len(self._subtrees.cut)
        return _spread(np.concatenate(lows), all_after, spelled.n_items, most)

    def _follow_few(
        self,
        rows: Places,
        shift: int,
        turns: NDArray[np.uint64],
        level: tuple[Places, Places],
        found: tuple[list[Ints], list[Places]],
    ) -> tuple[Places, Places]:
        """Follow few nodes one by one, mostly runs of one character, until none or many are left.

        What is reached of a level is added to what is found: where items begin, and states.
        """
        spelled, of, moves = self._spelled, self._of_character.data, rows.data
        first, low, characters = spelled.first, spelled.low, spelled.character_of.data
        turn, below = turns.data, self._subtrees.below.data
        lows: list[int] = []
        states: list[int] = []
        pairs = list(zip(level[0].tolist(), level[1].tolist(), strict=True))
        n_children = 0
        while pairs and n_children <= _FEW_NODES:
            after: list[tuple[int, int]] = []
            n_children = 0
            for node, state in pairs:
                for child in range(first[node], first[node + 1]):
                    target = moves[state + of[characters[child]]]
                    lows.append(low[child])
                    states.append(target)
                    at = target >> shift
                    if target and (turn[0, at] & below[0, child] or turn[1, at] & below[1, child]):
                        after.append((child, target))
                        n_children += first[child + 1] - first[child]
            pairs = after
        found[0].append(np.array(lows, dtype=np.int32))
        found[1].append(np.array(states, dtype=np.intp))
        nodes, here = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return nodes, here


def turns_of(delta: Ints, turning: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return uint64[2, n_states], of each state the groups of characters that may move it."""
    found = np.zeros((2, len(delta)), dtype=np.uint64)
    states = np.arange(len(delta), dtype=delta.dtype)
    for kind in range(turning.shape[1]):
        moves = delta[:, kind] != states
        found[:, moves] |= turning[:, kind : kind + 1]
    return found


def _spread(lows: Ints, states: Places, n_items: int, most: int) -> NDArray[np.unsignedinteger]:
    """Return the states of all units from where the items of nodes begin, inner nodes last."""
    # Sorting them takes longer. What is written last to a place is the innermost node there.
    last, is_begin = np.empty(n_items, dtype=np.int32), np.zeros(n_items, dtype=np.bool_)
    last[lows] = np.arange(len(lows), dtype=np.int32)
    is_begin[lows] = True
    begin = is_begin.nonzero()[0]
    counts = np.empty(1 + len(begin), dtype=np.intp)
    counts[0] = 1  # the unit of tokens of no string
    np.subtract(begin[1:], begin[:-1], out=counts[1:-1])
    counts[-1] = n_items - begin[-1]
    ends = np.zeros(1 + len(begin), dtype=np.min_scalar_type(most))
    ends[1:] = states.take(last.take(begin))
    return ends.repeat(counts)


def scan_all(index: TokenIndex, spelled: Spelled, dfa: CharDfa, delta: Ints, state: int) -> Scanned:
    """Return what an automaton, as :func:`matrix_of` has it too, does to a whole vocabulary."""
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
    return all(
        DEAD not in rows[here].values() and (dfa.defaults[here] or kinds <= rows[here].keys())
        for here in reachable(dfa, state)
    )


def _group_openings(
    openings: Ints, n_begun: int, starts: Ints, classes: Ints
) -> tuple[list[tuple[int, ...]], Places]:
    """Return the sets of classes that beginnings of characters can be of, and which each has."""
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
