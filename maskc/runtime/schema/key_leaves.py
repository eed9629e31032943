"""Which tokens are legal inside an open key, and which close it?

What the automaton of an object's keys does is found once for each of its states; then those of the
keys are chosen that may still come. Rows of objects that take any other key are found by
:mod:`maskc.runtime.schema.names`.

Example: of the keys ``id`` and ``name`` only ``id`` may come, so after ``{"`` the token ``id`` is
legal, and ``na`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from maskc.runtime.cache.budget import Cache
from maskc.runtime.schema.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.classes import pack_groups
from maskc.runtime.schema.leaves import MOST_SEARCHED, Leaf, Leaves, by_label
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.scans import Closers
from maskc.runtime.schema.searching import search
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.tokens import TokenIndex

_FEW_STATES = 100  # of automata of keys that other schemas may have


class _Keys(NamedTuple):
    """What is legal inside a key, whatever keys may come.

    Attributes:
        base: tokens with which the key can become one without a name.
        inside: others that stay inside: id, and the labels that it can still get.
        rows: more of them, where they are many, by those labels.
        closers: the tokens that close it, by label.
        sink: the label of keys without a name; ``NO_LABEL`` where ``base`` is empty.
    """

    base: Part
    inside: list[tuple[int, int]]
    rows: list[tuple[Part, int]]
    closers: tuple[tuple[int, Closers], ...]
    sink: int


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
        key = (Leaf, number, at, labels, "key")
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
        key = (_Keys, number, at, is_open)
        found: _Keys | None = self._known.get(key)
        if found is None:
            state = body.characters[at]
            if state >= 0:
                found = self._find_keys(number, body.dfa, state, is_open=is_open)
            else:
                found = self._scan_key(number, body, at)
            self._known.put(key, found)
            n_rows = len(found.base.rows)
            n_rows += len(found.rows)
            self._machine.budget.charge(4 * n_rows * self._index.n_words + 100 * len(found.inside))
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
        searched = search(self._leaves.spelled, dfa, state, dropped=dropped, most=MOST_SEARCHED)
        if searched is not None:
            base, closers = self._leaves.of_search(searched, dfa)
            pairs = zip(searched.places, searched.targets, strict=True)
            label = dfa.labels[dfa.sink] if searched.runs else NO_LABEL
            return _Keys(base, self._reaches(number, pairs), [], closers, label)
        scanned = self._leaves.scan_vocabulary(dfa, state)
        keys = self._machine.plan.objects[number].keys
        groups, which = scanned.groups(sized=False)
        by_reach: dict[int, list[int]] = {}
        for n, group in enumerate(groups):
            if group.targets:
                by_reach.setdefault(keys.reach_of(group.targets), []).append(n)
        rows = []
        for reach, members in by_reach.items():
            kept = np.zeros(len(groups), dtype=np.bool_)
            kept[members] = True
            rows.append((Part((pack_groups(kept, which),)), reach))
        labels = np.array(dfa.labels, dtype=np.int32)[scanned.quote_states]
        closers = by_label(labels, scanned.quote_places, scanned.quote_rests)
        return _Keys(Part(), [], rows, closers, NO_LABEL)

    def _scan_key(self, number: int, body: Body, at: int) -> _Keys:
        """Return what is legal inside a key, inside a character."""
        scan = self._leaves.scanner.scan(body, at, is_shared=body.dfa.n_states <= _FEW_STATES)
        body = scan.body
        labels = np.array(body.dfa.labels, dtype=np.int32)[scan.quote_states]
        closers = by_label(labels, scan.quote_places, scan.quote_rests)
        states, inverse = np.unique(scan.states, return_inverse=True)
        keys = self._machine.plan.objects[number].keys
        by_reach: dict[int, list[int]] = {}
        for n, state in enumerate(states.tolist()):
            by_reach.setdefault(keys.reach_of(body.targets[state]), []).append(n)
        rows = [
            (self._leaves.part_of(self._index.order[scan.places[np.isin(inverse, members)]]), reach)
            for reach, members in by_reach.items()
        ]
        return _Keys(Part(), [], rows, closers, NO_LABEL)

    def _reaches(
        self, number: int, pairs: Iterable[tuple[int, frozenset[int]]]
    ) -> list[tuple[int, int]]:
        """Return tokens by id with the labels that a key can get after each."""
        ids, keys = self._index.ids, self._machine.plan.objects[number].keys
        return [(ids[place], keys.reach_of(targets)) for place, targets in pairs]

    def _select(self, keys: _Keys, labels: int) -> Leaf:
        """Return the row of a key of some labels."""
        closers = tuple(pair for pair in keys.closers if labels >> pair[0] & 1)
        more = [token for token, reach in keys.inside if reach & labels]
        rows = [part for part, reach in keys.rows if reach & labels]
        if rows:
            united = tuple(row for part in rows for row in part.rows)
            few = (*more, *(token for part in rows for token in part.few))
            return Leaf(Part(united, few), closers)
        if keys.sink == NO_LABEL:
            return Leaf(self._leaves.part_of(more), closers)
        return Leaf(Part(keys.base.rows, (*keys.base.few, *more)), closers)
