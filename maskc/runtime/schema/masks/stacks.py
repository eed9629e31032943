"""All that is legal from a node on, as the parts of its stack, level by level.

What was found above the innermost thing that is open has exits where that ends; what is below goes
on there. A node that stays below while others come and go on top of it remembers what it adds at
these exits.

Example: after ``{"a": [1`` the array has the exit ``]``, and what the object adds there is asked
for once, whatever items come.
"""

from __future__ import annotations

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    COLON,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    Node,
    read_members,
)
from maskc.runtime.schema.masks.parts import Parts
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.tries.summary import EndedKeys, Part, Rests, bits_of, new_keys
from maskc.runtime.schema.tries.trie import ROOT, Nodes, Trie

_AT_ROOT: Nodes = (ROOT,)


class Stacks:
    """Puts parts together. Shared by all matchers of an artifact.

    Args:
        parts: of the artifact.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._rests = parts.index.rests
        self._below = Cache(parts.machine.budget)
        self._shared = Cache(parts.machine.budget)  # the serials of parts → a tuple of them
        n_empty = self._rests.n_ending[ROOT]
        self._empty = (1 << n_empty) - 1

    def above(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> tuple[Part, ...]:
        """Return parts that have all that is legal after some nodes of a trie.

        Args:
            trie: of the vocabulary.
            node: on top of a stack in which no items are compared.
            gap: what has been read of white space.
            nodes: of the trie.
        """
        part = self._parts.part(trie, node, gap, nodes)
        found: tuple[Part, ...] = (part,)
        if part.keys:
            found += self._end_keys(trie, node, part.keys)
        if part.exits:
            for parent in node[PARENTS]:
                found += self._beyond(trie, parent, part.exits)
        return found

    def _end_keys(self, trie: Trie, node: Node, keys: tuple[EndedKeys, ...]) -> tuple[Part, ...]:
        """Return what is legal after keys of an object that end within the trie."""
        number, members = node[STATE][1], read_members(node[STATE])
        n_names = self._parts.machine.plan.objects[number].n_names
        named: list[int] = []
        classed: list[int] = []
        found: tuple[Part, ...] = ()
        for label, texts, ends, goes_on in keys:
            nodes = ends
            if label >= n_names and members[OTHERS]:
                texts, nodes = new_keys(texts, ends, members[OTHERS])
            if label < n_names:
                named += nodes
            else:
                classed += nodes
            if nodes and goes_on:
                found += self._after_key(trie, node, label, texts[0], nodes)
        return (self._end_at(trie, tuple(named), tuple(classed)), *found)

    def _after_key(
        self, trie: Trie, node: Node, label: int, text: str, nodes: Nodes
    ) -> tuple[Part, ...]:
        """Return what goes on after the quote of a key."""
        machine = self._parts.machine
        number, members = node[STATE][1], read_members(node[STATE])
        outlook = self._parts.outlook(trie, node, members, label)
        key = (outlook, text, nodes, trie is self._rests)
        found: tuple[Part, ...] | None = self._below.get(key)
        if found is None:
            found = ()
            for after, position in machine.plan.objects[number].enter(members, label, text):
                frame = machine.node((OBJECT, number, after, AFTER), node[PARENTS])
                colon = machine.node((COLON, position), (frame,))
                found += self.above(trie, colon, 0, nodes)
            found = self._share(found)
            self._below.put(key, found)
        return found

    def _end_at(self, trie: Trie, named: Nodes, classed: Nodes) -> Part:
        """Return the texts that end at some nodes, after keys with a name or without."""
        key = ("ends", named, classed, trie is self._rests)
        found: Part | None = self._below.get(key)
        if found is None:
            low, n_ending = trie.low, trie.n_ending
            ends = [p for n in (*named, *classed) for p in range(low[n], low[n] + n_ending[n])]
            if trie is self._rests:
                # Each can be the key that was read before the quote.
                unsure = [p for n in classed for p in range(low[n], trie.high[n])]
                found = Part(bits=bits_of(ends), unsure=bits_of(unsure))
            else:
                found = Part(few=tuple(self._parts.index.ids[place] for place in ends))
            self._below.put(key, found)
        return found

    def _beyond(self, trie: Trie, node: Node, nodes: Nodes) -> tuple[Part, ...]:
        key = (node[SERIAL], nodes, trie is self._rests)
        found: tuple[Part, ...] | None = self._below.get(key)
        if found is None:
            found = self._share(self.above(trie, node, 0, nodes))
            self._below.put(key, found)
            self._parts.machine.budget.charge(8 * (len(nodes) + len(found)) + ENTRY_BYTES)
        return found

    def _share(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return the same parts, in one tuple for all that have them."""
        key = tuple([part.serial for part in parts])
        found: tuple[Part, ...] | None = self._shared.get(key)
        if found is None:
            found = parts
            self._shared.put(key, found)
            self._parts.machine.budget.charge(16 * len(parts))
        return found

    def rests(self, after: tuple[Node, ...]) -> Rests:
        """Return the rests that are legal with some nodes on top, which were not there before."""
        bits = self._empty if after else 0
        unsure = 0
        for node in after:
            for part in self._beyond(self._rests, node, _AT_ROOT):
                bits |= part.bits
                unsure |= part.unsure
        return bits, unsure
