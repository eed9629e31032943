"""Which tokens are legal inside an open string or key, and which close it?

A scan says what the automaton does; here lengths are counted and keys that may not come are left
out. Rows of strings of any characters depend on the tokenizer and the lengths alone, and are shared
by all artifacts; those of others are remembered in the artifact's budget.

Example: three characters before ``maxLength`` the token ``abc"`` is legal, and ``abcd`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.characters import NO_LABEL
from maskc.runtime.schema.differences import Differences
from maskc.runtime.schema.inside import Ended, walk_body
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.rules import StringRule
from maskc.runtime.schema.scans import Closers, Scan, Scanner
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import ROOT, Ints

_FEW = 48
_FEW_INSIDE = 500  # nodes that are looked at one by one
_FEW_STATES = 100  # of automata of keys that other schemas may have


class Leaf(NamedTuple):
    """What is legal inside a string.

    Attributes:
        inside: tokens that stay inside.
        closers: the tokens that close it, by the label that it then has.
    """

    inside: Part
    closers: tuple[tuple[int, Closers], ...]


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


class Leaves:
    """Rows of strings and keys. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
    """

    def __init__(self, index: TokenIndex, machine: SchemaMachine) -> None:
        self._index, self._machine = index, machine
        self._minimal = machine.plan.layout.escapes == "minimal"
        self._scanner = Scanner(index, minimal=self._minimal)
        self._known = Cache(machine.budget)
        self._longest = len(index.tokens.levels)

    def string(self, number: int, at: int, count: int) -> Leaf:
        """Return the row of a string.

        Args:
            number: of its rule.
            at: state of its body.
            count: characters read.
        """
        rule = self._machine.plan.strings[number]
        if rule.is_any:
            high = None if rule.high is None else rule.high - count
            return self._any_string(max(rule.low - count, 0), high, rule.body.key_of(at))
        is_counted = not rule.is_unbounded and not rule.is_far(count, self._longest)
        key = (Leaf, number, at, count if is_counted else -1)
        found: Leaf | None = self._known.get(key)
        if found is None:
            found = self._scan_string(rule, at, count, is_counted=is_counted)
            self._keep(key, found)
        return found

    def key(self, number: int, at: int, labels: int) -> Leaf:
        """Return the row of a key.

        Args:
            number: of the object's rule.
            at: state of the key's body.
            labels: those that may come, as bits.
        """
        key = (Leaf, number, at, labels, "key")
        found: Leaf | None = self._known.get(key)
        if found is None:
            found = self._select(self._keys(number, at, labels), labels)
            self._keep(key, found)
        return found

    def _keep(self, key: object, leaf: Leaf) -> None:
        self._known.put(key, leaf)
        n_closers = sum(len(closers.places) for _, closers in leaf.closers)
        n_rows = len(leaf.inside.rows)
        self._machine.budget.charge(8 * n_closers + 4 * n_rows * self._index.n_words + ENTRY_BYTES)

    def part_of(self, ids: list[int] | NDArray[Any]) -> Part:
        """Return the part with some tokens, by id."""
        if len(ids) <= _FEW:
            return Part(few=tuple(ids if isinstance(ids, list) else ids.tolist()))
        return Part(rows=(self._index.pack(ids),))

    def _any_string(self, least: int, most: int | None, key: tuple[Any, ...]) -> Leaf:
        """Return the row of a string of any characters, of which so many must and may follow."""
        if least or most is not None:
            largest = self._largest(self._scanner.scan_free(key), key)
            least = min(least, largest + 1)
            most = None if most is None or most >= largest else most
        name = (Leaf, self._minimal, key, least, most)
        found: Leaf | None = self._index.shared.get(name)
        if found is None:
            found = self._bound(self._scanner.scan_free(key), least, most)
            size = 4 * self._index.n_words + 8 * len(found.closers[0][1].places)
            self._index.shared.put(name, found, size)
        return found

    def _largest(self, scan: Scan, key: tuple[Any, ...]) -> int:
        """Return the most characters that a token adds, one left open included."""
        name = ("most characters", self._minimal, key)
        found: int | None = self._index.shared.get(name)
        if found is None:
            found = max(int(part.max(initial=0)) for part in (scan.sizes, scan.quote_sizes)) + 1
            self._index.shared.put(name, found, ENTRY_BYTES)
        return found

    def _bound(self, scan: Scan, least: int, most: int | None) -> Leaf:
        places, closes = scan.places, scan.quote_sizes >= least
        if most is not None:
            is_open = np.array(scan.body.characters, dtype=np.int32)[scan.states] < 0
            places = places[scan.sizes + is_open <= most]
            closes &= scan.quote_sizes <= most
        closers = Closers(scan.quote_places[closes], scan.quote_rests[closes])
        return Leaf(self.part_of(self._index.order[places]), ((0, closers),))

    def _scan_string(self, rule: StringRule, at: int, count: int, *, is_counted: bool) -> Leaf:
        body = rule.body
        if not is_counted and body.dfa.sink >= 0 and body.characters[at] >= 0:
            differs = self._scanner.compare(body, at)
            if differs is not None:
                return Leaf(*self._correct(differs, body))
        scan = self._scanner.scan(body, at, is_shared=True)
        if not is_counted:
            closed = Closers(scan.quote_places, scan.quote_rests)
            return Leaf(self.part_of(self._index.order[scan.places]), ((0, closed),))
        return self._select_counted(rule, scan, count)

    def _select_counted(self, rule: StringRule, scan: Scan, count: int) -> Leaf:
        """Return the row of a string of which so many characters were read."""
        key = (Scan.pairs, id(scan))
        pairs = self._known.get(key)
        if pairs is None:
            # With the scan itself, so that nobody else gets its number.
            pairs = (scan, *scan.pairs())
            self._known.put(key, pairs)
            self._machine.budget.charge(4 * (len(pairs[2]) + len(pairs[4])))
        _, inside, inside_of, quotes, quotes_of = pairs
        lives = [rule.is_alive(scan.body, s, rule.cap(count + n)) for s, n in inside]
        ends = [rule.may_end(s, rule.cap(count + n)) for s, n in quotes]
        # Most counts lead to the same.
        name = (Leaf, id(scan), bytes(lives), bytes(ends))
        found: Leaf | None = self._known.get(name)
        if found is None:
            kept = np.array(lives, dtype=np.bool_)[inside_of]
            closed = np.array(ends, dtype=np.bool_)[quotes_of]
            closers = Closers(scan.quote_places[closed], scan.quote_rests[closed])
            found = Leaf(self.part_of(self._index.order[scan.places[kept]]), ((0, closers),))
            self._keep(name, found)
        return found

    def _ids(self, places: Iterable[int]) -> list[int]:
        ids = self._index.ids
        return [ids[place] for place in places]

    def _correct(
        self, differs: Differences, body: Body, doubtful: Iterable[int] = ()
    ) -> tuple[Part, tuple[tuple[int, Closers], ...]]:
        """Return the tokens that stay inside, and those that close the string by label.

        Args:
            differs: where the string differs from one of any characters.
            body: of the string.
            doubtful: tokens that are left out, by place.
        """
        index, labels = self._index, body.dfa.labels
        free = self._any_string(0, None, self._scanner.free_start)
        inside, closers = free.inside, free.closers[0][1]
        gone = [place for low, high in differs.dead for place in range(low, high)]
        is_turned = np.zeros(len(index.ids), dtype=np.bool_)
        is_turned[gone] = True
        gone += doubtful
        trie = index.tokens
        for ended in differs.ended:
            is_turned[trie.low[ended.node] : trie.high[ended.node]] = True
        if gone:
            inside = Part((index.clear_bits(self._words(inside), self._ids(gone)),))
        if differs.ended or gone:
            kept = np.flatnonzero(~is_turned[closers.places])
            closers = Closers(closers.places[kept], closers.rests[kept])
        named = self._closers_at(differs.ended, labels)
        return inside, ((labels[body.dfa.sink], closers), *named)

    def _closers_at(
        self, ended: Iterable[Ended], labels: Sequence[int]
    ) -> tuple[tuple[int, Closers], ...]:
        """Return the tokens below some quotes, by label."""
        return tuple(
            (labels[e.state], self._scanner.closers_of(e.node))
            for e in ended
            if labels[e.state] != NO_LABEL
        )

    def _words(self, part: Part) -> Ints:
        words = part.rows[0] if part.rows else self._index.pack([])
        return self._index.set_bits(words, part.few)

    def _keys(self, number: int, at: int, labels: int) -> _Keys:
        body = self._machine.plan.key_bodies[number]
        sink = body.dfa.sink
        may_differ = (
            sink >= 0 and body.characters[at] >= 0 and bool(labels >> body.dfa.labels[sink] & 1)
        )
        key = (_Keys, number, at, may_differ)
        found: _Keys | None = self._known.get(key)
        if found is None:
            differs = self._scanner.compare(body, at) if may_differ else None
            if differs is not None:
                # Where a key can still become one without a name, it may come with the base.
                keys, bit = self._machine.plan.objects[number].keys, 1 << body.dfa.labels[sink]
                doubtful = [
                    (place, state)
                    for place, state in differs.inside
                    if not keys.reach_of(body.targets[state]) & bit
                ]
                base, closers = self._correct(differs, body, (place for place, _ in doubtful))
                inside = self._reaches(number, body, doubtful)
                found = _Keys(base, inside, [], closers, body.dfa.labels[sink])
            else:
                found = self._scan_key(number, body, at)
            self._known.put(key, found)
            n_rows = len(found.base.rows)
            n_rows += len(found.rows)
            self._machine.budget.charge(4 * n_rows * self._index.n_words + 100 * len(found.inside))
        return found

    def _scan_key(self, number: int, body: Body, at: int) -> _Keys:
        few = walk_body(self._index.tokens, body, at, (ROOT,), most=_FEW_INSIDE)
        if few is not None:
            inside = self._reaches(number, body, zip(few.places, few.states, strict=True))
            return _Keys(Part(), inside, [], self._closers_at(few.ended, body.dfa.labels), NO_LABEL)
        is_shared = body.dfa.n_states <= _FEW_STATES
        scan = self._scanner.scan(body, at, is_shared=is_shared)
        body = scan.body
        labels = np.array(body.dfa.labels, dtype=np.int32)[scan.quote_states]
        closers = _by_label(labels, scan.quote_places, scan.quote_rests)
        states, inverse = np.unique(scan.states, return_inverse=True)
        keys = self._machine.plan.objects[number].keys
        by_reach: dict[int, list[int]] = {}
        for n, state in enumerate(states.tolist()):
            by_reach.setdefault(keys.reach_of(body.targets[state]), []).append(n)
        rows = [
            (self.part_of(self._index.order[scan.places[np.isin(inverse, members)]]), reach)
            for reach, members in by_reach.items()
        ]
        return _Keys(Part(), [], rows, closers, NO_LABEL)

    def _reaches(
        self, number: int, body: Body, pairs: Iterable[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Return tokens by id with the labels that a key can get after each."""
        ids, keys = self._index.ids, self._machine.plan.objects[number].keys
        known: dict[int, int] = {}
        found = []
        for place, state in pairs:
            reach = known.get(state)
            if reach is None:
                reach = known[state] = keys.reach_of(body.targets[state])
            found.append((ids[place], reach))
        return found

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
            return Leaf(self.part_of(more), closers)
        return Leaf(Part(keys.base.rows, (*keys.base.few, *more)), closers)


def _by_label(labels: Ints, places: Ints, rests: Ints) -> tuple[tuple[int, Closers], ...]:
    """Return the tokens that close a string by its label, without those of no string."""
    found = []
    for label in sorted(set(labels.tolist()) - {NO_LABEL}):
        chosen = np.flatnonzero(labels == label)
        found.append((label, Closers(places[chosen], rests[chosen])))
    return tuple(found)
