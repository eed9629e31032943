"""A string that is written as it is, up to its delimiter: no quotes and no escapes.

Characters are read by :mod:`maskc.runtime.link.text.raw_body`, and counted here. A mask of the
count 3 is the mask of 20,000 if the bounds are farther than any token and any nearest end, so
``maxLength`` of 65,536 costs what 64 costs. Where nothing but the length can go wrong, all counts
share what the vocabulary's tokens read, with the number of characters of each.

Example: ``^[a-z]+$`` before ``</parameter>`` reads ``oslo``.
"""

from __future__ import annotations

import sys

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.link.automata.loops import MOST_PLACES, Component, Loop
from maskc.runtime.link.joining.pieces import CountingAutomaton
from maskc.runtime.link.text.raw_body import NEVER, RawBody, RawState

_STATE_BYTES = 200

# A state, and how many characters were begun.
Counted = tuple[RawState, int]


class RawText(CountingAutomaton[Counted]):
    """Reads a string; no token has more characters than ``longest``."""

    def __init__(self, body: RawBody, longest: int) -> None:
        self.body, self._longest = body, longest
        self._low, self._high = body.rule.low, body.rule.high
        self._slack = self._reserve = -1  # not known yet
        self._components: dict[RawState, tuple[Component, list[RawState]] | None] = {}
        super().__init__((body.start, 0))

    def read(self, name: Counted, byte: int) -> Counted | None:
        state, count = name
        count += state[1][1] == 0
        for after, bytes_ in self.body.moves(state):
            if byte in bytes_:
                return (after, count) if self.body.is_live(after, count) else None
        return None

    def find_moves(self, name: Counted) -> dict[int, Counted]:
        state, count = name
        count += state[1][1] == 0
        found = dict[int, Counted]()
        for after, bytes_ in self.body.moves(state):
            if self.body.is_live(after, count):
                found.update(dict.fromkeys(bytes_, (after, self._cap(count))))
        return found

    def is_accepting(self, name: Counted) -> bool:
        state, count = name
        if count < self._low or (self._high is not None and count > self._high):
            return False
        return self.body.accepts(state)

    def cap(self, name: Counted) -> Counted:
        return (name[0], self._cap(name[1]))

    def measure(self, name: Counted) -> int:  # noqa: ARG002  # all are alike
        return _STATE_BYTES

    def _cap(self, count: int) -> int:
        low, high = self._low, self._high
        if count < low:
            # Far below, some length fits whatever is read next.
            return max(count, low - self._find_reserve())
        return low if high is None or high - count >= self._find_slack() else count

    def _find_slack(self) -> int:
        """Return how far below the greatest length no token can tell where it is."""
        if self._slack < 0:
            try:
                self._slack = self._longest + self.body.furthest()
            except LimitError:
                self._slack = sys.maxsize  # each count is looked at by itself
        return self._slack

    def _find_reserve(self) -> int:
        """Return how far below the least length no token can tell where it is."""
        if self._reserve < 0:
            all_from = self.body.lengths().all_from
            self._reserve = self._low if all_from == NEVER else self._longest + all_from + 1
        return self._reserve

    def loop_of(self, state: int) -> Loop | None:
        if not self.body.is_steady:
            return None
        here, count = self.name_of(state)
        if here not in self._components:
            self._components[here] = _find_component(self.body, here)
        found = self._components[here]
        return None if found is None else _RawLoop(self, *found, count)


class _RawLoop(Loop):
    """Characters of a raw string, each of which is a pass; no byte leaves the loop."""

    def __init__(
        self, text: RawText, component: Component, states: list[RawState], count: int
    ) -> None:
        self._text, self.component, self._states, self.count = text, component, states, count
        self.least, self.most = text.body.rule.low, text.body.rule.high
        # What is read after the loop: nothing, of all that are equal.
        self.key, self.out = component.key, ()

    def state_at(self, number: int, count: int) -> int:
        return self._text.state_of(self._text.cap((self._states[number], count)))

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return -1

    def may_end(self, number: int) -> bool:
        return self._text.body.accepts(self._states[number])


def _find_component(body: RawBody, start: RawState) -> tuple[Component, list[RawState]] | None:
    """Return the states that a state leads to, as a loop that each character passes once more.

    ``None`` if they are too many.
    """
    states, numbers = [start], {start: 1}
    table, passes = np.zeros((2, MOST_PLACES, 256), dtype=np.uint8)
    for row, state in enumerate(states):  # grows while we walk it
        for after, bytes_ in body.moves(state):
            if after not in numbers:
                states.append(after)
                numbers[after] = len(states)
            if len(states) > MOST_PLACES:
                return None
            table[row, bytes_] = numbers[after]
            passes[row, bytes_] = state[1][1] == 0
    table, passes = table[: len(states)], passes[: len(states)]
    whole = tuple(number for number, state in enumerate(states) if not state[1][1])
    leaves = np.zeros(table.shape, dtype=np.bool_)
    to_end = tuple(map(body.to_end, states))
    key = table.tobytes() + np.packbits(passes).tobytes() + bytes(f"{to_end} raw", "ascii")
    return Component(table, passes, leaves, whole, to_end, key), states
