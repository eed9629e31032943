"""Which tokens are legal inside an open key, and which close it?

What the automaton of an object's keys does is found once for each of its states; then those of the
keys are chosen that may still come. Rows of objects that take any other key are found by
:mod:`maskc.runtime.schema.leaves.names`.

Example: of the keys ``id`` and ``name`` only ``id`` may come, so after ``{"`` the token ``id`` is
legal, and ``na`` is not.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.cache.budget import Cache
from maskc.runtime.effort import spend
from maskc.runtime.schema.leaves.leaves import Labelled, Leaves
from maskc.runtime.schema.leaves.rows import Leaf
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.scans.scanned import Scanned
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex


class _Keys(NamedTuple):
    """What is legal inside a key, whatever keys may come.

    Attributes:
        base: tokens with which the key can become one without a name.
        groups: others, that stay inside, by the labels that a key can still get after them: ids, or
            ends of the scan. Tuples of numbers, as the garbage collector leaves them out.
        scanned: the scan, if there is one.
        closers: the tokens that close it, by label.
    """

    base: Part
    groups: tuple[tuple[int, tuple[int, ...]], ...]
    scanned: Scanned | None
    closers: Labelled


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
        key = ("leaf", number, at, labels)
        found: Leaf | None = self._known.get(key)
        if found is None:
            found = self._select(self._keys(number, at, labels), labels)
            self._known.put(key, found)
            self._machine.budget.charge(self._leaves.size_of(found))
        return found

    def _keys(self, number: int, at: int, labels: int) -> _Keys:
        dfa = self._machine.plan.key_bodies[number].dfa
        is_open = dfa.sink >= 0 and bool(labels >> dfa.labels[dfa.sink] & 1)
        key = ("keys", number, at, is_open)
        found: _Keys | None = self._known.get(key)
        if found is None:
            found = self._find_keys(number, at, is_open=is_open)
            self._known.put(key, found)
            n_bytes = 100 * sum(len(some) for _, some in found.groups)
            self._machine.budget.charge(n_bytes + 4 * len(found.base.rows) * self._index.n_words)
        return found

    def _find_keys(self, number: int, at: int, *, is_open: bool) -> _Keys:
        """Return what is legal inside a key.

        Args:
            number: of the object's rule.
            at: state of the key's body.
            is_open: whether a key of the sink may come.
        """
        plan, ids = self._machine.plan, self._index.ids
        body, keys = plan.key_bodies[number], plan.objects[number].keys
        dfa, (state, before) = body.dfa, body.begun(at)
        dropped = DEAD if is_open else max(dfa.sink, DEAD)
        effects = self._leaves.follow(dfa, state, before, dropped=dropped)
        base, closers = self._leaves.settle(effects, dfa, before)
        scanned = effects if isinstance(effects, Scanned) else None
        if isinstance(effects, Scanned):
            pairs = effects.ends()
        else:
            tokens = [ids[place] for place in effects.places]
            pairs = list(zip(tokens, effects.targets, strict=True))
        spend(len(pairs))
        by_reach: dict[int, list[int]] = {}
        for group, targets in pairs:
            by_reach.setdefault(keys.reach_of(targets), []).append(group)
        groups = tuple([(reach, tuple(some)) for reach, some in by_reach.items()])
        return _Keys(base, groups, scanned, closers)

    def _select(self, keys: _Keys, labels: int) -> Leaf:
        """Return the row of a key of some labels."""
        closers = tuple(pair for pair in keys.closers if labels >> pair[0] & 1)
        some = [n for reach, groups in keys.groups if reach & labels for n in groups]
        if keys.scanned is not None:
            return Leaf(Part((keys.scanned.pack_ends(some),)), closers)
        more = self._leaves.part_of(some)
        return Leaf(Part(keys.base.rows + more.rows, keys.base.few + more.few), closers)
