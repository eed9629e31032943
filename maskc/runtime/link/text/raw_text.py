r"""Strings that are written as they are, up to a delimiter, or in Python's quotes.

An automaton over characters says which strings there are, the words that do not stand in them left
out of it. Inside a character a state also holds what was read of it, until all that the character
can become leads to one state. In quotes, the quote, the backslash and line breaks are an escape of
two bytes. An escape is one character, and the only other ways to write one (``\x41``) are left out.

Characters are counted beside that. A mask of the count 3 is the mask of 20,000 if the bounds are
farther than any token and any nearest end, so ``maxLength`` of 65,536 costs what 64 costs. Where
nothing but the length can go wrong, all counts share what the vocabulary's tokens read, with the
number of characters of each.

Example: ``^[a-z]+$`` before ``</parameter>`` reads ``oslo``; without ``</p>`` it has two states
between characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maskc.runtime.link.automata.loops import MOST_STATES, Component, Loop
from maskc.runtime.link.joining.counting import CountingAutomaton
from maskc.runtime.link.text import CHARACTERS, MISSING
from maskc.runtime.link.text.without_words import without_words
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.step_budget import charge_steps

NO_CODE = -1
_STATE_BYTES = 200
_BODY_BYTES = 1_000  # of memory, about: between characters, with those inside of one
_CONTINUATION_BITS = 6
_ESCAPED = 8  # what is left of a character after a backslash, beside those of CHARACTERS
_BACKSLASH = 0x5C
# The byte after a backslash → the character that both are; those that are not written otherwise.
_ESCAPES = {0x22: 0x22, 0x27: 0x27, _BACKSLASH: _BACKSLASH, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09}
_ALWAYS_ESCAPED = (_BACKSLASH, 0x0A, 0x0D)
_LEAD_BITS = (0x7F, 0x1F, 0x0F, 0x07)  # of the first byte, by how many follow


class RawState(NamedTuple):
    """Where a text stands, whatever its length."""

    at: int  # the state of the automaton over characters
    left: int  # what is left of a character, as CHARACTERS has it, or _ESCAPED; 0 between two
    code: int  # the bits that were read of it; NO_CODE: they no longer matter, at comes next


class RawComponent(NamedTuple):
    """A loop that each character passes once more, its states, and those where the text may end."""

    component: Component
    states: list[RawState]
    ends: tuple[int, ...]


class RawBody:
    """The states of strings of any length; shared by all rules that differ in their bounds alone.

    Args:
        dfa: the strings.
        forbidden: words that do not stand in them.
        quote: what they stand between, a byte; empty if they are written as they are.

    Attributes:
        dfa: the strings without the words.
        furthest: the most characters that the nearest end of a state is away.
        is_steady: whether each string that may end can have one more character: then a state that
            accepts some length accepts all greater ones.
    """

    def __init__(self, dfa: CharDfa, forbidden: Sequence[bytes], quote: bytes = b"") -> None:
        self.dfa = dfa = without_words(dfa, [word.decode() for word in forbidden])
        live, labels = range(1, dfa.n_states), dfa.labels
        self.start = RawState(dfa.start, 0, NO_CODE)
        self.furthest = max(map(dfa.nearest, live), default=0)
        self.is_steady = all(
            any(labels[after] != NO_LABEL for after in dfa.successors(state))
            for state in live
            if labels[state] != NO_LABEL
        )
        self._escaped = frozenset((*quote, *_ALWAYS_ESCAPED) if quote else ())
        self._firsts, self._mixed = _group_firsts(dfa)
        self._moves: dict[RawState, list[tuple[RawState, list[int]]]] = {}
        self._targets: dict[RawState, frozenset[int]] = {}
        self._components: dict[RawState, RawComponent | None] = {}

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes by now."""
        return _BODY_BYTES * self.dfa.n_states

    def component(self, start: RawState) -> RawComponent | None:
        """Return the states that a state leads to, ``None`` if they are too many."""
        if start not in self._components:
            self._components[start] = self._find_component(start)
        return self._components[start]

    def may_end(self, state: RawState) -> bool:
        """Return whether a string of the right length may end in a state."""
        return not state.left and self.dfa.labels[state.at] != NO_LABEL

    def to_end(self, state: RawState) -> int:
        """Return the fewest characters to an end that are not begun yet."""
        return min(map(self.dfa.nearest, self.targets(state)))

    def moves(self, state: RawState) -> list[tuple[RawState, list[int]]]:
        """Return the live states one byte on, whatever the length, each with its bytes."""
        found = self._moves.get(state)
        if found is None:
            by_state = self._go_on(state) if state.left else self._begin(state.at)
            charge_steps(8 * len(by_state))
            found = [pair for pair in by_state.items() if self.targets(pair[0])]
            self._moves[state] = found
        return found

    def _begin(self, at: int) -> dict[RawState, list[int]]:
        """Return the states after the first byte of a character, each with the bytes."""
        row, default = self.dfa.rows[at], self.dfa.defaults[at]
        found: dict[RawState, list[int]] = {}
        for kind in row if default == DEAD else self._firsts:
            target = row.get(kind, default)
            for left, bytes_ in self._firsts.get(kind, ()) if target != DEAD else ():
                found.setdefault(RawState(target, left, NO_CODE), []).extend(bytes_)
        for kinds, left, byte in self._mixed:
            targets = {row.get(kind, default) for kind in kinds} if row else {default}
            code = byte & _LEAD_BITS[MISSING[left]] if len(targets) > 1 else NO_CODE
            after = RawState(at if len(targets) > 1 else targets.pop(), left, code)
            found.setdefault(after, []).append(byte)
        if not self._escaped:
            return found
        kept = {s: [byte for byte in b if byte not in self._escaped] for s, b in found.items()}
        return {
            **{s: b for s, b in kept.items() if b},
            RawState(at, _ESCAPED, NO_CODE): [_BACKSLASH],
        }

    def _go_on(self, state: RawState) -> dict[RawState, list[int]]:
        found: dict[RawState, list[int]] = {}
        if state.left == _ESCAPED:
            for byte, character in _ESCAPES.items():
                (target,) = self.dfa.targets(state.at, character, character)
                found.setdefault(RawState(target, 0, NO_CODE), []).append(byte)
            return found
        for byte, left in CHARACTERS[state.left].items():
            at, _, code = state
            if code != NO_CODE:
                code = code << _CONTINUATION_BITS | byte & 0x3F
                targets = self.dfa.targets(at, *_characters_of(code, left))
                if len(targets) == 1:
                    at, code = min(targets), NO_CODE
            found.setdefault(RawState(at, left, code), []).append(byte)
        return found

    def targets(self, state: RawState) -> frozenset[int]:
        """Return the live states after the character that is open; itself if none is."""
        found = self._targets.get(state)
        if found is None:
            at, left, code = state
            if left == _ESCAPED:
                every = frozenset(after.at for after in self._go_on(state))
            elif code == NO_CODE:
                every = frozenset((at,))
            else:
                every = self.dfa.targets(at, *_characters_of(code, left))
            found = self._targets[state] = frozenset(every - {DEAD})
        return found

    def _find_component(self, start: RawState) -> RawComponent | None:
        states, numbers = [start], {start: 1}
        table, passes = np.zeros((2, MOST_STATES, 256), dtype=np.uint8)
        for row, state in enumerate(states):  # grows while we walk it
            for after, bytes_ in self.moves(state):
                if after not in numbers:
                    states.append(after)
                    numbers[after] = len(states)
                if len(states) > MOST_STATES:
                    return None
                table[row, bytes_] = numbers[after]
                passes[row, bytes_] = not state.left
        table, passes = table[: len(states)], passes[: len(states)]
        whole = tuple(number for number, state in enumerate(states) if not state.left)
        leaves = np.zeros(table.shape, dtype=np.bool_)
        to_end = tuple(map(self.to_end, states))
        key = table.tobytes() + np.packbits(passes).tobytes() + bytes(f"{to_end} raw", "ascii")
        ends = tuple(number for number in whole if self.may_end(states[number]))
        return RawComponent(Component(table, passes, leaves, whole, to_end, key), states, ends)


# A class of characters → what is left of them after one of some bytes, and these.
Firsts = dict[int, list[tuple[int, list[int]]]]
# The classes of the characters that begin with a byte, what is left of them, and the byte.
Mixed = list[tuple[frozenset[int], int, int]]


def _group_firsts(dfa: CharDfa) -> tuple[Firsts, Mixed]:
    """Return the first bytes of characters of one class, and those of several."""
    groups: dict[tuple[int, int], list[int]] = {}
    mixed: Mixed = []
    for byte, left in CHARACTERS[0].items():
        low, high = _characters_of(byte & _LEAD_BITS[MISSING[left]], left)
        first, last = bisect_right(dfa.starts, low) - 1, bisect_right(dfa.starts, high)
        kinds = frozenset(dfa.classes[first:last])
        if len(kinds) == 1:
            groups.setdefault((min(kinds), left), []).append(byte)
        else:
            mixed.append((kinds, left, byte))
    firsts: Firsts = {}
    for (kind, left), bytes_ in groups.items():
        firsts.setdefault(kind, []).append((left, bytes_))
    return firsts, mixed


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
