"""Walks a trie of classes by an automaton that takes many characters.

All texts are read at once, level by level of a trie of classes of characters
(:mod:`maskc.runtime.schema.scans.class_tries`), with arrays.

Most states of a pattern's automaton are left by few characters: after ``^[^,]*`` only a comma leads
on. So what is looked at is where a character moves the automaton, and what begins with it. A group
of characters in which some character moves a state counts as if all did. Where that is much of the
trie, all of it is read, in the order in which it lies: a node then takes a tenth of the time.

Example: for ``^[a-z]+$`` every token of three small letters stays, and none with a digit does. From
the start of ``.*,.*`` the node ``ab`` is left alone if no text that begins so has a comma.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.schema.scans.class_tries import Bits, Bools, ClassTrie, Indices
from maskc.runtime.schema.strings.characters import DEAD
from maskc.runtime.schema.tries import Ints

FEWER: Final = 5  # so many times fewer units than there are, which are listed
# So many times fewer nodes than a trie has are looked up; more take longer than all in order.
_FEW = 16
# Nodes that are looked at one by one; and of a trie of which all are quickly read at once.
_FEW_FOLLOWED, _FEWER_FOLLOWED = 300, 64
_SMALL = 1 << 13  # nodes of a trie of which all are read at once, if not only a few are reached
_LEVELS_AT_ONCE: Final = 8  # after which it is looked whether all states are dead


_Cells = NDArray[np.unsignedinteger]


class _Followed(NamedTuple):
    """Nodes that were reached, level by level; those of the last one are open."""

    nodes: list[int]
    states: list[int]
    goes_on: list[bool]  # of each whether something below it may move its state
    open: list[int]  # those from which to go on, by index


class ClassTable(NamedTuple):
    """An automaton as a walk needs it; a state is where its row begins."""

    # Narrow numbers take a third of the time of wide ones.
    cells: _Cells  # one row after the other
    shift: int  # of a state's number, to where that is
    turns: Bits  # uint64[n_states], of each state the groups of characters that may move it


def tabulate(delta: NDArray[np.unsignedinteger], turning: Bits) -> ClassTable:
    """Return an automaton as a walk needs it.

    Args:
        delta: [n_states, n_classes], the next state.
        turning: uint64[n_classes], of each class the groups that have some of its characters.
    """
    n_states, n_classes = delta.shape
    shift = int(n_classes).bit_length()
    cells = np.zeros((n_states, 1 << shift), dtype=np.min_scalar_type(n_states << shift))
    cells[:, :n_classes] = delta
    cells <<= shift
    return ClassTable(cells.reshape(-1), shift, turns_of(delta, turning))


class ClassWalk:
    """Walks a trie of classes by automata whose characters are of the same classes.

    Args:
        trie: the trie.
        of_symbol: of each of its symbols the class.
    """

    def __init__(self, trie: ClassTrie, of_symbol: NDArray[np.unsignedinteger]) -> None:
        self._trie, self._of_symbol = trie, of_symbol

    def run(self, table: ClassTable, start: int) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return of each unit the state that its characters lead to; 0: dead.

        If few are not dead, these are returned, too.

        Args:
            table: the automaton.
            start: the state before them.
        """
        rows, shift, turns, trie = table.cells, table.shift, table.turns, self._trie
        start <<= shift
        if not len(trie.units.sizes) - 1:
            return np.zeros(1, dtype=np.uint8), None
        most = len(turns) + len(trie.cut)
        seen = self._follow_few(table, start)
        if seen.open and len(trie.low) <= _SMALL:
            return self._follow_all(table, start, most)
        of_symbol, n_left = self._of_symbol.astype(rows.dtype), len(trie.low) // _FEW
        first, last, symbols, below = trie.first, trie.first[1:], trie.symbol_of, trie.below
        # The nodes of a level that are reached, level by level, and their states. The children of
        # one that was gone on from have all of its units but its own.
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
                return self._follow_all(table, start, most)
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
        """Return what :meth:`run` does, of the nodes that it has reached.

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

    def _follow_few(self, table: ClassTable, start: int) -> _Followed:
        """Return what :meth:`run` reaches in its first levels, as long as these are few nodes."""
        rows, shift, turns = table.cells, table.shift, table.turns
        # A level takes 15 to 20 microseconds with arrays, and a node a seventh of one here.
        trie = self._trie
        first, symbols, below = trie.first.data, trie.symbol_of.data, trie.below.data
        kinds, cells, moves = self._of_symbol.data, rows.data, turns.data
        nodes, states, goes_on = [0], [start], [first[0] < first[1]]
        open_ = [0] if goes_on[0] else []
        n_left = _FEW_FOLLOWED if len(trie.low) > _SMALL else _FEWER_FOLLOWED
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
        self, table: ClassTable, start: int, most: int
    ) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return the same from the states of all nodes, which are whole levels of arrays."""
        trie, rows = self._trie, table.cells
        kinds, parents = self._of_symbol.astype(rows.dtype), trie.parents
        # No index is outside; without a mode each is looked at.
        if len(rows) >> table.shift == 2:  # one live state, as of [a-z]*, which is state 1
            alive = (rows.take(start + kinds) != DEAD).take(trie.symbol_of, mode="clip")
            alive[0] = True
            for begin, end in pairwise(trie.levels[1:]):
                alive[begin:end] &= alive.take(parents[begin:end], mode="clip")
            return self._unite_ends(alive, most)
        symbols = kinds.take(trie.symbol_of, mode="clip")
        states = np.zeros(len(symbols), dtype=rows.dtype)
        states[0] = start
        for n, (begin, end) in enumerate(pairwise(trie.levels[1:]), 1):
            cells = states.take(parents[begin:end], mode="clip")
            cells += symbols[begin:end]
            rows.take(cells, out=states[begin:end], mode="clip")
            # Tokens of a hundred characters are mostly white space or one sign again and again.
            if not n % _LEVELS_AT_ONCE and not states[begin:end].any():
                break
        states >>= table.shift
        return self._unite_ends(states, most)

    def _unite_ends(
        self, states: NDArray[np.generic], most: int
    ) -> tuple[NDArray[np.unsignedinteger], Ints | None]:
        """Return what :meth:`run` does, from the states of all nodes."""
        owners = self._trie.owners
        ends = np.zeros(1 + len(owners), dtype=np.min_scalar_type(most))
        ends[1:] = states.take(owners, mode="clip")
        is_few = np.count_nonzero(ends) * FEWER <= len(ends)
        return ends, ends.nonzero()[0].astype(np.int32) if is_few else None


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
