"""A string that is written as it is, up to its delimiter: no quotes and no escapes.

An automaton over characters says which strings there are, the delimiter and other words that do not
stand in them left out of it. It is read byte by byte: inside a character a state also holds what
was read of it, until all that the character can become leads to one state.

Characters are counted. A mask of the count 3 is the mask of 20,000 if the bounds are farther than
any token and any nearest end, so ``maxLength`` of 65,536 costs what 64 costs. Where nothing but the
length can go wrong, all counts share what the vocabulary's tokens read, with the number of
characters of each.

Example: ``^[a-z]+$`` before ``</parameter>`` reads ``oslo``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from maskc.runtime.effort import spend
from maskc.runtime.link.automata.loops import MOST_PLACES, Component, Loop
from maskc.runtime.link.joining.pieces import CountingAutomaton
from maskc.runtime.link.text.free_text import CHARACTERS, MISSING
from maskc.runtime.link.text.without_words import without_words
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

NO_CODE = -1
_CONTINUATION_BITS = 6
_STATE_BYTES = 200


class RawState(NamedTuple):
    """Where a text stands, whatever its length.

    Attributes:
        at: the state of the automaton over characters.
        left: what is left of a character, as :data:`CHARACTERS` has it; 0 between two.
        code: the bits that were read of it; ``NO_CODE``: they no longer matter, ``at`` comes next.
    """

    at: int
    left: int
    code: int


# A state, and how many characters were begun.
Counted = tuple[RawState, int]


class RawString:
    """A rule of strings in a plan, without forbidden substrings, as it is written.

    Attributes:
        dfa: the strings without the substrings.
        low, high: how many characters there must be, and may be.
        furthest: the most characters that the nearest end of a state is away.
        is_steady: whether each string that may end can have one more character: then a state that
            accepts some length accepts all greater ones.
    """

    def __init__(self, plan: Plan, number: int, barred: Sequence[bytes]) -> None:
        self.plan, self.number, self.barred = plan, number, tuple(barred)
        rule = plan.strings[number]
        self.low, self.high = rule.low, rule.high
        self.dfa = dfa = without_words(rule.body.dfa, [word.decode() for word in barred])
        live, labels = range(1, dfa.n_states), dfa.labels
        self.is_empty = not dfa.accepts_length(dfa.start, self.low, self.high)
        self.furthest = max(map(dfa.nearest, live), default=0)
        self.is_steady = all(
            any(labels[after] != NO_LABEL for after in dfa.successors(state))
            for state in live
            if labels[state] != NO_LABEL
        )


class RawText(CountingAutomaton[Counted]):
    """Reads a string; no token has more characters than ``longest``."""

    def __init__(self, string: RawString, longest: int) -> None:
        self.string, self._dfa = string, string.dfa
        self._low, self._high = string.low, string.high
        # How far below the greatest length, and below the least, no token can tell where it is.
        self._slack = longest + string.furthest
        self._reserve = self._slack + 1 if string.is_steady else string.low
        self._firsts = _group_firsts(self._dfa)
        self._moves_of: dict[RawState, list[tuple[RawState, list[int]]]] = {}
        self._targets_of: dict[RawState, frozenset[int]] = {}
        self._components: dict[RawState, tuple[Component, list[RawState]] | None] = {}
        super().__init__((RawState(self._dfa.start, 0, NO_CODE), 0))

    def read(self, name: Counted, byte: int) -> Counted | None:
        state, count = name
        count += not state.left
        for after, bytes_ in self.moves_of(state):
            if byte in bytes_:
                return (after, count) if self._is_live(after, count) else None
        return None

    def find_moves(self, name: Counted) -> dict[int, Counted]:
        state, count = name
        count += not state.left
        found = dict[int, Counted]()
        for after, bytes_ in self.moves_of(state):
            if self._is_live(after, count):
                found.update(dict.fromkeys(bytes_, (after, self._cap(count))))
        return found

    def is_accepting(self, name: Counted) -> bool:
        state, count = name
        return count >= self._low and self.may_end(state)

    def cap(self, name: Counted) -> Counted:
        return (name[0], self._cap(name[1]))

    def measure(self, name: Counted) -> int:  # noqa: ARG002  # all are alike
        return _STATE_BYTES

    def may_end(self, state: RawState) -> bool:
        """Return whether a string of the right length may end in a state."""
        return not state.left and self._dfa.labels[state.at] != NO_LABEL

    def to_end(self, state: RawState) -> int:
        """Return the fewest characters to an end that are not begun yet."""
        return min(map(self._dfa.nearest, self._targets(state)))

    def moves_of(self, state: RawState) -> list[tuple[RawState, list[int]]]:
        """Return the live states one byte on, whatever the length, each with its bytes."""
        found = self._moves_of.get(state)
        if found is None:
            by_state: dict[RawState, list[int]] = {}
            if state.left:
                for byte, left in CHARACTERS[state.left].items():
                    by_state.setdefault(self._go_on(state, byte, left), []).append(byte)
            else:
                for (kinds, left), bytes_ in self._firsts.items():
                    for after, some in self._begin(state.at, kinds, left, bytes_):
                        by_state.setdefault(after, []).extend(some)
            spend(8 * len(by_state))
            found = [pair for pair in by_state.items() if self._targets(pair[0])]
            self._moves_of[state] = found
        return found

    def _begin(
        self, at: int, kinds: frozenset[int], left: int, bytes_: list[int]
    ) -> list[tuple[RawState, list[int]]]:
        """Return the states after the first byte of a character of some classes."""
        row, default = self._dfa.rows[at], self._dfa.defaults[at]
        targets = {row.get(kind, default) for kind in kinds} if row else {default}
        if len(targets) == 1:
            return [(RawState(targets.pop(), left, NO_CODE), bytes_)]
        n_bits = (7, 5, 4, 3)[MISSING[left]]
        return [(RawState(at, left, byte & ((1 << n_bits) - 1)), [byte]) for byte in bytes_]

    def _go_on(self, state: RawState, byte: int, left: int) -> RawState:
        at, _, code = state
        if code != NO_CODE:
            code = code << _CONTINUATION_BITS | byte & 0x3F
            targets = self._dfa.targets(at, *_characters_of(code, left))
            if len(targets) == 1:
                at, code = min(targets), NO_CODE
        return RawState(at, left, code)

    def _targets(self, state: RawState) -> frozenset[int]:
        """Return the live states after the character that is open; itself if none is."""
        found = self._targets_of.get(state)
        if found is None:
            at, left, code = state
            every = {at} if code == NO_CODE else self._dfa.targets(at, *_characters_of(code, left))
            found = self._targets_of[state] = frozenset(every - {DEAD})
        return found

    def _is_live(self, state: RawState, count: int) -> bool:
        """Return whether some text leads to an end, after characters that were begun."""
        most = None if self._high is None else self._high - count
        accepts = self._dfa.accepts_length
        return any(accepts(at, self._low - count, most) for at in self._targets(state))

    def _cap(self, count: int) -> int:
        low, high = self._low, self._high
        if count < low:
            # Far below, some length fits whatever is read next.
            return max(count, low - self._reserve)
        return low if high is None or high - count >= self._slack else count

    def loop_of(self, state: int) -> Loop | None:
        if self._low and not self.string.is_steady:
            return None
        here, count = self.name_of(state)
        if here not in self._components:
            self._components[here] = _find_component(self, here)
        found = self._components[here]
        return None if found is None else _RawLoop(self, *found, count)


def _group_firsts(dfa: CharDfa) -> dict[tuple[frozenset[int], int], list[int]]:
    """Return the first bytes of characters by the classes of these, and what is left of them."""
    found: dict[tuple[frozenset[int], int], list[int]] = {}
    for byte, left in CHARACTERS[0].items():
        code = byte & ((1 << (7, 5, 4, 3)[MISSING[left]]) - 1)
        low, high = _characters_of(code, left)
        first, last = bisect_right(dfa.starts, low) - 1, bisect_right(dfa.starts, high)
        kinds = frozenset(dfa.classes[first:last])
        found.setdefault((kinds, left), []).append(byte)
    return found


def _characters_of(code: int, left: int) -> tuple[int, int]:
    """Return the first and last character that begin so: not overlong, and no surrogate."""
    n_bits = MISSING[left] * _CONTINUATION_BITS
    low, high = code << n_bits, (code + 1 << n_bits) - 1
    if left == 4:
        return max(low, 0x800), high
    if left == 5:
        return low, min(high, 0xD7FF)
    if left == 6:
        return max(low, 0x10000), high
    if left == 7:
        return low, min(high, 0x10FFFF)
    return low, high


class _RawLoop(Loop):
    """Characters of a raw string, each of which is a pass; no byte leaves the loop."""

    def __init__(
        self, text: RawText, component: Component, states: list[RawState], count: int
    ) -> None:
        self._text, self.component, self._states, self.count = text, component, states, count
        self.least, self.most = text.string.low, text.string.high
        # What is read after the loop: nothing, of all that are equal.
        self.key, self.out = component.key, ()

    def state_at(self, number: int, count: int) -> int:
        return self._text.state_of(self._text.cap((self._states[number], count)))

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return -1

    def may_end(self, number: int) -> bool:
        return self._text.may_end(self._states[number])


def _find_component(text: RawText, start: RawState) -> tuple[Component, list[RawState]] | None:
    """Return the states that a state leads to, as a loop that each character passes once more.

    ``None`` if they are too many.
    """
    states, numbers = [start], {start: 1}
    table, passes = np.zeros((2, MOST_PLACES, 256), dtype=np.uint8)
    for row, state in enumerate(states):  # grows while we walk it
        for after, bytes_ in text.moves_of(state):
            if after not in numbers:
                states.append(after)
                numbers[after] = len(states)
            if len(states) > MOST_PLACES:
                return None
            table[row, bytes_] = numbers[after]
            passes[row, bytes_] = not state.left
    table, passes = table[: len(states)], passes[: len(states)]
    whole = tuple(number for number, state in enumerate(states) if not state.left)
    leaves = np.zeros(table.shape, dtype=np.bool_)
    to_end = tuple(map(text.to_end, states))
    key = table.tobytes() + np.packbits(passes).tobytes() + bytes(f"{to_end} raw", "ascii")
    return Component(table, passes, leaves, whole, to_end, key), states
