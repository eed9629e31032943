"""A string that is written as it is, up to its delimiter: no quotes and no escapes.

Its characters are read by :mod:`maskc.runtime.link.text.raw_body`, and counted here. A mask of the
count 3 is the mask of 20,000 if the bounds are farther than any token and any nearest end, so
``maxLength`` of 65,536 costs what 64 costs. Where nothing but the length can go wrong, all counts
share what the vocabulary's tokens read, with the number of characters of each.

Example: ``^[a-z]+$`` before ``</parameter>`` reads ``oslo``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maskc.runtime.link.automata.loops import Loop
from maskc.runtime.link.joining.pieces import CountingAutomaton
from maskc.runtime.link.text.raw_body import RawBody, RawComponent, RawState
from maskc.runtime.schema.plan.plan import Plan

_STATE_BYTES = 200

# A state, and how many characters were begun.
Counted = tuple[RawState, int]


@dataclass(frozen=True, slots=True, eq=False)
class RawString:
    """A rule of strings in a plan, without some words, as it is written, or what is in quotes."""

    plan: Plan
    number: int
    forbidden: tuple[bytes, ...]
    body: RawBody
    quote: bytes = b""

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How many characters there must be, and may be."""
        rule = self.plan.strings[self.number]
        return rule.low, rule.high

    @property
    def is_empty(self) -> bool:
        """Whether there is no such string."""
        return not self.body.dfa.accepts_length(self.body.dfa.start, *self.bounds)


class RawText(CountingAutomaton[Counted]):
    """Reads a string; no token has more characters than ``longest``."""

    def __init__(self, string: RawString, longest: int) -> None:
        self.string, self.body = string, string.body
        self.low, self.high = string.bounds
        # How far below the greatest length, and below the least, no token can tell where it is.
        self._slack = longest + self.body.furthest
        self._reserve = self._slack + 1 if self.body.is_steady else self.low
        super().__init__((self.body.start, 0))

    def read(self, name: Counted, byte: int) -> Counted | None:
        state, count = name
        count += not state.left
        for after, bytes_ in self.body.moves(state):
            if byte in bytes_:
                return (after, count) if self._is_live(after, count) else None
        return None

    def find_moves(self, name: Counted) -> dict[int, Counted]:
        state, count = name
        count += not state.left
        found = dict[int, Counted]()
        for after, bytes_ in self.body.moves(state):
            if self._is_live(after, count):
                found.update(dict.fromkeys(bytes_, (after, self._cap(count))))
        return found

    def is_accepting(self, name: Counted) -> bool:
        state, count = name
        return count >= self.low and self.body.may_end(state)

    def cap(self, name: Counted) -> Counted:
        return (name[0], self._cap(name[1]))

    def fill(self, name: Counted, bytes_: Sequence[int]) -> tuple[list[int], Counted]:
        found = list[int]()
        while name[1] < self.low or name[0].left:
            for byte in bytes_:
                after = self.read(name, byte)
                if after is not None:
                    break
            else:
                break
            found.append(byte)
            name = after
        return found, name

    def measure(self, name: Counted) -> int:  # noqa: ARG002  # all are alike
        return _STATE_BYTES

    def _is_live(self, state: RawState, count: int) -> bool:
        """Return whether some text leads to an end, after characters that were begun."""
        most = None if self.high is None else self.high - count
        accepts = self.body.dfa.accepts_length
        return any(accepts(at, self.low - count, most) for at in self.body.targets(state))

    def _cap(self, count: int) -> int:
        low, high = self.low, self.high
        if count < low:
            # Far below, some length fits whatever is read next.
            return max(count, low - self._reserve)
        return low if high is None or high - count >= self._slack else count

    def loop_of(self, state: int) -> Loop | None:
        if self.low and not self.body.is_steady:
            return None
        here, count = self.name_of(state)
        found = self.body.component(here)
        return None if found is None else _RawLoop(self, found, count)


class _RawLoop(Loop):
    """Characters of a raw string, each of which is a pass; no byte leaves the loop."""

    def __init__(self, text: RawText, found: RawComponent, count: int) -> None:
        self._text, self._found, self.count = text, found, count
        self.component = component = found.component
        self.least, self.most = text.low, text.high
        # What is read after the loop: nothing, of all that are equal.
        self.key, self.out = component.key, ()

    def state_at(self, number: int, count: int) -> int:
        return self._text.state_of(self._text.cap((self._found.states[number], count)))

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return -1

    def may_end(self, number: int) -> bool:
        return number in self._found.ends

    def list_ends(self) -> tuple[int, ...]:
        return self._found.ends
