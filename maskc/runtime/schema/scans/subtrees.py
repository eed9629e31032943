"""Which tokens does an automaton not move, whatever they write?

Most states of a pattern's automaton are left by few characters: after ``^[^,]*`` only a comma leads
on. So of each node of the trie of characters we know which characters come below it, and where none
of these leads anywhere else, all texts below it end in the node's own state. What is looked at is
where a character moves the automaton, and what begins with it.

Characters are told apart in 128 groups: those of ASCII one by one, all others by script. A group in
which some character moves a state counts as if all did.

Example: from the start of ``.*,.*`` the node ``ab`` is left alone if no text that begins so has a
comma.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.schema.scans.scanned import Places
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

_N_GROUPS = 128
_FEW_NODES = 12  # that are followed one by one
_NODES_AT_ONCE = 8  # that are one step where the vocabulary is read once for all
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
# Where scripts, or several of them, begin.
_SCRIPTS = [0x80, 0x100, 0x250, 0x370, 0x400, 0x530, 0x600, 0x900, 0xE00, 0x2000, 0x2010]
_SCRIPTS += [0x3000, 0x3040, 0x3100, 0x4E00, 0xA000, 0xAC00, 0xD800, 0xE000, 0x10000, 0x1F000]


class Subtrees(NamedTuple):
    """What comes below each node of a vocabulary's characters.

    Attributes:
        first: int32[n + 1], a node's children are those from its own to the next one's.
        low: int32[n], the first item below it; its own come first.
        characters: int32[n], its last character, by place in ``Spelled.distinct``.
        below: uint64[2, n], the groups of the characters that come below it, as bits.
        groups: intp[n_characters], of each character its group.
        cut_units: intp[n_cut], the units that end inside a character.
        cut_begun: what each of these has read of it, by number.
        closing_units: intp[n_closing], those that close a string.
        n_items: how many items there are.
        openings: int32[3, m], the ranges that beginnings can become: the first characters, the
            last, the beginnings by number, ascending.
    """

    first: Ints
    low: Ints
    characters: Ints
    below: NDArray[np.uint64]
    groups: Places
    cut_units: Places
    cut_begun: NDArray[np.integer]
    closing_units: Places
    n_items: int
    openings: Ints


def subtrees_of(index: TokenIndex, spelled: Spelled) -> Subtrees:
    """Return them for what a vocabulary writes, made once: 20 ms for 128,000 tokens."""
    key = (Subtrees, spelled.minimal, spelled.before)
    found: Subtrees | None = index.shared.get(key)
    if found is None:
        spend(len(spelled.chars) // _NODES_AT_ONCE)
        tables, groups = spelled.tables, _group(spelled.distinct)
        cut = np.flatnonzero(tables.begun)
        rows = [(low, high, n) for n, pairs in enumerate(spelled.ranges) for low, high in pairs]
        found = Subtrees(
            tables.first,
            tables.low,
            spelled.character_of,
            _join_below(spelled, groups),
            groups,
            1 + cut,
            tables.begun[cut],
            1 + np.flatnonzero(tables.kinds == CLOSES),
            spelled.n_items,
            np.array(rows, dtype=np.int32).reshape(-1, 3).T,
        )
        index.shared.put(key, found, found.below.nbytes + 8 * spelled.n_items)
    return found


def _group(characters: Ints) -> Places:
    """Return the groups of some characters."""
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


def turning_of(subtrees: Subtrees, kind_of: Ints) -> NDArray[np.uint64]:
    """Return uint64[2, n_classes], of each class the groups that have some of its characters.

    Args:
        subtrees: of the vocabulary.
        kind_of: of each character its class.
    """
    n_classes = int(kind_of.max()) + 1
    is_there = np.zeros((n_classes, _N_GROUPS), dtype=np.bool_)
    is_there[kind_of, subtrees.groups] = True
    return np.packbits(is_there, axis=1, bitorder="little").view("<u8").T


def turns_of(delta: Ints, turning: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return uint64[2, n_states], of each state the groups of characters that may move it.

    Args:
        delta: int32[n_states, n_classes], the automaton.
        turning: of each class its groups.
    """
    found = np.zeros((2, len(delta)), dtype=np.uint64)
    states = np.arange(len(delta), dtype=delta.dtype)
    for kind in range(turning.shape[1]):
        moves = delta[:, kind] != states
        found[:, moves] |= turning[:, kind : kind + 1]
    return found


def walk(
    subtrees: Subtrees,
    of_character: NDArray[np.integer],
    rows: Places,
    shift: int,
    turns: NDArray[np.uint64],
    start: int,
) -> NDArray[np.unsignedinteger]:
    """Return of each unit the state that its characters lead to; 0: dead.

    Args:
        subtrees: of the vocabulary.
        of_character: of each of its characters the class.
        rows: the automaton, of which a state is where its row begins.
        shift: of a state's number, to where that is.
        turns: uint64[2, n_states], of each state the groups of characters that may move it.
        start: the state before them, as ``rows`` has it.
    """
    if not subtrees.n_items:
        return np.zeros(1, dtype=np.uint8)
    first, characters = subtrees.first, subtrees.characters
    (one, other), (one_below, other_below) = turns, subtrees.below
    # Of the nodes of a level that are reached, level by level: where their items begin, and the
    # state. The children of one that was gone on from have all of its items but its own.
    lows = [subtrees.low[:1]]
    states = [np.array([start], dtype=np.intp)]
    live, here = np.zeros(1, dtype=np.intp), states[0]
    while len(live):
        begin = first.take(live)
        counts = first.take(live + 1) - begin
        ends = counts.cumsum()
        if ends[-1] <= _FEW_NODES:
            live, here = _follow_few(
                subtrees, of_character, rows, shift, turns, (live, here), (lows, states)
            )
            continue
        children = np.arange(int(ends[-1])) + (begin - ends + counts).repeat(counts)
        cells = here.repeat(counts)
        cells += of_character.take(characters.take(children))
        # No cell is outside; without a mode NumPy would go through a buffer.
        after = rows.take(cells, mode="clip")
        lows.append(subtrees.low.take(children))
        states.append(after)
        lives = after.nonzero()[0]
        live, here = children.take(lives), after.take(lives)
        numbers = here >> shift
        moved = one.take(numbers) & one_below.take(live)
        moved |= other.take(numbers) & other_below.take(live)
        turned = moved.nonzero()[0]
        live, here = live.take(turned), here.take(turned)
    most = len(turns[0]) + len(subtrees.cut_units)
    return _spread(np.concatenate(lows), np.concatenate(states) >> shift, subtrees.n_items, most)


def _follow_few(
    subtrees: Subtrees,
    of_character: NDArray[np.integer],
    rows: Places,
    shift: int,
    turns: NDArray[np.uint64],
    level: tuple[Places, Places],
    found: tuple[list[Ints], list[Places]],
) -> tuple[Places, Places]:
    """Follow few nodes one by one, mostly runs of one character, until none or many are left.

    Args:
        subtrees, of_character, rows, shift, turns: as :func:`walk` has them.
        level: the nodes with their states.
        found: where the items of nodes begin, and the states, to which what is reached is added.
    """
    first, characters, low = subtrees.first.data, subtrees.characters.data, subtrees.low.data
    of, moves, turn, below = of_character.data, rows.data, turns.data, subtrees.below.data
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


def _spread(lows: Ints, states: Places, n_items: int, most: int) -> NDArray[np.unsignedinteger]:
    """Return the states of all units, of which runs begin with nodes, inner ones last.

    Args:
        lows: where the items below each node begin.
        states: of the nodes.
        n_items: how many items there are.
        most: the greatest number that a unit may get, as some get sets of states.
    """
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
