"""What is asked of strings and of arrays with items that must differ, as the machine asks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from maskc.runtime.schema.arrays import ArrayRule, Option
from maskc.runtime.schema.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.differing import can_differ
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.values import Value

Counts = tuple[int, ...]


class StringRule:
    """What is asked of a string.

    Args:
        body: how its characters are written, over an automaton of those that fit.
        low: the least number of characters.
        high: the greatest; ``None``: any.
    """

    def __init__(self, body: Body, low: int, high: int | None) -> None:
        self.body, self.low, self.high = body, low, high
        self._dfa: CharDfa = body.dfa
        # Nothing but the number of characters can go wrong.
        self._is_universal = body.dfa.is_universal
        self._furthest = -1

    @property
    def is_any(self) -> bool:
        """Whether every string of the right length fits."""
        return self._is_universal

    @property
    def is_unbounded(self) -> bool:
        """Whether no number of characters is asked for."""
        return self.low == 0 and self.high is None

    @property
    def is_endless(self) -> bool:
        """Whether whatever was read can become infinitely many strings, or all but a few."""
        return self.high is None and self._is_universal

    def cap(self, count: int) -> int:
        """Return a number of characters that stands for all that do not differ from it."""
        return min(count, self.low if self.high is None else self.high + 1)

    def may_end(self, state: int, count: int) -> bool:
        """Return whether a string of so many characters may end in a state of the automaton."""
        return (
            self._dfa.labels[state] != NO_LABEL
            and count >= self.low
            and (self.high is None or count <= self.high)
        )

    def is_live(self, at: int, count: int) -> bool:
        """Return whether a string that is at a state of the body can become one that fits."""
        body, high = self.body, self.high
        is_inside = body.characters[at] < 0
        if self._is_universal:
            return high is None or count + is_inside <= high
        return self.leads_on(body.targets[at], count + is_inside)

    def is_alive(self, body: Body, at: int, count: int) -> bool:
        """Return the same for a state of a body over an equal automaton."""
        return self.leads_on(body.targets[at], count + (body.characters[at] < 0))

    def leads_on(self, states: Iterable[int], count: int) -> bool:
        """Return whether a string of so many characters, in one of some states, can still fit."""
        low, most = self.low - count, None if self.high is None else self.high - count
        return any(self._dfa.accepts_length(state, low, most) for state in states)

    def is_far(self, count: int, longest: int) -> bool:
        """Return whether no token of up to so many characters meets a bound on the length."""
        if count < self.low:
            return False
        if self.high is None:
            return True
        if self._furthest < 0:
            self._furthest = max(map(self._dfa.nearest, range(self._dfa.n_states)), default=0)
        return self.high - count > longest + self._furthest

    def has_other(self, state: int, count: int, prefix: str, texts: Sequence[str]) -> bool:
        """Return whether a prefix can become a string that is not among some.

        Args:
            state: of the automaton after the prefix.
            count: characters of the prefix.
            prefix: what has been read.
            texts: the strings that it must not become.
        """
        taken = {
            text
            for text in texts
            if text.startswith(prefix) and self.may_end(self._dfa.read(text), self.cap(len(text)))
        }
        if not taken:
            return True
        here, n_found, length = {state: 1}, 0, 0
        while here and (self.high is None or count + length <= self.high):
            if count + length >= self.low:
                n_found += sum(n for s, n in here.items() if self._dfa.labels[s] != NO_LABEL)
                if n_found > len(taken):
                    return True
            here = self._dfa.advance(here)
            length += 1
        return False


@dataclass(frozen=True, slots=True)
class Split:
    """A position of items that must differ.

    Attributes:
        endless: the position of those of its values that are never used up, -1 without any.
        values: each other value with the position that is only this value.
    """

    endless: int
    values: tuple[tuple[Value, int], ...]


class ArrayEntry:
    """An array's rule, and how its items differ.

    Args:
        rule: of its items.
        unique: position → how its values are told apart; ``None`` if items may be equal.
    """

    def __init__(self, rule: ArrayRule, unique: dict[int, Split] | None) -> None:
        self.rule, self.unique = rule, unique
        self._domains = (
            [] if unique is None else [_list_values(options, unique) for _, options in rule.pieces]
        )

    def enter(
        self, index: int, counts: Counts, values: frozenset[Value] | None
    ) -> Iterable[tuple[tuple[int, Counts], int]]:
        """Yield the state after the next item with its position, way by way."""
        if self.unique is None or values is None:
            yield from self.rule.enter(index, counts)
            return
        for (after, after_counts), child in self.rule.enter(index, counts):
            split = self.unique[child]
            if split.endless >= 0 and self.is_feasible(after, after_counts, values):
                yield (after, after_counts), split.endless
            for value, position in split.values:
                if value not in values and self.is_feasible(after, after_counts, values | {value}):
                    yield (after, after_counts), position

    def is_feasible(self, index: int, counts: Counts, values: frozenset[Value]) -> bool:
        """Return whether the array can be finished when some values are used up."""
        if not self.rule.is_feasible(index, counts):
            return False
        if self.unique is None or index >= self.rule.low:
            return True
        return self._match(index, values)

    def _match(self, index: int, values: frozenset[Value]) -> bool:
        """Return whether the items that must come can all differ."""
        groups: list[tuple[int, frozenset[Value]]] = []
        for piece, stop in self.rule.pieces_from(index):
            domain = self._domains[piece]
            if domain is not None:
                n_items = (self.rule.low if stop is None else min(stop, self.rule.low)) - index
                groups.append((n_items, domain))
            if stop is None or stop >= self.rule.low:
                break
            index = stop
        n_items = sum(n for n, _ in groups)
        if all(len(domain) - len(values) >= n_items for _, domain in groups):
            return True  # without looking at any
        return can_differ([(n, domain - values) for n, domain in groups])


def _list_values(options: Sequence[Option], unique: Mapping[int, Split]) -> frozenset[Value] | None:
    """Return all that an item may be, ``None`` if it can never be used up."""
    splits = [unique[child] for _, child in options]
    if any(split.endless >= 0 for split in splits):
        return None
    return frozenset(value for split in splits for value, _ in split.values)
