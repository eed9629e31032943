"""Which texts of a trie does an automaton read, and where is it then?

Automaton and trie are walked side by side: node by node while few take part, as inside a literal,
and then level by level with arrays. Where a state goes round on many bytes, as in a class of
characters that is repeated, what it reads is known for the whole trie at once
(:mod:`maskc.runtime.link.loops`), and the walk goes on where it leaves that state.

Example: ``[a-z]+`` reads ``ab`` of the trie of ``a1``, ``ab`` and ``ab,``, and may end after
``a`` and after ``ab``, from where ``1`` and ``,`` go on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.loops import Loop, LoopReader
from maskc.runtime.schema.scans import spread
from maskc.runtime.schema.tokens import Words
from maskc.runtime.schema.trie import Ints, Trie

_MOST_NODES = 1_500  # looked at one by one
_MANY_TEXTS, _MANY_BYTES = 2_000, 8  # below a node, on which a state goes round
_FEW = 48  # nodes that are walked one by one where a state is left
_LEVEL, _AT_ONCE = 40, 10  # steps of a level, and nodes of it that are one step more

Turn = tuple[int, int]  # a label and a node


class Walk:
    """One walk.

    Args:
        automaton: of the piece.
        trie: of the tokens, or of the rests after a quote.
        loops: reads the trie where states go round; ``None`` if it is not that of the tokens.

    Attributes:
        rows: masks of tokens that were read.
        places: other texts that were read.
        exits: nodes after which texts go on where the piece may end; none is where it began.
        turns: labels of the automaton, each with a node after which texts go on and where the
            automaton's state has that label.
    """

    def __init__(self, automaton: ByteAutomaton[Any], trie: Trie, loops: LoopReader | None) -> None:
        self._automaton, self._trie = automaton, trie
        # What has labels or few moves has no such states.
        is_dense = not automaton.is_sparse and not automaton.has_labels
        self._loops = loops if is_dense else None
        self.rows = list[Words]()
        self.places = list[Ints]()
        self.exits = list[Ints]()
        self.turns = list[Turn]()
        # Nodes where a state that goes round was left, each with the state after it.
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
            if self._loops is not None and trie.high[node] - trie.low[node] > _MANY_TEXTS:
                pairs = self._go_round(self._loops, node, pairs)
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

    def _go_round(
        self, loops: LoopReader, node: int, pairs: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Read what is below a node in states that go round.

        Args:
            loops: reads the trie.
            node: of it.
            pairs: the children that are reached, each with the state after it.

        Returns:
            The pairs that are to be walked: those of other states, and where these were left.
        """
        automaton, trie = self._automaton, self._trie
        counts = Counter(after for _, after in pairs)
        for state in sorted(state for state, n in counts.items() if n >= _MANY_BYTES):
            class_ = automaton.loop(state)
            if len(class_) < _MANY_BYTES:
                continue
            # All that goes on in the class leads to the state, and nothing else does.
            children = range(trie.first[node], trie.first[node + 1])
            entered = {child for child, after in pairs if after == state}
            if entered != {child for child in children if trie.bytes[child] in class_}:
                continue
            pairs = [pair for pair in pairs if pair[1] != state]
            loop = Loop(node, class_)
            spend(_LEVEL)
            row = loops.row(loop)
            if row is None:
                self.places.append(loops.places(loop))
            else:
                self.rows.append(row)
            if automaton.accepts(state):
                self.exits.append(loops.nodes(loop))
            for byte, after in automaton.moves(state).items():
                if byte in class_:
                    continue
                left = loops.children(loop, byte)
                spend(1 + len(left) // _AT_ONCE)
                if len(left) <= _FEW:
                    pairs += ((child, after) for child in left.tolist())
                else:
                    self._reach(left, after)
                    self._left.append((left, after))
        return pairs

    def _reach(self, nodes: Ints, state: int) -> None:
        """Add the texts that end in some nodes, and the exits, all in one state."""
        self._add_ending(nodes)
        if self._automaton.accepts(state):
            trie = self._trie
            goes_on = trie.first_array[nodes] < trie.first_array[nodes + 1]
            self.exits.append(nodes[goes_on])

    def _add_ending(self, nodes: Ints) -> None:
        trie = self._trie
        n_ending = trie.ending_array[nodes]
        for n in range(int(n_ending.max(initial=0))):
            self.places.append(trie.low_array[nodes[n_ending > n]] + n)

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
            self._add_ending(nodes)
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
