"""Automaton of raw strings whatever their length: a character automaton times forbidden substrings.

A state between two characters is a state of the character automaton and one of the automaton of the
forbidden substrings. Inside a character it also holds what was read of the character, until all
that the character can become leads to one state. Which lengths the rest of a string can have is
worked out for the states between characters; no state counts.

Example: ``^[a-z]+$`` without ``</p>`` has two states between characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from maskc.errors import LimitError
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.text.free_text import MISSING, FreeText, FreeWords, Position
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL

NO_CODE = -1
NEVER = -1  # in the place of a length
_MOST_STATES = 50_000
_CONTINUATION_BITS = 6
_REMEDY = "lower minLength, write a simpler pattern, or list shorter texts"

# A state of the character automaton, and one of the forbidden substrings.
Between = tuple[int, Position]
# The same, and what was read of a character that is open; ``NO_CODE``: it no longer matters.
RawState = tuple[int, Position, int]


class Lengths(NamedTuple):
    """Which lengths are accepted, from all states between characters at once.

    Attributes:
        reaching: length → the states from which some text of that many characters is accepted.
        period: in which the last of them repeat.
        all_from: from this length on every state is among them; ``NEVER``: from none on.
        is_steady: whether a state that accepts some length accepts all greater ones.
    """

    reaching: list[frozenset[Between]]
    period: int
    all_from: int
    is_steady: bool


class RawBody:
    """The characters of a raw string: a rule of strings in a plan, without forbidden substrings."""

    def __init__(self, plan: Plan, number: int, barred: Iterable[bytes]) -> None:
        self.plan, self.number, self.barred = plan, number, tuple(barred)
        self.rule = plan.strings[number]
        self._dfa = self.rule.body.dfa
        self._words = FreeText(FreeWords(barred=self.barred))
        text = b"".join(self.barred).decode(errors="replace")
        self._named = sorted({ord(character) for character in text})
        self._root: Position = self._words.name_of(START)
        self.start: RawState = (self._dfa.start, self._root, NO_CODE)
        self._word_moves: dict[Position, dict[int, Position]] = {}
        self._moves: dict[RawState, list[tuple[RawState, list[int]]]] = {}
        self._completed: dict[RawState, tuple[Between, ...]] = {}
        self._successors: dict[Between, list[Between]] = {}
        self._nearest: dict[Between, int] = {}
        self._lengths: Lengths | None = None
        self._furthest: int | None = None

    @property
    def is_empty(self) -> bool:
        return not self.is_live(self.start, 0)

    @property
    def is_steady(self) -> bool:
        """Whether a text that has characters to its nearest end left can have more of them, too.

        Then no state is dead that has these left, however many there must be at least.
        """
        return not self.rule.low or self.lengths().is_steady

    def moves(self, state: RawState) -> list[tuple[RawState, list[int]]]:
        """Return the states one byte on from which some text is accepted, each with its bytes."""
        found = self._moves.get(state)
        if found is None:
            bytes_of: dict[RawState, list[int]] = {}
            for byte, after in self._among_words(state[1]).items():
                bytes_of.setdefault(self._read(state, byte, after), []).append(byte)
            spend(8 * len(bytes_of))
            found = self._moves[state] = [
                pair for pair in bytes_of.items() if self._leads_on(pair[0])
            ]
        return found

    def accepts(self, state: RawState) -> bool:
        """Return whether a string of the right length may end in a state."""
        return not state[1][1] and self._ends((state[0], state[1]))

    def is_live(self, state: RawState, count: int) -> bool:
        """Return whether some text leads to an end, after characters that were begun."""
        low, high = self.rule.low, self.rule.high
        if high is not None and max(count, low) > high:
            return False
        for between in self._complete(state):
            nearest = self.nearest(between)
            if nearest >= low - count and nearest != NEVER:
                more = nearest
            elif count < low and nearest != NEVER:
                more = self._next_length(between, low - count)
            else:
                more = nearest
            if more != NEVER and (high is None or count + more <= high):
                return True
        return False

    def to_end(self, state: RawState) -> int:
        """Return the fewest characters to an end that are not begun yet, of a state with one."""
        found = (self.nearest(between) for between in self._complete(state))
        return min(length for length in found if length != NEVER)

    def nearest(self, between: Between) -> int:
        """Return the fewest characters to an end, ``NEVER`` if there is none: a search, once."""
        known = self._nearest.get(between)
        if known is None:
            known = self._search(between)
        return known

    def furthest(self) -> int:
        if self._furthest is None:
            self._furthest = max(self.nearest(between) for between in self._list_states())
        return self._furthest

    def lengths(self) -> Lengths:
        if self._lengths is None:
            self._lengths = self._find_lengths()
        return self._lengths

    def _next_length(self, between: Between, least: int) -> int:
        """Return the fewest characters to an end that are not fewer than some."""
        lengths = self.lengths()
        reaching, period, n_known = lengths.reaching, lengths.period, len(lengths.reaching)
        for length in range(least, max(least, n_known) + period):
            at = length
            if at >= n_known:
                at = n_known - period + (length - n_known) % period
            if between in reaching[at]:
                return length
        return NEVER

    def _find_lengths(self) -> Lengths:
        states = self._list_states()
        before: dict[Between, list[Between]] = {state: [] for state in states}
        for state in states:
            for after in self._characters_after(state):
                if after in before:
                    before[after].append(state)
        n_edges = sum(map(len, before.values()))
        here = frozenset(state for state in states if self._ends(state))
        reaching, seen = list[frozenset[Between]](), dict[frozenset[Between], int]()
        while here not in seen:
            if len(reaching) * (n_edges + 1) > 100 * _MOST_STATES:
                raise LimitError("states of a string", _MOST_STATES, _REMEDY)
            seen[here] = len(reaching)
            reaching.append(here)
            spend(1 + n_edges // 4)
            here = frozenset([state for after in here for state in before[after]])
        period, all_from = len(reaching) - seen[here], NEVER
        if period == 1 and len(here) == len(states):
            all_from = len(reaching)
            while all_from and len(reaching[all_from - 1]) == len(states):
                all_from -= 1
        is_steady = all_from != NEVER and all(a <= b for a, b in pairwise(reaching))
        return Lengths(reaching, period, all_from, is_steady)

    def _list_states(self) -> list[Between]:
        """Return the states between characters that are reached and from which some text ends."""
        found = [self.start[:2]]
        seen = set(found)
        for here in found:  # grows while we walk it
            for after in self._characters_after(here):
                if after not in seen and self.nearest(after) != NEVER:
                    seen.add(after)
                    found.append(after)
            if len(found) > _MOST_STATES:
                raise LimitError("states of a string", _MOST_STATES, _REMEDY)
        return found

    def _search(self, start: Between) -> int:
        """Find how near the nearest end is: level by level."""
        before: dict[Between, Between] = {}
        level, seen, distance = [start], {start}, 0
        while level:
            reached = list[Between]()
            for here in level:
                if self._ends(here):
                    for n_left in range(distance + 1):
                        self._nearest[here] = n_left
                        here = before.get(here, here)  # back to the start
                    return distance
                for after in self._characters_after(here):
                    if after not in seen and self._nearest.get(after) != NEVER:
                        seen.add(after)
                        before[after] = here
                        reached.append(after)
            if len(seen) > _MOST_STATES:
                raise LimitError("states of a string", _MOST_STATES, _REMEDY)
            level, distance = reached, distance + 1
        self._nearest.update(dict.fromkeys(seen, NEVER))
        return NEVER

    def _ends(self, between: Between) -> bool:
        return self._dfa.labels[between[0]] != NO_LABEL and self._words.is_accepting(between[1])

    def _read(self, state: RawState, byte: int, after: Position) -> RawState:
        """Return the state after a byte, ``after`` among the forbidden substrings."""
        here, before, code = state
        left = after[1]
        if before[1] == 0:
            code = byte & ((1 << (7, 5, 4, 3)[MISSING[left]]) - 1)
        elif code == NO_CODE:
            return (here, after, NO_CODE)
        else:
            code = code << _CONTINUATION_BITS | byte & 0x3F
        targets = self._dfa.targets(here, *_characters_of(code, left))
        return (min(targets), after, NO_CODE) if len(targets) == 1 else (here, after, code)

    def _leads_on(self, state: RawState) -> bool:
        return any(self.nearest(between) != NEVER for between in self._complete(state))

    def _complete(self, state: RawState) -> tuple[Between, ...]:
        """Return the states after the character that is open; itself if none is."""
        here, position, _ = state
        if not position[1]:
            return ((here, position),) if here != DEAD else ()
        found = self._completed.get(state)
        if found is None:
            found = self._completed[state] = tuple(sorted(self._find_completed(state)))
        return found

    def _find_completed(self, state: RawState) -> set[Between]:
        here, position, code = state
        if code == NO_CODE:
            if here == DEAD:
                return set()
            open_, seen = [position], {position}
            for at in open_:  # grows while we walk it
                more = set(self._among_words(at).values() if at[1] else ()) - seen
                seen |= more
                open_ += more
            return {(here, at) for at in seen if not at[1]}
        found = set[Between]()
        low, high = _characters_of(code, position[1])
        for named in [n for n in self._named if low <= n <= high]:
            after: Position | None = position
            for byte in chr(named).encode()[-MISSING[position[1]] :]:
                after = self._among_words(after).get(byte) if after is not None else None
            if after is not None:
                found.add((self._dfa.step(here, named), after))
            # No forbidden substring has the others: none is begun after them.
            found |= {(t, self._root) for t in self._targets(here, low, named - 1)}
            low = named + 1
        found |= {(t, self._root) for t in self._targets(here, low, high)}
        return {between for between in found if between[0] != DEAD}

    def _targets(self, state: int, low: int, high: int) -> frozenset[int]:
        return self._dfa.targets(state, low, high) if low <= high else frozenset()

    def _among_words(self, position: Position) -> dict[int, Position]:
        found = self._word_moves.get(position)
        if found is None:
            found = self._word_moves[position] = self._words.find_moves(position)
        return found

    def _characters_after(self, here: Between) -> list[Between]:
        """Return where characters lead: those that are named, and one of each other class."""
        found = self._successors.get(here)
        if found is None:
            state, position = here
            codes = [*self._named, *self._list_others(state)]
            spend(8 * len(codes))
            after = dict[Between, None]()
            for code in codes:
                target, at = self._dfa.step(state, code), self._read_words(position, code)
                if target != DEAD and at is not None:
                    after[target, at] = None
            found = self._successors[here] = list(after)
        return found

    def _read_words(self, position: Position, code: int) -> Position | None:
        at: Position | None = position
        for byte in chr(code).encode():
            at = self._among_words(at).get(byte) if at is not None else None
        return at

    def _list_others(self, state: int) -> list[int]:
        """Return a character of each class that no forbidden substring has, if it has one."""
        found = []
        for kind in {*self._dfa.rows[state], *self._dfa.classes}:
            for low, high in self._dfa.ranges_of({kind}):
                few = range(low, min(high, low + len(self._named) + 1))
                code = next((code for code in few if self._is_other(code)), None)
                if code is not None:
                    found.append(code)
                    break
        return found

    def _is_other(self, code: int) -> bool:
        return code not in self._named and not 0xD800 <= code <= 0xDFFF


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
