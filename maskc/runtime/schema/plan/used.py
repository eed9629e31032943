"""How much of its finite classes of keys an object has used up.

A class may have few keys, as of ``^[a-z]{1,2}$``, and a beginning of a key may lead to few of an
endless class. What was used is kept by the keys that were there, and made of what was used before
the last one: a key costs the same however many came before it.

Example: of ``^[ab]{1,2}$`` and the keys ``a``, ``aa`` and ``ab``, the beginning ``a`` is spent.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maskc.runtime.schema.strings.keys import Keys
from maskc.runtime.schema.strings.other_keys import OtherKeys, add_key, label_of_unread, list_keys
from maskc.runtime.step_budget import charge_steps

_KEY_STEPS: Final = 10  # that each character of a key counts for
_MOST_CHARACTERS: Final = 4_000_000  # of the keys that are remembered


class Used(NamedTuple):
    """How many keys of each finite class were there, and the beginnings that are spent.

    These lead to no other key of some labels; with each are the labels that are left, as bits.
    """

    counts: tuple[int, ...]
    spent: frozenset[tuple[str, int]]


class UsedKeys:
    """What keys without a name have used, of classes that are finite."""

    def __init__(self, keys: Keys, finite: tuple[int, ...]) -> None:
        self._keys, self._finite = keys, finite
        self._known: dict[OtherKeys, Used] = {}
        self._n_characters = 0
        self._none = Used((0,) * len(finite), frozenset())

    def of(self, others: OtherKeys) -> Used:
        if not others:
            return self._none
        found = self._known.get(others)
        if found is None:
            found = self._none
            for key in list_keys(others):
                found = self._use(found, others, key)
            self._keep(others, found)
        return found

    def add(self, before: OtherKeys, key: str) -> OtherKeys:
        """Return some keys with one more, and remember what they have used."""
        others = add_key(before, key)
        if others not in self._known and others != before:
            self._keep(others, self._use(self.of(before), others, key))
        return others

    def _keep(self, others: OtherKeys, used: Used) -> None:
        self._n_characters += len(others)
        if self._n_characters > _MOST_CHARACTERS:
            # Those that were made last are asked for again.
            kept = list(self._known.items())[len(self._known) // 2 :]
            self._known = dict(kept)
            self._n_characters = len(others) + sum(len(known) for known, _ in kept)
        self._known[others] = used

    def _use(self, used: Used, others: OtherKeys, key: str) -> Used:
        """Return what is used with one key more, which is among the others."""
        dfa = self._keys.dfa
        charge_steps(_KEY_STEPS * (1 + len(key)))
        label, spent = label_of_unread(key), used.spent
        if label is None:
            label = dfa.labels[dfa.read(key)]
            more = self._spend(others, key)
            spent = spent.union(more) if more else spent
        counts = used.counts
        if label in self._finite:
            counts = tuple(n + (k == label) for k, n in zip(self._finite, counts, strict=True))
        return Used(counts, spent)

    def _spend(self, others: OtherKeys, key: str) -> list[tuple[str, int]]:
        """Return the beginnings of a key that lead to no other key of some labels."""
        keys, state = self._keys, self._keys.dfa.start
        found = []
        for n in range(len(key) + 1):
            left = keys.reach_left(state, key[:n], others)
            if left != keys.labels_after(state):
                found.append((key[:n], left))
            if not left:
                break
            if n < len(key):
                state = keys.dfa.step(state, ord(key[n]))
        return found
