"""Which of an object's keys count for the texts that open one.

Few texts go on after the quote that opens a key: of llama3's, ``,"`` and what begins with it are a
dozen. So of all that a rule says of keys little is told apart there, and most objects are alike: a
key may come, and none is read.

Example: after ``{"a": 1`` the same is legal whichever of ``b`` and ``c`` was there before.
"""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from maskc.runtime.cache import Budget, Cache
from maskc.runtime.schema.masks.opened_strings import OpenedStrings
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.strings.characters import DEAD
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie
from maskc.runtime.step_budget import charge_steps

INNER: Final[Nodes] = (-1,)  # all quotes of keys after a brace or a comma in the same text
_QUOTE: Final = 0x22
_BEFORE_KEYS: Final = frozenset(b",{")
_NODES: Final = 16  # that are one step: each vocabulary is read once


class KeySummary:
    """Says it of the objects of one artifact. Shared by all its matchers."""

    def __init__(
        self, index: TokenIndex, plan: Plan, opened_strings: OpenedStrings, budget: Budget
    ) -> None:
        self._index, self._plan, self._opened_strings = index, plan, opened_strings
        self._known = Cache(budget)

    def _is_open(self, number: int, labels: int) -> bool:
        """Return whether a key may come that has the label of the automaton's sink."""
        dfa = self._plan.objects[number].dfa
        return dfa.sink >= 0 and bool(labels >> dfa.labels[dfa.sink] & 1)

    def name(self, trie: Trie, quotes: Nodes) -> Nodes:
        """Return what stands for the nodes after some opening quotes, none without longer texts.

        None of the nodes leads to another.
        """
        kept = tuple(filter(trie.has_children, quotes))
        return INNER if kept and set(kept) <= set().union(*self._inner_quotes(trie)) else kept

    def _inner_quotes(self, trie: Trie) -> tuple[Nodes, ...]:
        """Return the nodes at which a key can open after a brace or a comma in the same text.

        None of them leads to another one of the same tuple.
        """
        key = ("quotes", trie is self._index.suffixes)
        found: tuple[Nodes, ...] | None = self._index.shared.get(key)
        if found is None:
            found = _find_quotes(trie)
            self._index.shared.put(key, found, 1_000)
        return found

    def telling(self, trie: Trie, number: int, nodes: Nodes, labels: int) -> int:
        """Return those of some labels that count beyond that any key may come, as bits.

        Args:
            trie: of the vocabulary.
            number: of the object's rule.
            nodes: after the opening quotes, by :meth:`name`.
            labels: that may come.
        """
        if not labels:
            return 0
        is_open = self._is_open(number, labels)
        key = (number, nodes, trie is self._index.suffixes, is_open)
        found: int | None = self._known.get(key)
        if found is None:
            found = 0
            for layer in self._layers(trie, nodes):
                found |= self._find_telling(trie, number, layer, is_open=is_open)
            self._known.put(key, found)
        return labels & found

    def has_free_keys(self, trie: Trie, number: int, nodes: Nodes, labels: int) -> bool:
        """Return whether any key may come that opens at some nodes, and all are of one class.

        Arguments are as :meth:`telling` has them.
        """
        rule = self._plan.objects[number]
        if not rule.is_flat or not labels >> rule.n_names & 1:
            return False
        key = ("free", number, nodes, trie is self._index.suffixes)
        found: bool | None = self._known.get(key)
        if found is None:
            ended = self._opened_strings.ended_names
            layers = self._layers(trie, nodes)
            found = not any(ended(trie, rule, layer) for layer in layers)
            self._known.put(key, found)
        return found

    def _layers(self, trie: Trie, nodes: Nodes) -> tuple[Nodes, ...]:
        """Return the quotes that count where keys open at some nodes, of which none leads on."""
        return self._inner_quotes(trie) if nodes == INNER else (nodes,)

    def _find_telling(self, trie: Trie, number: int, nodes: Nodes, *, is_open: bool) -> int:
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        sink = body.dfa.sink
        found = free = 1 << body.dfa.labels[sink] if is_open else 0
        dropped = DEAD if is_open else max(sink, DEAD)
        opened = self._opened_strings.inside_key(
            trie, number, nodes, exactly=False, dropped=dropped
        )
        for targets in opened.inside.targets:
            reach = rule.keys.reach_of(targets) & rule.allowed
            if reach != rule.allowed and not reach & free:
                found |= reach
        for ended in self._opened_strings.ended_keys(trie, number, nodes, dropped):
            found |= 1 << rule.own_label(ended.label)
        return found


def _find_quotes(trie: Trie) -> tuple[Nodes, ...]:
    charge_steps(len(trie.bytes) // _NODES)
    bytes_, first, parents = trie.byte_array, trie.first_array, trie.parent_array
    is_blank, opens = np.isin(bytes_, list(BLANK_BYTES)), np.isin(bytes_, list(_BEFORE_KEYS))
    # Of each node whether a key can open after it, and how many quotes of keys there were.
    is_before = np.zeros(len(bytes_), dtype=np.bool_)
    depth = np.zeros(len(bytes_), dtype=np.int32)
    is_quote = np.zeros(len(bytes_), dtype=np.bool_)
    for start, stop in itertools.pairwise(trie.levels[1:]):
        above = is_before[parents[start:stop]]
        is_quote[start:stop] = above & (bytes_[start:stop] == _QUOTE)
        is_before[start:stop] = opens[start:stop] | above & is_blank[start:stop]
        depth[start:stop] = depth[parents[start:stop]] + is_quote[start:stop]
    quotes = np.flatnonzero(is_quote & (first[1:] > first[:-1]))
    layers = range(1, int(depth[quotes].max(initial=0)) + 1)
    return tuple(tuple(quotes[depth[quotes] == layer].tolist()) for layer in layers)
