"""Which texts of a trie does an automaton read, and where is it then?

Automaton and trie are walked side by side: node by node while few take part, as inside a literal,
and then level by level with arrays. Where states lead to each other on many bytes, as in a class of
characters that is repeated, what they read is known at once
(:mod:`maskc.runtime.link.automata.component_reader`), and the walk goes on where it leaves them.

Example: ``[a-z]+`` reads ``ab`` of the trie of ``a1``, ``ab`` and ``ab,``, and may end after
``a`` and after ``ab``, from where ``1`` and ``,`` go on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.component_reader import ComponentReader
from maskc.runtime.link.automata.components import LEFT, Component, find_component
from maskc.runtime.link.automata.counted_reader import CountedReading, Passes
from maskc.runtime.link.automata.counted_state import CountedState
from maskc.runtime.link.automata.loop_exits import read_loop_exits
from maskc.runtime.link.automata.nodes import places_ending
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_MOST_NODES = 1_500  # looked at one by one
_MANY_TEXTS, _MANY_BYTES = 2_000, 8  # below a node, that lead from it to a component
_MOST_PASSES = (1 << 16) - 1
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
        few: other texts that were read, found one by one.
        places: more of them, in arrays.
        few_exits: nodes after which texts go on where the piece may end; none is where it began.
        exits: more of them, in arrays.
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
        self.few, self.few_exits = list[int](), list[int]()
        self.places, self.exits = list[Ints](), list[Ints]()
        self.turns = list[Turn]()
        self._found = dict[int, Component | None]()
        # Nodes where a component was left, each with the state after it.
        self._left = list[tuple[Ints, int]]()

    def go(self, open_: list[tuple[int, int]]) -> None:
        """Walk from some nodes, each with the automaton's state there."""
        open_ = self._go_few(self._begin_in_loop(open_))
        if not open_ and not self._left:
            return
        nodes = [np.array([node for node, _ in open_], dtype=np.int32)]
        states = [np.array([state for _, state in open_], dtype=np.int32)]
        for left, state in self._left:
            nodes.append(left)
            states.append(np.full(len(left), state, dtype=np.int32))
        self._go_levels(np.concatenate(nodes), np.concatenate(states))

    def _go_few(self, open_: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Walk node by node; return where the walk is to go on if it is not over."""
        automaton, trie, n_left = self._automaton, self._trie, _MOST_NODES
        first, is_sparse = trie.first, automaton.is_sparse
        while open_ and (n_left > 0 or is_sparse):
            node, here = open_.pop()
            if first[node] == first[node + 1]:
                continue
            text = automaton.only_text(here) if is_sparse else b""
            pairs = self._follow(node, here, text) if text else self._pairs(node, here)
            if self._components is not None and trie.high[node] - trie.low[node] > _MANY_TEXTS:
                pairs = self._read_components(self._components, node, pairs)
            n_left -= len(pairs) + 1
            spend(4 * len(pairs) + 4)
            open_ += pairs
            self._arrive(pairs)
        return open_

    def _arrive(self, pairs: list[tuple[int, int]]) -> None:
        """Add the texts that end in some nodes, and the exits, each with its state."""
        automaton, trie = self._automaton, self._trie
        first, has_labels = trie.first, automaton.has_labels
        for child, after in pairs:
            n_ending = trie.n_ending[child]
            if n_ending:
                self.few += range(trie.low[child], trie.low[child] + n_ending)
            if automaton.accepts(after) and first[child] < first[child + 1]:
                self.few_exits.append(child)
            if has_labels:
                add_turn(self.turns, automaton, trie, child, after)

    def _begin_in_loop(self, open_: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Take what a counted loop reads, and what is read after it, if the walk begins in one.

        Returns:
            Where the walk is to go on.
        """
        components, trie = self._components, self._trie
        if components is None or len(open_) != 1 or len(trie.texts) <= _MANY_TEXTS:
            return open_
        ((node, state),) = open_
        counted = self._automaton.counted(state) if node == ROOT else None
        if counted is None or np.count_nonzero(counted.component.table[0]) < _MANY_BYTES:
            return open_
        spend(_LEVEL)
        reading = components.counted.read(counted.component, ROOT)
        followed = read_loop_exits(self._automaton, counted, reading, components.index)
        low, high = _bounds(counted, counted.count)
        self._take_tokens(components, reading, high)
        numbers = tuple(n for n in counted.component.whole if counted.may_end(n))
        ends, passes = components.counted.ends(counted.component, numbers)
        self.exits.append(ends[(passes >= low) & (passes <= high)])
        places, nodes = followed.within(low, high)
        self.places.append(places)
        self.exits.append(nodes)
        by_state = dict[int, list[Ints]]()
        for number, byte, is_kept in counted.component.out:
            if is_kept:
                left, passes = reading.left_from(number, byte, 0, high)
                _add_kept(by_state, counted, number, byte, left, passes, counted.count)
        pairs = self._list_left(by_state)
        self._arrive(pairs)
        return pairs

    def _pairs(self, node: int, here: int) -> list[tuple[int, int]]:
        """Return the children of a node that are read, each with the state after it."""
        trie, moves = self._trie, self._automaton.moves(here)
        low, high, find = trie.first[node], trie.first[node + 1], trie.bytes.find
        if len(moves) < high - low:
            return [
                (child, move)
                for byte, move in moves.items()
                if (child := find(byte, low, high)) >= 0
            ]
        return [
            (child, move)
            for child, byte in enumerate(trie.bytes[low:high], low)
            if (move := moves.get(byte, -1)) >= 0
        ]

    def _follow(self, node: int, here: int, text: bytes) -> list[tuple[int, int]]:
        """Read the only text that goes on; return its last node, if there is one, as a pair."""
        trie, last = self._trie, len(text) - 1
        first, find, ending = trie.first, trie.bytes.find, trie.n_ending
        spend(4 * len(text))
        for n_read, byte in enumerate(text):
            node = find(byte, first[node], first[node + 1])
            if node < 0:
                return []
            if n_read < last and ending[node]:
                self.few += range(trie.low[node], trie.low[node] + ending[node])
        return [(node, self._automaton.after_only(here, text))]

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
        trie, left = self._trie, list[tuple[int, int]]()
        n_texts, counts = trie.high[node] - trie.low[node], Counter(after for _, after in pairs)
        for state in sorted(state for state, n in counts.items() if n >= _MANY_BYTES):
            counted = self._automaton.counted(state)
            # Below the node it goes on as if the node were in the component's first state.
            base = None if counted is None else self._find_base(counted, pairs, state)
            if counted is None:
                begun = self._begin(state, node)
            else:
                begun = {} if base is None else self._begin_counted(counted, node, base)
            # What is entered there in another state, or not at all, is none of it.
            entered = dict(pairs)
            others = {child for child, after in begun.items() if entered.get(child, -1) != after}
            n_others = sum(trie.high[child] - trie.low[child] for child in others)
            if not begun or 2 * n_others > n_texts:
                continue
            pairs = [pair for pair in pairs if pair[0] not in begun or pair[0] in others]
            if counted is None:
                component = self._found[state]
                assert component is not None  # noqa: S101  # something has begun
                by_state = self._read_component(component, components, node, others)
            else:
                assert base is not None  # noqa: S101  # likewise
                by_state = self._read_counted(counted, components, node, others, base)
            left += self._list_left(by_state)
        return pairs + left

    def _begin(self, state: int, node: int) -> dict[int, int]:
        """Return the children of a node that a component reads, each with the state there."""
        if state not in self._found:
            self._found[state] = find_component(self._automaton, state)
        component = self._found[state]
        if component is None:
            return {}
        row = component.table[0].tolist()
        return {
            child: component.states[row[byte] - 1]
            for child, byte in self._trie.children(node, None)
            if row[byte] != LEFT
        }

    def _find_base(
        self, counted: CountedState, pairs: list[tuple[int, int]], state: int
    ) -> int | None:
        """Return how often a loop has passed at a node from which it leads to a state."""
        bytes_, component = self._trie.bytes, counted.component
        for child, after in pairs:
            if after == state and component.table[0, bytes_[child]] == 1:
                return counted.count - int(component.passes[0, bytes_[child]])
        return None

    def _begin_counted(self, counted: CountedState, node: int, base: int) -> dict[int, int]:
        """Return the children of a node that a loop reads, each with the state there, -2: none."""
        row = counted.component.table[0].tolist()
        passes, most = counted.component.passes[0].tolist(), counted.most
        found, states = dict[int, int](), dict[tuple[int, int], int]()
        for child, byte in self._trie.children(node, None):
            key = (row[byte], base + passes[byte])
            if key[0] == LEFT:
                continue
            if key not in states:
                is_too_often = most is not None and key[1] > most
                states[key] = -2 if is_too_often else counted.state_at(key[0] - 1, key[1])
            found[child] = states[key]
        return found

    def _read_component(
        self, component: Component, components: ComponentReader, node: int, others: set[int]
    ) -> dict[int, list[Ints]]:
        """Take what is read in a component below a node, but for some of its children.

        Returns:
            State → the nodes where the component has led to it.
        """
        automaton, trie, by_state = self._automaton, self._trie, dict[int, list[Ints]]()
        spend(_LEVEL)
        reading = components.read(component, node)
        if others:
            reading = components.leave_out(reading, others)
        if reading.row is None:
            self.places.append(reading.places)
        else:
            self.rows.append(reading.row)
        for place, state in enumerate(component.states):
            if automaton.accepts(state):
                self.exits.append(reading.in_state(place))
            moves = automaton.moves(state)
            out = [byte for byte in moves if component.table[place, byte] == LEFT]
            for byte, left in zip(out, reading.left_from(place, out), strict=True):
                # Children of the node itself are reached from its own state.
                is_below = (left < trie.first[node]) | (left >= trie.first[node + 1])
                _add_left(by_state, moves[byte], left[is_below])
        return by_state

    def _read_counted(
        self,
        counted: CountedState,
        components: ComponentReader,
        node: int,
        others: set[int],
        base: int,
    ) -> dict[int, list[Ints]]:
        """Take what a loop reads below a node where it has passed so often; likewise."""
        spend(_LEVEL)
        component, reader, by_state = counted.component, components.counted, dict[int, list[Ints]]()
        reading = reader.read(component, node)
        if others:
            reading = reader.leave_out(reading, others)
        enough, most = _bounds(counted, base)
        self._take_tokens(components, reading, most)
        self.exits += [
            reading.in_place(number, enough, most)
            for number in component.whole
            if counted.may_end(number)
        ]
        for number, byte, is_kept in component.out:
            left, passes = reading.left_from(number, byte, 0 if is_kept else enough, most)
            # Children of the node itself are reached from its own state.
            is_below = (left < self._trie.first[node]) | (left >= self._trie.first[node + 1])
            left, passes = left[is_below], passes[is_below]
            if is_kept:
                _add_kept(by_state, counted, number, byte, left, passes, base)
            elif len(left):
                # However often the loop has passed, it is left.
                _add_left(by_state, counted.after(number, counted.least, byte), left)
        return by_state

    def _take_tokens(self, components: ComponentReader, reading: CountedReading, most: int) -> None:
        """Take the tokens that a loop reads where it passes so often at most."""
        read, too_often = reading.read_within(most)
        if reading.row is not None and len(too_often) < len(read):
            self.rows.append(components.counted.without(reading.row, too_often))
        else:
            self.places.append(read)

    def _list_left(self, by_state: dict[int, list[Ints]]) -> list[tuple[int, int]]:
        """Return nodes where the walk is to go on, each with the state there, if they are few."""
        few = list[tuple[int, int]]()
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
            above, children = trie.children_of(nodes)
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


def _bounds(counted: CountedState, base: int) -> tuple[int, int]:
    """Return how many more passes a loop demands, and how many it allows, after so many."""
    most = _MOST_PASSES if counted.most is None else counted.most - base
    return max(counted.least - base, 0), most


def _add_left(by_state: dict[int, list[Ints]], state: int, nodes: Ints) -> None:
    """Add nodes where a state is reached."""
    if len(nodes) and state >= 0:
        by_state.setdefault(state, []).append(nodes)


def _add_kept(
    by_state: dict[int, list[Ints]],
    counted: CountedState,
    number: int,
    byte: int,
    left: Ints,
    passes: Passes,
    base: int,
) -> None:
    """Add nodes where a component is left and its loop is not: their states have its count."""
    for n_passes in np.unique(passes).tolist():
        after = counted.after(number, base + n_passes, byte)
        _add_left(by_state, after, left[passes == n_passes])


def add_turn(
    turns: list[Turn], automaton: ByteAutomaton[Any], trie: Trie, node: int, state: int
) -> None:
    """Add a node if a state there has a label and texts go on from it."""
    label = automaton.label(state)
    if label != NO_LABEL and trie.has_children(node):
        turns.append((label, node))
