"""What of a state counts for the texts that are legal above it.

Schemas ask the same at many positions: a string, an integer, an array of strings. What is legal
there is found once for all of them. So a position, a number's rule and an array have a number of
their *content*, which equal ones of other artifacts have as well.

An object counts by little: whether a key may come, and whether it may end at once. For that no
text may go on in the first key of an object that it opens itself; of a tokenizer that has such
texts no position with objects has a content. (Where what stands before the JSON text is in the
token, as in ``={"/``, that is asked of the nodes at which the value begins.) Neither has one with
an automaton, or with items that are compared. Of values that contain themselves those have one
whose arrays have them as items, as any value does. ``{"type": "array", "items": {"type":
"object"}}`` has one content in all schemas.

Few texts go on after the quote that opens a key: of llama3's, ``,"`` and what begins with it are a
dozen. So of the keys that a rule tells apart few count there (:class:`KeySummary`), and most
objects are alike: a key may come, and none is read.

Example: after ``{"a": 1`` the same is legal whichever of ``b`` and ``c`` was there before.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.schema.machine.nodes import next_serial
from maskc.runtime.schema.masks.opened_strings import OpenedStrings
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.records import Position
from maskc.runtime.schema.tries import ROOT, Nodes, TokenIndex, Trie
from maskc.runtime.step_budget import charge_steps

NO_CONTENT: Final = 0
_ITSELF: Final = -1  # as an item of an array: the position that the array is a value of
_MAX_DEPTH: Final = 3  # of arrays in arrays, as what is inside is built
_QUOTE: Final = 0x22
_OPEN_BRACE: Final = 0x7B
_BEFORE_VALUES: Final = frozenset(b":,[")
INNER: Final[Nodes] = (-1,)  # all quotes of keys after a brace or a comma in the same text
_BEFORE_KEYS: Final = frozenset(b",{")
_NODES: Final = 16  # that are one step: each vocabulary is read once


class PositionContents:
    """The contents of one artifact. Shared by all its matchers."""

    def __init__(self, index: TokenIndex, plan: Plan) -> None:
        self._index, self._plan = index, plan
        self._of_positions: dict[int, int] = {}
        self._of_numbers: dict[int, int] = {}
        self._of_arrays: dict[int, int] = {}
        self.layout = self._number(plan.layout)  # the number of the plan's layout

    def of_number(self, number: int) -> int:
        """Return the content of a rule of numbers."""
        found = self._of_numbers.get(number)
        if found is None:
            found = self._number((self.layout, "number", self._plan.numbers[number].identity))
            self._of_numbers[number] = found
        return found

    def of_position(self, number: int, depth: int = 0) -> int:
        """Return the content of a position, which is built; ``NO_CONTENT`` also if it is deep.

        ``depth`` is how many arrays it was reached through.
        """
        found = self._of_positions.get(number)
        if found is None:
            if depth > _MAX_DEPTH:
                return NO_CONTENT
            position = self._plan.position(number)
            self._of_positions[number] = NO_CONTENT  # of what stands inside itself
            found = self._of_positions[number] = self._find(number, position, depth)
        return found

    def of_array(self, number: int, depth: int = 0) -> int:
        """Return the content of an array."""
        found = self._of_arrays.get(number)
        if found is None:
            found = self._of_arrays[number] = self._find_array(number, depth)
        return found

    def _find(self, number: int, position: Position, depth: int) -> int:
        plan = self._plan
        strings, objects = set[tuple[int, int]](), set[tuple[bool, bool]]()
        for n in position.strings:
            rule = plan.strings[n]
            if not rule.is_any:
                return NO_CONTENT
            strings.add((rule.low, -1 if rule.high is None else rule.high))
        if position.objects and _opens_keys(self._index):
            return NO_CONTENT
        for n in position.objects:
            entry = plan.objects[n]
            objects.add((entry.open_labels(entry.start) > 0, entry.can_close(entry.start)))
        arrays = set[int]()
        for n in position.arrays:
            if number in plan.arrays[n].rule.positions:
                arrays.add(self._find_array(n, depth, number))
            else:
                arrays.add(self.of_array(n, depth))
        if NO_CONTENT in arrays:
            return NO_CONTENT
        numbers = {self.of_number(n) for n in position.numbers}
        some = [tuple(sorted(numbers)), tuple(sorted(strings)), tuple(sorted(arrays))]
        return self._number((self.layout, position.literals, *some, tuple(sorted(objects))))

    def _find_array(self, number: int, depth: int, inside: int = -1) -> int:
        """Return the content of an array, with ``inside`` as one of that position's arrays."""
        entry = self._plan.arrays[number]
        rule = entry.rule
        if entry.unique is not None or entry.repeats or rule.counters or len(rule.pieces) > 1:
            return NO_CONTENT
        items = set[int]()
        for _, options in rule.pieces:
            for _, position in options:
                if position == inside:
                    items.add(_ITSELF)
                    continue
                items.add(self.of_position(position, depth + 1))
        if NO_CONTENT in items:
            return NO_CONTENT
        high = -1 if rule.high is None else rule.high
        return self._number((self.layout, "array", rule.low, high, tuple(sorted(items))))

    def _number(self, content: Any) -> int:
        """Return the number of a content; if it was forgotten, another one than before."""
        key, shared = (PositionContents, content), self._index.shared
        found: int | None = shared.get(key)
        if found is None:
            found = next_serial()
            shared.put(key, found, 2 * ENTRY_BYTES)
        return found


def nodes_before_keys(index: TokenIndex, trie: Trie) -> frozenset[int]:
    """Return the nodes from which a text goes on in the first key of an object that begins there.

    Of llama3's tokens one does so, ``={"/``, from the node of ``=``.
    """
    key = (nodes_before_keys, trie is index.suffixes)
    found: frozenset[int] | None = index.shared.get(key)
    if found is None:
        found = _find_nodes_before_keys(trie)
        index.shared.keep(key, found, ENTRY_BYTES + 32 * len(found))
    return found


def _find_nodes_before_keys(trie: Trie) -> frozenset[int]:
    charge_steps(len(trie.bytes) // _NODES)
    bytes_, first, parents = trie.byte_array, trie.first_array, trie.parent_array
    is_blank, is_brace = np.isin(bytes_, list(BLANK_BYTES)), bytes_ == _OPEN_BRACE
    goes_on = (bytes_ == _QUOTE) & (first[1:] > first[:-1])
    # Of each node whether a key, and whether an object with a key, may begin right after it.
    before_key, before_object = np.zeros((2, len(bytes_)), dtype=np.bool_)
    for start, stop in reversed(list(itertools.pairwise(trie.levels[1:]))):
        here, above = slice(start, stop), parents[start:stop]
        before_key[above[goes_on[here] | is_blank[here] & before_key[here]]] = True
        opens = is_brace[here] & before_key[here] | is_blank[here] & before_object[here]
        before_object[above[opens]] = True
    return frozenset(np.flatnonzero(before_object).tolist())


def _opens_keys(index: TokenIndex) -> bool:
    """Return whether some text goes on in the first key of an object that begins in a JSON text."""
    found: bool | None = index.shared.get(_opens_keys)
    if found is None:
        found = any(
            node == ROOT or trie.bytes[node] in _BEFORE_VALUES
            for trie in (index.tokens, index.suffixes)
            for node in nodes_before_keys(index, trie)
        )
        index.shared.keep(_opens_keys, found, ENTRY_BYTES)
    return found


class KeySummary:
    """Says which of an object's keys count for the texts that open one. Shared by all matchers."""

    def __init__(
        self, index: TokenIndex, plan: Plan, opened_strings: OpenedStrings, budget: Budget
    ) -> None:
        self._index, self._plan, self._opened_strings = index, plan, opened_strings
        self._known = Cache(budget)

    def name(self, trie: Trie, quotes: Nodes) -> Nodes:
        """Return what stands for the nodes after some opening quotes, none without longer texts.

        None of the nodes leads to another.
        """
        kept = tuple(filter(trie.has_children, quotes))
        return INNER if kept and set(kept) <= set().union(*self._inner_quotes(trie)) else kept

    def _inner_quotes(self, trie: Trie) -> tuple[Nodes, ...]:
        """Return the nodes at which a key can open after a brace or a comma in the same text.

        None of them leads to another one of the same tuple.
        """
        key = ("quotes", trie is self._index.suffixes)
        found: tuple[Nodes, ...] | None = self._index.shared.get(key)
        if found is None:
            found = _find_quotes(trie)
            self._index.shared.put(key, found, 1_000)
        return found

    def telling(self, trie: Trie, number: int, nodes: Nodes, labels: int) -> int:
        """Return those of some labels that count beyond that any key may come, as bits.

        Args:
            trie: of the vocabulary.
            number: of the object's rule.
            nodes: after the opening quotes, by :meth:`name`.
            labels: that may come.
        """
        if not labels:
            return 0
        dropped = self._plan.objects[number].dropped_state(labels)
        key = (number, nodes, trie is self._index.suffixes, dropped)
        found: int | None = self._known.get(key)
        if found is None:
            found = 0
            for layer in self._layers(trie, nodes):
                found |= self._find_telling(trie, number, layer, dropped)
            self._known.put(key, found)
        return labels & found

    def has_free_keys(self, trie: Trie, number: int, nodes: Nodes, labels: int) -> bool:
        """Return whether any key may come that opens at some nodes, and all are of one class.

        Arguments are as :meth:`telling` has them.
        """
        rule = self._plan.objects[number]
        if not rule.is_flat or not labels >> rule.n_names & 1:
            return False
        key = ("free", number, nodes, trie is self._index.suffixes)
        found: bool | None = self._known.get(key)
        if found is None:
            ended = self._opened_strings.ended_names
            layers = self._layers(trie, nodes)
            found = not any(ended(trie, rule, layer) for layer in layers)
            self._known.put(key, found)
        return found

    def _layers(self, trie: Trie, nodes: Nodes) -> tuple[Nodes, ...]:
        """Return the quotes that count where keys open at some nodes, of which none leads on."""
        return self._inner_quotes(trie) if nodes == INNER else (nodes,)

    def _find_telling(self, trie: Trie, number: int, nodes: Nodes, dropped: int) -> int:
        rule = self._plan.objects[number]
        sink = rule.dfa.sink
        found = free = 0 if dropped or sink < 0 else 1 << rule.dfa.labels[sink]
        opened = self._opened_strings.inside_key(
            trie, number, nodes, exactly=False, dropped=dropped
        )
        for targets in opened.inside.targets:
            reach = rule.keys.reach_of(targets) & rule.allowed
            if reach != rule.allowed and not reach & free:
                found |= reach
        for ended in self._opened_strings.ended_keys(trie, number, nodes, dropped):
            found |= 1 << rule.own_label(ended.label)
        return found


def _find_quotes(trie: Trie) -> tuple[Nodes, ...]:
    charge_steps(len(trie.bytes) // _NODES)
    bytes_, first, parents = trie.byte_array, trie.first_array, trie.parent_array
    is_blank, opens = np.isin(bytes_, list(BLANK_BYTES)), np.isin(bytes_, list(_BEFORE_KEYS))
    # Of each node whether a key can open after it, and how many quotes of keys there were.
    is_before = np.zeros(len(bytes_), dtype=np.bool_)
    depth = np.zeros(len(bytes_), dtype=np.int32)
    is_quote = np.zeros(len(bytes_), dtype=np.bool_)
    for start, stop in itertools.pairwise(trie.levels[1:]):
        above = is_before[parents[start:stop]]
        is_quote[start:stop] = above & (bytes_[start:stop] == _QUOTE)
        is_before[start:stop] = opens[start:stop] | above & is_blank[start:stop]
        depth[start:stop] = depth[parents[start:stop]] + is_quote[start:stop]
    quotes = np.flatnonzero(is_quote & (first[1:] > first[:-1]))
    layers = range(1, int(depth[quotes].max(initial=0)) + 1)
    return tuple(tuple(quotes[depth[quotes] == layer].tolist()) for layer in layers)
