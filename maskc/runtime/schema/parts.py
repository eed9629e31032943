"""What was found above the innermost thing that is open, remembered by its state.

It does not depend on what is below, so it is found once for each state, with a *hole* in the place
of the stack. An object is known by the keys that may come and whether it may end.

Example: after ``{"a": 1`` and after ``{"b": 2`` the same is legal, if the same keys may come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.gaps import Gaps
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.nodes import ARRAY, HOLE, OBJECT, Node
from maskc.runtime.schema.openings import Openings
from maskc.runtime.schema.summary import MANY, Part
from maskc.runtime.schema.tokens import TokenIndex, Words
from maskc.runtime.schema.trie import Nodes, Trie


class Parts:
    """Makes parts, and remembers them. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
        walk: what is legal after some nodes of a trie, above a hole: called with these parts, the
            trie, the node over the hole, its gap, and the nodes.
    """

    def __init__(
        self, index: TokenIndex, machine: SchemaMachine, walk: Callable[..., Part]
    ) -> None:
        self.index, self.machine = index, machine
        self.gaps = Gaps(index, machine.plan.blanks)
        self.openings = Openings(index, machine.plan, machine.budget)
        self._known = Cache(machine.budget)
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
        state = self._summarise(node)
        depth, is_strict = node.depth, self.is_strict(node)
        key = (
            state,
            is_strict,
            self.gaps.cap(gap, depth),
            self.gaps.level(depth),
            nodes,
            trie is self.index.rests,
        )
        found: Part | None = self._known.get(key)
        if found is None:
            # What opens a bracket counts itself.
            inner = 1 if node.state[0] in (OBJECT, ARRAY) else 0
            above = Node(node.state, (self._hole(key[3] - inner, is_strict=is_strict),))
            found = self._walk(self, trie, above, key[2], nodes)
            self._known.put(key, found)
            self.machine.budget.charge(16 * (len(nodes) + len(found.exits)) + ENTRY_BYTES)
        return found

    def is_strict(self, node: Node) -> bool:
        """Return whether texts that end with what is open are left to what is below it.

        What is below has then yet to look whether an item may end so.
        """
        return not node.is_roomy or any(
            parent.state[0] == HOLE and parent.state[1] for parent in node.parents
        )

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

    def _summarise(self, node: Node) -> Any:
        """Return what a node's part depends on."""
        state = node.state
        if state[0] != OBJECT:
            return state
        _, number, members, phase = state
        rule = self.machine.plan.objects[number]
        labels, can_close = rule.open_labels(members), rule.can_close(members)
        others = members.others if rule.is_scarce or rule.may_run_out else None
        return (OBJECT, number, phase, labels, can_close, others)
