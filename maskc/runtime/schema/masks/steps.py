"""How a walk of a trie goes on from one thing that is open to what is below it.

A walk stands at some nodes of the trie, with a node of the machine's stack. It takes over what is
remembered of that node, or follows it (:mod:`maskc.runtime.schema.masks.walking`), and where that
has ended it goes on with its parents.

Example: after the ``]`` of ``[1]`` a walk goes on with the object that the array stands in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskc.runtime.schema.machine.nodes import (
    ASSUMED,
    ASSUMED_VALUE,
    CAPTURES,
    FOLLOWING,
    ITEM,
    KIND,
    NEEDS_CHECK,
    NEW,
    OVER_PLACEHOLDER,
    PARENTS,
    PLACEHOLDER,
    RULE,
    SERIAL,
    STATE,
    Node,
    is_compared,
    position_of,
    read_members,
)
from maskc.runtime.schema.masks.parts import Parts
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.rules import VALUES
from maskc.runtime.schema.plan.values import read_value
from maskc.runtime.schema.tries import ROOT, Nodes, Trie, Words
from maskc.runtime.schema.tries.summary import EndedKeys, Part, bits_of, new_keys
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

_FEW_NODES: Final = 12  # of which it takes longer to look up what ends there


class Steps:
    """One walk over a trie, and what it has found.

    ``text`` is what has been captured before the trie's root; ``None`` where that is not known or
    not needed.
    """

    def __init__(self, parts: Parts, trie: Trie, text: bytes | None) -> None:
        self._parts, self._trie, self._text = parts, trie, text
        self._machine, self._plan = parts.machine, parts.machine.plan
        self._is_rests = trie is parts.index.suffixes
        # Of tokens: parts, and ids. Of rests: those that are legal or to be verified, as bits.
        self._taken: dict[Part, None] = {}
        self._few: list[int] = []
        self.bits = self.to_verify = 0
        self._exits: list[int] = []
        self._keys: list[EndedKeys] = []
        self._completed: set[tuple[int, Nodes, bool]] | None = None

    def part(self) -> Part:
        """Return what was found, the same part for the same."""
        exits = tuple(dict.fromkeys(self._exits)) if self._exits else ()
        keys = tuple(dict.fromkeys(self._keys)) if self._keys else ()
        if self._is_rests:
            return Part((), (), exits, keys, self.bits, self.to_verify)
        few, rows = set(self._few), dict[int, Words]()
        for part in self._taken:
            if part.few:
                few.update(part.few)
            for row in part.rows:
                rows[id(row)] = row
        return self._parts.share(rows, tuple(sorted(few)), exits, keys)

    def parts(self) -> list[Part]:
        """Return all that is legal, as the parts that were found on the way."""
        if self._is_rests:
            return [self.part()]
        found = list(self._taken)
        if self._few:
            found.append(self._parts.share({}, tuple(sorted(set(self._few))), (), ()))
        return found

    def begin(self, nodes: Iterable[Node]) -> None:
        """Go on at the root, with some nodes on top that were not there before."""
        for node in nodes:
            self.go(node, (ROOT,))

    def add(self, part: Part) -> None:
        """Take over what a part has."""
        if self._is_rests:
            self.bits |= part.bits
            self.to_verify |= part.to_verify
        else:
            self._taken[part] = None

    def enter(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on at some nodes of the trie, with a node on top of the stack."""
        kind: int = node[STATE][KIND]
        if kind == PLACEHOLDER:
            self._exits += nodes
        elif not node[CAPTURES] or self._machine.cardinality.skips_check(node):
            part = self._parts.part(self._trie, node, gap, nodes)
            self.add(part)
            if part.exits:
                self.complete(node[PARENTS], part.exits, ends=self._parts.is_strict(node))
            if part.keys:
                self.end_keys(node, part.keys)
        else:
            self.follow(node, gap, nodes)

    def go(self, node: Node, nodes: Nodes, *, ends: bool = True) -> None:
        """Go on with a node that was not there before, where it can be finished.

        ``ends`` tells whether texts that end at the nodes of the trie are yet to be added.
        """
        if node[NEEDS_CHECK]:
            nodes = self.sift(node, nodes)
        if ends:
            self.add_ends(nodes)
        if nodes:
            self.enter(node, 0, nodes)

    def follow(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on likewise, without asking what is remembered of this node."""
        raise NotImplementedError

    def end_keys(self, node: Node, keys: Iterable[EndedKeys]) -> None:
        """Go on after keys of an object that have ended."""
        number, others = node[STATE][RULE], read_members(node[STATE])[OTHERS]
        rule = self._plan.objects[number]
        for some_label, texts, ends, goes_on in keys:
            label, nodes = rule.own_label(some_label), ends
            if label >= rule.n_names:
                if others:
                    texts, nodes = new_keys(texts, ends, others)
                if self._is_rests:
                    for end in nodes:
                        self.mark(end)  # it can be the key that was read before the quote
            if not nodes:
                continue
            if not goes_on:
                self.add_ends(nodes)  # a key that may come has a way on
            elif self._is_alone(node):
                self.add_ends(nodes)
                for part in self._parts.after_key(self._trie, node, label, texts[0], nodes):
                    self.add(part)
            else:
                for colon in self._machine.after_key(node, label, texts[0]):
                    self.go(colon, nodes)

    def _is_alone(self, node: Node) -> bool:
        """Return whether a node is on a whole stack, in which no items are compared."""
        # Where a text is known, items that are new may be below, whose values count.
        return self._text is None and not node[CAPTURES] and node[FOLLOWING] != OVER_PLACEHOLDER

    def sift(self, node: Node, nodes: Nodes) -> Nodes:
        """Return those nodes of the trie at which a text can be finished with a node on top."""
        if self._is_rests:
            for trie_node in nodes:
                self.mark(trie_node)
            return nodes
        is_live = self._machine.distinct.is_live
        return tuple(n for n in nodes if is_live(node, self.text_at(n)))

    def add_ends(self, nodes: Nodes) -> None:
        """Add the texts that end at some nodes."""
        trie, ids = self._trie, self._parts.index.ids
        if len(nodes) > _FEW_NODES:
            self.add(self._parts.ending(trie, nodes))
            return
        for node in nodes:
            n = trie.n_ending[node]
            if n:
                low = trie.low[node]
                if self._is_rests:
                    self.bits |= (1 << low + n) - (1 << low)
                elif n == 1:
                    self._few.append(ids[low])
                else:
                    self._few += ids[low : low + n]

    def add_texts(self, text_indices: Iterable[int]) -> None:
        """Add texts, by text index."""
        if self._is_rests:
            self.bits |= bits_of(text_indices)
        else:
            ids = self._parts.index.ids
            self._few += [ids[n] for n in text_indices]

    def complete(self, parents: tuple[Node, ...], nodes: Nodes, *, ends: bool = True) -> None:
        """Go on below a value that has ended at some nodes, as :meth:`go` does."""
        is_only = len(parents) == 1
        if not is_only:
            charge_steps(len(parents))
        for parent in parents:
            kind: int = parent[STATE][KIND]
            if kind == PLACEHOLDER:
                self._exits += nodes
                if ends and not parent[STATE][1]:
                    self.add_ends(nodes)
            elif not is_compared(parent):
                # Alternatives may have the same below: it is gone on with once.
                if not is_only:
                    step = (parent[SERIAL], nodes, ends)
                    if self._completed is None:
                        self._completed = set()
                    if step in self._completed:
                        continue
                    self._completed.add(step)
                self.go(parent, nodes, ends=ends)
            elif parent[STATE][ITEM] == ASSUMED:
                self.go(self._machine.end_assumed(parent), nodes, ends=ends)
            else:
                for node in nodes:
                    for after in self._after_item(parent, node):
                        self.go(after, (node,), ends=ends)

    def _after_item(self, frame: Node, node: int) -> Iterable[Node]:
        """Yield the nodes after an item of an array that has ended at a node of the trie."""
        if not self._is_rests:
            start = frame[STATE][ITEM]
            start = start if start >= 0 else NEW - start
            item = self.text_at(node)[start:]
            charge_vector_steps(len(item))
            value = read_value(item)
            after = self._machine.after_item(frame, value)
            if after is not None:
                yield after
            return
        self.mark(node)
        after = self._machine.after_item(
            frame, (*ASSUMED_VALUE, len(position_of(frame)[VALUES] or ()))
        )
        if after is not None:
            yield after
        kind, number, progress, phase, _ = frame[STATE]
        if self._plan.arrays[number].repeats:
            state = (kind, number, (*progress[:VALUES], None), phase, 0)
            yield self._machine.node(state, frame[PARENTS])

    def mark(self, node: int) -> None:
        """Let all texts from a node on be read token by token."""
        low, high = self._trie.low[node], self._trie.high[node]
        self.to_verify |= (1 << high) - (1 << low)

    def text_at(self, node: int) -> bytes:
        """Return what has been captured up to a node of the trie."""
        return (self._text or b"") + self._trie.path(node)
