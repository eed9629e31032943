"""The tokens that are legal inside an open string, and those that close it.

What the automaton of a string does to the vocabulary is searched or scanned; here lengths are
counted. Inside a character the same is done with what the vocabulary writes after its beginning.

How many characters tokens write depends on the tokenizer alone, so rows of any strings are shared
by all artifacts; so are those of automata without a length, by what these are, if they are not
huge. Others are remembered in the artifact's budget. What is free in another string
(:mod:`maskc.runtime.schema.scans.searching`) is mostly nearly all or nearly nothing, so its row is
that of any string with few bits changed, or few bits.

Example: three characters before ``maxLength`` the token ``abc"`` is legal, and ``abcd`` is not. Of
the keys ``id`` and any other one the free tokens are all but ``i"`` and its like.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan.custom import CustomRule, Read
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.scans import Scanned, scan_all
from maskc.runtime.schema.scans.character_trie import (
    CLOSES,
    CharacterTrie,
    build_character_trie,
    free_body,
)
from maskc.runtime.schema.scans.class_tries import ClosingTokens, closing_tokens_at, items_of
from maskc.runtime.schema.scans.custom import CustomScans
from maskc.runtime.schema.scans.residuals import Matrix, matrix_of, never_dies
from maskc.runtime.schema.scans.searching import Searched, find_names, free_items, search
from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries import ROOT, Ints, TokenIndex, Words
from maskc.runtime.schema.tries.summary import Part, part_of

_CLOSING_BYTES: Final = 400  # of tokens that close a string, before their numbers
_MOST_CHANGED = 2_000  # items that are looked at one by one
_SHARED_STATES = 5_000  # of automata of which it takes a few milliseconds to say which they are
# Characters that are looked up before we scan, and more for each state; and if it came to that in
# another state of the same automaton. With a fifth of these, rows of MaskBench take 8 % longer.
_SEARCHED, _SEARCHED_AGAIN = 200, 150

# The tokens that close a string, by the label that it then has.
Labelled = tuple[tuple[int, ClosingTokens], ...]


class StringRow(NamedTuple):
    """The tokens that stay inside a string, and those that close it."""

    inside: Part
    closing_tokens: Labelled

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes, its rows included."""
        return self.inside.n_bytes + closing_bytes(self.closing_tokens)


# What is remembered: also how many characters to look up, and an automaton's matrix.
_Known = StringRow | Searched | Scanned | int | Matrix


def closing_bytes(labelled: Labelled) -> int:
    return sum(_CLOSING_BYTES + 8 * len(tokens.text_indices) for _, tokens in labelled)


def part_of_scan(index: TokenIndex, scanned: Scanned, kept: NDArray[np.bool_]) -> Part:
    """Return the part of the tokens that lead to what is kept of what they can lead to."""
    ids = scanned.tokens_of(kept)
    return Part((scanned.pack_ends(kept),)) if ids is None else part_of(index, ids)


class FreeRows:
    """Rows of strings of any characters, from between two characters or the beginning of one."""

    def __init__(self, index: TokenIndex, character_trie: CharacterTrie) -> None:
        self._index, self._trie = index, character_trie
        self._items = items = items_of(index, character_trie)
        self.words = index.pack(items.ids[items.ids >= 0])
        self.closing_tokens = items.closing_tokens
        self._largest = int(items.sizes.max(initial=0))
        self._sorted: tuple[Ints, list[int]] | None = None

    @property
    def n_bytes(self) -> int:
        return 4 * self._index.n_words + 4 * len(self._items.ids) + 1000

    def of_size(self, least: int, most: int | None) -> StringRow:
        """Return the row of strings of which so many more characters must come, and may."""
        most = None if most is None or most >= self._largest else most
        least, shared = min(least, self._largest + 1), self._index.shared
        key = (StringRow, self._trie.escapes, self._trie.like.before, least, most)
        found: StringRow | None = shared.get(key)
        if found is None:
            closing_tokens, sizes = self.closing_tokens, self._items.sizes[self._items.quotes]
            if least or most is not None:
                kept = (sizes >= least) & (sizes <= (self._largest if most is None else most))
                closing_tokens = closing_tokens.chosen(kept)
                closing_tokens.is_shared = True
            found = StringRow(self._up_to(most), ((0, closing_tokens),))
            shared.put(key, found, 500 + 8 * len(closing_tokens.text_indices))
        return found

    def _up_to(self, most: int | None) -> Part:
        """Return the tokens that stay inside with at most so many characters."""
        index = self._index
        key = (Part, self._trie.escapes, self._trie.like.before, most)
        found: Part | None = index.shared.get(key)
        if found is None:
            if most is None:
                found = Part((self.words,))
            else:
                ids, n_up_to = self._sort()
                n = n_up_to[most]
                if 2 * n <= len(ids):
                    found = part_of(index, ids[:n])
                else:
                    found = Part((index.clear_bits(self.words, ids[n:]),))
            index.shared.put(key, found, 500 + 4 * len(found.rows) * index.n_words)
        return found

    def _sort(self) -> tuple[Ints, list[int]]:
        """Return the tokens that stay inside by their sizes, and how many have up to each."""
        if self._sorted is None:
            inside = np.flatnonzero(self._items.ids >= 0)
            sizes = self._items.sizes[inside]
            counts = np.bincount(sizes, minlength=self._largest + 1)
            # Sorting narrow numbers takes a fifth of the time.
            narrow = sizes.astype(np.min_scalar_type(self._largest))
            ids = self._items.ids[inside[np.argsort(narrow, kind="stable")]]
            self._sorted = ids, np.cumsum(counts).tolist()
        return self._sorted

    def of(self, found: Searched) -> tuple[Words, ClosingTokens]:
        """Return the tokens that are free, and those of them that close the string."""
        (low, high, is_free), *others = found.runs
        is_all = is_free and low == 0 and high == self._trie.n_items
        n_changed = sum(last - first for first, last, _ in others)
        if is_all and n_changed <= _MOST_CHANGED:
            changed: dict[int, bool] = {}
            for first, last, now in others:
                changed.update(dict.fromkeys(range(first, last), now))
            return self._without([item for item, now in changed.items() if not now])
        items = free_items(self._trie, found)
        ids = self._items.ids[items]
        is_in = np.zeros(self._trie.n_items, dtype=np.bool_)
        is_in[items] = True
        closing_tokens = self.closing_tokens.chosen(is_in[self._items.quotes])
        return self._index.pack(ids[ids >= 0]), closing_tokens

    def _without(self, removed: list[int]) -> tuple[Words, ClosingTokens]:
        index, kinds = self._index, self._trie.kinds
        inside = [index.ids[self._trie.origins[i]] for i in removed if kinds[i] != CLOSES]
        words = index.clear_bits(self.words, inside) if inside else self.words
        closing = [item for item in removed if kinds[item] == CLOSES]
        if not closing:
            return words, self.closing_tokens
        return words, self.closing_tokens.chosen(~np.isin(self._items.quotes, closing))


def free_rows_of(index: TokenIndex, character_trie: CharacterTrie) -> FreeRows:
    key = (FreeRows, character_trie.escapes, character_trie.like.before)
    found: FreeRows | None = index.shared.get(key)
    if found is None:
        found = FreeRows(index, character_trie)
        index.shared.put(key, found, found.n_bytes)
    return found


class StringRows:
    """Rows of strings. Shared by all matchers of an artifact."""

    def __init__(self, index: TokenIndex, machine: SchemaMachine) -> None:
        self._index, self._machine = index, machine
        self._escapes = machine.plan.layout.escapes
        self._free = free_body(index, escapes=self._escapes)
        self._known = Cache(machine.budget, _measure)
        self._custom_scans = CustomScans(machine.budget)
        self._longest = len(index.tokens.levels)
        self._free_rows: FreeRows | None = None

    def string(self, number: int, at: int, count: Any) -> StringRow:
        """Return the row of a string."""
        rule = self._machine.plan.strings[number]
        if rule.is_any:
            # Beginnings of characters that lead to the same are one for all artifacts.
            _, before = rule.body.begun(at)
            before = before and self._free.begun(self._free.read(before))[1]
            high = None if rule.high is None else rule.high - count
            return self.free_rows_after(before).of_size(max(rule.low - count, 0), high)
        is_counted = isinstance(rule, CustomRule)
        is_counted = is_counted or not rule.is_unbounded and not rule.is_far(count, self._longest)
        key = (StringRow, number, at, count if is_counted else -1)
        found: StringRow | None = self._known.get(key)
        if found is None:
            if isinstance(rule, CustomRule):
                found = self._read_custom(rule, count)
            elif is_counted:
                found = self._select_sized(rule, at, count)
            else:
                found = self._find_uncounted(rule.body.dfa, *rule.body.begun(at))
            self._known.put(key, found)
        return found

    def _read_custom(self, rule: CustomRule, count: Read) -> StringRow:
        character_trie = self.character_trie_after(count.begun)
        walked = self._custom_scans.walk(character_trie, rule, count)
        origins = character_trie.tables.places
        inside = part_of(self._index, self._index.order[origins[walked.inside]])
        quotes = tuple(np.unique(origins[walked.ended]).tolist())
        return StringRow(inside, ((0, closing_tokens_at(self._index, quotes)),))

    def _find_uncounted(self, dfa: CharDfa, state: int, before: bytes) -> StringRow:
        key, shared = None, self._index.shared
        if dfa.n_states <= _SHARED_STATES:
            key = (StringRow, self._escapes, dfa.digest, state, before)
            known: StringRow | None = shared.get(key)
            if known is not None:
                return known
        found = self._settle_uncounted(dfa, state, before)
        if key is not None:
            shared.put(key, found, ENTRY_BYTES + found.n_bytes)
        return found

    def _settle_uncounted(self, dfa: CharDfa, state: int, before: bytes) -> StringRow:
        searched = self._search(dfa, state, before)
        if searched is None and never_dies(dfa, state):
            # Whatever was read the string may go on.
            ended: dict[int, set[int]] = {}
            for label, nodes in find_names(self.character_trie_after(before), dfa, state, -1):
                ended.setdefault(label, set()).update(nodes)
            part = Part((self.free_rows_after(before).words,))
            return StringRow(part, self._by_label(ended))
        effects = searched or self._scan(dfa, state, before)
        part, closing_tokens = self.settle(effects, dfa, before)
        if isinstance(effects, Scanned):
            part = part_of_scan(self._index, effects, effects.live)
        elif not part.rows:
            part = part_of(self._index, [self._index.ids[n] for n in effects.text_indices])
        elif effects.text_indices:
            ids = [self._index.ids[n] for n in effects.text_indices]
            part = Part((self._index.set_bits(part.rows[0], ids),))
        return StringRow(part, closing_tokens)

    def _select_sized(self, rule: StringRule, at: int, count: int) -> StringRow:
        """Return the row of a string of which so many characters were read."""
        dfa, (state, before) = rule.body.dfa, rule.body.begun(at)
        key = ("sized", id(dfa), state, before)
        effects: Searched | Scanned | None = self._known.get(key)
        if effects is None:
            effects = self.follow(dfa, state, before, exactly=True)
            self._known.put(key, effects)
        if not isinstance(effects, Scanned):
            columns = (effects.text_indices, effects.targets, effects.sizes)
            ids = [
                self._index.ids[text_index]
                for text_index, targets, size in zip(*columns, strict=True)
                if rule.leads_on(targets, count + size)
            ]
            nodes = {n for n, at, size in effects.ended if rule.may_end(at, count + size)}
            return StringRow(
                part_of(self._index, ids),
                ((0, closing_tokens_at(self._index, tuple(sorted(nodes)))),),
            )
        (groups, which), (distinct, quotes_of) = effects.groups, effects.quote_pairs
        lives = [rule.leads_on(group.targets, count + group.size) for group in groups]
        ends = [at > 0 and rule.may_end(at, count + size) for at, size in distinct]
        # Most counts lead to the same.
        name = (StringRow, *key, bytes(lives), bytes(ends))
        found: StringRow | None = self._known.get(name)
        if found is None:
            row = effects.pack(np.array(lives, dtype=np.bool_), which)
            may_end = np.array(ends, dtype=np.bool_)[quotes_of]
            closing_tokens = effects.units.closing_tokens.chosen(may_end)
            found = StringRow(Part((row,)), ((0, closing_tokens),))
            self._known.put(name, found)
        return found

    def follow(
        self, dfa: CharDfa, state: int, before: bytes, *, exactly: bool = False, dropped: int = DEAD
    ) -> Searched | Scanned:
        """Return what a string does to the vocabulary: a search, or a scan if that is quicker."""
        found = self._search(dfa, state, before, exactly=exactly, dropped=dropped)
        return found or self._scan(dfa, state, before)

    def _search(
        self, dfa: CharDfa, state: int, before: bytes, *, exactly: bool = False, dropped: int = DEAD
    ) -> Searched | None:
        key, character_trie = (search, id(dfa)), self.character_trie_after(before)
        # Names are a tree, so looking them up takes a step a state, and a scan several.
        most = self._known.get(key) or _SEARCHED + dfa.n_states
        found = search(character_trie, dfa, state, exactly=exactly, dropped=dropped, most=most)
        if found is None:
            self._known.put(key, _SEARCHED_AGAIN)
        return found

    def _scan(self, dfa: CharDfa, state: int, before: bytes) -> Scanned:
        key = (matrix_of, id(dfa))
        matrix = dfa.matrix or self._known.get(key)
        if matrix is None:
            matrix = matrix_of(dfa)
            self._known.put(key, matrix)
        return scan_all(self._index, self.character_trie_after(before), dfa, matrix, state)

    def settle(
        self, effects: Searched | Scanned, dfa: CharDfa, before: bytes
    ) -> tuple[Part, Labelled]:
        """Return the free tokens, and those that close the string by label."""
        if isinstance(effects, Scanned):
            return Part(), tuple(effects.closed_by(dfa.labels))
        part, found = Part(), list[tuple[int, ClosingTokens]]()
        if effects.runs:
            words, free = self.free_rows_after(before).of(effects)
            part = Part((words,))
            found.append((dfa.labels[dfa.sink], free))
        ended: dict[int, set[int]] = {}
        for node, state, _ in effects.ended:
            ended.setdefault(dfa.labels[state], set()).add(node)
        return part, (*found, *self._by_label(ended))

    def _by_label(self, ended: dict[int, set[int]]) -> Labelled:
        pairs = ((label, tuple(sorted(ended[label]))) for label in sorted(ended))
        return tuple([(label, closing_tokens_at(self._index, nodes)) for label, nodes in pairs])

    @property
    def character_trie(self) -> CharacterTrie:
        """What the vocabulary writes inside a string, between two characters."""
        return self.character_trie_after(b"")

    def character_trie_after(self, before: bytes) -> CharacterTrie:
        """Return what the vocabulary writes after the beginning of a character."""
        index, escapes = self._index, self._escapes
        return build_character_trie(index, index.tokens, (ROOT,), escapes=escapes, before=before)

    @property
    def free_rows(self) -> FreeRows:
        """Rows of strings of any characters, between two characters."""
        if self._free_rows is None:
            self._free_rows = free_rows_of(self._index, self.character_trie)
        return self._free_rows

    def free_rows_after(self, before: bytes) -> FreeRows:
        """Return rows of strings of any characters, after the beginning of one."""
        return (
            free_rows_of(self._index, self.character_trie_after(before))
            if before
            else self.free_rows
        )


def _measure(_: object, found: _Known) -> int:
    return ENTRY_BYTES + (0 if isinstance(found, int) else found.n_bytes)
