"""Which tokens are legal inside an open string or key, and which close it?

A scan says what the automaton does; here lengths are counted and keys that may not come are left
out. Rows of strings of any characters depend on the tokenizer and the lengths alone, and are shared
by all artifacts; those of others are remembered in the artifact's budget.

Example: three characters before ``maxLength`` the token ``abc"`` is legal, and ``abcd`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.classes import (
    Group,
    Places,
    Scanned,
    matrix_of,
    pack_groups,
    scan_all,
)
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.rows import FreeRows
from maskc.runtime.schema.rules import StringRule
from maskc.runtime.schema.scans import Closers, Scan, Scanner
from maskc.runtime.schema.searching import Searched, search
from maskc.runtime.schema.spelled import Spelled, spell
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import ROOT, Ints

_NONE = np.zeros(0, dtype=np.int32)
_FEW = 48
_MOST_SEARCHED = 200  # nodes that are looked at one by one
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
        self._spelled: Spelled | None = None

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
        plan = self._machine.plan
        # Others count no more.
        labels &= plan.objects[number].keys.reach_of(plan.key_bodies[number].targets[at])
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
        state = body.characters[at]
        if state >= 0 and not is_counted:
            return self._share_uncounted(body.dfa, state)
        if state >= 0:
            return self._select_sized(rule, state, count)
        # Inside a character.
        scan = self._scanner.scan(body, at, is_shared=True)
        if not is_counted:
            closed = Closers(scan.quote_places, scan.quote_rests)
            return Leaf(self.part_of(self._index.order[scan.places]), ((0, closed),))
        return self._select_counted(rule, scan, count)

    def _share_uncounted(self, dfa: CharDfa, state: int) -> Leaf:
        """Return the row of strings of any length, from a state of their automaton on."""
        name = (Leaf, self._minimal, dfa.digest, state)
        found: Leaf | None = self._index.shared.get(name)
        if found is None:
            found = self._find_uncounted(dfa, state)
            n_closers = sum(len(closers.places) for _, closers in found.closers)
            size = 8 * n_closers + 4 * len(found.inside.rows) * self._index.n_words + ENTRY_BYTES
            self._index.shared.put(name, found, size)
        return found

    def _find_uncounted(self, dfa: CharDfa, state: int) -> Leaf:
        searched = search(self.spelled, dfa, state, most=_MOST_SEARCHED)
        if searched is not None:
            part, closers = self._of_search(searched, dfa)
            ids = self._ids(searched.places)
            return Leaf(self._with(part, ids), closers)
        scanned = self._scan_all(dfa, state)
        groups, which = scanned.groups(sized=False)
        kept = np.array([bool(group.targets) for group in groups], dtype=np.bool_)
        labels = np.array(dfa.labels, dtype=np.int32)[scanned.quote_states]
        closers = _by_label(labels, scanned.quote_places, scanned.quote_rests)
        return Leaf(Part((pack_groups(kept, which),)), closers)

    def _scan_all(self, dfa: CharDfa, state: int) -> Scanned:
        """Return what a string does to the whole vocabulary."""
        key = (Scanned, id(dfa), state)
        found: Scanned | None = self._known.get(key)
        if found is None:
            delta = self._known.get((matrix_of, id(dfa)))
            if delta is None:
                delta = matrix_of(dfa)
                self._known.put((matrix_of, id(dfa)), delta)
                self._machine.budget.charge(delta.nbytes)
            found = scan_all(self._index, self.spelled, dfa, delta, state)
            self._known.put(key, found)
            self._machine.budget.charge(found.n_bytes)
        return found

    def _select_sized(self, rule: StringRule, state: int, count: int) -> Leaf:
        """Return the row of a string of which so many characters were read."""
        dfa = rule.body.dfa
        key = (search, id(dfa), state)
        known = self._known.get(key)
        if known is None:
            known = (search(self.spelled, dfa, state, exactly=True, most=_MOST_SEARCHED),)
            self._known.put(key, known)
        searched: Searched | None = known[0]
        if searched is not None:
            columns = (searched.places, searched.targets, searched.sizes)
            ids = [
                self._index.ids[place]
                for place, targets, size in zip(*columns, strict=True)
                if rule.leads_on(targets, count + size)
            ]
            items = [i for i, at, size in searched.ended if rule.may_end(at, count + size)]
            return Leaf(self.part_of(ids), ((0, self._closers_of(items)),))
        scanned = self._scan_all(dfa, state)
        groups, which = self._sized_groups(scanned)
        lives = [rule.leads_on(group.targets, count + group.size) for group in groups]
        distinct, quotes_of = scanned.quote_pairs()
        ends = [at > 0 and rule.may_end(at, count + size) for at, size in distinct]
        # Most counts lead to the same.
        name = (Leaf, id(dfa), state, bytes(lives), bytes(ends))
        found: Leaf | None = self._known.get(name)
        if found is None:
            row = pack_groups(np.array(lives, dtype=np.bool_), which)
            closed = np.array(ends, dtype=np.bool_)[quotes_of]
            closers = Closers(scanned.quote_places[closed], scanned.quote_rests[closed])
            found = Leaf(Part((row,)), ((0, closers),))
            self._keep(name, found)
        return found

    def _sized_groups(self, scanned: Scanned) -> tuple[list[Group], Places]:
        key = (Group, id(scanned))
        found: tuple[Scanned, list[Group], Places] | None = self._known.get(key)
        if found is None:
            # With the scan itself, so that nobody else gets its number.
            found = (scanned, *scanned.groups(sized=True))
            self._known.put(key, found)
            self._machine.budget.charge(found[2].nbytes + 100 * len(found[1]))
        return found[1], found[2]

    def _of_search(
        self, searched: Searched, dfa: CharDfa
    ) -> tuple[Part, tuple[tuple[int, Closers], ...]]:
        """Return the free tokens, and those that close the string by label."""
        found: list[tuple[int, Closers]] = []
        part = Part()
        if searched.runs:
            words, closers = self.free_rows.of(searched)
            part = Part((words,))
            found.append((dfa.labels[dfa.sink], closers))
        by_label: dict[int, list[int]] = {}
        for item, state, _ in searched.ended:
            by_label.setdefault(dfa.labels[state], []).append(item)
        found += [(label, self._closers_of(items)) for label, items in sorted(by_label.items())]
        return part, tuple(found)

    def _closers_of(self, items: list[int]) -> Closers:
        """Return the tokens of some items that close a string."""
        nodes = tuple(sorted({self.spelled.places[item] for item in items}))
        key = (Closers, nodes)
        found: Closers | None = self._index.shared.get(key)
        if found is None:
            parts = [self._scanner.closers_of(node) for node in nodes]
            places = [part.places for part in parts] or [_NONE]
            rests = [part.rests for part in parts] or [_NONE]
            found = Closers(np.concatenate(places), np.concatenate(rests))
            self._index.shared.put(key, found, ENTRY_BYTES + 8 * len(found.places))
        return found

    def _with(self, part: Part, ids: list[int]) -> Part:
        """Return a part with some more tokens."""
        if not part.rows:
            return self.part_of(ids)
        return Part((self._index.set_bits(part.rows[0], ids),)) if ids else part

    @property
    def spelled(self) -> Spelled:
        """What the vocabulary writes inside a string."""
        if self._spelled is None:
            index, free = self._index, self._scanner.free
            self._spelled = spell(index, index.tokens, (ROOT,), free, minimal=self._minimal)
        return self._spelled

    @property
    def free_rows(self) -> FreeRows:
        """Rows of strings of any characters."""
        key = (FreeRows, self._minimal)
        found: FreeRows | None = self._index.shared.get(key)
        if found is None:
            found = FreeRows(self._index, self.spelled)
            self._index.shared.put(key, found, found.n_bytes)
        return found

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
        searched = search(self.spelled, dfa, state, dropped=dropped, most=_MOST_SEARCHED)
        if searched is not None:
            base, closers = self._of_search(searched, dfa)
            pairs = zip(searched.places, searched.targets, strict=True)
            label = dfa.labels[dfa.sink] if searched.runs else NO_LABEL
            return _Keys(base, self._reaches(number, pairs), [], closers, label)
        scanned = self._scan_all(dfa, state)
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
        closers = _by_label(labels, scanned.quote_places, scanned.quote_rests)
        return _Keys(Part(), [], rows, closers, NO_LABEL)

    def _scan_key(self, number: int, body: Body, at: int) -> _Keys:
        """Return what is legal inside a key, inside a character."""
        scan = self._scanner.scan(body, at, is_shared=body.dfa.n_states <= _FEW_STATES)
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
            return Leaf(self.part_of(more), closers)
        return Leaf(Part(keys.base.rows, (*keys.base.few, *more)), closers)


def _by_label(labels: Ints, places: Ints, rests: Ints) -> tuple[tuple[int, Closers], ...]:
    """Return the tokens that close a string by its label, without those of no string."""
    found = []
    for label in sorted(set(labels.tolist()) - {NO_LABEL}):
        chosen = np.flatnonzero(labels == label)
        found.append((label, Closers(places[chosen], rests[chosen])))
    return tuple(found)
