"""The mask of a configuration: the tokens after which the text is still live.

Each node's tokens are found by themselves, and united. Where a string is open, one row has the
tokens that stay inside, and the others close it: what is legal after the quote is walked once over
the trie of rests, and picks those among them. Elsewhere the trie of tokens is walked. All of this
is put together of parts that do not depend on the whole stack, see
:mod:`maskc.runtime.schema.masks.walking`, and the same parts make the same mask.

Where a string must not become one that was there (a key, an item that must differ), the tokens that
could make it so are read one by one.

Example: after ``{"a": "x`` the tokens without a quote stay inside; of ``",``, ``"}`` and ``"]``
the first two are legal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskc.runtime.cache import EDGE_BYTES, ENTRY_BYTES, Cache, measure_sized
from maskc.runtime.pool import PooledMask
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    CAPTURES,
    HAS_SLACK,
    KEY,
    KIND,
    MUST_EQUAL,
    PARENTS,
    PHASE,
    RULE,
    STATE,
    STRING,
    Configuration,
    Node,
    is_compared,
    list_frames,
    read_members,
    serials_of,
)
from maskc.runtime.schema.masks.walking import SchemaWalk, make_parts
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.scans.class_tries import ClosingTokens
from maskc.runtime.schema.string_rows import StringRows
from maskc.runtime.schema.string_rows.conflicts import (
    Closing,
    find_equal,
    find_used_keys,
    read_each,
)
from maskc.runtime.schema.string_rows.key_rows import KeyRows, Names
from maskc.runtime.schema.strings.characters import NO_LABEL
from maskc.runtime.schema.tries import ROOT, Nodes, Trie, Words
from maskc.runtime.schema.tries.summary import Mixes, Part, Rests, part_of
from maskc.runtime.step_budget import charge_steps, one_mask

# Steps: of a node on top, and of tokens that close a string with one label.
_NODE_STEPS: Final = 20
_CLOSING_STEPS: Final = 5

REMEDY: Final = (
    "use simpler patterns and formats, fewer keys, and `uniqueItems` over fewer items; or load the "
    "kit or the artifact with more steps"
)


class SchemaMasks:
    """Masks of one artifact, shared by its matchers."""

    def __init__(self, machine: SchemaMachine, mixes: Mixes) -> None:
        self._machine, self._index, self._mixes = machine, mixes.index, mixes
        self._parts = make_parts(self._index, machine)
        self._string_rows = StringRows(self._index, machine)
        self._key_rows = KeyRows(self._index, machine, self._string_rows)
        self._names = Names(self._index, machine.budget)
        self._known = Cache(machine.budget, n_bytes=EDGE_BYTES)
        self._composed = Cache(machine.budget)
        self._rests = Cache(machine.budget)
        self._closing = Cache(machine.budget, measure_sized)

    def mask(self, hypothesis: Configuration) -> PooledMask:
        """Return the tokens that a configuration allows."""
        serial = hypothesis.serial or self._machine.serial_of(hypothesis)
        found: PooledMask | None = self._known.get(serial)
        if found is None:
            with one_mask(self._mixes.pool.steps, REMEDY):
                found = self._find(hypothesis)
            self._known.put(serial, found)
        return found

    def numbers(self, batch: Iterable[tuple[Configuration, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [self.mask(h[0]).number for h in batch]

    def legal(self, here: Configuration) -> Part:
        """Return the same without the end-of-sequence tokens."""
        parts, removed = self._collect(here)
        return parts[0] if len(parts) == 1 and not removed else _join(parts, removed)

    def begin(self, trie: Trie, nodes: Nodes, start: Configuration) -> Part:
        """Return the texts of a trie that are legal from some nodes on, where a text begins."""
        walk = SchemaWalk(self._parts, trie, None)
        for node in start.nodes:
            walk.enter(node, start.gap, nodes)
        return walk.part()

    def _collect(self, here: Configuration) -> tuple[list[Part], list[int]]:
        """Return the tokens of all nodes, and those that are illegal nevertheless, by id."""
        charge_steps(_NODE_STEPS * len(here.nodes))
        if len(here.nodes) == 1:
            node = here.nodes[0]
            kind: int = node[STATE][KIND]
            if kind in (STRING, KEY):
                return self._in_string(node, here.text)
            return self._between(node, here), []
        parts: dict[Part, None] = {}
        for node in here.nodes:
            if node[STATE][KIND] in (STRING, KEY):
                inside, removed = self._in_string(node, here.text)
                if removed:
                    # What one node forbids another may allow.
                    whole = _join(inside, removed)
                    words = self._index.mix(whole.rows, whole.few, whole.removed)
                    inside = [Part(rows=(words,))]
                parts.update(dict.fromkeys(inside))
            else:
                parts.update(dict.fromkeys(self._between(node, here)))
        return list(parts), []

    def _between(self, node: Node, here: Configuration) -> list[Part]:
        """Return all that is legal with a node on top that is no string."""
        walk = SchemaWalk(self._parts, self._index.tokens, here.text if node[CAPTURES] else None)
        top = self._machine.mark_distinct(node, here.text) if node[CAPTURES] else node
        walk.enter(top, here.gap, (ROOT,))
        return walk.parts()

    def _find(self, here: Configuration) -> PooledMask:
        parts, removed = self._collect(here)
        may_end = self._machine.may_end(here)
        if removed or len(parts) > 1 and here.nodes[0][STATE][KIND] == KEY:
            return self._compose(parts, removed, may_end=may_end)
        # Parts of what is no key are mostly the same ones, and so is one alone of a key.
        key = (may_end, *sorted([part.serial for part in parts]))
        found: PooledMask | None = self._composed.get(key)
        if found is None:
            found = self._compose(parts, [], may_end=may_end)
            self._composed.put(key, found)
        return found

    def _compose(self, parts: Iterable[Part], removed: list[int], *, may_end: bool) -> PooledMask:
        mixes = self._mixes
        rows: tuple[Words, ...] = ()
        few: tuple[int, ...] = ()
        for part in parts:
            if part.rows:
                rows += part.rows
            if part.few:
                few += part.few
        return mixes.mask(rows, few, tuple(removed), mixes.pool.eos_ids if may_end else ())

    def _in_string(self, node: Node, text: bytes) -> tuple[list[Part], list[int]]:
        """Return the tokens that are legal inside a string or a key, but for some of them, by id.

        No token that is left out is among the few of a part.
        """
        is_key = node[STATE][KIND] == KEY
        assumed = self._machine.assume_distinct(node) if node[CAPTURES] else node
        parts: list[Part] = []
        removed: list[int] = []
        if assumed is not None:
            named = self._in_named(node, assumed) if is_key else None
            parts, removed = named or (self._in_any(node, assumed, text), [])
        if not node[CAPTURES] and not (is_key and read_members(node[STATE])[OTHERS]):
            return parts, removed  # nothing was there before that it may not become
        machine, index, words = self._machine, self._index, self._string_rows.character_trie
        ids, away, unverified = index.ids, set(removed), list[int]()
        if is_key:
            closing, inside = find_used_keys(machine, index, words, node)
            away.update(ids[n] for n, _ in closing)
            unverified += inside
        if node[CAPTURES]:
            frames = list_frames(node)
            is_repeated = any(machine.plan.arrays[frame[STATE][RULE]].repeats for frame in frames)
            closing, inside = find_equal(machine, index, words, node, text)
            if (
                not is_key
                and not is_repeated
                and set(serials_of(frames)) == set(serials_of(node[PARENTS]))
            ):
                away.update(ids[n] for n, _ in closing)
            else:
                unverified += self._ending(node, closing)
            unverified += inside
            if not is_repeated:
                unverified = [p for p in unverified if _has(parts, ids[p])]
        if not unverified and len(away) == len(removed):
            return parts, removed
        away.update(ids[n] for n in unverified)
        kept = [ids[n] for n in self._read_each(node, text, unverified)]
        few = {token for part in parts for token in part.few}.difference(away)
        few.update(kept)
        rows = [Part(rows=part.rows) for part in parts if part.rows]
        return [*rows, Part(few=tuple(few))], sorted(away.difference(kept))

    def _ending(self, node: Node, closing: Closing) -> list[int]:
        """Return those of the tokens that make a string one of an item before that may matter."""
        plan = self._machine.plan
        is_key = node[STATE][KIND] == KEY
        is_open = is_key and plan.objects[node[STATE][RULE]].is_open and not node[MUST_EQUAL]
        if not is_open and (not node[HAS_SLACK] or any(map(is_compared, node[PARENTS]))):
            return [n for n, _ in closing]
        # Only where the item ends it is compared.
        rests = self._index.suffixes.texts
        return [n for n, rest in closing if b"}" in rests[rest] or b"]" in rests[rest]]

    def _in_named(self, node: Node, assumed: Node) -> tuple[list[Part], list[int]] | None:
        """Return the same for a key of an object that takes any other key, else ``None``.

        ``assumed`` is the same node, with the items below assumed distinct.
        """
        _, number, _, at, _ = node[STATE]
        plan, members = self._machine.plan, read_members(node[STATE])
        rule, body = plan.objects[number], plan.key_bodies[number]
        labels, state = rule.open_labels(members), body.characters[at]
        if state < 0 or not rule.is_flat or not labels >> rule.n_names & 1:
            return None
        free, names = self._string_rows.free_rows, self._names
        others, to_verify = self._rests_after(assumed, rule.n_names)
        ended: list[tuple[Nodes, int]] = []
        all_ended = names.ended(self._string_rows.character_trie, number, body.dfa, state)
        charge_steps(len(all_ended))
        for label, quotes in all_ended:
            bits = 0
            if label != NO_LABEL and labels >> label & 1:
                bits, unverified = self._rests_after(assumed, label)
                to_verify |= unverified
            ended.append((quotes, bits))
        if to_verify:
            return None
        return [names.part(free, others, tuple(ended))], []

    def _in_any(self, node: Node, assumed: Node, text: bytes) -> list[Part]:
        """Return the same, whatever the string or key is, and without looking at what was there."""
        if node[STATE][KIND] == KEY:
            _, number, _, at, _ = node[STATE]
            labels = self._machine.plan.objects[number].open_labels(read_members(node[STATE]))
            row = self._key_rows.key(number, at, labels)
        else:
            _, number, at, count, _ = node[STATE]
            row = self._string_rows.string(number, at, count)
        parts = [row.inside]
        charge_steps(_CLOSING_STEPS * len(row.closing_tokens))
        for label, closing_tokens in row.closing_tokens:
            bits, to_verify = self._rests_after(assumed, label)
            to_verify &= bits
            parts.append(self._closed_by(closing_tokens, bits & ~to_verify))
            if to_verify:
                text_indices = closing_tokens.with_suffixes(self._index, to_verify)
                kept = self._read_each(node, text, text_indices.tolist())
                parts.append(part_of(self._index, [self._index.ids[p] for p in kept]))
        return parts

    def _close(self, node: Node, label: int) -> tuple[Node, ...]:
        """Return the nodes after a closing quote, where what was read is new."""
        if node[STATE][KIND] == KEY:
            return self._machine.close_key(node, label)
        return tuple([self._machine.end_assumed(parent) for parent in node[PARENTS]])

    def _rests_after(self, node: Node, label: int) -> Rests:
        """Return which rests are legal after a closing quote."""
        after: tuple[Node, ...] = ()
        key: object
        if node[STATE][KIND] != KEY:
            after = self._close(node, label)
            key = serials_of(after)
        elif node[CAPTURES]:
            key = (serials_of(node[PARENTS]), *node[STATE][RULE:PHASE], label)
        else:
            key = self._parts.continuation_key(self._index.suffixes, node, label)
        found: Rests | None = self._rests.get(key)
        if found is None:
            walk = SchemaWalk(self._parts, self._index.suffixes, None)
            walk.begin(after or self._close(node, label))
            found = walk.bits, walk.to_verify
            self._rests.put(key, found)
        return found

    def _closed_by(self, closing_tokens: ClosingTokens, bits: int) -> Part:
        key = (closing_tokens, bits)
        shared = self._index.shared
        found: Part | None = (shared if closing_tokens.is_shared else self._closing).get(key)
        if found is None:
            text_indices = closing_tokens.with_suffixes(self._index, bits)
            found = part_of(self._index, self._index.order.take(text_indices))
            if closing_tokens.is_shared:
                shared.put(key, found, ENTRY_BYTES + found.n_bytes)
            else:
                self._closing.put(key, found)
        return found

    def _read_each(self, node: Node, text: bytes, text_indices: list[int]) -> list[int]:
        """Return those of some tokens that the machine reads from a node, by text index."""
        texts, ordered = self._index.texts, sorted(text_indices)
        are_legal = read_each(self._machine, node, text, (texts[n] for n in ordered))
        return [n for n, is_legal in zip(ordered, are_legal, strict=True) if is_legal]


def _join(parts: Iterable[Part], removed: list[int]) -> Part:
    """Return one part with the tokens of several but for some, by id."""
    rows = {id(row): row for part in parts for row in part.rows}
    few = {token for part in parts for token in part.few}
    return Part(tuple(rows.values()), tuple(sorted(few)), removed=tuple(removed))


def _has(parts: list[Part], token: int) -> bool:
    """Return whether a token is in some parts, by id."""
    return any(
        token in part.few or any(row[token >> 5] >> (token & 31) & 1 for row in part.rows)
        for part in parts
    )
