"""Searches a trie of characters by an automaton that takes few of them.

An automaton over characters is walked over their trie
(:mod:`maskc.runtime.schema.scans.character_trie`). Where few characters lead on, they are looked
up. An automaton may have a state, its *sink*, in which every further character is free: after
``^foo``, or where a key is none of those that have names. All texts below a node that is reached in
it do what they do in a string of any characters, so they are taken at once, and where nearly all
characters lead there, the few others are followed.

Example: of the keys ``id`` and any other one all texts are free, but for those below ``i`` and
``id``.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.character_trie import BETWEEN, CLOSES, CharacterTrie
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa, only
from maskc.runtime.step_budget import charge_steps

_SEARCHED_BYTES, _ITEM_BYTES = 500, 100
_LOOKED_UP: Final = 4  # characters that are one step
_FOLLOWED: Final = 5  # look-ups that a node counts for to which all characters are followed


class Ended(NamedTuple):
    """A string that has ended: the node after the quote, the state before it, and its size."""

    node: int
    state: int
    size: int


class Searched(NamedTuple):
    """What an automaton does to texts."""

    # runs of items that are free, or no longer, one after the other: the first item, one past the
    # last, and whether they are free from now on
    runs: list[tuple[int, int, bool]]
    text_indices: list[int]  # of the texts that stay inside
    # targets, sizes: of each of them, the states that its characters can lead to, and how many
    # these are, one left open included
    targets: list[frozenset[int]]
    sizes: list[int]
    ended: list[Ended]  # where the string ends
    free: list[int]  # more texts that stay inside, after which every character may come

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes."""
        n_items = len(self.text_indices) + len(self.ended) + len(self.runs)
        return _SEARCHED_BYTES + _ITEM_BYTES * n_items + 40 * len(self.free)


def search(
    trie: CharacterTrie,
    dfa: CharDfa,
    start: int,
    *,
    exactly: bool = False,
    dropped: int = DEAD,
    most: int = 1 << 30,
) -> Searched | None:
    """Return what an automaton does from a state on; of what is free runs alone.

    Args:
        trie: of the texts.
        dfa: the automaton.
        start: its state before them.
        exactly: whether states and sizes are wanted in the sink, too.
        dropped: a state that counts as dead: the sink, where keys without a name may not come.
        most: so many characters are looked up; ``None`` is returned if there are more.
    """
    sink = -1 if exactly or dropped else dfa.sink
    return _Search(trie, dfa, sink, dropped, most).run(start)


def search_all(
    trie: CharacterTrie, dfa: CharDfa, *, exactly: bool = False, dropped: int = DEAD
) -> Searched:
    """Return what an automaton does from its start on, without runs; see :func:`search`."""
    found = search(trie, dfa, dfa.start, exactly=exactly, dropped=dropped)
    if found is None:
        raise ValueError("a walk without a bound came back with nothing")
    if not found.runs:
        return found
    items, tables = free_items(trie, found), trie.tables
    is_closing = tables.kinds[items] == CLOSES
    closing = tables.places[items[is_closing]].tolist()
    ended = [*found.ended, *(Ended(node, dfa.sink, 0) for node in closing)]
    return found._replace(runs=[], ended=ended, free=tables.places[items[~is_closing]].tolist())


def free_items(trie: CharacterTrie, found: Searched) -> NDArray[np.intp]:
    is_free = np.zeros(trie.n_items, dtype=np.bool_)
    for low, high, now in found.runs:
        is_free[low:high] = now
    return np.flatnonzero(is_free)


def find_names(
    trie: CharacterTrie, dfa: CharDfa, start: int, sink: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the strings that some text ends, with label and nodes after their quotes.

    Args:
        trie: of the texts.
        dfa: of the strings.
        start: its state before the texts.
        sink: a state that leads nowhere else, whose label is not wanted; -1: ``NO_LABEL`` is not.
    """
    found: list[tuple[int, tuple[int, ...]]] = []
    labels, closing = dfa.labels, trie.closing
    unwanted = NO_LABEL if sink < 0 else labels[sink]
    open_ = [(0, start)]
    while open_:
        node, state = open_.pop()
        charge_steps(1)
        if state == sink:
            continue
        if labels[state] != unwanted:
            items = trie.closing_items(node)
            if items:
                found.append((labels[state], tuple([trie.origins[item] for item in items])))
        first, last = trie.first[node], trie.first[node + 1]
        if 1 not in closing[first:last]:
            continue
        special = dfa.special(state)
        if dfa.defaults[state] != sink or special is None or len(special) > last - first:
            chars = trie.chars
            open_ += [(n, dfa.step(state, chars[n])) for n in range(first, last) if closing[n]]
            continue
        for character, target in special:
            child = trie.child(node, character)
            if child >= 0 and closing[child]:
                open_.append((child, target))
    return found


class _Search:
    def __init__(
        self, trie: CharacterTrie, dfa: CharDfa, sink: int, dropped: int, most: int
    ) -> None:
        self._trie, self._dfa, self._most = trie, dfa, most
        self._sink, self._dropped = sink, dropped
        # What is found: lists of its own are quicker to reach than those of a tuple with names.
        self._runs: list[tuple[int, int, bool]] = []
        self._text_indices: list[int] = []
        self._targets: list[frozenset[int]] = []
        self._sizes: list[int] = []
        self._ended: list[Ended] = []
        self._open: list[tuple[int, int, int, bool]] = []

    def _is_dead(self, state: int) -> bool:
        return state == DEAD or state == self._dropped

    def run(self, start: int) -> Searched | None:
        defaults, most = self._dfa.defaults, self._most
        if not self._is_dead(start):
            self._open.append((0, start, 0, False))
        while self._open and self._most >= 0:
            node, state, size, is_free = self._open.pop()
            if state == self._sink:
                if not is_free:
                    self._free(node, is_free=True)
                continue
            special = self._dfa.special(state)
            if special is not None and defaults[state] == self._sink:
                if not is_free:
                    self._free(node, is_free=True)
                self._follow_others(node, state, size, special)
                continue
            if is_free:
                self._free(node, is_free=False)
            if special is not None and self._is_dead(defaults[state]):
                self._follow_few(node, state, size, special)
            else:
                self._follow_all(node, state, size)
        charge_steps(1 + (most - self._most) // _LOOKED_UP)
        if self._most < 0:
            return None
        return Searched(self._runs, self._text_indices, self._targets, self._sizes, self._ended, [])

    def _free(self, node: int, *, is_free: bool) -> None:
        self._runs.append((self._trie.low[node], self._trie.high[node], is_free))

    def _keep(self, text_index: int, targets: frozenset[int], size: int) -> None:
        self._text_indices.append(text_index)
        self._targets.append(targets)
        self._sizes.append(size)

    def _close(self, item: int, state: int, size: int) -> None:
        if self._dfa.labels[state] >= 0:
            self._ended.append(Ended(self._trie.origins[item], state, size))

    def _follow_few(
        self, node: int, state: int, size: int, special: tuple[tuple[int, int], ...]
    ) -> None:
        trie = self._trie
        if trie.n_ending[node]:
            self._end_few(node, state, size, special)
        first, last = trie.first[node], trie.first[node + 1]
        if first == last:
            return
        self._most -= len(special)
        if last - first < len(special):
            for child in range(first, last):
                target = self._dfa.step(state, trie.chars[child])
                if not self._is_dead(target):
                    self._open.append((child, target, size + 1, False))
            return
        chars, below_root = trie.chars, trie.below_root
        for character, target in special:
            if self._is_dead(target):
                continue
            # As CharacterTrie.child, which would look up again what is known here.
            if not node:
                child = below_root.get(character, last)
            else:
                child = bisect_left(chars, character, first, last)
            if child < last and chars[child] == character:
                self._open.append((child, target, size + 1, False))

    def _end_few(
        self, node: int, state: int, size: int, special: tuple[tuple[int, int], ...]
    ) -> None:
        trie = self._trie
        # Items lie in the order of their kinds, and the root has hundreds that are cut.
        kinds, first = trie.kinds, trie.low[node]
        last = first + trie.n_ending[node]
        while first < last and kinds[first] == BETWEEN:
            self._keep(trie.origins[first], only(state), size)
            first += 1
        while first < last and kinds[last - 1] == CLOSES:
            last -= 1
            self._close(last, state, size)
        if first == last:
            return
        becoming: dict[int, frozenset[int]] = {}
        for character, target in special:
            if not self._is_dead(target):
                for text_index in trie.becoming(node, character):
                    becoming[text_index] = becoming.get(text_index, frozenset()) | {target}
        for text_index, targets in becoming.items():
            self._keep(text_index, targets, size + 1)

    def _follow_others(
        self, node: int, state: int, size: int, special: tuple[tuple[int, int], ...]
    ) -> None:
        trie, runs = self._trie, self._runs
        self._most -= len(special) + 1
        for item in trie.closing_items(node):
            runs.append((item, item + 1, False))
            self._close(item, state, size)
        for n_possible, item in trie.cut_items(node):
            if n_possible > len(special):
                break
            targets = self._dfa.targets_of(state, trie.ranges[trie.begun[item]])
            if self._sink not in targets:
                runs.append((item, item + 1, False))
                if targets:
                    self._keep(trie.origins[item], targets, size + 1)
        for character, target in special:
            child = trie.child(node, character)
            if child < 0:
                continue
            if target:
                self._open.append((child, target, size + 1, True))
            else:
                self._free(child, is_free=False)

    def _follow_all(self, node: int, state: int, size: int) -> None:
        trie, dfa = self._trie, self._dfa
        first, last = trie.first[node], trie.first[node + 1]
        self._most -= _FOLLOWED * (last - first + trie.n_ending[node])
        if self._most < 0:
            return
        for item in trie.own_items(node):
            kind = trie.kinds[item]
            if kind == BETWEEN:
                self._keep(trie.origins[item], only(state), size)
            elif kind == CLOSES:
                self._close(item, state, size)
            else:
                targets = dfa.targets_of(state, trie.ranges[trie.begun[item]])
                targets = targets.difference((DEAD, self._dropped))
                if targets:
                    self._keep(trie.origins[item], targets, size + 1)
        for child, character in enumerate(trie.chars[first:last], first):
            target = dfa.step(state, character)
            if not self._is_dead(target):
                self._open.append((child, target, size + 1, False))
