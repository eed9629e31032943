r"""What a loop reads of a vocabulary, and how often each text passes.

Below a node of the trie, each node at which an automaton is still in the loop's component has one
control state and a number of passes. The first nodes at which it is no longer there are left to the
caller. Both are worked out once for a component and a node, for all automata and all links of a
tokenizer, whatever the loop's bounds and counts are.

What leaves a counted loop is worked out once as well: in ``\w{1,50}\W{1,50}`` nearly every token
that has a letter and then another character leaves the first loop, and where they lead from there
does not depend on how often it has passed. Each token and each node behind the loop is noted with
the passes before: a state with a count takes those that make no more than it allows, and no fewer
than it demands.

Example: below the root, ``[a-z]{1,80}`` is inside of its component at ``ab`` and has left it at
``ab1``; it passes three times in ``abc``, so it is read after 77 letters and not after 78.

``.*word`` loops on all characters but ``w`` and the line break, and ``[^"]*"`` on all but the
quote. Such components lack some characters of ASCII, by which they are left. So one of them is read
that lacks none, and each other reads what it reads before the first of the characters that this one
lacks: that takes a fourth of the time. So ``[^x]*`` reads of ``ab``, ``axb`` and ``x`` the token
``ab`` alone, and is left by ``x`` at the beginning and after ``a``.

The invariant of the walk: a level holds the nodes of its depth that are inside of the component,
ascending, each with the number of its control state, counted from 1, and with its passes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.link.automata import ByteAutomaton
from maskc.runtime.link.automata.loops import (
    LEFT,
    MOST_PASSES,
    N_ASCII,
    Component,
    ComponentReading,
    Loop,
    Onward,
    Passes,
    count_up_to,
    fill_in,
    going_on,
    list_ending,
)
from maskc.runtime.schema.tries import ROOT, Ints, TokenIndex, Trie
from maskc.runtime.step_budget import AT_ONCE, charge_steps

_KEY = "loop"
# Steps of a level of a walk, and nodes of it that are one step more.
LEVEL, NODES_AT_ONCE = 40, 10

_NO_NODES: Ints = np.zeros(0, dtype=np.int32)
_NO_PASSES: Passes = np.zeros(0, dtype=np.uint16)
# Of a level: nodes, the number of their control state, and passes.
_Inside = tuple[Ints, NDArray[np.uint8], Passes]
# Nodes, 256 times the number of the control state before them and the byte, and passes before it.
_Exits = tuple[Ints, NDArray[np.uint16], Passes]
_NOTHING_INSIDE: _Inside = (_NO_NODES, np.zeros(0, dtype=np.uint8), _NO_PASSES)
_NO_EXIT: _Exits = (_NO_NODES, _NO_PASSES, _NO_PASSES)


class LoopReader:
    """Reads the trie of a vocabulary's tokens; what is worked out is kept with the vocabulary."""

    def __init__(self, index: TokenIndex) -> None:
        self.index = index

    def read(self, component: Component, node: int) -> ComponentReading:
        """Return what the component reads below a node, from its first control state."""
        key = (_KEY, node, component.key)
        found: ComponentReading | None = self.index.shared.get(key)
        if found is None:
            filled = fill_in(component) if node == ROOT else None
            if filled is None:
                found = self._read(component, node)
            else:
                found = _cut_short(self.index, component, self.read(filled, ROOT))
            n_bytes = 6 * (len(found.text_indices) + len(found.inside)) + 14 * len(found.left)
            self.index.shared.put(key, found, n_bytes + len(component.key) + 10_000)
        return found

    def passes_of(self, component: Component) -> Passes:
        """Return uint16[n], the passes of each token by text index; ``MOST_PASSES``: not read."""
        key = (_KEY, "passes", component.key)
        found: Passes | None = self.index.shared.get(key)
        if found is None:
            reading = self.read(component, ROOT)
            found = np.full(len(self.index.order), MOST_PASSES, dtype=np.uint16)
            found[reading.text_indices] = reading.text_passes
            self.index.shared.put(key, found, found.nbytes + len(component.key) + 1_000)
        return found

    def ends(self, loop: Loop, onward: Onward) -> tuple[Ints, Passes]:
        """Return :meth:`ComponentReading.ends` below the root."""
        component = loop.component
        key = (_KEY, loop.list_ends(), onward.bytes, component.key)
        found: tuple[Ints, Passes] | None = self.index.shared.get(key)
        if found is None:
            found = self.read(component, ROOT).ends(loop, onward)
            self.index.shared.put(key, found, 6 * len(found[0]) + len(component.key) + 1_000)
        return found

    def follow(
        self, automaton: ByteAutomaton[Any], loop: Loop, onward: Onward, low: int, high: int
    ) -> tuple[Ints, Ints]:
        """Return what is read after a loop that passed from ``low`` to ``high`` times.

        These are the text indices of tokens, and the nodes after which texts go on where the piece
        may end.
        """
        key = (_KEY, "exits", onward.bytes, loop.key)
        found: LoopExits | None = self.index.shared.get(key)
        if found is None:
            reading = self.read(loop.component, ROOT)
            found = _read_exits(automaton, loop, reading, self.index.tokens, onward)
            n_bytes = 6 * (len(found.text_indices) + len(found.nodes))
            self.index.shared.put(key, found, n_bytes + 1_000)
        return (
            _within(found.text_indices, found.text_passes, low, high),
            _within(found.nodes, found.node_passes, low, high),
        )

    def leave_out(self, reading: ComponentReading, children: Iterable[int]) -> ComponentReading:
        """Return a reading without what is at and below some children of its node."""
        trie, index = self.index.tokens, self.index
        is_out = np.zeros(len(trie.texts) + 1, dtype=np.bool_)
        for node in children:
            is_out[trie.low[node] : trie.high[node]] = True
        row = reading.row
        if row is not None:
            row = index.clear_bits(row, index.order[np.flatnonzero(is_out)])
        # Below the node, a node is at or below a child if its first text is.
        read = ~is_out[reading.text_indices]
        inside = ~is_out[trie.low_array[reading.inside]]
        left = ~is_out[trie.low_array[reading.left]]
        return ComponentReading(
            row,
            reading.text_indices[read],
            reading.text_passes[read],
            reading.inside[inside],
            reading.inside_states[inside],
            reading.inside_passes[inside],
            reading.left[left],
            reading.left_by[left],
            reading.left_passes[left],
        )

    def _read(self, component: Component, node: int) -> ComponentReading:
        # What is found level by level, after a first one with nothing.
        trie, inside, exits = self.index.tokens, [_NOTHING_INSIDE], [_NO_EXIT]
        # The control state that a byte leads to, and above it the step: one look-up for both.
        cells = (component.table + (component.passes.astype(np.uint16) << 8)).reshape(-1)
        # What is out of the component stays out.
        cells = np.concatenate([np.zeros(256, dtype=np.uint16), cells])
        leaves = np.concatenate([np.zeros(256, dtype=np.bool_), component.leaves.reshape(-1)])
        leads_out = bool(leaves.any())
        nodes, parents = np.array([node], dtype=np.int32), trie.parent_array
        above, passed = np.ones(1, dtype=np.uint16), np.zeros(1, dtype=np.uint16)
        while len(nodes):
            low, high = int(nodes[0]), int(nodes[-1]) + 1
            if 2 * len(nodes) > high - low:
                # Most of the level: all children are a slice, and 0 is out of the component.
                first, last = trie.first[low], trie.first[high]
                run = np.subtract(parents[first:last], low, dtype=np.intp)
                keys = _among(nodes - low, above, high - low).take(run)
                passes = _among(nodes - low, passed, high - low).take(run)
                children = np.arange(first, last, dtype=np.int32)
                bytes_ = trie.byte_array[first:last]
            else:
                run, children = trie.children_of(nodes)
                keys, passes = above.take(run), passed.take(run)
                bytes_ = trie.byte_array.take(children)
            charge_steps(1 + len(children) // AT_ONCE)
            keys <<= 8
            keys += bytes_
            if leads_out:
                left = leaves.take(keys).nonzero()[0]
                entered = (keys.take(left) - 256).astype(np.uint16)
                exits.append((children.take(left), entered, passes.take(left)))
            cell = cells.take(keys)
            stays = (cell & 0xFF).nonzero()[0]
            nodes, above = children.take(stays), cell.take(stays)
            passed = passes.take(stays)
            passed += above >> 8
            above &= 0xFF
            inside.append((nodes, above.astype(np.uint8), passed))
        return self._pack(component, node, inside, exits)

    def _pack(
        self, component: Component, node: int, inside: list[_Inside], exits: list[_Exits]
    ) -> ComponentReading:
        """Return the reading of what each level has."""
        index, trie = self.index, self.index.tokens
        nodes, numbers, passes = map(np.concatenate, zip(*inside, strict=True))
        text_indices, at = list_ending(trie, nodes)
        to_end = np.array([0, *component.to_end], dtype=np.uint16)
        text_passes = passes.take(at) + to_end.take(numbers.take(at))
        by_passes = np.argsort(text_passes, kind="stable")
        text_indices, text_passes = text_indices.take(by_passes), text_passes.take(by_passes)
        goes_on = going_on(trie, nodes).nonzero()[0]
        left, keys, left_passes = map(np.concatenate, zip(*exits, strict=True))
        # Two sorts of narrow numbers take less time than one by pairs.
        by_key = np.argsort(left_passes, kind="stable")
        by_key = by_key[np.argsort(keys[by_key], kind="stable")]
        return ComponentReading(
            index.pack(index.order.take(text_indices)) if node == ROOT else None,
            text_indices,
            text_passes,
            nodes.take(goes_on).astype(np.int32),
            numbers.take(goes_on),
            passes.take(goes_on),
            left.take(by_key).astype(np.int32),
            keys.take(by_key),
            left_passes.take(by_key),
        )


def _among(indices: Ints, values: Passes, size: int) -> Passes:
    found = np.zeros(size, dtype=np.uint16)
    found[indices] = values
    return found


def go_down(
    automaton: ByteAutomaton[Any], trie: Trie, nodes: Ints, states: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return what is read one byte further: at which of the nodes, the child, the state there."""
    above, children = trie.children_of(nodes)
    charge_steps(LEVEL + len(children) // NODES_AT_ONCE)
    after = automaton.step_all(states[above], trie.byte_array[children])
    alive = np.flatnonzero(after >= 0)
    return above[alive], children[alive], after[alive]


class LoopExits(NamedTuple):
    """What is read from where a loop is left, however often it has passed."""

    # int32[n], tokens by text index, in the order of their passes; one may be there several times
    text_indices: Ints
    text_passes: Passes  # uint16[n], the passes of each before the loop was left
    nodes: Ints  # int32[n], from which texts go on and where the piece may end, likewise
    node_passes: Passes  # uint16[n], of each of them


def _within(found: Ints, passes: Passes, low: int, high: int) -> Ints:
    first = count_up_to(passes, low - 1) if low else 0
    return found[first : count_up_to(passes, high)]


def _read_exits(
    automaton: ByteAutomaton[Any], loop: Loop, reading: ComponentReading, trie: Trie, onward: Onward
) -> LoopExits:
    nodes, states, passes = _list_left(loop, reading)
    text_indices, text_passes = [nodes[:0]], [passes[:0]]
    exits, exit_passes = [nodes[:0]], [passes[:0]]
    while len(nodes):
        ending, at = list_ending(trie, nodes)
        text_indices.append(ending)
        text_passes.append(passes[at])
        goes_on = going_on(trie, nodes)
        nodes, states, passes = nodes[goes_on], states[goes_on], passes[goes_on]
        is_exit = np.flatnonzero(automaton.know_all()[0][states])
        is_exit = is_exit[onward.are(nodes[is_exit])]
        exits.append(nodes[is_exit])
        exit_passes.append(passes[is_exit])
        above, nodes, states = go_down(automaton, trie, nodes, states)
        passes = passes[above]
    return LoopExits(*_by_passes(text_indices, text_passes), *_by_passes(exits, exit_passes))


def _list_left(loop: Loop, reading: ComponentReading) -> tuple[Ints, Ints, Passes]:
    nodes, states, passes = [reading.left[:0]], [reading.left[:0]], [reading.left_passes[:0]]
    for (number, byte, is_kept), left, passed in reading.leave_by(loop.out):
        # However often the loop has passed, it is left.
        after = -1 if is_kept else loop.after(number, loop.least, byte)
        if after >= 0:
            nodes.append(left)
            states.append(np.full(len(left), after, dtype=np.int32))
            passes.append(passed)
    return np.concatenate(nodes), np.concatenate(states), np.concatenate(passes)


def _by_passes(found: list[Ints], passes: list[Passes]) -> tuple[Ints, Passes]:
    values, passed = np.concatenate(found), np.concatenate(passes)
    order = np.argsort(passed, kind="stable")
    return values[order], passed[order]


def _cut_short(
    index: TokenIndex, component: Component, reading: ComponentReading
) -> ComponentReading:
    """Return what a component reads below the root.

    Args:
        component: which lacks some bytes of its first control state.
        reading: of the component that has these, too; only there are they read.
    """
    trie, parents = index.tokens, index.tokens.parent_array
    charge_steps(1 + len(parents) // AT_ONCE)
    is_lacking = np.zeros(256, dtype=np.bool_)
    is_lacking[:N_ASCII] = component.table[0, :N_ASCII] == LEFT
    # Nodes at and below one that is reached by such a byte.
    is_out = is_lacking.take(trie.byte_array)
    is_out[ROOT] = False
    reached = is_out.nonzero()[0]
    for first, last in pairwise(trie.levels[2:]):
        is_out[first:last] |= is_out.take(parents[first:last])
    is_text_out = np.zeros(len(trie.texts), dtype=np.bool_)
    is_text_out[list_ending(trie, is_out.nonzero()[0].astype(np.int32))[0]] = True
    read = (~is_text_out.take(reading.text_indices)).nonzero()[0]
    inside = (~is_out.take(reading.inside)).nonzero()[0]
    # Where such a byte leaves it now: after the first control state, which the root is in.
    above = parents.take(reached)
    nodes, states, passes = (
        np.insert(array, 0, first)
        for array, first in (
            (reading.inside, ROOT),
            (reading.inside_states, 1),
            (reading.inside_passes, 0),
        )
    )
    at = nodes.searchsorted(above)
    leads_out = (nodes.take(at, mode="clip") == above) & (states.take(at, mode="clip") == 1)
    leads_out &= component.leaves[0].take(trie.byte_array.take(reached))
    leads_out &= ~is_out.take(above)
    more, more_passes = reached[leads_out].astype(np.int32), passes.take(at[leads_out])
    by_passes = np.argsort(more_passes, kind="stable")
    more, more_passes = more.take(by_passes), more_passes.take(by_passes)
    left = ~is_out.take(parents.take(reading.left))
    keys = np.concatenate([reading.left_by[left], trie.byte_array.take(more)])
    order = np.argsort(keys, kind="stable")
    row = reading.row
    if row is not None:
        row = index.clear_bits(row, index.order[is_text_out.nonzero()[0]])
    return reading._replace(
        row=row,
        text_indices=reading.text_indices.take(read),
        text_passes=reading.text_passes.take(read),
        inside=reading.inside.take(inside),
        inside_states=reading.inside_states.take(inside),
        inside_passes=reading.inside_passes.take(inside),
        left=np.concatenate([reading.left[left], more]).take(order),
        left_by=keys.take(order),
        left_passes=np.concatenate([reading.left_passes[left], more_passes]).take(order),
    )
