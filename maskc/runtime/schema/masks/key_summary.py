"""What of an object's keys counts for the texts that open one.

Few texts go on after the quote that opens a key: of llama3's, ``,"`` and what begins with it are a
dozen. So of all that a rule says of keys little is told apart there, and most objects are alike:
a key may come, and none is read.

Example: after ``{"a": 1`` the same is legal whichever of ``b`` and ``c`` was there before.
"""

from __future__ import annotations

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.schema.masks.openings import Openings
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.scans.spelled import Spelled
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Nodes, Trie

_QUOTE = 0x22
_BEFORE_KEYS = frozenset(b",{")
_NODES = 16  # that are one step: each vocabulary is read once


class KeySummary:
    """Says what counts. Shared by all matchers of an artifact."""

    def __init__(self, index: TokenIndex, plan: Plan, openings: Openings, budget: Budget) -> None:
        self._index, self._plan, self._openings = index, plan, openings
        self._known = Cache(budget)

    def _is_open(self, number: int, labels: int) -> bool:
        """Return whether a key may come that has the label of the automaton's sink."""
        dfa = self._plan.objects[number].dfa
        return dfa.sink >= 0 and bool(labels >> dfa.labels[dfa.sink] & 1)

    def _inner_quotes(self, trie: Trie) -> tuple[Nodes, ...]:
        """Return the nodes at which a key can open after a brace or a comma in the same text.

        None of them leads to another one of the same tuple.
        """
        key = ("quotes", trie is self._index.rests)
        found: tuple[Nodes, ...] | None = self._index.shared.get(key)
        if found is None:
            found = _find_quotes(trie)
            self._index.shared.put(key, found, 1_000)
        return found

    def telling(self, trie: Trie, number: int, nodes: Nodes | None, labels: int) -> int:
        """Return those of some labels that count beyond that any key may come, as bits.

        Args:
            trie: of the vocabulary.
            number: of the object's rule.
            nodes: after the opening quotes, none of which leads to another; ``None``: all inner
                ones.
            labels: that may come.
        """
        if not labels:
            return 0
        is_open = self._is_open(number, labels)
        key = (number, nodes, trie is self._index.rests, is_open)
        found: int | None = self._known.get(key)
        if found is None:
            found = 0
            for layer in self._layers(trie, nodes):
                found |= self._find_telling(trie, number, layer, is_open=is_open)
            self._known.put(key, found)
        return labels & found

    def _layers(self, trie: Trie, nodes: Nodes | None) -> tuple[Nodes, ...]:
        """Return the quotes that count where keys open at some nodes, as many for as many nodes."""
        inner = self._inner_quotes(trie)
        if nodes is None:
            return inner
        kept = tuple(filter(trie.has_children, nodes))
        if not kept:
            return ()
        return inner if set(kept) <= set().union(*inner) else (kept,)

    def _find_telling(self, trie: Trie, number: int, nodes: Nodes, *, is_open: bool) -> int:
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        sink = body.dfa.sink
        found = free = 1 << body.dfa.labels[sink] if is_open else 0
        if self._is_usual(trie, number, nodes, is_open=is_open):
            return free
        dropped = DEAD if is_open else max(sink, DEAD)
        opened = self._openings.inside_key(trie, number, nodes, exactly=False, dropped=dropped)
        for targets in opened.inside.targets:
            reach = rule.keys.reach_of(targets) & rule.allowed
            if reach != rule.allowed and not reach & free:
                found |= reach
        for ended in self._openings.ended_keys(trie, number, nodes, dropped):
            found |= 1 << ended.label
        return found

    def _is_usual(self, trie: Trie, number: int, quotes: Nodes, *, is_open: bool) -> bool:
        """Return whether no name begins as the texts after some quotes do.

        Then an object is like any other that takes further keys, or takes none.
        """
        key = (number, quotes, trie is self._index.rests, is_open, "usual")
        found: bool | None = self._known.get(key)
        if found is None:
            found = self._compare(self._openings.spelled(trie, quotes), number, is_open=is_open)
            self._known.put(key, found)
        return found

    def _compare(self, spelled: Spelled, number: int, *, is_open: bool) -> bool:
        rule, dfa = self._plan.objects[number], self._plan.objects[number].dfa
        usual = (dfa.sink,) if is_open else (DEAD, max(dfa.sink, DEAD))
        special = dfa.special(dfa.start)
        if special is not None and dfa.defaults[dfa.start] in usual:
            for character, target in special:
                if target not in usual and character in spelled.below_root:
                    return False
        else:
            first = spelled.chars[spelled.first[ROOT] : spelled.first[ROOT + 1]]
            if any(dfa.step(dfa.start, character) not in usual for character in first):
                return False
        if dfa.labels[dfa.start] != (dfa.labels[dfa.sink] if is_open else NO_LABEL):
            return False
        if not is_open:
            labels = frozenset(dfa.labels)
            if any(options and n not in labels for n, options in enumerate(rule.options)):
                return False
        # What has begun with an escape can become any character, so any key.
        after = {dfa.sink} if is_open else {*dfa.rows[dfa.start].values(), dfa.defaults[dfa.start]}
        after.discard(DEAD)
        is_sure = special is not None and after == {dfa.defaults[dfa.start]}
        for n_possible, item in spelled.cut_items(ROOT):
            if is_sure and special is not None and n_possible > len(special):
                break  # it becomes one that leads where most do
            if not dfa.targets_of(dfa.start, spelled.ranges[spelled.begun[item]]) >= after:
                return False
        return True


def _find_quotes(trie: Trie) -> tuple[Nodes, ...]:
    layers: list[list[int]] = []
    spend(len(trie.bytes) // _NODES)
    # A node, whether a key can open after it, and how many quotes of keys there were.
    open_ = [(ROOT, False, 0)]
    while open_:
        node, is_before, depth = open_.pop()
        for child, byte in trie.children(node, None):
            if not trie.has_children(child):
                continue
            n_quotes = depth
            if byte == _QUOTE and is_before:
                if depth == len(layers):
                    layers.append([])
                layers[depth].append(child)
                n_quotes += 1
            goes_on = byte in _BEFORE_KEYS or is_before and byte in BLANK_BYTES
            open_.append((child, goes_on, n_quotes))
    return tuple(tuple(sorted(layer)) for layer in layers)
