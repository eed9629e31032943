r"""Gaps: where white space leads to in a trie, and which signs come after it.

A *gap* is what stands between two signs of a JSON text. From some nodes of a trie we follow white
space as far as the layout has it; the tokens that end on the way are legal, and each sign of JSON
that comes next leads to nodes. That depends on the trie, the layout and the depth alone, so it is
worked out once for all artifacts of a tokenizer. A depth at which no text after the nodes has too
much white space stands for all that are deeper.

Example: of ``\n``, ``\n "a`` and ``,`` the first is legal, and the quote leads to one node.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.plan.blanks import BLANK_BYTES, BOUNDED, BROKEN, COMPACT, MOST, Blanks
from maskc.runtime.schema.tries import ROOT, Nodes, TokenIndex, Trie
from maskc.runtime.schema.tries.summary import Part, part_of_texts

_SIGNS: Final = frozenset(b'"{}[],:ntf')
_BEGIN_NUMBER: Final = frozenset(b"-0123456789")


class Lead(NamedTuple):
    """What white space leads to: the tokens that end in it, and nodes.

    These are those of each sign after it, those after which a number can begin, and its ends.
    """

    part: Part
    signs: dict[int, Nodes]
    numbers: Nodes
    ends: Nodes


class Gaps:
    """Follows white space of a layout through the tries of a vocabulary."""

    def __init__(self, index: TokenIndex, blanks: Blanks) -> None:
        self._index, self._blanks = index, blanks
        self._is_bounded = blanks.choice == BOUNDED
        self._least = int(blanks.is_inside)  # where no bracket is open, there is none
        # By whether a trie is that of rests, of each node the most blanks in a row below it.
        self._runs: tuple[memoryview, ...] = ()
        if self._is_bounded or blanks.most is not None:
            self._runs = _read_runs(index)

    def canonical(self, trie: Trie, nodes: Nodes, gap: int, depth: int) -> tuple[int, int]:
        """Return a gap and a depth that stand for all that no text tells apart after some nodes.

        A gap is what has been read of it, a depth how many brackets are open.
        """
        most = self._blanks.most
        if most is not None:
            # No token has more blanks in a row.
            return max(gap, most - self._runs[0][ROOT]), min(depth, self._least)
        if not self._is_bounded:
            return gap, min(depth, self._least)
        longest = self._longest_after(trie, nodes)
        level = min(depth, max(-(-longest // MOST), self._least))
        if gap < BROKEN:
            return 0 if gap <= MOST - longest else gap, level
        left = min(MOST * depth - (gap - BROKEN), MOST * level)
        return BROKEN + MOST * level - left, level

    def _longest_after(self, trie: Trie, nodes: Nodes) -> int:
        """Return the most blanks in a row that some text has after one of some nodes."""
        is_rest = trie is self._index.suffixes
        runs = self._runs[is_rest]
        if len(nodes) == 1:
            only: int = runs[nodes[0]]
            return only
        name = ("longest run of blanks below", is_rest, nodes)
        found: int | None = self._index.shared.get(name)
        if found is None:
            found = max([runs[node] for node in nodes], default=0)
            self._index.shared.put(name, found, 200 + 8 * len(nodes))
        return found

    def lead(self, trie: Trie, nodes: Nodes, gap: int, depth: int) -> Lead:
        """Return what comes after some nodes; the arguments are those of :meth:`canonical`."""
        is_rest = trie is self._index.suffixes
        gap, level = self.canonical(trie, nodes, gap, depth)
        # Inside of a bracket it is as in the layout that has blanks around the text as well.
        choice = self._blanks.choice if level or not self._blanks.is_inside else COMPACT
        key = (Gaps, choice, is_rest, nodes, gap, level)
        found: Lead | None = self._index.shared.get(key)
        if found is None:
            found = self._follow(trie, nodes, gap, level)
            n_bytes = 1000 + 4 * self._index.n_words * len(found.part.rows)
            self._index.shared.put(key, found, n_bytes)
        return found

    def _follow(self, trie: Trie, nodes: Nodes, gap: int, depth: int) -> Lead:
        blanks, text_indices = self._blanks, list[int]()
        signs: dict[int, list[int]] = {}
        numbers: list[int] = []
        ends: list[int] = []
        open_ = [(node, gap) for node in nodes]
        while open_:
            node, here = open_.pop()
            first, last = trie.first[node], trie.first[node + 1]
            bytes_ = trie.bytes[first:last]
            goes_on = blanks.may_go_on(here)
            if goes_on:
                ends.append(node)
                if not _BEGIN_NUMBER.isdisjoint(bytes_):
                    numbers.append(node)
            for child, byte in enumerate(bytes_, first):
                if byte in BLANK_BYTES:
                    after = blanks.step(here, byte, depth)
                    if after is not None:
                        low = trie.low[child]
                        text_indices += range(low, low + trie.n_ending[child])
                        open_.append((child, after))
                elif goes_on and byte in _SIGNS:
                    signs.setdefault(byte, []).append(child)
        part = part_of_texts(self._index, trie, text_indices)
        by_sign = {byte: tuple(found) for byte, found in signs.items()}
        return Lead(part, by_sign, tuple(numbers), tuple(sorted(ends)))


def _read_runs(index: TokenIndex) -> tuple[memoryview, ...]:
    found: tuple[memoryview, ...] | None = index.shared.get(_read_runs)
    if found is None:
        found = tuple(_runs_below(trie).data for trie in (index.tokens, index.suffixes))
        index.shared.keep(_read_runs, found, sum(runs.nbytes for runs in found))
    return found


def _runs_below(trie: Trie) -> NDArray[np.uint16]:
    """Return of each node the most blanks in a row that some text has below it."""
    is_blank, first = np.isin(trie.byte_array, list(BLANK_BYTES)), trie.first_array
    opening = np.zeros(len(is_blank), dtype=np.uint16)  # the most that follow a node at once
    most = np.zeros(len(is_blank), dtype=np.uint16)
    for start, stop in zip(trie.levels[-3::-1], trie.levels[-2:0:-1], strict=True):
        parents = start + np.flatnonzero(np.diff(first[start : stop + 1]))
        if not len(parents):
            continue
        # The children of a level are the next level, in the order of their parents.
        children = slice(int(first[start]), int(first[stop]))
        runs = np.where(is_blank[children], opening[children] + 1, 0).astype(np.uint16)
        begin = first[parents] - children.start
        opening[parents] = np.maximum.reduceat(runs, begin)
        below = np.maximum.reduceat(most[children], begin)
        most[parents] = np.maximum(opening[parents], below)
    return most
