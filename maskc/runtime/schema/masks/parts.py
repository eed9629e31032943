"""What was found above each thing that is open, remembered by its state, and put together.

What is legal above the innermost thing that is open does not depend on what is below. So it is
found once for each state, with a *placeholder* instead of the stack; and for any string, a number
or a literal once for all artifacts. An object is known by the keys that count and whether it may
end. What was found has exits where that thing ends, and what is below goes on there.

Example: after ``{"a": 1`` and after ``{"b": 2`` the same is legal, if a key may come after both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    DEPTH,
    END,
    FOLLOWING,
    HAS_SLACK,
    KIND,
    LITERAL,
    NEXT,
    NUMBER,
    OBJECT,
    PARENTS,
    PLACEHOLDER,
    RULE,
    STATE,
    STRING,
    VALUE,
    Node,
    State,
    make_node,
    read_members,
    serials_of,
)
from maskc.runtime.schema.masks.opened_strings import OpenedStrings
from maskc.runtime.schema.masks.summaries import (
    INNER,
    KeySummary,
    PositionContents,
    nodes_before_keys,
)
from maskc.runtime.schema.numbers.spellings import NUMBER_BYTES
from maskc.runtime.schema.plan.objects import OTHERS, SEEN
from maskc.runtime.schema.scans.gaps import Gaps
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie, Words
from maskc.runtime.schema.tries.summary import MANY, Part, part_of_texts

_QUOTE: Final = 0x22
_COMMA: Final = 0x2C
# Instead of an object's rule: no text goes on in a key; any key that begins may come, all alike.
ANY_RULE: Final = -1
FREE_RULE: Final = -2


class Parts:
    """Makes parts, and puts those of a stack together. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
        make_walk: a walk of a trie, by these parts and the trie, with nothing captured.
    """

    def __init__(
        self, index: TokenIndex, machine: SchemaMachine, make_walk: Callable[[Parts, Trie], Any]
    ) -> None:
        self.index, self.machine = index, machine
        self.gaps = Gaps(index, machine.plan.blanks)
        plan = machine.plan
        self.opened_strings = OpenedStrings(index, plan, machine.budget)
        self.key_summary = KeySummary(index, plan, self.opened_strings, machine.budget)
        self._known = Cache(machine.budget, _measure_part)
        self._after_keys = Cache(machine.budget, _measure)
        self._contents = PositionContents(index, plan)
        self._make_walk = make_walk
        self._placeholders: dict[tuple[int, bool, bool], Node] = {}

    def after_key(
        self, trie: Trie, node: Node, label: int, text: str, nodes: Nodes
    ) -> tuple[Part, ...]:
        """Return parts that have all that is legal after the quote of a key of an object.

        ``node`` is on top of a stack in which no items are compared.
        """
        key = (self.continuation_key(trie, node, label), text, nodes, trie is self.index.suffixes)
        found: tuple[Part, ...] | None = self._after_keys.get(key)
        if found is None:
            walk = self._make_walk(self, trie)
            for top in self.machine.after_key(node, label, text):
                walk.enter(top, 0, nodes)
            found = tuple(walk.parts())
            self._after_keys.put(key, found)
        return found

    def part(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Part:
        """Return what is legal after some nodes of a trie, above what is below a node.

        Nothing above the node has to be compared.
        """
        state, is_strict, level = node[STATE], self.is_strict(node), 0
        kind: int = state[KIND]
        if kind in (LITERAL, NUMBER, STRING):
            gap = 0  # white space ends them, or is a part of them
        else:
            gap, level = self.gaps.canonical(trie, nodes, gap, node[DEPTH])
            if kind == OBJECT:
                state = self._summarise(trie, node, gap, level, nodes)
        content = self._content(state, trie, nodes)
        is_rests = trie is self.index.suffixes
        digits_follow = kind in (VALUE, NUMBER) and self.digits_follow(node)
        key = (Part, content or state, is_strict, digits_follow, gap, level, nodes, is_rests)
        found: Part | None
        found = self._known.get(key) if content is None else self.index.shared.get(key)
        if found is None:
            # What opens a bracket counts itself.
            inner = 1 if kind in (OBJECT, ARRAY) else 0
            placeholder = self._placeholder(
                level - inner, is_strict=is_strict, digits_follow=digits_follow
            )
            walk = self._make_walk(self, trie)
            walk.follow(make_node(node[STATE], (placeholder,)), gap, nodes)
            made: Part = walk.part()
            found = made
            if content is None:
                self._known.put(key, found)
            else:
                self.index.shared.put(key, found, 1_000 + 8 * len(nodes) + found.n_bytes)
        return found

    def _content(self, state: State, trie: Trie, nodes: Nodes) -> tuple[Any, ...] | None:
        """Return what tells a state from those of all artifacts; ``None``: it is one artifact's.

        It is one artifact's where a text goes on in the first key of an object, too.
        """
        kind: int = state[KIND]
        layout = self._contents.layout
        if kind == END:
            return (layout, *state) if len(state) == 1 else None
        number = state[1]
        if kind == OBJECT:
            return (layout, *state) if number in (ANY_RULE, FREE_RULE) else None
        if kind in (VALUE, COLON):
            content = self._contents.of_position(number)
            if not content:
                return None
            has_objects = kind == VALUE and self.machine.plan.position(number).objects
            if has_objects and not nodes_before_keys(self.index, trie).isdisjoint(nodes):
                return None
            return (kind, content)
        if kind == LITERAL:
            return (layout, *state)
        if kind == STRING:
            rule = self.machine.plan.strings[number]
            return (layout, kind, rule.low, rule.high, *state[3:]) if rule.is_any else None
        if kind == NUMBER:
            return (kind, self._contents.of_number(number), *state[2:])
        content = self._contents.of_array(number)
        return (kind, content, *state[2:]) if content else None

    def continuation_key(self, trie: Trie, node: Node, label: int) -> Any:
        """Return what counts of a key that was read, and was not there before, for what follows.

        ``node`` is of its object, or of a key of it, in no item that is compared.
        """
        state, above = node[STATE], serials_of(node[PARENTS])
        number: int = state[RULE]
        members = read_members(state)
        rule = self.machine.plan.objects[number]
        options = rule.options[label]
        if not rule.is_plain or rule.tracks_used_keys or len(options) != 1:
            return (above, number, members, label)
        seen = members[SEEN] | 1 << label
        labels = rule.allowed & ~(seen & rule.keys.names)
        telling = self.key_summary.telling(trie, number, INNER, labels)
        after = (labels > 0, telling, not rule.required & ~seen, members[OTHERS])
        return (above, number, options[0], after)

    def is_strict(self, node: Node) -> bool:
        """Return whether texts that end with what is open are left to what is below it.

        What is below has then yet to look whether an item may end so.
        """
        if not node[HAS_SLACK]:
            return True
        for parent in node[PARENTS]:  # noqa: SIM110 - a generator would take longer than the rest
            if parent[STATE][0] == PLACEHOLDER and parent[STATE][1]:
                return True
        return False

    def digits_follow(self, node: Node) -> bool:
        """Return whether a byte of numbers may come right after a value that ends the text."""
        for parent in node[PARENTS]:
            state = parent[STATE]
            if state[KIND] == PLACEHOLDER:
                if state[2]:
                    return True
            elif state[KIND] == END and parent[FOLLOWING]:
                following = self.machine.following_of(parent)
                if following is None:
                    continue
                first = following.first_bytes
                if first is None or not first.isdisjoint(NUMBER_BYTES):
                    return True
        return False

    def share(self, rows: dict[int, Words], few: tuple[int, ...], exits: Nodes, keys: Any) -> Part:
        """Return the part with some rows and tokens, the same one for the same."""
        name = ("part", tuple(sorted(rows)), few, exits, keys)
        found: Part | None = self._known.get(name)
        if found is None:
            made = tuple(rows.values())
            if len(few) > MANY:
                made, few = (*made, self.index.pack(few)), ()
            found = Part(made, few, exits, keys)
            self._known.put(name, found)
        return found

    def ending(self, trie: Trie, nodes: Nodes) -> Part:
        """Return the texts that end at some nodes, which is the same in all artifacts."""
        index = self.index
        key = ("ending", trie is index.suffixes, nodes)
        found: Part | None = index.shared.get(key)
        if found is None:
            runs = [range(low := trie.low[node], low + trie.n_ending[node]) for node in nodes]
            found = part_of_texts(index, trie, [n for run in runs for n in run])
            index.shared.put(key, found, ENTRY_BYTES + 8 * len(nodes) + found.n_bytes)
        return found

    def _placeholder(self, depth: int, *, is_strict: bool, digits_follow: bool) -> Node:
        """Return a placeholder; the part has no text that ends where a strict one is reached."""
        key = (depth, is_strict, digits_follow)
        found = self._placeholders.get(key)
        if found is None:
            found = make_node((PLACEHOLDER, is_strict, digits_follow), (), depth)
            found = self._placeholders.setdefault(key, found)
        return found

    def _summarise(self, trie: Trie, node: Node, gap: int, level: int, nodes: Nodes) -> Any:
        """Return what the part of an object's node depends on.

        Gap and level, which stands for the depth, are as :meth:`Gaps.canonical` has them.
        """
        _, number, members, phase = node[STATE]
        rule = self.machine.plan.objects[number]
        labels = rule.open_labels(members)
        can_close = phase != NEXT and rule.can_close(members)
        if rule.has_finite_keys or rule.tracks_used_keys:
            others = read_members(node[STATE])[OTHERS]
            return (OBJECT, number, phase, labels, can_close, others)
        quotes = self._key_quotes(trie, phase, gap, level, nodes) if labels else ()
        if not quotes:
            return (OBJECT, ANY_RULE, phase, labels > 0, 0, can_close)
        if self.key_summary.has_free_keys(trie, number, quotes, labels):
            return (OBJECT, FREE_RULE, phase, can_close)
        telling = self.key_summary.telling(trie, number, quotes, labels)
        return (OBJECT, number, phase, labels > 0, telling, can_close)

    def _key_quotes(self, trie: Trie, phase: int, gap: int, level: int, nodes: Nodes) -> Nodes:
        """Return the nodes at which keys open, as :meth:`KeySummary.name` has them."""
        gaps, shared = self.gaps, self.index.shared
        blanks = self.machine.plan.layout.blanks
        key = (KeySummary, blanks, phase, gap, level, nodes, trie is self.index.suffixes)
        found: Nodes | None = shared.get(key)
        if found is None:
            signs = gaps.lead(trie, nodes, gap, level).signs
            if phase == AFTER:
                commas = signs.get(_COMMA)
                signs = gaps.lead(trie, commas, 0, level).signs if commas else {}
            found = self.key_summary.name(trie, signs.get(_QUOTE, ()))
            shared.put(key, found, ENTRY_BYTES + 8 * (len(nodes) + len(found)))
        return found


def _measure_part(key: tuple[Any, ...], part: Part) -> int:
    # Rows count where they were made, but for one that was made of the part's few tokens.
    is_packed = key[0] == "part" and len(key[2]) > MANY
    return ENTRY_BYTES + (part.n_bytes if is_packed else part.own_bytes)


def _measure(key: tuple[Any, ...], parts: tuple[Part, ...]) -> int:
    return ENTRY_BYTES + 16 * (len(key) + len(parts))
