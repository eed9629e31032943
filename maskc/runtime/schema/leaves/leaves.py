"""Which tokens are legal inside an open string, and which close it?

A scan says what the automaton does; here lengths are counted. Rows of strings of any characters
depend on the tokenizer and the lengths alone, and are shared by all artifacts; so are those of
automata without a length, by what these are, if they are not huge. Others are remembered in the
artifact's budget.

Example: three characters before ``maxLength`` the token ``abc"`` is legal, and ``abcd`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.leaves.any_strings import AnyStrings
from maskc.runtime.schema.leaves.rows import FreeRows, Leaf, part_of
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.plan.custom import CustomRule, Read
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.scans.classes import matrix_of, never_dies, scan_all
from maskc.runtime.schema.scans.custom import CustomScans
from maskc.runtime.schema.scans.scanned import Group, Places, Scanned
from maskc.runtime.schema.scans.scans import Closers, Scan, Scanner
from maskc.runtime.schema.scans.searching import Searched, find_closing, search
from maskc.runtime.schema.scans.spelled import Spelled, spell, spell_on
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints, Nodes

_NONE = np.zeros(0, dtype=np.int32)
_SHARED_STATES = 5_000  # of automata of which it takes a few milliseconds to say which they are
# Characters that are looked up before we scan, and more for each state; and if it came to that in
# another state of the same automaton.
_SEARCHED, _SEARCHED_AGAIN = 700, 150


class Leaves:
    """Rows of strings. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.

    Attributes:
        scanner: of the vocabulary.
    """

    def __init__(self, index: TokenIndex, machine: SchemaMachine) -> None:
        self._index, self._machine = index, machine
        self._minimal = machine.plan.layout.escapes == "minimal"
        self.scanner = Scanner(index, minimal=self._minimal)
        self._any = AnyStrings(index, self.scanner, minimal=self._minimal)
        self._known = Cache(machine.budget)
        self._custom_scans = CustomScans(machine.budget)
        self._longest = len(index.tokens.levels)
        self._spelled: Spelled | None = None
        self._free_rows: FreeRows | None = None

    def string(self, number: int, at: int, count: Any) -> Leaf:
        """Return the row of a string.

        Args:
            number: of its rule.
            at: state of its body.
            count: what is counted of it.
        """
        rule = self._machine.plan.strings[number]
        if isinstance(rule, CustomRule):
            return self._custom(rule, number, at, count)
        if rule.is_any:
            high = None if rule.high is None else rule.high - count
            return self._any.leaf(rule.body.key_of(at), max(rule.low - count, 0), high)
        is_counted = not rule.is_unbounded and not rule.is_far(count, self._longest)
        key = (Leaf, number, at, count if is_counted else -1)
        found: Leaf | None = self._known.get(key)
        if found is None:
            found = self._scan_string(rule, at, count, is_counted=is_counted)
            self.keep(key, found)
        return found

    def _custom(self, rule: CustomRule, number: int, at: int, count: Read) -> Leaf:
        """Return the row of a string that a reader reads."""
        key = (Leaf, number, at, count)
        found: Leaf | None = self._known.get(key)
        if found is None:
            index, spelled = self._index, self.spelled
            if count.begun:
                spelled = spell_on(index, count.begun, self.scanner.free, minimal=self._minimal)
            walked = self._custom_scans.walk(spelled, rule, count)
            places = spelled.tables.places
            closers = self._closers_at(tuple(np.unique(places[walked.ended]).tolist()))
            found = Leaf(self.part_of(index.order[places[walked.inside]]), ((0, closers),))
            self.keep(key, found)
        return found

    def keep(self, key: object, leaf: Leaf) -> None:
        """Remember a row of this artifact."""
        self._known.put(key, leaf)
        self.charge(leaf)

    def charge(self, leaf: Leaf) -> None:
        """Count what a row takes that is remembered."""
        n_closers = sum(len(closers.places) for _, closers in leaf.closers)
        n_rows = len(leaf.inside.rows)
        self._machine.budget.charge(8 * n_closers + 4 * n_rows * self._index.n_words + ENTRY_BYTES)

    def part_of(self, ids: list[int] | NDArray[Any]) -> Part:
        """Return the part with some tokens, by id."""
        return part_of(self._index, ids)

    def _scan_string(self, rule: StringRule, at: int, count: int, *, is_counted: bool) -> Leaf:
        body = rule.body
        state = body.characters[at]
        if state >= 0 and not is_counted:
            if body.dfa.n_states <= _SHARED_STATES:
                return self._share_uncounted(body.dfa, state)
            return self._find_uncounted(body.dfa, state)
        if state >= 0:
            return self._select_sized(rule, state, count)
        # Inside a character.
        scan = self.scanner.scan(body, at, is_shared=body.dfa.n_states <= _SHARED_STATES)
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
        searched = self.search(dfa, state)
        if searched is not None:
            part, closers = self.of_search(searched, dfa)
            ids = self._ids(searched.places)
            return Leaf(self._with(part, ids), closers)
        if never_dies(dfa, state):
            return self._find_free(dfa, state)
        scanned = self.scan_vocabulary(dfa, state)
        labels = np.array(dfa.labels, dtype=np.int32)[scanned.quote_states]
        closers = by_label(labels, scanned.units.quote_places, scanned.units.quote_rests)
        return Leaf(Part((scanned.pack_live(),)), closers)

    def _find_free(self, dfa: CharDfa, state: int) -> Leaf:
        """Return the row of strings that may go on however they began."""
        by_label: dict[int, list[int]] = {}
        for item, before in find_closing(self.spelled, dfa, state):
            if dfa.labels[before] != NO_LABEL:
                by_label.setdefault(dfa.labels[before], []).append(item)
        free = self.free_rows
        closers = [(label, free.closers_of(items)) for label, items in sorted(by_label.items())]
        return Leaf(Part((free.words,)), tuple(closers))

    def search(
        self, dfa: CharDfa, state: int, *, exactly: bool = False, dropped: int = DEAD
    ) -> Searched | None:
        """Return what a string does to the vocabulary, ``None`` where a scan may take less time.

        Args:
            dfa: the automaton of the string.
            state: of it.
            exactly: whether states and sizes are wanted in the sink, too.
            dropped: a state that counts as dead.
        """
        key = (search, id(dfa))
        # Names are a tree, so looking them up takes a step a state, and a scan several.
        most = self._known.get(key) or _SEARCHED + dfa.n_states
        found = search(self.spelled, dfa, state, exactly=exactly, dropped=dropped, most=most)
        if found is None:
            self._known.put(key, _SEARCHED_AGAIN)
        return found

    def scan_vocabulary(self, dfa: CharDfa, state: int) -> Scanned:
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
            known = (self.search(dfa, state, exactly=True),)
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
        scanned = self.scan_vocabulary(dfa, state)
        groups, which = self._sized_groups(scanned)
        lives = [rule.leads_on(group.targets, count + group.size) for group in groups]
        distinct, quotes_of = scanned.quote_pairs()
        ends = [at > 0 and rule.may_end(at, count + size) for at, size in distinct]
        # Most counts lead to the same.
        name = (Leaf, id(dfa), state, bytes(lives), bytes(ends))
        found: Leaf | None = self._known.get(name)
        if found is None:
            row = scanned.pack(np.array(lives, dtype=np.bool_), which)
            closed = np.array(ends, dtype=np.bool_)[quotes_of]
            closers = Closers(scanned.units.quote_places[closed], scanned.units.quote_rests[closed])
            found = Leaf(Part((row,)), ((0, closers),))
            self.keep(name, found)
        return found

    def _sized_groups(self, scanned: Scanned) -> tuple[list[Group], Places]:
        key = (Group, id(scanned))
        found: tuple[Scanned, list[Group], Places] | None = self._known.get(key)
        if found is None:
            # With the scan itself, so that nobody else gets its number.
            found = (scanned, *scanned.groups())
            self._known.put(key, found)
            self._machine.budget.charge(found[2].nbytes + 100 * len(found[1]))
        return found[1], found[2]

    def of_search(
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
        return self._closers_at(tuple(sorted({self.spelled.places[item] for item in items})))

    def _closers_at(self, nodes: Nodes) -> Closers:
        """Return the tokens below some quotes."""
        key = (Closers, nodes)
        found: Closers | None = self._index.shared.get(key)
        if found is None:
            parts = [self.scanner.closers_of(node) for node in nodes]
            places = [part.places for part in parts] or [_NONE]
            rests = [part.rests for part in parts] or [_NONE]
            found = Closers(np.concatenate(places), np.concatenate(rests), is_shared=True)
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
            index, free = self._index, self.scanner.free
            self._spelled = spell(index, index.tokens, (ROOT,), free, minimal=self._minimal)
        return self._spelled

    @property
    def free_rows(self) -> FreeRows:
        """Rows of strings of any characters."""
        if self._free_rows is None:
            key = (FreeRows, self._minimal)
            found: FreeRows | None = self._index.shared.get(key)
            if found is None:
                found = FreeRows(self._index, self.spelled)
                self._index.shared.put(key, found, found.n_bytes)
            self._free_rows = found
        return self._free_rows

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
            self.keep(name, found)
        return found

    def _ids(self, places: Iterable[int]) -> list[int]:
        ids = self._index.ids
        return [ids[place] for place in places]


def by_label(labels: Ints, places: Ints, rests: Ints) -> tuple[tuple[int, Closers], ...]:
    """Return the tokens that close a string by its label, without those of no string."""
    found = []
    for label in sorted(set(labels.tolist()) - {NO_LABEL}):
        chosen = np.flatnonzero(labels == label)
        found.append((label, Closers(places[chosen], rests[chosen])))
    return tuple(found)
