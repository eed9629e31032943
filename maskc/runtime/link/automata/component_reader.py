"""What does a component of an automaton read of a vocabulary?

Below a node of the trie, each node at which the automaton is still in the component has one state,
and the first nodes at which it is no longer there are left to the one who asks. Both are worked out
once for a component and a node, for all automata and all links of a tokenizer.

Example: below the root, ``[a-z]+`` is inside of its component at ``ab`` and has left it at ``ab1``.

The invariant of the walk: a level holds all nodes of its depth below the node, ascending, which are
consecutive, each with the place of its state, counted from 1, or 0 outside of the component.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import AT_ONCE, spend
from maskc.runtime.link.automata.components import LEFT, Component
from maskc.runtime.link.automata.counted_reader import CountedReader
from maskc.runtime.link.automata.nodes import mark_texts, places_ending
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import ROOT, Ints

_KEY = "component"


class Reading(NamedTuple):
    """What a component reads below a node, which is not itself among what is read.

    Attributes:
        row: the mask of the tokens that end inside the component; ``None`` but for the root, as the
            others are not asked for so often.
        places: int32[n], the same tokens by place.
        inside: int32[n], the nodes inside it from which texts go on, by state, then ascending.
        first_inside: of each state's place the first of its nodes, and one past the last.
        left: int32[n], the nodes at which it is left, by state, byte and number.
        left_by: uint16[n], of each of these 256 times the state's place and the byte.
    """

    row: Words | None
    places: Ints
    inside: Ints
    first_inside: list[int]
    left: Ints
    left_by: NDArray[np.uint16]

    def in_state(self, place: int) -> Ints:
        """Return the nodes inside the component in a state, by its place, ascending."""
        return self.inside[self.first_inside[place] : self.first_inside[place + 1]]

    def left_from(self, place: int, bytes_: Sequence[int]) -> list[Ints]:
        """Return of each byte the nodes at which it has led from a state out of the component."""
        keys = np.array(bytes_, dtype=np.uint16) + np.uint16(place << 8)
        first = np.searchsorted(self.left_by, keys).tolist()
        last = np.searchsorted(self.left_by, keys, side="right").tolist()
        return [self.left[low:high] for low, high in zip(first, last, strict=True)]


class ComponentReader:
    """Reads the trie of a vocabulary's tokens.

    Args:
        index: the vocabulary; what is worked out is kept with it.

    Attributes:
        index: the vocabulary.
        counted: reads it in counted loops.
    """

    def __init__(self, index: TokenIndex) -> None:
        self.index, self.counted = index, CountedReader(index)

    def read(self, component: Component, node: int) -> Reading:
        """Return what the component reads below a node, from its first state."""
        key = (_KEY, node, component.key)
        found: Reading | None = self.index.shared.get(key)
        if found is None:
            found = self._read(component, node)
            n_bytes = found.places.nbytes + found.inside.nbytes + 2 * found.left.nbytes
            self.index.shared.put(key, found, n_bytes + len(component.key) + 10_000)
        return found

    def leave_out(self, reading: Reading, children: Collection[int]) -> Reading:
        """Return a reading without what is at and below some children of its node."""
        trie, index = self.index.tokens, self.index
        is_out = mark_texts(trie, children)
        row = reading.row
        if row is not None:
            row = index.clear_bits(row, index.order[np.flatnonzero(is_out)])
        # Below the node, a node is at or below a child if its first text is.
        inside, left = (
            ~is_out[trie.low_array[reading.inside]],
            ~is_out[trie.low_array[reading.left]],
        )
        counts = np.concatenate([[0], np.cumsum(inside)])
        return Reading(
            row,
            reading.places[~is_out[reading.places]],
            reading.inside[inside],
            counts[reading.first_inside].tolist(),
            reading.left[left],
            reading.left_by[left],
        )

    def _read(self, component: Component, node: int) -> Reading:
        trie = self.index.tokens
        # What is out of the component stays out.
        table = np.concatenate([np.full((1, 256), LEFT, dtype=np.uint8), component.table])
        parents, ends = trie.parent_array, np.zeros(0, dtype=np.int32)
        inside, states, left, left_by = [ends], [ends], [ends], [ends.astype(np.uint16)]
        above, level = np.ones(1, dtype=np.uint8), node
        first, last = trie.first[node], trie.first[node + 1]
        while first < last and above.any():
            spend(1 + (last - first) // AT_ONCE)
            before = above[parents[first:last] - level]
            bytes_ = trie.byte_array[first:last]
            here = table[before, bytes_]
            now = np.flatnonzero(here)
            inside.append((now + first).astype(np.int32))
            states.append(here[now].astype(np.int32))
            gone = np.flatnonzero((here == LEFT) & (before != LEFT))
            left.append((gone + first).astype(np.int32))
            keys = (before[gone].astype(np.int32) - 1) * 256 + bytes_[gone]
            left_by.append(keys.astype(np.uint16))
            above, level = here, first
            first, last = trie.first[first], trie.first[last]
        return self._pack(component, node, inside, states, left, left_by)

    def _pack(
        self,
        component: Component,
        node: int,
        inside: list[Ints],
        states: list[Ints],
        left: list[Ints],
        left_by: list[NDArray[np.uint16]],
    ) -> Reading:
        """Return the reading of what each level has."""
        index, trie = self.index, self.index.tokens
        nodes, places_of = np.concatenate(inside), np.concatenate(states) - 1
        places = places_ending(trie, nodes)
        goes_on = trie.first_array[nodes] < trie.first_array[nodes + 1]
        nodes, places_of = nodes[goes_on], places_of[goes_on]
        order = np.argsort(places_of, kind="stable")
        n_states = len(component.states)
        first = np.searchsorted(places_of[order], np.arange(n_states + 1)).tolist()
        keys = np.concatenate(left_by)
        by_key = np.argsort(keys, kind="stable")
        row = index.pack(index.order[places]) if node == ROOT else None
        return Reading(row, places, nodes[order], first, np.concatenate(left)[by_key], keys[by_key])
