"""What tells a state of a machine from those of all artifacts of a tokenizer.

Schemas ask the same at many positions: a string, an integer, an array of strings. What is legal
there is found once for all of them. So a position, a number's rule and an array have a number of
their *content*, which equal ones of other artifacts have as well.

An object counts by little: whether a key may come, and whether it may end at once. For that no
text may go on in the first key of an object that it opens itself; of a tokenizer that has such
texts no position with objects has a content. Neither has one with an automaton, or with items that
are compared. Of values that contain themselves those have one whose arrays have them as items, as
any value does.

Example: ``{"type": "array", "items": {"type": "object"}}`` has one content in all schemas.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from maskc.runtime.cache import ENTRY_BYTES
from maskc.runtime.schema.machine.nodes import next_serial
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.records import Position
from maskc.runtime.schema.tries import TokenIndex, Trie

NO_CONTENT: Final = 0
_ITSELF: Final = -1  # as an item of an array: the position that the array is a value of
_MAX_DEPTH: Final = 3  # of arrays in arrays, as what is inside is built
_QUOTE, _OPEN_BRACE = 0x22, 0x7B
_BEFORE_VALUES: Final = frozenset(b":,[")


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


def _opens_keys(index: TokenIndex) -> bool:
    """Return whether some text goes on in the first key of an object that it opens."""
    found: bool | None = index.shared.get(_opens_keys)
    if found is None:
        found = any(_has_opened(trie) for trie in (index.tokens, index.suffixes))
        index.shared.keep(_opens_keys, found, ENTRY_BYTES)
    return found


def _has_opened(trie: Trie) -> bool:
    bytes_, first, parents = trie.byte_array, trie.first_array, trie.parent_array
    is_blank = np.isin(bytes_, list(BLANK_BYTES))
    before_values = np.isin(bytes_, list(_BEFORE_VALUES))
    # Of each node whether a value can begin after it, and whether the first key of an object can.
    is_value, is_key = before_values.copy(), np.zeros(len(bytes_), dtype=np.bool_)
    is_value[0] = True
    for start, stop in itertools.pairwise(trie.levels[1:]):
        here, above = slice(start, stop), parents[start:stop]
        is_value[here] |= is_value[above] & is_blank[here]
        is_key[here] = is_value[above] & (bytes_[here] == _OPEN_BRACE)
        is_key[here] |= is_key[above] & is_blank[here]
    leads_on = first[1:] > first[:-1]
    return bool((is_key[parents] & (bytes_ == _QUOTE) & leads_on).any())
