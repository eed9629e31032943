"""What does a regular piece read of a vocabulary, as a mask, and where may it end?

:mod:`maskc.runtime.link.automata.walk` says which texts of a trie the piece's automaton reads. Here
these become sets of tokens, or a scan is made of that of another state which differs in few places.

Example: inside ``[a-z]{2,9}`` the scans after two letters and after three differ in nothing but
where the piece may end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.link.automata.automaton import ByteAutomaton
from maskc.runtime.link.automata.component_reader import ComponentReader
from maskc.runtime.link.automata.differences import find_differences
from maskc.runtime.link.automata.walk import Turn, Walk, add_turn
from maskc.runtime.schema.tries.summary import Part, bits_of
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints, Trie

_FEW = 48  # ids that are no row of their own, nodes that are not looked up first
_MANY = 4_000  # nodes that take longer to sort than it takes to look at some nodes' children


class Scan(NamedTuple):
    """What was found.

    Attributes:
        part: the texts that the piece reads.
        exits: int32[n], ascending: nodes after which texts go on where the piece may end; none is
            where the walk began.
        turns: labels of the automaton, each with a node after which texts go on and where the
            automaton's state has that label.
    """

    part: Part
    exits: Ints
    turns: tuple[Turn, ...] = ()


NO_EXITS: Ints = np.zeros(0, dtype=np.int32)


class Scanner:
    """Scans the tries of a vocabulary.

    Args:
        index: the vocabulary.
    """

    def __init__(self, index: TokenIndex) -> None:
        self._index = index
        self._parents: dict[tuple[bool, int], Ints] = {}
        self._components = ComponentReader(index)

    def scan(
        self, automaton: ByteAutomaton[Any], trie: Trie, open_: Iterable[tuple[int, int]]
    ) -> Scan:
        """Return what an automaton reads from some nodes of a trie.

        Args:
            automaton: of the piece.
            trie: of the tokens, or of the rests after a quote.
            open_: nodes where the walk begins, each with the automaton's state there.
        """
        walk = Walk(automaton, trie, self._components if trie is self._index.tokens else None)
        walk.go(list(open_))
        turns, few, exits = tuple(walk.turns), walk.few, NO_EXITS
        if walk.few_exits or walk.exits:
            listed = np.array(walk.few_exits, dtype=np.int32)
            exits = ascending(np.concatenate([listed, *(part for part in walk.exits if len(part))]))
        if not walk.places and len(few) <= _FEW and trie is self._index.tokens:
            ids = self._index.ids
            part = Part(few=tuple(sorted([ids[place] for place in few])))
        else:
            part = self.part(trie, np.concatenate([np.array(few, dtype=np.int32), *walk.places]))
        if walk.rows:
            part = self.unite((part, *(Part((row,)) for row in walk.rows)))
        return Scan(part, exits, turns)

    def scan_beside(
        self, automaton: ByteAutomaton[Any], at: int, other: int, known: Scan
    ) -> Scan | None:
        """Return the scan of the trie of tokens in a state, by where it differs from another's.

        Args:
            automaton: of the piece.
            at: the state.
            other: a state whose scan is known.
            known: that scan.

        Returns:
            ``None`` if they differ in many places.
        """
        trie, index = self._index.tokens, self._index
        found = find_differences(automaton, trie, at, other)
        if found is None:
            return None
        words, exits, turns = self._without(known, found.gone)
        turns = [*found.turns, *(turn for turn in turns if turn not in found.lost)]
        turned = [node for node in found.turned if trie.has_children(node)]
        for child, after in found.fresh:
            words = index.set_bits(words, index.order[trie.low[child] :][: trie.n_ending[child]])
            if automaton.accepts(after) and trie.has_children(child):
                turned.append(child)
            if automaton.has_labels:
                add_turn(turns, automaton, trie, child, after)
        more = self.scan(automaton, trie, found.fresh)
        # What has turned was there, or was not; what is fresh was not.
        exits = toggle(exits, np.array(sorted(turned), dtype=np.int32))
        part = self.unite((Part((words,)), more.part))
        return Scan(part, toggle(exits, more.exits), tuple(sorted([*turns, *more.turns])))

    def _without(self, known: Scan, gone: list[int]) -> tuple[Words, Ints, list[Turn]]:
        """Return the tokens, exits and turns of a scan but for those at and below some nodes."""
        trie, index = self._index.tokens, self._index
        low = trie.low_array[known.exits]
        is_kept = np.ones(len(low), dtype=np.bool_)
        turns = list(known.turns)
        for node in gone:
            first, last = trie.low[node], trie.high[node]
            is_kept &= (low < first) | (low >= last) | (known.exits < node)
            turns = [t for t in turns if not first <= trie.low[t[1]] < last or t[1] < node]
        words = self.words(known.part)
        lost = [index.order[trie.low[node] : trie.high[node]] for node in gone]
        if lost:
            words = index.clear_bits(words, np.concatenate(lost))
        return words, known.exits[is_kept], turns

    def going_on(self, trie: Trie, nodes: Ints, bytes_: frozenset[int] | None) -> Ints:
        """Return those of some nodes from which a text goes on.

        Args:
            trie: of the vocabulary.
            nodes: of it, ascending.
            bytes_: with one of which it goes on; ``None``: with any.
        """
        if bytes_ is None or len(nodes) <= _FEW:
            return nodes[trie.first_array[nodes] < trie.first_array[nodes + 1]]
        parents = [self._parents_by(trie, byte) for byte in sorted(bytes_)]
        if max(len(nodes), _MANY) < sum(map(len, parents)):
            return _that_read(trie, nodes, bytes_)
        if not parents:
            return nodes[:0]
        # The nodes ascend; there are mostly fewer that have such a child.
        wanted = parents[0] if len(parents) == 1 else ascending(np.concatenate(parents))
        places = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
        found: Ints = wanted[nodes[places] == wanted]
        return found

    def _parents_by(self, trie: Trie, byte: int) -> Ints:
        """Return the nodes that have a child with a byte."""
        key = (trie is self._index.rests, byte)
        found = self._parents.get(key)
        if found is None:
            # The root is no child, and has byte 0.
            found = trie.parent_array[1:][trie.byte_array[1:] == byte]
            self._parents[key] = found
        return found

    def part(self, trie: Trie, places: Ints) -> Part:
        """Return the part of some texts of a trie, by place; one may be there several times."""
        index = self._index
        if trie is index.rests:
            return Part(bits=bits_of(places.tolist()))
        ids = index.order[places]
        few = len(ids) <= _FEW
        return Part(few=tuple(dict.fromkeys(ids.tolist()))) if few else Part((index.pack(ids),))

    def without(self, trie: Trie, part: Part, places: list[int]) -> Part:
        """Return a part without some texts of a trie, by place."""
        if not places:
            return part
        if trie is self._index.rests:
            return Part(bits=part.bits & ~bits_of(places))
        ids = self._index.order[np.array(places, dtype=np.int32)]
        return Part((self._index.clear_bits(self.words(part), ids),))

    def unite(self, parts: Iterable[Part]) -> Part:
        """Return one part with the texts of several, of one trie."""
        taken = [part for part in dict.fromkeys(parts) if part.rows or part.few or part.bits]
        if len(taken) == 1:
            return taken[0]
        bits = unsure = 0
        for part in taken:
            bits |= part.bits
            unsure |= part.unsure
        rows = {id(row): row for part in taken for row in part.rows}
        few = tuple(sorted({token for part in taken for token in part.few}))
        if len(rows) > 1:
            united: NDArray[np.int32] = np.bitwise_or.reduce(list(rows.values()))
            rows = {id(united): united}
        return Part(tuple(rows.values()), few, bits=bits, unsure=unsure)

    def words(self, part: Part) -> Words:
        """Return the mask of a part's tokens: int32[ceil(vocab_size / 32)]."""
        return self._index.mix(part.rows, part.few, part.gone)


def _that_read(trie: Trie, nodes: Ints, bytes_: frozenset[int]) -> Ints:
    """Return those of some nodes that have a child by one of some bytes, by their children."""
    is_read = np.zeros(256, dtype=np.bool_)
    is_read[list(bytes_)] = True
    above, children = trie.children_of(nodes)
    goes_on = np.zeros(len(nodes), dtype=np.bool_)
    goes_on[above[is_read[trie.byte_array[children]]]] = True
    found: Ints = nodes[goes_on]
    return found


def ascending(nodes: Ints) -> Ints:
    """Return the different ones of some nodes, ascending; NumPy's ``unique`` takes longer."""
    if (nodes[1:] > nodes[:-1]).all():
        return nodes
    found = np.sort(nodes)
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[1:] = found[1:] != found[:-1]
    distinct: Ints = found[is_new]
    return distinct


def toggle(nodes: Ints, few: Ints) -> Ints:
    """Return what is in one of two ascending arrays, and not in both.

    >>> toggle(np.array([1, 3, 5]), np.array([3, 4])).tolist()
    [1, 4, 5]
    """
    if not len(few) or not len(nodes):
        return few if len(few) else nodes
    places = np.searchsorted(nodes, few)
    is_there = nodes[np.minimum(places, len(nodes) - 1)] == few
    left: Ints = np.delete(nodes, places[is_there])
    added: Ints = few[~is_there]
    return np.insert(left, np.searchsorted(left, added), added).astype(np.int32)
