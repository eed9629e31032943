"""What was found above the innermost thing that is open, remembered by its state.

It does not depend on what is below, so it is found once for each state, with a *hole* in the place
of the stack; and once for all artifacts where others ask the same of a value. An object is known by
the keys that count and whether it may end.

Example: after ``{"a": 1`` and after ``{"b": 2`` the same is legal, if a key may come after both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import AFTER, ARRAY, HOLE, NEXT, OBJECT, Node
from maskc.runtime.schema.masks.contents import ANY_RULE, Contents
from maskc.runtime.schema.masks.openings import Openings
from maskc.runtime.schema.masks.outlines import Outlines
from maskc.runtime.schema.plan.objects import Members
from maskc.runtime.schema.scans.gaps import Gaps
from maskc.runtime.schema.tries.summary import MANY, Part
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Nodes, Trie

_QUOTE, _COMMA = 0x22, 0x2C


class Parts:
    """Makes parts, and remembers them. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
        walk: what is legal after some nodes of a trie, above a hole: called with these parts, the
            trie, the node over the hole, its gap, and the nodes.

    Attributes:
        index, machine: as given.
        gaps: of its layout.
        openings: of its strings and keys.
        outlines: of its objects.
        contents: of its rules.
    """

    def __init__(
        self, index: TokenIndex, machine: SchemaMachine, walk: Callable[..., Part]
    ) -> None:
        self.index, self.machine = index, machine
        self.gaps = Gaps(index, machine.plan.blanks)
        plan = machine.plan
        self.openings = Openings(index, plan, machine.budget)
        self.outlines = Outlines(index, plan, self.openings, machine.budget)
        self.contents = Contents(plan, self.outlines, index.shared)
        self._known = Cache(machine.budget)
        self._quotes = Cache(machine.budget)
        self._walk = walk
        self._holes: dict[tuple[int, bool], Node] = {}

    def part(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Part:
        """Return what is legal after some nodes of a trie, above what is below a node.

        Args:
            trie: of the vocabulary.
            node: on top of the stack, of which nothing above it has to be compared.
            gap: what has been read of white space.
            nodes: of the trie.
        """
        depth, is_strict = node.depth, self.is_strict(node)
        key = (
            node.state if node.state[0] != OBJECT else self._summarise(trie, node, gap, nodes),
            is_strict,
            self.gaps.cap(gap, depth),
            self.gaps.level(depth),
            nodes,
            trie is self.index.rests,
        )
        found: Part | None = self._known.get(key)
        if found is None:
            found = self._find(trie, node, key)
            self._known.put(key, found)
            self.machine.budget.charge(16 * (len(nodes) + len(found.exits)) + ENTRY_BYTES)
        return found

    def _find(self, trie: Trie, node: Node, key: tuple[Any, ...]) -> Part:
        """Return what is legal above what is below a node, which other artifacts may know."""
        state, is_strict, gap, level, nodes, _ = key
        content = self.contents.of(state)
        name = (Part, content, *key[1:])
        found: Part | None = None if content is None else self.index.shared.get(name)
        if found is None:
            # What opens a bracket counts itself.
            inner = 1 if node.state[0] in (OBJECT, ARRAY) else 0
            above = Node(node.state, (self._hole(level - inner, is_strict=is_strict),))
            found = self._walk(self, trie, above, gap, nodes)
            if content is not None:
                n_bytes = 16 * (len(nodes) + len(found.exits) + len(found.few))
                n_bytes += 4 * self.index.n_words if found.rows else 0
                self.index.shared.put(name, found, n_bytes + 1_000)
        return found

    def outlook(self, trie: Trie, node: Node, members: Members, label: int) -> Any:
        """Return what counts of a key that was read for what comes after it.

        Args:
            trie: of the vocabulary.
            node: of an object, or of a key of it, in no item that is compared.
            members: what was read of the object before the key.
            label: of the key, one that was not there before.
        """
        number = node.state[1]
        rule = self.machine.plan.objects[number]
        options = rule.options[label]
        if not rule.is_plain or rule.may_run_out or len(options) != 1:
            return (node.parents, number, members, label)
        seen = members.seen | 1 << label
        labels = rule.allowed & ~(seen & rule.keys.names)
        telling = self.outlines.telling(trie, number, None, labels)
        after = (labels > 0, telling, not rule.required & ~seen, members.others)
        return (node.parents, number, options[0], after)

    def is_strict(self, node: Node) -> bool:
        """Return whether texts that end with what is open are left to what is below it.

        What is below has then yet to look whether an item may end so.
        """
        if not node.is_roomy:
            return True
        for parent in node.parents:  # noqa: SIM110 - a generator would take longer than the rest
            if parent.state[0] == HOLE and parent.state[1]:
                return True
        return False

    def share(self, rows: dict[int, Words], few: tuple[int, ...], exits: Nodes, keys: Any) -> Part:
        """Return the part with some rows and tokens, the same one for the same."""
        name = (Part, tuple(sorted(rows)), few, exits, keys)
        found: Part | None = self._known.get(name)
        if found is None:
            made = tuple(rows.values())
            if len(few) > MANY:
                made, few = (*made, self.index.pack(few)), ()
            found = Part(made, few, exits, keys)
            self._known.put(name, found)
            # Rows that are known by their number stay as long as the part.
            self.machine.budget.charge(4 * len(made) * self.index.n_words + 16 * len(name[2]))
        return found

    def _hole(self, depth: int, *, is_strict: bool) -> Node:
        """Return a hole; texts that end where a strict one is reached are not in the part."""
        key = (depth, is_strict)
        found = self._holes.get(key)
        if found is None:
            found = self._holes.setdefault(key, Node((HOLE, is_strict), (), depth))
        return found

    def _summarise(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Any:
        """Return what the part of an object's node depends on."""
        _, number, members, phase = node.state
        rule = self.machine.plan.objects[number]
        labels = rule.open_labels(members)
        can_close = phase != NEXT and rule.can_close(members)
        if rule.is_scarce or rule.may_run_out:
            return (OBJECT, number, phase, labels, can_close, members.others)
        quotes = self._key_quotes(trie, node, gap, nodes) if labels else ()
        if not any(map(trie.has_children, quotes)):
            return (OBJECT, ANY_RULE, phase, labels > 0, 0, can_close)
        telling = self.outlines.telling(trie, number, quotes, labels)
        return (OBJECT, number, phase, labels > 0, telling, can_close)

    def _key_quotes(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Nodes:
        """Return the nodes at which a key of an object opens after some nodes."""
        gaps, depth, phase = self.gaps, node.depth, node.state[3]
        gap, level = gaps.cap(gap, depth), gaps.level(depth)
        key = (phase, gap, level, nodes, trie is self.index.rests)
        found: Nodes | None = self._quotes.get(key)
        if found is None:
            signs = gaps.lead(trie, nodes, gap, level).signs
            if phase == AFTER:
                commas = signs.get(_COMMA)
                signs = gaps.lead(trie, commas, 0, level).signs if commas else {}
            found = signs.get(_QUOTE, ())
            self._quotes.put(key, found)
        return found
