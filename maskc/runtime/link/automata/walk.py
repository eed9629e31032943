"""The texts of a trie that an automaton reads, and where it is then.

Automaton and trie are walked side by side, level by level: node by node where a level has few
nodes, as inside a literal, and with arrays where it has many. What a loop reads is known at once
(:mod:`maskc.runtime.link.automata.loop_reader`), and the walk goes on where the loop is left.

Example: ``[a-z]+`` reads ``ab`` of the trie of ``a1``, ``ab`` and ``ab,``, and may end after
``a`` and after ``ab``, from where ``1`` and ``,`` go on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from maskc.runtime.link.automata import ATOM, NO_LABEL, ByteAutomaton, Left, split_words
from maskc.runtime.link.automata.loop_reader import LEVEL, NODES_AT_ONCE, LoopReader, go_down
from maskc.runtime.link.automata.loops import (
    LEFT,
    ComponentReading,
    Loop,
    Onward,
    going_on,
    list_ending,
)
from maskc.runtime.schema.tries import ROOT, Ints, Trie, Words
from maskc.runtime.step_budget import charge_steps

_FEW = 48  # nodes of a level that are walked one by one
_MANY_TEXTS, _MANY_BYTES = 2_000, 8  # below a node, that lead from it to a component

Turn = tuple[int, int]  # a label and a node
Pair = tuple[int, int]  # a node and the automaton's state there


class AutomatonWalk:
    """One walk, of the trie of the tokens (which the reader reads in loops), or that of the rests.

    Attributes:
        rows: masks of tokens that were read.
        few: other texts that were read, found one by one.
        text_indices: more of them, in arrays.
        few_exits: nodes after which texts go on where the piece may end; none is where it began.
        exits: more of them, in arrays, without those from which no text goes ``onward``.
        turns: labels of the automaton, each with a node after which texts go on and where the
            automaton's state has that label.
    """

    def __init__(
        self, automaton: ByteAutomaton[Any], trie: Trie, reader: LoopReader | None, onward: Onward
    ) -> None:
        self._automaton, self._trie, self._onward = automaton, trie, onward
        # What has labels has no loops that are worth it.
        self._reader = None if automaton.has_labels else reader
        self.rows = list[Words]()
        self.few, self.few_exits = list[int](), list[int]()
        self.text_indices, self.exits = list[Ints](), list[Ints]()
        self.turns = list[Turn]()
        # Levels of many nodes, with the states there, from which the walk has yet to go on.
        self._levels = list[tuple[Ints, Ints]]()

    def go(self, nodes: Ints, state: int) -> None:
        """Walk from some nodes, at each of which the automaton is in a state."""
        level = list[Pair]()
        if len(nodes) > _FEW:
            self._levels.append((nodes, np.full(len(nodes), state, dtype=np.int32)))
        else:
            level = self._begin_in_loop([(node, state) for node in nodes.tolist()])
        while level or self._levels:
            if not level:
                nodes, states = map(np.concatenate, zip(*self._levels, strict=True))
                self._levels.clear()
                level = self._go_down(nodes, states)
            elif len(level) <= _FEW:
                level = [pair for node, here in level for pair in self._follow(node, here)]
            else:
                array = np.array(level, dtype=np.int32)
                self._levels.append((array[:, 0], array[:, 1]))
                level = []

    def _follow(self, node: int, here: int) -> list[Pair]:
        """Return the nodes below one from which the walk is to go on, each with its state."""
        trie, automaton = self._trie, self._automaton
        moves, low, high = automaton.moves(here), trie.first[node], trie.first[node + 1]
        if len(moves) < high - low:
            find = trie.bytes.find
            pairs = [(n, m) for byte, m in moves.items() if (n := find(byte, low, high)) >= 0]
        else:
            bytes_, get = trie.bytes[low:high], moves.get
            pairs = [(n, m) for n, byte in enumerate(bytes_, low) if (m := get(byte, -1)) >= 0]
        if self._reader is not None and trie.high[node] - trie.low[node] > _MANY_TEXTS:
            pairs = self._read_loops(self._reader, node, pairs)
        charge_steps(4 * len(pairs) + 4)
        return self._arrive(pairs)

    def _arrive(self, pairs: list[Pair]) -> list[Pair]:
        """Add the texts that end in some nodes, and the exits; return those with children."""
        automaton, trie, inner = self._automaton, self._trie, list[Pair]()
        first, has_labels = trie.first, automaton.has_labels
        for child, after in pairs:
            n_ending = trie.n_ending[child]
            if n_ending:
                self.few += range(trie.low[child], trie.low[child] + n_ending)
            if first[child] == first[child + 1]:
                continue
            inner.append((child, after))
            if automaton.accepts(after):
                self.few_exits.append(child)
            if has_labels:
                label = automaton.label(after)
                if label != NO_LABEL:
                    self.turns.append((label, child))
        return inner

    def _go_down(self, nodes: Ints, states: Ints) -> list[Pair]:
        """Walk on by one byte from many nodes; return where it led if that is to few."""
        automaton, trie = self._automaton, self._trie
        _, nodes, states = go_down(automaton, trie, nodes, states)
        self.text_indices.append(list_ending(trie, nodes)[0])
        goes_on = going_on(trie, nodes)
        nodes, states = nodes[goes_on], states[goes_on]
        accepts, labels = automaton.know_all()
        exits = nodes[accepts[states]]
        self.exits.append(exits[self._onward.are(exits)])
        if automaton.has_labels:
            turned = np.flatnonzero(labels[states] != NO_LABEL)
            self.turns += zip(labels[states[turned]].tolist(), nodes[turned].tolist(), strict=True)
        if len(nodes) > _FEW:
            self._levels.append((nodes, states))
            return []
        return list(zip(nodes.tolist(), states.tolist(), strict=True))

    def _begin_in_loop(self, level: list[Pair]) -> list[Pair]:
        """Take what a counted loop reads, and what follows it, if the walk begins in one."""
        reader, trie = self._reader, self._trie
        if reader is None or len(level) != 1:
            return level
        ((node, state),) = level
        loop = self._automaton.loop_of(state) if node == ROOT else None
        if loop is None or not reads_loops(trie, loop):
            return level
        charge_steps(LEVEL)
        reading = reader.read(loop.component, ROOT)
        return self._arrive(self._take(loop, reading, node, loop.count, begins=True))

    def _read_loops(self, reader: LoopReader, node: int, pairs: list[Pair]) -> list[Pair]:
        """Read what is below a node in loops to which many bytes lead.

        Of the children that are reached, each with the state there, those are returned that are to
        be walked: of other states, and nodes where loops were left.
        """
        trie, left = self._trie, list[Pair]()
        n_texts, counts = trie.high[node] - trie.low[node], Counter(after for _, after in pairs)
        for state in sorted(state for state, n in counts.items() if n >= _MANY_BYTES):
            loop = self._automaton.loop_of(state) or self._automaton.plain_loop_of(state)
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
            charge_steps(LEVEL)
            reading = reader.read(loop.component, node)
            if others:
                reading = reader.leave_out(reading, others)
            left += self._take(loop, reading, node, base, begins=False)
        return pairs + left

    def _find_base(self, loop: Loop, pairs: list[Pair], state: int) -> int | None:
        """Return how often a loop has passed at a node from which it leads to a state."""
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

    def _take(
        self, loop: Loop, reading: ComponentReading, node: int, base: int, *, begins: bool
    ) -> list[Pair]:
        """Take what a loop reads below a node; return where the walk goes on after it.

        ``base`` is how often the loop has passed there. If the walk ``begins`` there, the node is
        in the loop itself.
        """
        trie, (low, high) = self._trie, loop.bounds_after(base)
        self._take_tokens(reading, high)
        if begins and self._reader is not None:
            ends, passed = self._reader.ends(loop, self._onward)
            text_indices, exits = self._reader.follow(
                self._automaton, loop, self._onward, low, high
            )
            self.text_indices.append(text_indices)
            self.exits.append(exits)
        else:
            ends, passed = reading.ends(loop, self._onward)
        self.exits.append(ends[(passed >= low) & (passed <= high)])
        by_state = dict[int, list[Ints]]()
        for (number, byte, is_kept), left, passes in reading.leave_by(loop.out):
            is_in = passes <= high
            if not begins:
                # Children of the node itself are reached from its own state.
                is_in &= (left < trie.first[node]) | (left >= trie.first[node + 1])
            if is_kept:
                for n_passes in np.unique(passes[is_in]).tolist():
                    after = loop.after(number, base + n_passes, byte)
                    _add(by_state, after, left[is_in & (passes == n_passes)])
            elif not begins:
                # However often the loop has passed, it is left.
                after = loop.after(number, loop.least, byte)
                _add(by_state, after, left[is_in & (passes >= low)])
        return self._list_left(by_state)

    def _take_tokens(self, reading: ComponentReading, most: int) -> None:
        """Take the tokens that a loop reads where it passes so often at most."""
        read, too_often = reading.read_within(most)
        row, reader = reading.row, self._reader
        if row is None or reader is None or len(too_often) >= len(read):
            self.text_indices.append(read)
            return
        if len(too_often):
            row = reader.index.clear_bits(row, reader.index.order[too_often])
        self.rows.append(row)

    def _list_left(self, by_state: dict[int, list[Ints]]) -> list[Pair]:
        """Return nodes where the walk is to go on, each with the state there, if they are few."""
        few = list[Pair]()
        for state, parts in by_state.items():
            nodes = np.concatenate(parts)
            charge_steps(1 + len(nodes) // NODES_AT_ONCE)
            if len(nodes) <= _FEW:
                few += ((child, state) for child in nodes.tolist())
                continue
            self.text_indices.append(list_ending(self._trie, nodes)[0])
            if self._automaton.accepts(state):
                self.exits.append(nodes[self._onward.are(nodes)])
            self._levels.append((nodes, np.full(len(nodes), state, dtype=np.int32)))
        return few


def walk_words(
    words: Sequence[Sequence[int]], left: Left, trie: Trie, nodes: Iterable[int]
) -> tuple[list[int], list[Turn]]:
    """Return the texts that words read from some nodes on, and where words are whole.

    Args:
        words: of symbols, sorted, of which those are read that are ``left``, at least one.
        trie: of the vocabulary.
        nodes: of the trie.

    Returns:
        texts by text index; numbers of words, each with a node after which texts go on.
    """
    read, whole, worklist = list[int](), list[Turn](), [(node, left) for node in nodes]
    first, ending, find = trie.first, trie.n_ending, trie.bytes.find
    for node, (low, high, depth) in worklist:  # grows while we walk it
        head, last, n_read = words[low], words[high - 1], depth
        n_most = min(len(head), len(last))
        # What all the words go on with.
        while n_read < n_most and head[n_read] == last[n_read] < ATOM:
            node = find(head[n_read], first[node], first[node + 1])
            if node < 0:
                break
            if ending[node]:
                read += range(trie.low[node], trie.low[node] + ending[node])
            n_read += 1
        charge_steps(4 * (n_read - depth) + 4)
        if node < 0 or first[node] == first[node + 1]:
            continue
        if n_read == len(head) and n_read > depth:
            whole.append((low, node))
        after = split_words(words, (low, high, n_read)) if high - low > 1 else {}
        for symbol, (start, stop, _) in after.items():
            if symbol < ATOM:
                worklist.append((node, (start, stop, n_read)))
    return read, whole


def reads_loops(trie: Trie, loop: Loop) -> bool:
    """Return whether what a loop reads from the root on is worked out at once."""
    if len(trie.texts) <= _MANY_TEXTS:
        return False
    return bool(np.count_nonzero(loop.component.table[0]) >= _MANY_BYTES)


def _add(by_state: dict[int, list[Ints]], state: int, nodes: Ints) -> None:
    if len(nodes) and state >= 0:
        by_state.setdefault(state, []).append(nodes)
