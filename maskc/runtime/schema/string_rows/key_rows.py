"""The tokens that are legal inside an open key, and those that close it.

What the automaton of an object's keys does is found once for each of its states; then those of the
keys are chosen that may still come.

Example: of the keys ``id`` and ``name`` only ``id`` may come, so after ``{"`` the token ``id`` is
legal, and ``na`` is not.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.cache import Budget, Cache, measure_sized
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.scans import Scanned
from maskc.runtime.schema.scans.character_trie import CharacterTrie
from maskc.runtime.schema.scans.class_tries import closing_tokens_at
from maskc.runtime.schema.scans.searching import find_names
from maskc.runtime.schema.string_rows import (
    FreeRows,
    Labelled,
    StringRow,
    StringRows,
    closing_bytes,
    part_of_scan,
)
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.tries import Nodes, TokenIndex, Words
from maskc.runtime.schema.tries.summary import Part, part_of
from maskc.runtime.step_budget import charge_steps

# The object's rule, the state of its body, and the state that counts as dead.
_Key = tuple[str, int, int, int]


class _Keys(NamedTuple):
    """What is legal inside a key, whatever keys may come.

    ``base`` are tokens with which it can become one without a name; ``groups`` others that stay
    inside, ids or ends of the scan, by the labels that it can still get after them. These are
    tuples of numbers, as the garbage collector leaves them out.
    """

    base: Part
    groups: tuple[tuple[int, tuple[int, ...]], ...]
    scanned: Scanned | None
    closing_tokens: Labelled

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes; a scan is charged where it was made."""
        n_items = sum(len(some) for _, some in self.groups)
        n_bytes = 36 * n_items + 150 * len(self.groups)
        return n_bytes + self.base.n_bytes + closing_bytes(self.closing_tokens)


class KeyRows:
    """Rows of keys. Shared by all matchers of an artifact."""

    def __init__(self, index: TokenIndex, machine: SchemaMachine, string_rows: StringRows) -> None:
        self._index, self._machine, self._string_rows = index, machine, string_rows
        self._known = Cache(machine.budget, measure_sized)

    def key(self, number: int, at: int, labels: int) -> StringRow:
        """Return the row of a key."""
        plan = self._machine.plan
        # Others count no more.
        labels &= plan.objects[number].keys.reach_of(plan.key_bodies[number].targets[at])
        key = ("row", number, at, labels)
        found: StringRow | None = self._known.get(key)
        if found is None:
            found = self._select(*self._keys(number, at, labels), labels)
            self._known.put(key, found)
        return found

    def _keys(self, number: int, at: int, labels: int) -> tuple[_Key, _Keys]:
        dropped = self._machine.plan.objects[number].dropped_state(labels)
        key = ("keys", number, at, dropped)
        found: _Keys | None = self._known.get(key)
        if found is None:
            found = self._find_keys(number, at, dropped)
            self._known.put(key, found)
        return key, found

    def _find_keys(self, number: int, at: int, dropped: int) -> _Keys:
        """Return what is legal inside a key."""
        plan, ids = self._machine.plan, self._index.ids
        body, keys = plan.key_bodies[number], plan.objects[number].keys
        dfa, (state, before) = body.dfa, body.begun(at)
        effects = self._string_rows.follow(dfa, state, before, dropped=dropped)
        base, closing_tokens = self._string_rows.settle(effects, dfa, before)
        scanned = effects if isinstance(effects, Scanned) else None
        if isinstance(effects, Scanned):
            pairs = effects.ends()
        else:
            tokens = [ids[n] for n in effects.text_indices]
            pairs = list(zip(tokens, effects.targets, strict=True))
        charge_steps(len(pairs))
        by_reach: dict[int, list[int]] = {}
        # Backwards, since a search finds states before those that they lead to.
        for group, targets in reversed(pairs):
            by_reach.setdefault(keys.reach_of(targets), []).append(group)
        groups = tuple([(reach, tuple(some)) for reach, some in by_reach.items()])
        return _Keys(base, groups, scanned, closing_tokens)

    def _select(self, key: _Key, keys: _Keys, labels: int) -> StringRow:
        closing_tokens = tuple(pair for pair in keys.closing_tokens if labels >> pair[0] & 1)
        if keys.scanned is not None:
            return StringRow(self._select_scanned(key, keys, keys.scanned, labels), closing_tokens)
        some = [n for reach, groups in keys.groups if reach & labels for n in groups]
        more = part_of(self._index, some)
        return StringRow(Part(keys.base.rows + more.rows, keys.base.few + more.few), closing_tokens)

    def _select_scanned(self, key: _Key, keys: _Keys, scanned: Scanned, labels: int) -> Part:
        # Most names that were there before leave the same, as their tokens lead to other keys, too.
        lives = bytes([reach & labels != 0 for reach, _ in keys.groups])
        name = (*key, lives)
        found: Part | None = self._known.get(name)
        if found is None:
            pairs = zip(keys.groups, lives, strict=True)
            kept = scanned.choose([n for (_, groups), is_live in pairs if is_live for n in groups])
            found = part_of_scan(self._index, scanned, kept)
            self._known.put(name, found)
        return found


class Names:
    """Rows of keys between two characters, in objects that take any other key.

    Whatever stays inside is legal, as it can become a key without a name. So all such objects have
    the same row, but for the tokens that end the key: what may follow the quote is one bit set for
    all keys without a name, and one for each of the few names that a token can end here.

    Example: with ``id`` an integer, after ``{"i`` the token ``d":"`` is illegal, ``t":"`` is not.
    """

    def __init__(self, index: TokenIndex, budget: Budget) -> None:
        self._index = index
        self._known = Cache(budget)

    def _row(self, free: FreeRows, bits: int) -> Words:
        """Return the tokens that stay inside, or end a key without a name and have some rests."""
        key = (Names, id(free), bits)
        found: tuple[FreeRows, Words] | None = self._index.shared.get(key)
        if found is None:
            text_indices = free.closing_tokens.with_suffixes(self._index, bits)
            words = self._index.set_bits(free.words, self._index.order[text_indices])
            # With the rows, so that no others get their number.
            found = (free, words)
            self._index.shared.put(key, found, 4 * self._index.n_words + 500)
        return found[1]

    def part(self, free: FreeRows, bits: int, ended: tuple[tuple[Nodes, int], ...]) -> Part:
        """Return the same with some names as well, the same part for the same.

        Args:
            free: rows of strings of any characters.
            bits: rests after a key without a name.
            ended: of each name that some token ends the nodes after its quotes, and the rests.
        """
        kept = tuple(pair for pair in ended if pair[1] != bits)
        key = (Part, id(free), bits, kept)
        found: tuple[FreeRows, Part] | None = self._index.shared.get(key)
        if found is None:
            index, more, less = self._index, list[int](), list[int]()
            for nodes, own in kept:
                tokens = closing_tokens_at(index, nodes)
                more += index.order.take(tokens.with_suffixes(index, own & ~bits)).tolist()
                less += index.order.take(tokens.with_suffixes(index, bits & ~own)).tolist()
            words = index.set_bits(self._row(free, bits), more)
            found = (free, Part((index.clear_bits(words, less) if less else words,)))
            self._index.shared.put(key, found, 4 * self._index.n_words + 500)
        return found[1]

    def ended(
        self, character_trie: CharacterTrie, number: int, dfa: CharDfa, state: int
    ) -> tuple[tuple[int, Nodes], ...]:
        """Return the names that some token ends: the label, and the nodes after its quotes."""
        key = (number, state)
        found: tuple[tuple[int, Nodes], ...] | None = self._known.get(key)
        if found is None:
            found = tuple(find_names(character_trie, dfa, state, dfa.sink))
            self._known.put(key, found)
        return found
