"""Which tokens are legal inside an open key, and which close it?

What the automaton of an object's keys does is found once for each of its states; then those of the
keys are chosen that may still come. Rows of objects that take any other key are found by
:mod:`maskc.runtime.schema.leaves.names`.

Example: of the keys ``id`` and ``name`` only ``id`` may come, so after ``{"`` the token ``id`` is
legal, and ``na`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from maskc.runtime.cache.budget import Cache
from maskc.runtime.effort import spend
from maskc.runtime.schema.leaves.leaves import Leaves, by_label
from maskc.runtime.schema.leaves.rows import Leaf
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.scans.scanned import Places, Scanned
from maskc.runtime.schema.scans.scans import Closers
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

_FEW_STATES = 100  # of automata of keys that other schemas may have


# Groups of tokens, by the labels that a key can still get after them. Tuples of numbers, as the
# collector leaves them out.
_Groups = tuple[tuple[int, tuple[int, ...]], ...]


class _Packer:
    """Makes one part of some groups, so that there is none for each of a thousand names.

    Here a group is one token.

    Args:
        leaves: make parts.
    """

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves

    def pack(self, groups: list[int]) -> Part:
        """Return the tokens of some groups."""
        return self._leaves.part_of(groups)


class _EndPacker(_Packer):
    """The same where a group is what ends in one state of a scan of the vocabulary."""

    def __init__(self, leaves: Leaves, scanned: Scanned) -> None:
        super().__init__(leaves)
        self._scanned = scanned

    def pack(self, groups: list[int]) -> Part:
        """Return the tokens of some groups."""
        return Part((self._scanned.pack_ends(groups),))


class _StatePacker(_Packer):
    """The same where a group is a state.

    Args:
        leaves: make parts.
        ids: of tokens.
        which: of each of them the state after it, by number.
        n_states: how many there are.
    """

    def __init__(self, leaves: Leaves, ids: Ints, which: Places, n_states: int) -> None:
        super().__init__(leaves)
        self._ids, self._which, self._n_states = ids, which, n_states

    def pack(self, groups: list[int]) -> Part:
        """Return the tokens of some groups."""
        is_kept = np.zeros(self._n_states, dtype=np.bool_)
        is_kept[groups] = True
        return self._leaves.part_of(self._ids[is_kept[self._which]])


class _Keys(NamedTuple):
    """What is legal inside a key, whatever keys may come.

    Attributes:
        base: tokens with which the key can become one without a name.
        groups: of others, that stay inside.
        packer: of groups.
        n_bytes: about how much memory these take.
        closers: the tokens that close it, by label.
    """

    base: Part
    groups: _Groups
    packer: _Packer
    n_bytes: int
    closers: tuple[tuple[int, Closers], ...]


_NO_TOKENS = Part()


class KeyLeaves:
    """Rows of keys. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
        leaves: of the artifact.
    """

    def __init__(self, index: TokenIndex, machine: SchemaMachine, leaves: Leaves) -> None:
        self._index, self._machine, self._leaves = index, machine, leaves
        self._known = Cache(machine.budget)
        self._packer = _Packer(leaves)

    def key(self, number: int, at: int, labels: int) -> Leaf:
        """Return the row of a key.

        Args:
            number: of the object's rule.
            at: state of the key's body.
            labels: those that may come, as bits.
        """
        plan = self._machine.plan
        # Others count no more.
        labels &= plan.objects[number].keys.reach_of(plan.key_bodies[number].targets[at])
        key = ("leaf", number, at, labels)
        found: Leaf | None = self._known.get(key)
        if found is None:
            found = self._select(self._keys(number, at, labels), labels)
            self._known.put(key, found)
            self._leaves.charge(found)
        return found

    def _keys(self, number: int, at: int, labels: int) -> _Keys:
        body = self._machine.plan.key_bodies[number]
        sink = body.dfa.sink
        is_open = sink >= 0 and bool(labels >> body.dfa.labels[sink] & 1)
        key = ("keys", number, at, is_open)
        found: _Keys | None = self._known.get(key)
        if found is None:
            state = body.characters[at]
            if state >= 0:
                found = self._find_keys(number, body.dfa, state, is_open=is_open)
            else:
                found = self._scan_key(number, body, at)
            self._known.put(key, found)
            n_bytes = found.n_bytes + 4 * len(found.base.rows) * self._index.n_words
            self._machine.budget.charge(n_bytes)
        return found

    def _find_keys(self, number: int, dfa: CharDfa, state: int, *, is_open: bool) -> _Keys:
        """Return what is legal inside a key, between two characters.

        Args:
            number: of the object's rule.
            dfa: of its keys.
            state: of the automaton.
            is_open: whether a key of the sink may come.
        """
        dropped = DEAD if is_open else max(dfa.sink, DEAD)
        searched = self._leaves.search(dfa, state, dropped=dropped)
        if searched is not None:
            base, closers = self._leaves.of_search(searched, dfa)
            ids = (self._index.ids[place] for place in searched.places)
            groups = self._by_reach(number, zip(ids, searched.targets, strict=True))
            return _Keys(base, groups, self._packer, 100 * len(searched.places), closers)
        scanned = self._leaves.scan_vocabulary(dfa, state)
        ends = scanned.ends()
        labels = np.array(dfa.labels, dtype=np.int32)[scanned.quote_states]
        closers = by_label(labels, scanned.units.quote_places, scanned.units.quote_rests)
        groups = self._by_reach(number, ends)
        packer = _EndPacker(self._leaves, scanned)
        return _Keys(_NO_TOKENS, groups, packer, 100 * len(ends), closers)

    def _scan_key(self, number: int, body: Body, at: int) -> _Keys:
        """Return what is legal inside a key, inside a character."""
        scan = self._leaves.scanner.scan(body, at, is_shared=body.dfa.n_states <= _FEW_STATES)
        labels = np.array(scan.body.dfa.labels, dtype=np.int32)[scan.quote_states]
        closers = by_label(labels, scan.quote_places, scan.quote_rests)
        is_reached = np.bincount(scan.states) > 0
        states = np.flatnonzero(is_reached)
        which: Places = (np.cumsum(is_reached) - 1)[scan.states]
        targets = [scan.body.targets[state] for state in states.tolist()]
        groups = self._by_reach(number, enumerate(targets))
        ids = self._index.order[scan.places]
        packer = _StatePacker(self._leaves, ids, which, len(states))
        return _Keys(_NO_TOKENS, groups, packer, which.nbytes + 100 * len(states), closers)

    def _by_reach(self, number: int, pairs: Iterable[tuple[int, frozenset[int]]]) -> _Groups:
        """Return groups by the labels that a key can get from the states that they lead to."""
        keys = self._machine.plan.objects[number].keys
        found: dict[int, list[int]] = {}
        n_pairs = 0
        for group, targets in pairs:
            n_pairs += 1
            found.setdefault(keys.reach_of(targets), []).append(group)
        spend(n_pairs)
        return tuple([(reach, tuple(groups)) for reach, groups in found.items()])

    def _select(self, keys: _Keys, labels: int) -> Leaf:
        """Return the row of a key of some labels."""
        closers = tuple(pair for pair in keys.closers if labels >> pair[0] & 1)
        groups = [n for reach, some in keys.groups if reach & labels for n in some]
        more = keys.packer.pack(groups)
        return Leaf(Part(keys.base.rows + more.rows, keys.base.few + more.few), closers)
