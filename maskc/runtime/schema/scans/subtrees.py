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
from maskc.runtime.schema.scans.scanned import Places, Units
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

_N_GROUPS = 128
_NODES_AT_ONCE = 8  # that are one step where the vocabulary is read once for all
_MOST_REACHED = 10  # nodes of the trie to each that may be looked at
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
# Where scripts, or several of them, begin.
_SCRIPTS = [0x80, 0x100, 0x250, 0x370, 0x400, 0x530, 0x600, 0x900, 0xE00, 0x2000, 0x2010]
_SCRIPTS += [0x3000, 0x3040, 0x3100, 0x4E00, 0xA000, 0xAC00, 0xD800, 0xE000, 0x10000, 0x1F000]


class Subtrees(NamedTuple):
    """The trie of a vocabulary's characters, with what comes below each node.

    An item is a unit, see :class:`maskc.runtime.schema.scans.scanned.Units`, by its number plus 1.

    Attributes:
        first: int32[n + 1], a node's children are those from its own to the next one's.
        low: int32[n], the first item below it; its own come first.
        characters: int32[n], its last character, by place in ``Spelled.distinct``.
        below: uint64[2, n], the groups of the characters that come below it, as bits.
        groups: intp[n_characters], of each character its group.
        n_items: how many there are.
        cut_units: intp[n_cut], those that end inside a character.
        cut_begun: what each of these has read of it, by number.
        closing_units: intp[n_closing], those that close a string.
        quote_units: intp[n_quotes], of each token that closes a string its unit.
        units: the items as units.
    """

    first: Ints
    low: Ints
    characters: Ints
    below: NDArray[np.uint64]
    groups: Places
    n_items: int
    cut_units: Places
    cut_begun: NDArray[np.integer]
    closing_units: Places
    quote_units: Places
    units: Units


def subtrees_of(index: TokenIndex, spelled: Spelled) -> Subtrees:
    """Return the same for a whole vocabulary, which is made once."""
    key = (Subtrees, spelled.minimal)
    found: Subtrees | None = index.shared.get(key)
    if found is None:
        found = _make(index, spelled)
        spend(len(spelled.chars) // _NODES_AT_ONCE)
        # It takes nine megabytes with 128,000 tokens, and a hundredth of a second to make.
        index.shared.keep(key, found)
    return found


def _make(index: TokenIndex, spelled: Spelled) -> Subtrees:
    tables, levels = spelled.tables, spelled.levels
    kinds, places, owners = tables.kinds, tables.places, spelled.owners.astype(np.intp)
    groups = _group(spelled.distinct)
    closing = np.flatnonzero(kinds == CLOSES)
    cut = np.flatnonzero((tables.begun > 0) & (kinds != CLOSES))
    run, rows = index.quotes_below(places[closing])
    lengths = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
    ids = np.full(1 + len(kinds), -1, dtype=np.int32)
    inside = np.flatnonzero(kinds != CLOSES)
    ids[1 + inside] = index.order[places[inside]]
    unit_of = np.zeros(index.n_words * 32, dtype=np.intp)
    unit_of[ids[1 + inside]] = 1 + inside
    sizes = np.zeros(1 + len(kinds), dtype=np.uint16)
    sizes[1:] = lengths[owners]
    sizes[1 + cut] += 1
    units = Units(
        unit_of,
        sizes,
        index.quote_places[rows],
        index.quote_rests[rows],
        lengths[owners[closing]][run],
        ids,
    )
    return Subtrees(
        tables.first,
        tables.low,
        spelled.character_of,
        _join_below(spelled, groups),
        groups,
        len(kinds),
        1 + cut,
        tables.begun[cut],
        1 + closing,
        1 + closing[run],
        units,
    )


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


class Walk:
    """What an automaton does to the items of a vocabulary.

    Args:
        subtrees: of the vocabulary.
        of_character: of each of its characters the class.
        rows: the automaton, of which a state is where its row begins.
        shift: of a state's number, to where that is.
        turns: uint64[2, n_states], of each state the groups of characters that may move it.
    """

    def __init__(
        self,
        subtrees: Subtrees,
        of_character: NDArray[np.integer],
        rows: Places,
        shift: int,
        turns: NDArray[np.uint64],
    ) -> None:
        self._subtrees, self._of_character = subtrees, of_character
        self._rows, self._shift, self._turns = rows, shift, turns

    def run(self, start: int) -> NDArray[np.unsignedinteger] | None:
        """Return of each unit the state that it leads to; ``None`` if it looks at too much.

        Args:
            start: the state before them, as ``rows`` has it.
        """
        subtrees, rows, shift = self._subtrees, self._rows, self._shift
        first, characters, of_character = subtrees.first, subtrees.characters, self._of_character
        (one, other), (one_below, other_below) = self._turns, subtrees.below
        left = len(subtrees.low) // _MOST_REACHED
        # Of the nodes of a level that are reached, level by level: where their items begin, and
        # the state. The children of one that was gone on from have all of its items but its own.
        lows = [subtrees.low[:1]]
        states = [np.array([start], dtype=np.intp)]
        live, here = np.zeros(1, dtype=np.intp), states[0]
        while len(live):
            begin = first.take(live)
            counts = first.take(live + 1) - begin
            ends = counts.cumsum()
            total = int(ends[-1])
            left -= total
            if left < 0:
                return None
            children = np.arange(total) + (begin - ends + counts).repeat(counts)
            cells = here.repeat(counts)
            cells += of_character.take(characters.take(children))
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
        return self._spread(np.concatenate(lows), np.concatenate(states))

    def _spread(self, lows: Ints, states: Places) -> NDArray[np.unsignedinteger]:
        """Return the states of all units, of which runs begin with nodes, inner ones last."""
        # Sorting them takes longer. What is written last to a place is the innermost node there.
        last = np.zeros(self._subtrees.n_items, dtype=np.int32)
        last[lows] = np.arange(len(lows), dtype=np.int32) + 1
        begin = last.nonzero()[0]
        found = states.take(last.take(begin) - 1) >> self._shift
        counts = np.empty(1 + len(begin), dtype=np.intp)
        counts[0] = 1  # the unit of tokens of no string
        np.subtract(begin[1:], begin[:-1], out=counts[1:-1])
        counts[-1] = self._subtrees.n_items - begin[-1]
        # Narrow, as there are 128,000; with room for the sets of states that ends inside lead to.
        most = len(self._turns[0]) + len(self._subtrees.cut_units)
        ends = np.zeros(1 + len(begin), dtype=np.min_scalar_type(most))
        ends[1:] = found
        return ends.repeat(counts)
