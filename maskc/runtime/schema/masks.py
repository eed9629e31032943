"""The mask of a configuration: the tokens after which the text is still live.

Each node's tokens are found by themselves, and united. Where a string is open, one row has the
tokens that stay inside, and the others close it: what is legal after the quote is walked once over
the trie of rests, and picks those among them. Elsewhere the trie of tokens is walked. All of this
is put together of parts that do not depend on the whole stack, see
:mod:`maskc.runtime.schema.walking`, and the same parts make the same mask.

Where a string must not become one that was there (a key, an item that must differ), the tokens that
could make it so are read one by one.

Example: after ``{"a": "x`` the tokens without a quote stay inside; of ``",``, ``"}`` and ``"]``
the first two are legal.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from maskc.runtime.cache.budget import Cache
from maskc.runtime.cache.pool import NO_NUMBER, MaskPool, PooledMask
from maskc.runtime.schema.characters import of_words
from maskc.runtime.schema.leaves import Leaves
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.nodes import ARRAY, KEY, STRING, Configuration, Node
from maskc.runtime.schema.scans import Closers
from maskc.runtime.schema.spelled import CLOSES, child_of
from maskc.runtime.schema.spelling import split_body
from maskc.runtime.schema.stepping import step_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.tokens import TokenIndex, Words
from maskc.runtime.schema.trie import ROOT, Nodes, Trie
from maskc.runtime.schema.walking import FRESH, Walk, make_parts


class SchemaMasks:
    """Masks of one artifact, shared by its matchers.

    Args:
        index: its vocabulary.
        machine: its machine.
        pool: the distinct masks.
    """

    def __init__(self, index: TokenIndex, machine: SchemaMachine, pool: MaskPool) -> None:
        self._machine, self._index = machine, index
        self.pool = pool
        self._parts = make_parts(self._index, machine)
        self._leaves = Leaves(self._index, machine)
        self._known = Cache(machine.budget)
        self._composed = Cache(machine.budget)
        self._rests = Cache(machine.budget)
        self._closing = Cache(machine.budget)

    def mask(self, hypothesis: Configuration) -> PooledMask:
        """Return the tokens that a configuration allows."""
        found = hypothesis.mask
        if found is None:
            key = (hypothesis.nodes, hypothesis.gap, hypothesis.text)
            found = self._known.get(key)
            if found is None:
                found = self._find(hypothesis)
                self._known.put(key, found)
            # One without a number is let go of when there are too many.
            if found.number != NO_NUMBER:
                hypothesis.mask = found
        return found

    def numbers(self, batch: Iterable[tuple[Configuration, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [(h[0].mask or self.mask(h[0])).number for h in batch]

    def legal(self, here: Configuration) -> Part:
        """Return the same without the end-of-sequence tokens."""
        return Part((self._unite(self._collect(here)),))

    def begin(self, trie: Trie, nodes: Nodes, start: Configuration) -> Part:
        """Return the texts of a trie that are legal from some nodes on, where a text begins."""
        walk = Walk(self._parts, trie, None)
        for node in start.nodes:
            walk.enter(node, start.gap, nodes)
        return walk.part()

    def _collect(self, here: Configuration) -> dict[Part, None]:
        parts: dict[Part, None] = {}
        for node in here.nodes:
            if node.state[0] in (STRING, KEY):
                parts.update(dict.fromkeys(self._in_string(node, here.text)))
            else:
                walk = Walk(self._parts, self._index.tokens, here.text)
                parts.update(dict.fromkeys(walk.collect(node, here.gap)))
        return parts

    def _find(self, here: Configuration) -> PooledMask:
        parts = self._collect(here)
        may_end = self._machine.may_end(here)
        key = (frozenset(parts), may_end)
        found: PooledMask | None = self._composed.get(key)
        if found is None:
            found = self._compose(parts, may_end=may_end)
            self._composed.put(key, found)
        return found

    def _compose(self, parts: Iterable[Part], *, may_end: bool) -> PooledMask:
        if self.pool.is_full:
            self.pool.forget()
            self._machine.budget.clear()
        words = self._unite(parts)
        return self.pool.share(words | self.pool.end_only.words if may_end else words)

    def _unite(self, parts: Iterable[Part]) -> Words:
        """Return the tokens of some parts."""
        rows = list({id(row): row for part in parts for row in part.rows}.values())
        few = list({token for part in parts for token in part.few})
        if not rows:
            return self._index.pack(few)
        words = rows[0] if len(rows) == 1 else np.bitwise_or.reduce(rows)
        return self._index.set_bits(words, few) if few else words

    def _in_string(self, node: Node, text: bytes) -> list[Part]:
        """Return the tokens that are legal inside a string or a key."""
        if node.state[0] == KEY:
            _, number, members, at, _ = node.state
            labels = self._machine.plan.objects[number].open_labels(members)
            leaf = self._leaves.key(number, at, labels)
        else:
            _, number, at, count, _ = node.state
            leaf = self._leaves.string(number, at, count)
        parts = [leaf.inside]
        for label, closers in leaf.closers:
            after = self._close(node, label)
            rests = self._read_rests(after)
            unsure = rests.bits & rests.unsure
            if self._is_scarce(node, label):
                unsure = rests.bits
            parts.append(self._closed_by(closers, rests.bits & ~unsure))
            if unsure:
                places = closers.of_rests(self._index, unsure)
                parts.append(self._leaves.part_of(self._read_each(node, text, places.tolist())))
        illegal, doubtful = self._find_conflicts(node)
        if illegal or doubtful:
            ids = self._index.ids
            words = self._unite(parts)
            words = self._index.clear_bits(words, [ids[p] for p in (*illegal, *doubtful)])
            parts = [Part(rows=(words,))]
            if doubtful:
                parts.append(self._leaves.part_of(self._read_each(node, text, doubtful)))
        return parts

    def _is_scarce(self, node: Node, label: int) -> bool:
        """Return whether it counts for what may follow which key of a class it was."""
        if node.state[0] != KEY:
            return False
        rule = self._machine.plan.objects[node.state[1]]
        return rule.is_scarce and label >= rule.n_names

    def _close(self, node: Node, label: int) -> tuple[Node, ...]:
        """Return the nodes after a closing quote, where what was read is new."""
        if node.state[0] == KEY:
            return self._machine.close_key(node, label)
        machine, found = self._machine, []
        for parent in node.parents:
            state = parent.state
            if state[0] != ARRAY or state[5] is None:
                found.append(parent)
                continue
            values = state[5] | {FRESH}
            if machine.plan.arrays[state[1]].is_feasible(state[2], state[3], values):
                found.append(machine.node((*state[:5], values, 0), parent.parents))
        return tuple(found)

    def _read_rests(self, after: tuple[Node, ...]) -> Part:
        """Return which rests are legal after a closing quote."""
        found: Part | None = self._rests.get(after)
        if found is None:
            walk = Walk(self._parts, self._index.rests, None)
            for node in after:
                walk.enter(node, 0, (ROOT,))
            if after:
                walk.end_at((ROOT,))
            found = walk.part()
            self._rests.put(after, found)
        return found

    def _closed_by(self, closers: Closers, bits: int) -> Part:
        key = (closers, bits)
        found: Part | None = self._closing.get(key)
        if found is None:
            places = closers.of_rests(self._index, bits)
            found = self._leaves.part_of(self._index.order[places])
            self._closing.put(key, found)
            self._machine.budget.charge(4 * len(found.rows) * self._index.n_words)
        return found

    def _read_each(self, node: Node, text: bytes, places: list[int]) -> list[int]:
        """Return those of some tokens that the machine reads from a node, by id."""
        index = self._index
        return [index.ids[p] for p in places if self._reads(node, text, index.texts[p])]

    def _reads(self, node: Node, text: bytes, token: bytes) -> bool:
        machine = self._machine
        here = Configuration((node,), 0, text)
        following = node.following
        for n_read, byte in enumerate(token):
            if following and machine.has_ended(here) and following.reads(token[n_read:]):
                return True
            after = machine.read(here, byte)
            if after is None:
                return False
            here = after
        return True

    def _find_conflicts(self, node: Node) -> tuple[list[int], list[int]]:
        """Return the tokens that make a string one that was there, and those that could, by place.

        The latter have to be read.
        """
        raw = node.state[4]
        words: Iterable[str] = ()
        if node.state[0] == KEY:
            words = node.state[2].others
        elif raw is not None:
            values = self._machine.unique_of(node.parents) or ()
            words = [value[1] for value in values if value[0] == "string"]
        if not words:
            return [], []
        prefix, begun = split_body(raw)
        left = sorted({word[len(prefix) :] for word in words if word.startswith(prefix)})
        if not left:
            return [], []
        if not begun and self._is_endless(node):
            return self._closed_as(left), []
        body = Body(of_words(left), minimal=False)
        state = body.start
        for byte in begun:
            state = body.step(state, byte)
        found = step_body(self._index.tokens, body, state, (ROOT,)) if state else None
        if found is None:
            return [], []
        closing = [p for quote, _, _ in found.ended for p in self._index.quotes_of(quote)[0]]
        return closing, list(found.places)

    def _is_endless(self, node: Node) -> bool:
        """Return whether a string can become endlessly many, whatever is read of it."""
        plan = self._machine.plan
        if node.state[0] == KEY:
            return not plan.objects[node.state[1]].may_run_out
        return plan.strings[node.state[1]].is_endless

    def _closed_as(self, words: Iterable[str]) -> list[int]:
        """Return the tokens that close a string after one of some texts, by place."""
        spelled, found = self._leaves.spelled, list[int]()
        for word in words:
            at = 0
            for character in word:
                at = child_of(spelled, at, ord(character))
                if at < 0:
                    break
            else:
                for item in spelled.own_items(at):
                    if spelled.kinds[item] == CLOSES:
                        found += self._index.quotes_of(spelled.places[item])[0]
        return found
