r"""What does a counted loop read of a vocabulary, and how often does it pass?

As :mod:`maskc.runtime.link.automata.component_reader`, with the passes of each node beside it. It
is worked out once for a component and a node, whatever the loop's bounds and counts are.

Example: in ``[a-z]{1,80}`` the token ``abc`` passes three times, so it is read after 77 letters and
not after 78.

The invariant of the walk: a level holds all nodes of its depth below the node, ascending, which are
consecutive, each with the number of its place, counted from 1, or 0 outside of the component, and
with its passes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import AT_ONCE, spend
from maskc.runtime.link.automata.counted_state import CountedComponent
from maskc.runtime.link.automata.nodes import list_ending, mark_texts
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import ROOT, Ints

_KEY = "counted component"

Passes = NDArray[np.uint16]


class CountedReading(NamedTuple):
    """What a component reads below a node, which is not itself among what is read.

    Attributes:
        row: the mask of the tokens that end inside the component; ``None`` but for the root.
        places: int32[n], the same tokens by place in the vocabulary's order, by passes.
        place_passes: uint16[n], of each of them, with those to the nearest end after it.
        inside: int32[n], the nodes inside it from which texts go on, by the component's place, then
            ascending.
        inside_passes: uint16[n], of each of them.
        first_inside: of each place of the component the first of its nodes, and one past the last.
        left: int32[n], the nodes at which it is left in one of its ways, by place, byte and passes.
        left_by: int32[n], of each of these 256 times the number of the place, and the byte.
        left_passes: uint16[n], those before the byte.
    """

    row: Words | None
    places: Ints
    place_passes: Passes
    inside: Ints
    inside_passes: Passes
    first_inside: list[int]
    left: Ints
    left_by: Ints
    left_passes: Passes

    def read_within(self, passes: int) -> tuple[Ints, Ints]:
        """Return the tokens that pass so often at most, and the others, by place."""
        n_read = int(np.searchsorted(self.place_passes, passes, side="right"))
        return self.places[:n_read], self.places[n_read:]

    def in_place(self, number: int, low: int, high: int) -> Ints:
        """Return the nodes in a place of the component that have passed so often, ascending."""
        here = slice(self.first_inside[number], self.first_inside[number + 1])
        nodes, passes = self.inside[here], self.inside_passes[here]
        is_in = passes <= high if low <= 0 else (passes >= low) & (passes <= high)
        return nodes if is_in.all() else nodes[is_in]

    def left_from(self, number: int, byte: int, low: int, high: int) -> tuple[Ints, Passes]:
        """Return the nodes at which a byte has led from a place, and their passes.

        Args:
            number: of the place.
            byte: that was read.
            low: the fewest passes before it.
            high: the most.
        """
        key = (number << 8) + byte
        start, stop = (int(np.searchsorted(self.left_by, k)) for k in (key, key + 1))
        passes = self.left_passes[start:stop]
        first, last = np.searchsorted(passes, low), np.searchsorted(passes, high, side="right")
        return self.left[start:stop][first:last], passes[first:last]


class CountedReader:
    """Reads the trie of a vocabulary's tokens.

    Args:
        index: the vocabulary; what is worked out is kept with it.
    """

    def __init__(self, index: TokenIndex) -> None:
        self._index = index

    def read(self, component: CountedComponent, node: int) -> CountedReading:
        """Return what the component reads below a node, from its first place."""
        key = (_KEY, node, component.key)
        found: CountedReading | None = self._index.shared.get(key)
        if found is None:
            found = self._read(component, node)
            n_bytes = 6 * (len(found.places) + len(found.inside)) + 14 * len(found.left)
            self._index.shared.put(key, found, n_bytes + len(component.key) + 10_000)
        return found

    def ends(self, component: CountedComponent, numbers: tuple[int, ...]) -> tuple[Ints, Passes]:
        """Return the nodes inside a component read from the root, in some places, ascending.

        Returns:
            int32[n], the nodes; uint16[n], the passes of each.
        """
        key = (_KEY, numbers, component.key)
        found: tuple[Ints, Passes] | None = self._index.shared.get(key)
        if found is None:
            reading = self.read(component, ROOT)
            here = [np.arange(*reading.first_inside[n : n + 2]) for n in numbers]
            at = np.concatenate([np.arange(0), *here])
            at = at[np.argsort(reading.inside[at])]
            found = reading.inside[at], reading.inside_passes[at]
            self._index.shared.put(key, found, 6 * len(at) + len(component.key) + 1_000)
        return found

    def leave_out(self, reading: CountedReading, children: Collection[int]) -> CountedReading:
        """Return a reading without what is at and below some children of its node."""
        trie, index = self._index.tokens, self._index
        is_out = mark_texts(trie, children)
        row = reading.row
        if row is not None:
            row = index.clear_bits(row, index.order[np.flatnonzero(is_out)])
        # Below the node, a node is at or below a child if its first text is.
        read = ~is_out[reading.places]
        inside, left = (
            ~is_out[trie.low_array[reading.inside]],
            ~is_out[trie.low_array[reading.left]],
        )
        counts = np.concatenate([[0], np.cumsum(inside)])
        return CountedReading(
            row,
            reading.places[read],
            reading.place_passes[read],
            reading.inside[inside],
            reading.inside_passes[inside],
            counts[reading.first_inside].tolist(),
            reading.left[left],
            reading.left_by[left],
            reading.left_passes[left],
        )

    def without(self, row: Words, places: Ints) -> Words:
        """Return a mask without some tokens, by place."""
        return self._index.clear_bits(row, self._index.order[places]) if len(places) else row

    def _read(self, component: CountedComponent, node: int) -> CountedReading:
        trie, levels = self._index.tokens, _Levels()
        # The place that a byte leads to, and above it the step: one look-up for both.
        cells = (component.table + (component.passes.astype(np.uint16) << 8)).reshape(-1)
        # What is out of the component stays out.
        cells = np.concatenate([np.zeros(256, dtype=np.uint16), cells])
        leaves = np.concatenate([np.zeros(256, dtype=np.bool_), component.leaves.reshape(-1)])
        above, passed, level = np.ones(1, dtype=np.uint16), np.zeros(1, dtype=np.uint16), node
        first, last = trie.first[node], trie.first[node + 1]
        while first < last and above.any():
            spend(1 + (last - first) // AT_ONCE)
            parents = trie.parent_array[first:last] - level
            before, passes = above[parents], passed[parents]
            keys = (before << 8) + trie.byte_array[first:last]
            cell = cells[keys]
            above, passed = cell & 0xFF, passes + (cell >> 8)
            gone = np.flatnonzero(leaves[keys])
            left = keys[gone].astype(np.int32) - 256
            levels.left.append(((gone + first).astype(np.int32), left, passes[gone]))
            now = np.flatnonzero(above)
            nodes = (now + first).astype(np.int32)
            levels.inside.append((nodes, above[now].astype(np.uint8), passed[now]))
            level = first
            first, last = trie.first[first], trie.first[last]
        return self._pack(component, node, levels)

    def _pack(self, component: CountedComponent, node: int, levels: _Levels) -> CountedReading:
        """Return the reading of what each level has."""
        index, trie = self._index, self._index.tokens
        empty = np.zeros(0, dtype=np.int32)
        nothing = (empty, empty.astype(np.uint8), empty.astype(np.uint16))
        nodes, numbers, passes = map(np.concatenate, zip(nothing, *levels.inside, strict=True))
        places, at = list_ending(trie, nodes)
        place_passes = passes[at] + np.array(component.to_end, dtype=np.uint16)[numbers[at] - 1]
        by_passes = np.argsort(place_passes, kind="stable")
        places, place_passes = places[by_passes], place_passes[by_passes]
        goes_on = trie.first_array[nodes] < trie.first_array[nodes + 1]
        nodes, numbers, passes = nodes[goes_on], numbers[goes_on], passes[goes_on]
        order = np.argsort(numbers, kind="stable")
        n_places = len(component.places)
        bounds = np.searchsorted(numbers[order], np.arange(1, n_places + 2)).tolist()
        left, keys, left_passes = map(
            np.concatenate,
            zip((empty, empty, nothing[2]), *levels.left, strict=True),
        )
        by_key = np.lexsort((left_passes, keys))
        row = index.pack(index.order[places]) if node == ROOT else None
        return CountedReading(
            row,
            places,
            place_passes,
            nodes[order],
            passes[order],
            bounds,
            left[by_key],
            keys[by_key],
            left_passes[by_key],
        )


class _Levels:
    """What was found, level by level."""

    def __init__(self) -> None:
        # Nodes, the number of their place, and passes.
        self.inside: list[tuple[Ints, NDArray[np.uint8], Passes]] = []
        # Nodes, 256 times the number of the place before them and the byte, and passes before it.
        self.left: list[tuple[Ints, Ints, Passes]] = []
