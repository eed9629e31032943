r"""Walks of a trie level by level, with arrays; and what is read after a counted loop.

In ``\w{1,50}\W{1,50}`` nearly every token that has a letter and then another character leaves the
first loop, at thousands of nodes of the trie. Where they lead from there does not depend on how
often the loop has passed, only whether it may be left there does. So it is walked once for all
counts, and each token and each node is noted with the passes before the loop was left: a state with
a count takes those that make no more passes than it allows, and no fewer than it demands.

Example: after ``ab`` in ``[a-z]{1,3}-?`` the token ``c-`` is read, which passes once before ``-``,
and ``cd-`` is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import ByteAutomaton
from maskc.runtime.link.automata.loop_reader import Passes, Reading, going_on, list_ending
from maskc.runtime.link.automata.loops import Loop
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints, Trie

_KEY = "loop exits"
LEVEL, AT_ONCE = 40, 10  # steps of a level, and nodes of it that are one step more


def go_down(
    automaton: ByteAutomaton[Any], trie: Trie, nodes: Ints, states: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return what is read one byte further: at which of the nodes, the child, the state there."""
    above, children = trie.children_of(nodes)
    spend(LEVEL + len(children) // AT_ONCE)
    after = automaton.step_all(states[above], trie.byte_array[children])
    alive = np.flatnonzero(after >= 0)
    return above[alive], children[alive], after[alive]


class LoopExits(NamedTuple):
    """What is read from where a loop is left, however often it has passed.

    Attributes:
        places: int32[n], tokens by place, by passes; one may be there several times.
        place_passes: uint16[n], the passes of each before the loop was left.
        nodes: int32[n], after which texts go on and where the piece may end, likewise.
        node_passes: uint16[n], of each of them.
    """

    places: Ints
    place_passes: Passes
    nodes: Ints
    node_passes: Passes

    def within(self, low: int, high: int) -> tuple[Ints, Ints]:
        return (
            _within(self.places, self.place_passes, low, high),
            _within(self.nodes, self.node_passes, low, high),
        )


def _within(found: Ints, passes: Passes, low: int, high: int) -> Ints:
    first, last = np.searchsorted(passes, low), np.searchsorted(passes, high, side="right")
    return found[first:last]


def read_loop_exits(
    automaton: ByteAutomaton[Any], loop: Loop, reading: Reading, index: TokenIndex
) -> LoopExits:
    """Return what is read after a loop, as its component is read from the root of the tokens' trie.

    It is worked out once and kept with the vocabulary.
    """
    key = (_KEY, loop.key)
    found: LoopExits | None = index.shared.get(key)
    if found is None:
        found = _read(automaton, loop, reading, index.tokens)
        index.shared.put(key, found, 6 * (len(found.places) + len(found.nodes)) + 1_000)
    return found


def _read(automaton: ByteAutomaton[Any], loop: Loop, reading: Reading, trie: Trie) -> LoopExits:
    nodes, states, passes = _list_left(loop, reading)
    places, place_passes = [nodes[:0]], [passes[:0]]
    exits, exit_passes = [nodes[:0]], [passes[:0]]
    while len(nodes):
        ending, at = list_ending(trie, nodes)
        places.append(ending)
        place_passes.append(passes[at])
        goes_on = going_on(trie, nodes)
        nodes, states, passes = nodes[goes_on], states[goes_on], passes[goes_on]
        is_exit = automaton.know_all()[0][states]
        exits.append(nodes[is_exit])
        exit_passes.append(passes[is_exit])
        above, nodes, states = go_down(automaton, trie, nodes, states)
        passes = passes[above]
    return LoopExits(*_by_passes(places, place_passes), *_by_passes(exits, exit_passes))


def _list_left(loop: Loop, reading: Reading) -> tuple[Ints, Ints, Passes]:
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
