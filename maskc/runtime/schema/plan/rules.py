"""What is asked of strings, and of arrays with items that must differ, as the machine asks it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from maskc.runtime.schema.plan.arrays import ArrayRule, Counts, Option, ValueClasses, can_differ
from maskc.runtime.schema.plan.series import Series
from maskc.runtime.schema.plan.values import Value
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

_MOST_REMEMBERED: Final = 10_000

# How far an array was read: the number of items, as its rule counts; the counts of its counters;
# the values of its items, ``None`` if they do not matter, or no longer. It is a part of a state,
# and a plain tuple for the reason that nodes are.
ArrayProgress = tuple[int, Counts, frozenset[Value] | None]
N_ITEMS: Final = 0
VALUES: Final = 2


class StringRule:
    """What is asked of a string: characters as an automaton says, from ``low`` to ``high``."""

    def __init__(self, body: Body, low: int, high: int | None) -> None:
        self.body, self.low, self.high = body, low, high
        self.begin: Any = 0  # what is counted of a string of which nothing was read
        self._dfa: CharDfa = body.dfa
        self.is_any = body.dfa.is_universal  # whether every string of the right length fits
        # whether no number of characters is asked for
        self.is_unbounded = low == 0 and high is None
        # whether what was read can become infinitely many strings, or all but a few
        self.is_infinite = high is None and self.is_any
        self._furthest = -1
        self._known: dict[str, bool] = {}

    def move(self, at: int, count: Any, byte: int) -> tuple[int, Any] | None:
        """Return state and count after a byte that is no quote, ``None`` if no string begins so."""
        after = self.body.step(at, byte)
        if not after:
            return None
        if self.body.characters[after] >= 0:
            count = self.cap(count + 1)
        return (after, count) if self.is_live(after, count) else None

    def cap(self, count: int) -> int:
        """Return a number of characters that stands for all that do not differ from it."""
        return min(count, self.low if self.high is None else self.high + 1)

    def may_end(self, state: int, count: Any) -> bool:
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
        if self.is_any:
            return high is None or count + is_inside <= high
        return self.leads_on(body.targets[at], count + is_inside)

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

    def has(self, text: str) -> bool:
        found = self._known.get(text)
        if found is None:
            found = self.may_end(self._dfa.read(text), self.cap(len(text)))
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            self._known[text] = found
        return found

    def has_other(self, state: int, count: Any, prefix: str, texts: Sequence[str]) -> bool:
        """Return whether a prefix can become a string that is not among some.

        Args:
            state: of the automaton after the prefix.
            count: characters of the prefix.
            prefix: what has been read.
            texts: the strings that it must not become, each once, in ascending order.
        """
        n_taken = 0
        for n in range(bisect_left(texts, prefix), len(texts)):
            if not texts[n].startswith(prefix):
                break
            n_taken += self.has(texts[n])
        if not n_taken:
            return True
        if self.is_unbounded:
            n_strings = self._dfa.n_strings(state)
            return n_strings is None or n_strings > n_taken
        here, n_found, length = {state: 1}, 0, count
        while here and (self.high is None or length <= self.high):
            if length >= self.low:
                n_found += sum(n for s, n in here.items() if self._dfa.labels[s] != NO_LABEL)
                if n_found > n_taken:
                    return True
            here = self._dfa.advance(here)
            length += 1
        return False


@dataclass(frozen=True, slots=True)
class Split:
    """A position of items that must differ: that of its values that are many, -1 without any.

    Each other value stands with the position that is only this value.
    """

    infinite: int
    values: tuple[tuple[Value, int], ...]


class ArrayEntry(Series):
    """An array's rule, and how its items differ, or that some of them must not.

    Args:
        rule: of its items.
        unique: position → how its values are told apart; ``None`` if items may be equal.
        repeats: whether two items must be equal; then all of them have one position.

    Attributes:
        start: how far it is read after the opening bracket.
    """

    def __init__(
        self, rule: ArrayRule, unique: dict[int, Split] | None, *, repeats: bool = False
    ) -> None:
        self.rule, self.unique, self.repeats = rule, unique, repeats
        compares = repeats or unique is not None
        self.start: ArrayProgress = (*rule.start, frozenset() if compares else None)
        self._domains = (
            [] if unique is None else [_list_values(options, unique) for _, options in rule.pieces]
        )
        few = [domain for domain in self._domains if domain is not None]
        # Where items are counted.
        self._classes: ValueClasses | None = None
        if unique is not None and rule.counters:
            few_of = {
                child: frozenset([value for value, _ in split.values])
                for child, split in unique.items()
                if split.infinite < 0
            }
            if any(few_of.values()):
                self._classes = ValueClasses(rule, few_of)
                few = [*few_of.values()]
        self._few: frozenset[Value] = frozenset().union(*few)
        self._forbidden: dict[ArrayProgress, frozenset[Value]] = {}
        self._value_of: dict[int, Value] = {}

    @property
    def n_states(self) -> int:
        """How many states one search for different values looks at, at most."""
        return 0 if self._classes is None else self._classes.n_states

    def split(self, child: int) -> Iterable[int]:
        """Yield the positions into which one of its items is told apart."""
        if self.unique is None:
            yield child
            return
        split = self.unique[child]
        if split.infinite >= 0:
            yield split.infinite
        yield from (position for _, position in split.values)

    def key_of(self, progress: ArrayProgress) -> Hashable:
        """Return what decides which positions items from some progress on can have."""
        n_items, counts, values = progress
        if self._classes is None or values is None:
            return n_items, counts
        return n_items, counts, self._classes.count_left(values)

    def pass_value(self, after: ArrayProgress, position: int) -> ArrayProgress:
        """Return the progress after an item of a position, with its value if it has only one."""
        if self.unique is None or after[VALUES] is None:
            return after
        if not self._value_of:
            pairs = (pair for split in self.unique.values() for pair in split.values)
            self._value_of = {single: value for value, single in pairs}
        value = self._value_of.get(position)
        return after if value is None else with_value(after, value)

    def has_infinite(self, piece: int) -> bool:
        """Return whether the items of a piece are more than few."""
        return self.unique is None or self._domains[piece] is None

    def may_end(self, progress: ArrayProgress) -> bool:
        n_items, counts, values = progress
        return self.rule.can_close(n_items, counts) and not (self.repeats and values is not None)

    def transitions(self, progress: ArrayProgress) -> Iterator[tuple[ArrayProgress, int]]:
        values = progress[VALUES]
        for after, child in self.rule_transitions(progress):
            if self.unique is None or values is None:
                if self.only(after) != frozenset():
                    yield after, child
                continue
            if not self.is_feasible(after):
                continue
            split, forbidden = self.unique[child], self.forbidden(after)
            if split.infinite >= 0:
                yield after, split.infinite
            for value, position in split.values:
                if value not in forbidden:
                    yield after, position

    def rule_transitions(self, progress: ArrayProgress) -> Iterator[tuple[ArrayProgress, int]]:
        """Yield the same without telling values apart, by what its rule says."""
        n_items, counts, values = progress
        for state, child in self.rule.enter(n_items, counts):
            yield (*state, values), child

    def add(self, after: ArrayProgress, value: Value) -> ArrayProgress | None:
        values = after[VALUES]
        if values is None:
            return after
        made = with_value(after, value)
        if not self.repeats:
            return made if value not in values and self.is_feasible(made) else None
        if value in values:
            return (*after[:VALUES], None)
        return made if self.only(after) is None else None

    def only(self, after: ArrayProgress) -> frozenset[Value] | None:
        high = self.rule.high
        if not self.repeats or high is None or after[N_ITEMS] < high:
            return None
        return after[VALUES]

    def forbidden(self, after: ArrayProgress) -> frozenset[Value]:
        # Those before, and what the items after it then lack.
        values = after[VALUES]
        if values is None or self.repeats:
            return frozenset()
        if self.rule.can_close(*after[:VALUES]) or not self._few:
            return values
        found = self._forbidden.get(after)
        if found is None:
            if len(self._forbidden) > _MOST_REMEMBERED:
                self._forbidden.clear()
            found = self._forbidden[after] = values | self._list_needed(after, self._few - values)
        return found

    def _list_needed(self, after: ArrayProgress, left: frozenset[Value]) -> set[Value]:
        """Return those of some values without which the array cannot be finished."""
        classes = self._classes
        if classes is None:
            return {value for value in left if not self.is_feasible(with_value(after, value))}
        # One value of a class stands for all.
        of_class = {classes.class_of[value]: value for value in left}
        needed = {
            number
            for number, value in of_class.items()
            if not self.is_feasible(with_value(after, value))
        }
        return {value for value in left if classes.class_of[value] in needed}

    def is_feasible(self, progress: ArrayProgress) -> bool:
        """Return whether an array can be finished whose items differ."""
        n_items, counts, values = progress
        if not self.rule.is_feasible(n_items, counts):
            return False
        if self._classes is not None:
            return self._classes.is_live(n_items, counts, self._classes.count_left(values or ()))
        if self.unique is None or n_items >= self.rule.low:
            return True
        return self._match(n_items, values or frozenset())

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


def with_value(progress: ArrayProgress, value: Value) -> ArrayProgress:
    """Return progress with one more value."""
    n_items, counts, values = progress
    return n_items, counts, (values or frozenset()) | {value}


def _list_values(options: Sequence[Option], unique: Mapping[int, Split]) -> frozenset[Value] | None:
    """Return all that an item may be, ``None`` if it can never be used up."""
    splits = [unique[child] for _, child in options]
    if any(split.infinite >= 0 for split in splits):
        return None
    return frozenset(value for split in splits for value, _ in split.values)
