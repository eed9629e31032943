"""Which texts of a trie does an automaton read, and where is it then?

Automaton and trie are walked side by side: node by node while few take part, as inside a literal,
and then level by level with arrays. Where states lead to each other on many bytes, as in a class of
characters that is repeated, what they read is known at once
(:mod:`maskc.runtime.link.component_reader`), and the walk goes on where it leaves them.

Example: ``[a-z]+`` reads ``ab`` of the trie of ``a1``, ``ab`` and ``ab,``, and may end after
``a`` and after ``ab``, from where ``1`` and ``,`` go on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.component_reader import ComponentReader, Reading, places_ending
from maskc.runtime.link.components import LEFT, Component, find_component
from maskc.runtime.schema.scans import spread
from maskc.runtime.schema.tokens import Words
from maskc.runtime.schema.trie import Ints, Trie

_MOST_NODES = 1_500  # looked at one by one
_MANY_TEXTS, _MANY_BYTES = 2_000, 8  # below a node, that lead from it to a component
_FEW = 48  # nodes that are walked one by one where a component is left
_LEVEL, _AT_ONCE = 40, 10  # steps of a level, and nodes of it that are one step more

Turn = tuple[int, int]  # a label and a node


class Walk:
    """One walk.

    Args:
        automaton: of the piece.
        trie: of the tokens, or of the rests after a quote.
        components: reads the trie in components; ``None`` if it is not that of the tokens.

    Attributes:
        rows: masks of tokens that were read.
        places: other texts that were read.
        exits: nodes after which texts go on where the piece may end; none is where it began.
        turns: labels of the automaton, each with a node after which texts go on and where the
            automaton's state has that label.
    """

    def __init__(
        self, automaton: ByteAutomaton[Any], trie: Trie, components: ComponentReader | None
    ) -> None:
        self._automaton, self._trie = automaton, trie
        # What has labels or few moves has no components that are worth it.
        is_dense = not automaton.is_sparse and not automaton.has_labels
        self._components = components if is_dense else None
        self.rows = list[Words]()
        self.places = list[Ints]()
        self.exits = list[Ints]()
        self.turns = list[Turn]()
        self._found = dict[int, Component | None]()
        # Nodes where a component was left, each with the state after it.
        self._left = list[tuple[Ints, int]]()

    def go(self, open_: list[tuple[int, int]]) -> None:
        """Walk from some nodes, each with the automaton's state there."""
        open_ = self._go_few(open_)
        nodes = [np.array([node for node, _ in open_], dtype=np.int32)]
        states = [np.array([state for _, state in open_], dtype=np.int32)]
        for left, state in self._left:
            nodes.append(left)
            states.append(np.full(len(left), state, dtype=np.int32))
        self._go_levels(np.concatenate(nodes), np.concatenate(states))

    def _go_few(self, open_: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Walk node by node; return where the walk is to go on if it is not over."""
        automaton, trie = self._automaton, self._trie
        places, exits, n_left = list[int](), list[int](), _MOST_NODES
        first, find, has_labels = trie.first, trie.bytes.find, automaton.has_labels
        while open_ and (n_left > 0 or automaton.is_sparse):
            node, here = open_.pop()
            low, high = first[node], first[node + 1]
            if low == high:
                continue
            moves = automaton.moves(here)
            if len(moves) < high - low:
                pairs = [
                    (child, move)
                    for byte, move in moves.items()
                    if (child := find(byte, low, high)) >= 0
                ]
            else:
                pairs = [
                    (child, move)
                    for child, byte in enumerate(trie.bytes[low:high], low)
                    if (move := moves.get(byte, -1)) >= 0
                ]
            if self._components is not None and trie.high[node] - trie.low[node] > _MANY_TEXTS:
                pairs = self._read_components(self._components, node, pairs)
            n_left -= len(pairs) + 1
            spend(4 * len(pairs) + 4)
            open_ += pairs
            for child, after in pairs:
                n_ending = trie.n_ending[child]
                if n_ending:
                    places += range(trie.low[child], trie.low[child] + n_ending)
                if automaton.accepts(after) and first[child] < first[child + 1]:
                    exits.append(child)
                if has_labels:
                    add_turn(self.turns, automaton, trie, child, after)
        self.places.append(np.array(places, dtype=np.int32))
        self.exits.append(np.array(exits, dtype=np.int32))
        return open_

    def _read_components(
        self, components: ComponentReader, node: int, pairs: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Read what is below a node in components to which many bytes lead.

        Args:
            components: reads the trie.
            node: of it.
            pairs: the children that are reached, each with the state after it.

        Returns:
            The pairs that are to be walked: those of other states, and where these were left.
        """
        trie, counts = self._trie, Counter(after for _, after in pairs)
        n_texts, left = trie.high[node] - trie.low[node], list[tuple[int, int]]()
        for state in sorted(state for state, n in counts.items() if n >= _MANY_BYTES):
            if state not in self._found:
                self._found[state] = find_component(self._automaton, state)
            component = self._found[state]
            if component is None:
                continue
            row = component.table[0].tolist()
            places = {state: place for place, state in enumerate(component.states, 1)}
            entered = {child: places.get(after, LEFT) for child, after in pairs}
            # Below the node the component goes on as in its first state. What is entered there in
            # another one, or not at all, is none of it.
            begun = [(child, row[byte]) for child, byte in trie.children(node, None)]
            others = [
                child
                for child, place in begun
                if place != LEFT and entered.get(child, LEFT) != place
            ]
            if 2 * sum(trie.high[child] - trie.low[child] for child in others) > n_texts:
                continue
            read = {child for child, place in begun if place != LEFT}.difference(others)
            pairs = [pair for pair in pairs if pair[0] not in read]
            reading = components.read(component, node)
            if others:
                reading = components.leave_out(reading, others)
            left += self._read_component(component, reading, node)
        return pairs + left

    def _read_component(
        self, component: Component, reading: Reading, node: int
    ) -> list[tuple[int, int]]:
        """Take what is read in a component below a node.

        Returns:
            Nodes where the walk is to go on, each with the state there, if they are few.
        """
        automaton, few = self._automaton, list[tuple[int, int]]()
        spend(_LEVEL)
        if reading.row is None:
            self.places.append(reading.places)
        else:
            self.rows.append(reading.row)
        # Children of the node itself are reached from its own state.
        low, high = self._trie.first[node], self._trie.first[node + 1]
        by_state = dict[int, list[Ints]]()
        for place, state in enumerate(component.states):
            if automaton.accepts(state):
                self.exits.append(reading.in_state(place))
            moves = automaton.moves(state)
            out = [byte for byte in moves if component.table[place, byte] == LEFT]
            for byte, left in zip(out, reading.left_from(place, out), strict=True):
                left = left[(left < low) | (left >= high)]
                if len(left):
                    by_state.setdefault(moves[byte], []).append(left)
        for state, parts in by_state.items():
            nodes = np.concatenate(parts)
            spend(1 + len(nodes) // _AT_ONCE)
            if len(nodes) <= _FEW:
                few += ((child, state) for child in nodes.tolist())
            else:
                self._reach(nodes, state)
                self._left.append((nodes, state))
        return few

    def _reach(self, nodes: Ints, state: int) -> None:
        """Add the texts that end in some nodes, and the exits, all in one state."""
        self.places.append(places_ending(self._trie, nodes))
        if self._automaton.accepts(state):
            trie = self._trie
            goes_on = trie.first_array[nodes] < trie.first_array[nodes + 1]
            self.exits.append(nodes[goes_on])

    def _go_levels(self, nodes: Ints, states: Ints) -> None:
        """Walk on from some nodes, all one byte at a time."""
        automaton, trie = self._automaton, self._trie
        accepts, labels = np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int32)
        while len(nodes):
            above, children = spread(trie.first_array[nodes], trie.first_array[nodes + 1])
            spend(_LEVEL + len(children) // _AT_ONCE)
            after = automaton.step_all(states[above], trie.byte_array[children])
            alive = np.flatnonzero(after >= 0)
            nodes, states = children[alive], after[alive]
            self.places.append(places_ending(trie, nodes))
            if automaton.n_states > len(accepts):
                known = range(len(accepts), automaton.n_states)
                labels = np.append(labels, [automaton.label(state) for state in known])
                accepts = np.append(accepts, [automaton.accepts(state) for state in known])
            goes_on = trie.first_array[nodes] < trie.first_array[nodes + 1]
            nodes, states = nodes[goes_on], states[goes_on]
            self.exits.append(nodes[accepts[states]])
            if automaton.has_labels:
                turned = np.flatnonzero(labels[states] != NO_LABEL)
                self.turns += zip(
                    labels[states[turned]].tolist(), nodes[turned].tolist(), strict=True
                )


def add_turn(
    turns: list[Turn], automaton: ByteAutomaton[Any], trie: Trie, node: int, state: int
) -> None:
    """Add a node if a state there has a label and texts go on from it."""
    label = automaton.label(state)
    if label != NO_LABEL and trie.has_children(node):
        turns.append((label, node))
