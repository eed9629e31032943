"""The mask of a configuration: the tokens behind which the text is still live.

Each node's tokens are found by themselves, and united. Inside a string nearly all tokens are legal:
one walk of the automaton of its body over the whole trie, level by level, says which stay inside
and where others close it; what comes behind the quote is a rest, and each different one is read by
the machine once. Elsewhere few bytes are legal, and the machine itself walks the trie.

Where a string must not become one that was there (a key, an item that must differ), the tokens that
could make it so are read one by one.

Example: behind ``{"a": "x`` the tokens without a quote stay inside; of ``",``, ``"}`` and ``"]``
the first two are legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import Cache
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.schema.characters import CharDfa, of_words
from maskc.runtime.schema.machine import (
    KEY,
    STRING,
    Configuration,
    Node,
    SchemaMachine,
    split_body,
)
from maskc.runtime.schema.strings import UNKNOWN, Body
from maskc.runtime.schema.tokens import TokenIndex, index_of

Legal = NDArray[np.bool_]
Ints = NDArray[np.int64]
_NONE: Ints = np.zeros(0, dtype=np.int64)


class FreeScan(NamedTuple):
    """What a string of any characters does to a vocabulary.

    Attributes:
        inside: by token id, whether it stays inside.
        sizes: by token id, how many characters it then adds, one left open included.
        places: the tokens that close the string.
        rests: what comes behind the quote.
        lengths: how many characters come before it.
    """

    inside: Legal
    sizes: NDArray[np.int16]
    places: Ints
    rests: Ints
    lengths: Ints


class Scan(NamedTuple):
    """What a string does to a vocabulary.

    Attributes:
        inside: by token id, whether it stays inside.
        closing: what closing makes of the string, the tokens that do so, by place, and their rests.
    """

    inside: Legal
    closing: list[tuple[int, Ints, Ints]]


_QUOTE = 0x22
_EVERY_BYTE = frozenset(range(256))
_FEW = 48  # tokens that are read one by one rather than by arrays


class SchemaMasks:
    """Masks of one artifact, shared by its matchers.

    Args:
        arrays: its sections.
        machine: its machine.
        vocab_size: number of tokens.
        pool: the distinct masks.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        machine: SchemaMachine,
        vocab_size: int,
        pool: MaskPool,
    ) -> None:
        self._machine = machine
        self._index: TokenIndex = index_of(arrays["token_first"], arrays["token_bytes"])
        self._vocab_size = vocab_size
        self.pool = pool
        self._known = Cache(machine.budget)
        n_bytes = len(self._index.order) + 1024
        self._scans = Cache(machine.budget, lambda _: 2 * n_bytes)
        self._rests = Cache(machine.budget, lambda _: 2048)

    def mask(self, hypothesis: Configuration) -> PooledMask:
        """Return the tokens that a configuration allows."""
        key = (hypothesis.nodes, hypothesis.gap, hypothesis.text)
        found: PooledMask | None = self._known.get(key)
        if found is None:
            found = self._compose(hypothesis)
            self._known.put(key, found)
        return found

    def numbers(self, batch: Iterable[tuple[Configuration, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [self.mask(hypotheses[0]).number for hypotheses in batch]

    def _compose(self, here: Configuration) -> PooledMask:
        if self.pool.is_full:
            self.pool.forget()
            self._machine.budget.clear()
        bits = np.zeros(len(self.pool.end_only.words) * 32, dtype=np.bool_)
        others: list[Node] = []
        for node in here.nodes:
            if node.state[0] in (STRING, KEY):
                self._in_string(node, here.text, 0, 0, bits)
            else:
                others.append(node)
        if others:
            self._walk(Configuration(tuple(others), here.gap, here.text), bits)
        words = np.packbits(bits, bitorder="little").view("<i4")
        if self._machine.may_end(here):
            words = words | self.pool.end_only.words
        return self.pool.share(words)

    def _walk(self, start: Configuration, bits: Legal) -> None:
        """Mark the tokens that the machine reads, from a configuration outside of strings."""
        index, read = self._index, self._machine.read
        ids = index.ids
        open_ = [(start, 0, 0)]
        while open_:
            here, depth, node = open_.pop()
            level = index.levels[depth]
            wanted = self._machine.may_read(here)
            for child in range(level.first_list[node], level.first_list[node + 1]):
                if level.bytes[child] not in wanted:
                    continue
                after = read(here, level.bytes[child])
                if after is None:
                    continue
                low, high = level.low_list[child], level.high_list[child]
                n_ending = level.ending_list[child]
                for place in range(low, low + n_ending):
                    bits[ids[place]] = True
                if high - low == n_ending:
                    continue
                if high - low > _FEW and all(n.state[0] in (STRING, KEY) for n in after.nodes):
                    for inner in after.nodes:
                        self._in_string(inner, after.text, depth + 1, child, bits)
                else:
                    open_.append((after, depth + 1, child))

    def _reads(self, node: Node, text: bytes, token: bytes) -> bool:
        """Return whether the machine reads a token from a node."""
        here = Configuration((node,), 0, text)
        for byte in token:
            after = self._machine.read(here, byte)
            if after is None:
                return False
            here = after
        return True

    def _in_string(self, node: Node, text: bytes, depth: int, place: int, bits: Legal) -> None:
        """Mark the tokens that are legal inside a string or a key.

        Args:
            node: the string.
            text: what has been captured.
            depth: level of the trie that is read next; 0 at its root.
            place: the node of the level before.
            bits: by token id, written to.
        """
        leaf = Leaf(self._machine, node, len(self._index.levels))
        scan = self._scan(leaf, depth, place)
        order = self._index.order
        conflicts = self._find_conflicts(leaf, depth, place)
        before = bits[order[conflicts]] if len(conflicts) else None
        bits |= scan.inside
        for outcome, places, rests in scan.closing:
            known, certain = self._read_rests(leaf, node, outcome)
            allowed = known[rests]
            sure = allowed & certain[rests]
            bits[order[places[sure]]] = True
            for one in places[allowed & ~sure].tolist():
                if self._reads(node, text, self._index.texts[one][depth:]):
                    bits[order[one]] = True
        if before is not None:
            found = [self._reads(node, text, self._index.texts[p][depth:]) for p in conflicts]
            bits[order[conflicts]] = before | np.array(found, dtype=np.bool_)

    def _scan(self, leaf: Leaf, depth: int, place: int) -> Scan:
        """Return the tokens that stay inside a string, and those that close it."""
        key = (leaf.key, depth, place)
        found: Scan | None = self._scans.get(key)
        if found is None:
            sink = leaf.find_sink()
            if leaf.is_bounded:
                found = self._scan_bounded(leaf, depth, place)
            elif sink >= 0 and leaf.is_whole_at or leaf.is_narrow:
                found = self._scan_path(leaf, sink, depth, place)
            else:
                found = self._scan_levels(leaf, depth, place)
            self._scans.put(key, found)
        return found

    def _scan_free(self, depth: int, place: int) -> FreeScan:
        """Return what :meth:`_scan` does for a string of any characters.

        They depend on the tokenizer alone, and are shared by all artifacts that have it.
        """
        minimal = self._machine.plan.layout.escapes == "minimal"
        key = (minimal, depth, place)
        found = self._index.free.get(key)
        if found is None:
            leaf = FreeLeaf(len(self._index.order), minimal=minimal)
            scan = self._scan_levels(leaf, depth, place)
            sizes = np.zeros(len(scan.inside), dtype=np.int16)
            sizes[self._index.order] = leaf.sizes
            parts = scan.closing or [(0, _NONE, _NONE)]
            found = self._index.free[key] = FreeScan(
                scan.inside,
                sizes,
                np.concatenate([places for _, places, _ in parts]),
                np.concatenate([rests for _, _, rests in parts]),
                np.concatenate([np.full(len(places), n) for n, places, _ in parts]),
            )
        return found

    def _scan_bounded(self, leaf: Leaf, depth: int, place: int) -> Scan:
        """Scan a string of any characters of which there must be so many."""
        free = self._scan_free(depth, place)
        least, most = leaf.bounds
        inside, closes = free.inside, free.lengths >= least
        if most is not None:
            inside = inside & (free.sizes <= most)
            closes &= free.lengths <= most
        return Scan(inside, [(0, free.places[closes], free.rests[closes])])

    def _scan_path(self, leaf: Leaf, sink: int, depth: int, place: int) -> Scan:
        """Scan a string that may become anything, or a few things, by following the few.

        Args:
            leaf: the string.
            sink: the state of the automaton in which every character is free, -1 without any.
            depth: level of the trie.
            place: the node of the level before.
        """
        index, body = self._index, leaf.body
        dead: list[tuple[int, int]] = []
        added: list[int] = []
        closing: dict[int, list[tuple[int, int]]] = {}
        turned: list[int] = []
        open_ = [(leaf.at, depth, place)]
        while open_:
            state, number, here = open_.pop()
            if number >= len(index.levels):
                continue
            if sink >= 0 and body.targets[state] == {sink}:
                continue  # free
            level = index.levels[number]
            is_whole = body.characters[state] >= 0
            wanted = body.special_bytes(state, sink) if is_whole and sink >= 0 else _EVERY_BYTE
            for child in range(level.first_list[here], level.first_list[here + 1]):
                byte = level.bytes[child]
                if byte not in wanted:
                    continue
                low, high = level.low_list[child], level.high_list[child]
                if byte == _QUOTE and is_whole:
                    rows = index.rows_of(number, child)
                    turned += [one for one, _ in rows]
                    outcome = leaf.end(state)
                    if outcome >= 0:
                        closing.setdefault(outcome, []).extend(rows)
                    continue
                after = body.step(state, byte)
                if sink >= 0 and after and body.targets[after] == {sink}:
                    continue
                if not after or not leaf.live_at(after):
                    dead.append((low, high))
                    continue
                added += range(low, low + level.ending_list[child])
                if high - low > level.ending_list[child]:
                    open_.append((after, number + 1, child))
        rows_of = {k: np.array(v, dtype=np.int64).reshape(-1, 2) for k, v in closing.items()}
        if sink < 0:
            inside = np.zeros(len(self.pool.end_only.words) * 32, dtype=np.bool_)
            inside[index.order[added]] = True
            return Scan(inside, [(k, rows[:, 0], rows[:, 1]) for k, rows in rows_of.items()])
        free = self._scan_free(depth, place)
        places, rests = free.places, free.rests
        inside = free.inside.copy()
        kept = ~np.isin(places, turned)
        for low, high in dead:
            inside[index.order[low:high]] = False
            kept &= (places < low) | (places >= high)
        rest = leaf.end_in(sink)
        found = [(k, rows[:, 0], rows[:, 1]) for k, rows in rows_of.items()]
        if rest >= 0:
            found.append((rest, places[kept], rests[kept]))
        return Scan(inside, found)

    def _scan_levels(self, leaf: Leaf | FreeLeaf, depth: int, place: int) -> Scan:
        """Scan a string by walking its automaton over the whole trie, level by level."""
        index = self._index
        legal = np.zeros(len(index.order), dtype=np.bool_)
        low, high, base = place, place + 1, place
        states = np.array([leaf.at], dtype=np.int64)
        counts = np.array([leaf.count], dtype=np.int64)
        rows: list[tuple[Ints, Ints, Ints]] = []
        for number in range(depth, len(index.levels)):
            level = index.levels[number]
            low, high = int(level.first[low]), int(level.first[high])
            if low == high:
                break
            above = level.parent[low:high] - base
            before, n_before = states[above], counts[above]
            quotes, places, rests = index.quotes[number]
            first, last = np.searchsorted(quotes, [low, high])
            if first < last:
                at = quotes[first:last] - low
                ends = leaf.ends(before[at], n_before[at])
                kept = ends >= 0
                rows.append((places[first:last][kept], rests[first:last][kept], ends[kept]))
            states = leaf.step(before, level.byte[low:high])
            counts = n_before + leaf.is_whole(states)
            states[~leaf.live(states, counts)] = 0
            ending = level.n_ending[low:high]
            there = np.flatnonzero((states != 0) & (ending > 0))
            for n in range(int(ending[there].max(initial=0))):
                more = there[ending[there] > n]
                tokens = level.low[low:high][more] + n
                legal[tokens] = True
                if isinstance(leaf, FreeLeaf):
                    leaf.note(tokens, states[more], counts[more])
            base = low
            if not states.any():
                break
        inside = np.zeros(len(self.pool.end_only.words) * 32, dtype=np.bool_)
        inside[index.order[legal]] = True
        if not rows:
            return Scan(inside, [])
        places, rests, ends = [np.concatenate(column) for column in zip(*rows, strict=True)]
        return Scan(
            inside,
            [
                (outcome, places[ends == outcome], rests[ends == outcome])
                for outcome in np.unique(ends).tolist()
            ],
        )

    def _read_rests(self, leaf: Leaf, node: Node, outcome: int) -> tuple[Legal, Legal]:
        """Return which rests may be legal behind the closing quote, and whether that is sure."""
        after = leaf.close(outcome)
        key = after
        found: tuple[Legal, Legal] | None = self._rests.get(key)
        if found is None:
            rests = self._index.rests
            allowed = np.zeros(len(rests), dtype=np.bool_)
            certain = np.ones(len(rests), dtype=np.bool_)
            if node.captures:
                wanted = self._machine.may_read(Configuration(after, 0, b""))
                allowed[:] = [not rest or rest[0] in wanted for rest in rests]
                certain[:] = False
            else:
                self._try_rests(after, allowed, certain, is_key=leaf.is_key)
            found = (allowed, certain)
            self._rests.put(key, found)
        return found

    def _try_rests(
        self, after: tuple[Node, ...], allowed: Legal, certain: Legal, *, is_key: bool
    ) -> None:
        start = Configuration(after, 0, b"")
        known: dict[bytes, Configuration | None] = {b"": start}
        for number, rest in enumerate(self._index.rests):
            here = known.get(rest)
            if rest not in known:
                at = len(rest)
                while rest[:at] not in known:
                    at -= 1
                here = known[rest[:at]]
                while here is not None and at < len(rest):
                    here = self._machine.read(here, rest[at])
                    at += 1
                    known[rest[:at]] = here
                known[rest] = here
            allowed[number] = here is not None
            # A further key in the same token could be this one again.
            certain[number] = not is_key or rest.count(b'"') < 2

    def _find_conflicts(self, leaf: Leaf, depth: int, place: int) -> Ints:
        """Return the tokens that could make the string one that was there, by place."""
        words, begun = leaf.conflicts()
        if not words:
            return _NONE
        index = self._index
        body = Body(of_words(words), minimal=False)
        state = body.start
        for byte in begun:
            state = body.step(state, byte)
        found: list[int] = []
        open_ = [(state, depth, place)] if state else []
        while open_:
            state, number, here = open_.pop()
            if number >= len(index.levels):
                continue
            level = index.levels[number]
            for child in range(level.first_list[here], level.first_list[here + 1]):
                low, high = level.low_list[child], level.high_list[child]
                byte = level.bytes[child]
                if byte == _QUOTE and body.characters[state] >= 0:
                    if body.dfa.labels[body.characters[state]] >= 0:
                        found += range(low, high)
                    continue
                after = body.step(state, byte)
                if after:
                    found += range(low, low + level.ending_list[child])
                    open_.append((after, number + 1, child))
        return np.array(found, dtype=np.int64)


class FreeLeaf:
    """A string of any characters, from its start.

    Attributes:
        sizes: by place, how many characters a token adds, one that it leaves open included.
    """

    def __init__(self, n_tokens: int, *, minimal: bool) -> None:
        self.sizes = np.zeros(n_tokens, dtype=np.int16)
        self.body = Body(CharDfa([0], [0], [0, 1], [{}, {}], [-1, 0], 1), minimal=minimal)
        self.at, self.count = self.body.start, 0

    def step(self, states: Ints, bytes_: NDArray[np.uint8]) -> Ints:
        """Return the states behind some bytes."""
        return step_all(self.body, states, bytes_)

    def is_whole(self, states: Ints) -> Ints:
        """Return 1 where a character has just ended."""
        return np.where(states == self.body.start, 1, 0)

    def note(self, tokens: Ints, states: Ints, counts: Ints) -> None:
        """Take down how many characters some tokens add."""
        self.sizes[tokens] = np.minimum(counts + (states != self.body.start), 30_000)

    def live(self, states: Ints, counts: Ints) -> Legal:
        """Return where a string can still come."""
        del counts
        alive: Legal = states != 0
        return alive

    def ends(self, states: Ints, counts: Ints) -> Ints:
        """Return the number of characters between two of them, -1 elsewhere."""
        return np.where(states == self.body.start, counts, -1)


def step_all(body: Body, states: Ints, bytes_: NDArray[np.uint8]) -> Ints:
    """Return the states behind some bytes, each from its own."""
    after = body.table[states, bytes_].astype(np.int64)
    missing = np.flatnonzero(after == UNKNOWN)
    if len(missing):
        pairs = states[missing] * 256 + bytes_[missing]
        for pair in np.unique(pairs).tolist():
            body.step(pair >> 8, pair & 255)
        after[missing] = body.table[states[missing], bytes_[missing]]
    return after


class Leaf:
    """A string or a key that is open, as arrays ask it."""

    def __init__(self, machine: SchemaMachine, node: Node, longest: int) -> None:
        self._machine, self._node, self._longest = machine, node, longest
        self.is_key = node.state[0] == KEY
        plan = machine.plan
        if self.is_key:
            _, number, self._members, self.at, self.raw = node.state
            self.count = 0
            self.body: Body = plan.key_bodies[number]
            self._object = plan.objects[number]
            self._labels = self._object.open_labels(self._members)
            self.key: tuple[object, ...] = (KEY, number, self._labels, self.at)
        else:
            _, number, self.at, self.count, self.raw = node.state
            self._string = plan.strings[number]
            self.body = self._string.body
            bounds = (self._string.low, self._string.high, self.count) if self._counts else None
            if bounds is not None and self.find_sink() >= 0:
                bounds = None
            self.key = (STRING, id(self.body), bounds, self.at)

    def step(self, states: NDArray[np.int64], bytes_: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the states behind some bytes, dead at a quote that closes."""
        return step_all(self.body, states, bytes_)

    def is_whole(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return 1 where a character has just ended."""
        if self.is_key or not self._counts:
            return np.zeros(len(states), dtype=np.int64)
        whole = np.array(self.body.characters, dtype=np.int64) >= 0
        found: NDArray[np.int64] = (whole[states] & (states != 0)).astype(np.int64)
        return found

    @property
    def _counts(self) -> bool:
        return not self.is_key and (self._string.low > 0 or self._string.high is not None)

    def live(self, states: NDArray[np.int64], counts: NDArray[np.int64]) -> Legal:
        """Return where a string that fits can still come."""
        if self.is_key:
            return self._live_keys(states)
        if not self._counts:
            alive: Legal = states != 0
            return alive
        found = np.zeros(len(states), dtype=np.bool_)
        pairs = states << 24 | np.minimum(counts, (1 << 24) - 1)
        distinct, inverse = np.unique(pairs, return_inverse=True)
        rule = self._string
        verdicts = [
            bool(pair >> 24) and rule.is_live(pair >> 24, rule.cap(pair & 0xFFFFFF))
            for pair in distinct.tolist()
        ]
        found[:] = np.array(verdicts, dtype=np.bool_)[inverse]
        return found

    def _live_keys(self, states: NDArray[np.int64]) -> Legal:
        distinct, inverse = np.unique(states, return_inverse=True)
        keys, labels = self._object.keys, self._labels
        verdicts = [
            any(keys.reach[t] & labels for t in self.body.targets[state]) if state else False
            for state in distinct.tolist()
        ]
        return np.array(verdicts, dtype=np.bool_)[inverse]

    def ends(self, states: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what closing the string makes of it, -1 where it may not be closed."""
        found = np.full(len(states), -1, dtype=np.int64)
        pairs = states << 24 | np.minimum(counts, (1 << 24) - 1)
        distinct, inverse = np.unique(pairs, return_inverse=True)
        verdicts = []
        for pair in distinct.tolist():
            state = self.body.characters[pair >> 24] if pair >> 24 else -1
            verdict = -1
            if state >= 0 and pair >> 24:
                if self.is_key:
                    label = self._object.dfa.labels[state]
                    if label >= 0 and self._labels >> label & 1:
                        verdict = label
                elif self._string.may_end(state, self._string.cap(pair & 0xFFFFFF)):
                    verdict = 0
            verdicts.append(verdict)
        found[:] = np.array(verdicts, dtype=np.int64)[inverse]
        return found

    def find_sink(self) -> int:
        """Return the state in which every further character is free, -1 if there is none.

        A string whose length is bounded has one if no token can be too long or too short for it.
        """
        sink = self.body.dfa.sink
        if sink < 0:
            return -1
        if self.is_key:
            return sink if self._labels >> self.body.dfa.labels[sink] & 1 else -1
        rule = self._string
        if not self._counts:
            return sink
        is_free = self.count >= rule.low and (
            rule.high is None or rule.high - self.count > self._longest
        )
        return sink if is_free and rule.is_any else -1

    @property
    def is_bounded(self) -> bool:
        """Whether nothing is asked but the number of characters, between two of them."""
        return not self.is_key and self._counts and self._string.is_any and self.is_whole_at

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How many more characters there must be, and may be."""
        rule = self._string
        # Counts beyond the lower bound are not kept if there is no upper one.
        return max(rule.low - self.count, 0), (
            None if rule.high is None else rule.high - self.count
        )

    @property
    def is_whole_at(self) -> bool:
        """Whether the string is between two characters."""
        return self.body.characters[self.at] >= 0

    @property
    def is_narrow(self) -> bool:
        """Whether few strings are possible, as where only names may come."""
        return self.is_key and not self._labels >> self._object.n_names

    def end(self, state: int) -> int:
        """Return what closing the string in a state of its body makes of it, -1 if it may not."""
        return self.end_in(self.body.characters[state])

    def end_in(self, state: int) -> int:
        """Return the same of a state of its automaton."""
        label = self.body.dfa.labels[state]
        if self.is_key:
            return label if label >= 0 and self._labels >> label & 1 else -1
        return 0 if label >= 0 else -1

    def live_at(self, state: int) -> bool:
        """Return whether a string can still come from a state of its body."""
        if not self.is_key:
            return True
        keys, labels = self._object.keys, self._labels
        return any(keys.reach[target] & labels for target in self.body.targets[state])

    def close(self, outcome: int) -> tuple[Node, ...]:
        """Return the nodes behind the closing quote."""
        if not self.is_key:
            return self._node.parents
        return self._machine.close_key(self._node, outcome)

    def conflicts(self) -> tuple[list[str], bytes]:
        """Return what is left of strings that were there and begin like this one.

        And what is read of the next character.
        """
        words: Iterable[str] = ()
        if self.is_key:
            words = self._members.others
        elif self.raw is not None:
            values = self._machine.unique_of(self._node.parents) or ()
            words = [value[1] for value in values if value[0] == "string"]
        if not words:
            return [], b""
        prefix, begun = split_body(self.raw)
        left = {word[len(prefix) :] for word in words if word.startswith(prefix)}
        return sorted(left), begun
