"""The texts of a trie that an automaton reads, and where it is then.

Automaton and trie are walked side by side: node by node while few take part, as inside a literal,
and then level by level with arrays. Where states lead to each other on many bytes, as in a class of
characters that is repeated, what they read is known at once
(:mod:`maskc.runtime.link.automata.loop_reader`), and the walk goes on where it leaves them.

Example: ``[a-z]+`` reads ``ab`` of the trie of ``a1``, ``ab`` and ``ab,``, and may end after
``a`` and after ``ab``, from where ``1`` and ``,`` go on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.loop_reader import (
    LEVEL,
    NODES_AT_ONCE,
    LoopReader,
    Passes,
    Reading,
    go_down,
    read_loop_exits,
)
from maskc.runtime.link.automata.loops import LEFT, Loop, find_loop
from maskc.runtime.link.automata.node_sets import Onward, going_on, list_ending
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_MOST_NODES = 1_500  # looked at one by one
_MANY_TEXTS, _MANY_BYTES = 2_000, 8  # below a node, that lead from it to a component
_MOST_PASSES = (1 << 16) - 1
_FEW = 48  # nodes that are walked one by one where a component is left
_MOST_BEGUN = 200  # with which a walk node by node begins

Turn = tuple[int, int]  # a label and a node
Pair = tuple[int, int]  # a node and the automaton's state there


class Walk:
    """One walk, of the trie of the tokens (which the reader reads in loops), or that of the rests.

    Of exits, those are left out in arrays from which no text goes ``onward``.

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
        self,
        automaton: ByteAutomaton[Any],
        trie: Trie,
        reader: LoopReader | None,
        onward: Onward,
    ) -> None:
        self._automaton, self._trie, self._onward = automaton, trie, onward
        # What has labels or few moves has no loops that are worth it.
        is_dense = not automaton.is_sparse and not automaton.has_labels
        self._reader = reader if is_dense else None
        self.rows = list[Words]()
        self.few, self.few_exits = list[int](), list[int]()
        self.places, self.exits = list[Ints](), list[Ints]()
        self.turns = list[Turn]()
        self._loops = dict[int, Loop | None]()
        # Nodes where a loop was left, each with the state after it.
        self._left = list[tuple[Ints, int]]()

    def go(self, nodes: Ints, state: int) -> None:
        """Walk from some nodes, at each of which the automaton is in a state."""
        if len(nodes) > _MOST_BEGUN:
            # Most of what follows many nodes ends after a byte or two.
            open_ = self._go_levels(nodes, np.full(len(nodes), state, dtype=np.int32), _FEW)
        else:
            open_ = [(node, state) for node in nodes.tolist()]
        open_ = self._go_few(self._begin_in_loop(open_))
        if not open_ and not self._left:
            return
        parts = [np.array([node for node, _ in open_], dtype=np.int32)]
        after = [np.array([state for _, state in open_], dtype=np.int32)]
        for left, state in self._left:
            parts.append(left)
            after.append(np.full(len(left), state, dtype=np.int32))
        self._go_levels(np.concatenate(parts), np.concatenate(after), 0)

    def _go_few(self, open_: list[Pair]) -> list[Pair]:
        """Walk node by node; return where the walk is to go on if it is not over."""
        automaton, trie, n_left = self._automaton, self._trie, _MOST_NODES
        first, is_sparse = trie.first, automaton.is_sparse
        while open_ and (n_left > 0 or is_sparse):
            node, here = open_.pop()
            if first[node] == first[node + 1]:
                continue
            text = automaton.only_text(here) if is_sparse else b""
            pairs = self._follow(node, here, text) if text else self._pairs(node, here)
            if self._reader is not None and trie.high[node] - trie.low[node] > _MANY_TEXTS:
                pairs = self._read_loops(self._reader, node, pairs)
            n_left -= len(pairs) + 1
            spend(4 * len(pairs) + 4)
            open_ += pairs
            self._arrive(pairs)
        return open_

    def _pairs(self, node: int, here: int) -> list[Pair]:
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

    def _follow(self, node: int, here: int, text: bytes) -> list[Pair]:
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

    def _arrive(self, pairs: list[Pair]) -> None:
        """Add the texts that end in some nodes, and the exits, each with its state."""
        automaton, trie = self._automaton, self._trie
        first, has_labels = trie.first, automaton.has_labels
        for child, after in pairs:
            n_ending = trie.n_ending[child]
            if n_ending:
                self.few += range(trie.low[child], trie.low[child] + n_ending)
            if first[child] == first[child + 1]:
                continue
            if automaton.accepts(after):
                self.few_exits.append(child)
            if has_labels:
                label = automaton.label(after)
                if label != NO_LABEL:
                    self.turns.append((label, child))

    def _begin_in_loop(self, open_: list[Pair]) -> list[Pair]:
        """Take what a counted loop reads, and what follows it, if the walk begins in one."""
        reader, trie = self._reader, self._trie
        if reader is None or len(open_) != 1 or len(trie.texts) <= _MANY_TEXTS:
            return open_
        ((node, state),) = open_
        loop = self._automaton.loop_of(state) if node == ROOT else None
        if loop is None or np.count_nonzero(loop.component.table[0]) < _MANY_BYTES:
            return open_
        spend(LEVEL)
        reading = reader.read(loop.component, ROOT)
        followed = read_loop_exits(self._automaton, loop, reading, reader.index, self._onward)
        low, high = _bounds(loop, loop.count)
        self._take_tokens(reading, high)
        numbers = tuple(n for n in loop.component.whole if loop.may_end(n))
        ends, passes = reader.ends(loop.component, numbers, self._onward)
        self.exits.append(ends[(passes >= low) & (passes <= high)])
        places, nodes = followed.within(low, high)
        self.places.append(places)
        self.exits.append(nodes)
        by_state = dict[int, list[Ints]]()
        for (number, byte, is_kept), left, passes in reading.leave_by(loop.out):
            if is_kept:
                is_in = passes <= high
                _add_kept(by_state, loop, number, byte, left[is_in], passes[is_in], loop.count)
        pairs = self._list_left(by_state)
        self._arrive(pairs)
        return pairs

    def _read_loops(self, reader: LoopReader, node: int, pairs: list[Pair]) -> list[Pair]:
        """Read what is below a node in loops to which many bytes lead.

        Of the children that are reached, each with the state there, those are returned that are to
        be walked: of other states, and nodes where loops were left.
        """
        trie, left = self._trie, list[Pair]()
        n_texts, counts = trie.high[node] - trie.low[node], Counter(after for _, after in pairs)
        for state in sorted(state for state, n in counts.items() if n >= _MANY_BYTES):
            loop = self._loop_of(state)
            # Below the node it goes on as if the node were in the component's first state.
            base = None if loop is None else self._find_base(loop, pairs, state)
            if loop is None or base is None:
                continue
            begun = self._begin(loop, node, base)
            # What is entered there in another state, or not at all, is none of it.
            entered = dict(pairs)
            others = {child for child, after in begun.items() if entered.get(child, -1) != after}
            n_others = sum(trie.high[child] - trie.low[child] for child in others)
            if not begun or 2 * n_others > n_texts:
                continue
            pairs = [pair for pair in pairs if pair[0] not in begun or pair[0] in others]
            spend(LEVEL)
            reading = reader.read(loop.component, node)
            if others:
                reading = reader.leave_out(reading, others)
            left += self._list_left(self._read(loop, reading, node, base))
        return pairs + left

    def _loop_of(self, state: int) -> Loop | None:
        if state not in self._loops:
            found = self._automaton.loop_of(state) or find_loop(self._automaton, state)
            self._loops[state] = found
        return self._loops[state]

    def _find_base(self, loop: Loop, pairs: list[Pair], state: int) -> int | None:
        """Return how often a loop has passed at a node from which it leads to a state."""
        if loop.most is None and not loop.least:
            return 0  # it does not matter
        bytes_, component = self._trie.bytes, loop.component
        for child, after in pairs:
            if after == state and component.table[0, bytes_[child]] == 1:
                return loop.count - int(component.passes[0, bytes_[child]])
        return None

    def _begin(self, loop: Loop, node: int, base: int) -> dict[int, int]:
        """Return the children of a node that a loop reads, each with the state there, -2: none."""
        row = loop.component.table[0].tolist()
        passes, most = loop.component.passes[0].tolist(), loop.most
        found, states = dict[int, int](), dict[tuple[int, int], int]()
        for child, byte in self._trie.children(node, None):
            key = (row[byte], base + passes[byte])
            if key[0] == LEFT:
                continue
            if key not in states:
                is_too_often = most is not None and key[1] > most
                states[key] = -2 if is_too_often else loop.state_at(key[0] - 1, key[1])
            found[child] = states[key]
        return found

    def _read(self, loop: Loop, reading: Reading, node: int, base: int) -> dict[int, list[Ints]]:
        """Take what a loop reads below a node; return state → the nodes where it was left to it."""
        trie, by_state = self._trie, dict[int, list[Ints]]()
        enough, most = _bounds(loop, base)
        self._take_tokens(reading, most)
        numbers = tuple(n for n in loop.component.whole if loop.may_end(n))
        ends, passed = reading.ends(numbers, self._onward)
        self.exits.append(ends[(passed >= enough) & (passed <= most)])
        for (number, byte, is_kept), left, passes in reading.leave_by(loop.out):
            # Children of the node itself are reached from its own state.
            is_in = (left < trie.first[node]) | (left >= trie.first[node + 1])
            is_in &= (passes >= (0 if is_kept else enough)) & (passes <= most)
            if is_kept:
                _add_kept(by_state, loop, number, byte, left[is_in], passes[is_in], base)
            elif is_in.any():
                # However often the loop has passed, it is left.
                _add_left(by_state, loop.after(number, loop.least, byte), left[is_in])
        return by_state

    def _take_tokens(self, reading: Reading, most: int) -> None:
        """Take the tokens that a loop reads where it passes so often at most."""
        read, too_often = reading.read_within(most)
        if reading.row is None or len(too_often) >= len(read):
            self.places.append(read)
            return
        row, reader = reading.row, self._reader
        if len(too_often) and reader is not None:
            row = reader.index.clear_bits(row, reader.index.order[too_often])
        self.rows.append(row)

    def _list_left(self, by_state: dict[int, list[Ints]]) -> list[Pair]:
        """Return nodes where the walk is to go on, each with the state there, if they are few."""
        few = list[Pair]()
        for state, parts in by_state.items():
            nodes = np.concatenate(parts)
            spend(1 + len(nodes) // NODES_AT_ONCE)
            if len(nodes) <= _FEW:
                few += ((child, state) for child in nodes.tolist())
                continue
            self.places.append(list_ending(self._trie, nodes)[0])
            if self._automaton.accepts(state):
                self.exits.append(nodes[self._onward.are(nodes)])
            self._left.append((nodes, state))
        return few

    def _go_levels(self, nodes: Ints, states: Ints, few: int) -> list[Pair]:
        """Walk on from some nodes, all one byte at a time, until so few are left."""
        automaton, trie = self._automaton, self._trie
        while len(nodes) > few:
            _, nodes, states = go_down(automaton, trie, nodes, states)
            self.places.append(list_ending(trie, nodes)[0])
            goes_on = going_on(trie, nodes)
            nodes, states = nodes[goes_on], states[goes_on]
            accepts, labels = automaton.know_all()
            exits = nodes[accepts[states]]
            self.exits.append(exits[self._onward.are(exits)])
            if automaton.has_labels:
                turned = np.flatnonzero(labels[states] != NO_LABEL)
                self.turns += zip(
                    labels[states[turned]].tolist(), nodes[turned].tolist(), strict=True
                )
        return list(zip(nodes.tolist(), states.tolist(), strict=True))


def _bounds(loop: Loop, base: int) -> tuple[int, int]:
    """Return how many more passes a loop demands, and how many it allows, after so many."""
    most = _MOST_PASSES if loop.most is None else min(loop.most - base, _MOST_PASSES)
    return max(loop.least - base, 0), most


def _add_left(by_state: dict[int, list[Ints]], state: int, nodes: Ints) -> None:
    if len(nodes) and state >= 0:
        by_state.setdefault(state, []).append(nodes)


def _add_kept(
    by_state: dict[int, list[Ints]],
    loop: Loop,
    number: int,
    byte: int,
    left: Ints,
    passes: Passes,
    base: int,
) -> None:
    """Add nodes where a component is left and its loop is not: their states have its count."""
    for n_passes in np.unique(passes).tolist():
        after = loop.after(number, base + n_passes, byte)
        _add_left(by_state, after, left[passes == n_passes])
