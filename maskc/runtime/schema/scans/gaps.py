r"""Where does white space lead to in a trie, and which signs come after it?

A *gap* is what stands between two signs of a JSON text. From some nodes of a trie we follow white
space as far as the layout has it; the tokens that end on the way are legal, and each sign of JSON
that comes next leads to nodes. That depends on the trie, the layout and the depth alone, so it is
worked out once for all artifacts of a tokenizer. A depth at which no token has too much white space
stands for all that are deeper.

Example: of ``\n``, ``\n "a`` and ``,`` the first is legal, and the quote leads to one node.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from maskc.runtime.schema.plan.blanks import BLANK_BYTES, BOUNDED, BROKEN, COMPACT, MOST, Blanks
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Nodes, Trie

_SIGNS = frozenset(b'"{}[],:ntf')
_BEGIN_NUMBER = frozenset(b"-0123456789")
_FEW = 48
LONGEST_RUN = "longest run of blanks"  # under what it is shared


class Lead(NamedTuple):
    """What white space leads to.

    Attributes:
        part: tokens that end in it.
        signs: sign → the nodes that it leads to.
        numbers: nodes after which a number can begin.
    """

    part: Part
    signs: dict[int, Nodes]
    numbers: Nodes


class Gaps:
    """Follows white space through the tries of a vocabulary.

    Args:
        index: the vocabulary.
        blanks: the layout.
    """

    def __init__(self, index: TokenIndex, blanks: Blanks) -> None:
        self._index, self._blanks = index, blanks
        self._longest = 0
        if blanks.choice == BOUNDED or blanks.most is not None:
            found: int | None = index.shared.get(LONGEST_RUN)
            if found is None:
                found = _longest_run(index.tokens)
                index.shared.put(LONGEST_RUN, found, 100)
            # No token has more blanks in a row.
            self._longest = found
        self._most = -(-self._longest // MOST) if blanks.choice == BOUNDED else 0
        if blanks.is_inside:
            self._most = max(self._most, 1)  # where no bracket is open, there is none

    def level(self, depth: int) -> int:
        """Return a depth that stands for all that no token tells apart."""
        return min(depth, self._most)

    def cap(self, gap: int, depth: int) -> int:
        """Return what a gap is like at :meth:`level` of its depth."""
        most = self._blanks.most
        if most is not None:
            return max(gap, most - self._longest)
        if gap < BROKEN:
            return gap
        level = self.level(depth)
        left = min(MOST * depth - (gap - BROKEN), MOST * level)
        return BROKEN + MOST * level - left

    def lead(self, trie: Trie, nodes: Nodes, gap: int, depth: int) -> Lead:
        """Return what comes after some nodes.

        Args:
            trie: of the vocabulary.
            nodes: of it.
            gap: what has been read of the gap.
            depth: how many brackets are open.
        """
        is_rest = trie is self._index.rests
        level = self.level(depth)
        # Inside of a bracket it is as in the layout that has blanks around the text as well.
        choice = self._blanks.choice if level or not self._blanks.is_inside else COMPACT
        key = (Gaps, choice, is_rest, nodes, self.cap(gap, depth), level)
        found: Lead | None = self._index.shared.get(key)
        if found is None:
            found = self._follow(trie, nodes, key[4], level, is_rest=is_rest)
            n_bytes = 1000 + 4 * self._index.n_words * len(found.part.rows)
            self._index.shared.put(key, found, n_bytes)
        return found

    def between(self, trie: Trie, nodes: Nodes, gap: int, depth: int) -> Nodes:
        """Return some nodes and those that white space leads to, where it may end."""
        blanks, found = self._blanks, list[int]()
        open_ = [(node, gap) for node in nodes]
        while open_:
            node, here = open_.pop()
            if blanks.may_go_on(here):
                found.append(node)
            for child, byte in trie.children(node, BLANK_BYTES):
                after = blanks.step(here, byte, depth)
                if after is not None:
                    open_.append((child, after))
        return tuple(sorted(found))

    def _follow(self, trie: Trie, nodes: Nodes, gap: int, depth: int, *, is_rest: bool) -> Lead:
        blanks, places = self._blanks, list[int]()
        signs: dict[int, list[int]] = {}
        numbers: list[int] = []
        open_ = [(node, gap) for node in nodes]
        while open_:
            node, here = open_.pop()
            first, last = trie.first[node], trie.first[node + 1]
            bytes_ = trie.bytes[first:last]
            goes_on = blanks.may_go_on(here)
            if goes_on and not _BEGIN_NUMBER.isdisjoint(bytes_):
                numbers.append(node)
            for child, byte in enumerate(bytes_, first):
                if byte in BLANK_BYTES:
                    after = blanks.step(here, byte, depth)
                    if after is not None:
                        low = trie.low[child]
                        places += range(low, low + trie.n_ending[child])
                        open_.append((child, after))
                elif goes_on and byte in _SIGNS:
                    signs.setdefault(byte, []).append(child)
        return Lead(
            self._part(places, is_rest=is_rest),
            {byte: tuple(found) for byte, found in signs.items()},
            tuple(numbers),
        )

    def _part(self, places: list[int], *, is_rest: bool) -> Part:
        if is_rest:
            return Part(few=tuple(places))
        ids = [self._index.ids[place] for place in places]
        if len(ids) <= _FEW:
            return Part(few=tuple(ids))
        return Part(rows=(self._index.pack(ids),))


def _longest_run(trie: Trie) -> int:
    """Return the greatest number of blanks in a row that a text has."""
    is_blank = np.isin(trie.byte_array, list(BLANK_BYTES))
    runs = np.zeros(len(is_blank), dtype=np.int32)
    for first, last in itertools.pairwise(trie.levels[1:]):
        own = slice(first, last)
        runs[own] = np.where(is_blank[own], runs[trie.parent_array[own]] + 1, 0)
    return int(runs.max())
