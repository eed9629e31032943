"""Which keys an object may still have, and whether it can be finished.

A rule names keys, and has classes of other keys by automaton; each is a *label*, and has options:
the position of its value, and which *existential constraints* a value there fulfils
(:mod:`maskc.runtime.schema.plan.series`). What has been seen is a bit set of names, the other
keys themselves, and their number.

Example: with ``required`` a and b, ``maxProperties`` 2 and a seen, only b may come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.plan.series import Fulfilment, Option
from maskc.runtime.schema.strings.characters import DEAD, FREE_LABEL, CharDfa
from maskc.runtime.schema.strings.keys import (
    NO_KEYS,
    Keys,
    OtherKeys,
    UsedKeys,
    add_key,
    order_names,
)
from maskc.runtime.step_budget import charge_steps

_MOST_REMEMBERED: Final = 50_000
_PLENTY: Final = 1 << 40  # keys that no text has


# What has been read of an object: names as bits, other keys, how many members, constraints left.
# It is a part of a state, and a plain tuple for the reason that nodes are.
Members = tuple[int, OtherKeys, int, int]
SEEN: Final = 0
OTHERS: Final = 1
N_MEMBERS: Final = 2
CONSTRAINTS: Final = 3

# The same, with what counts of the other keys instead of them: whether there are any, if keys come
# in order, and how many of each finite class.
Summary = tuple[int, tuple[int, ...], int, int]


@mypyc_attr(acyclic=True)
class ObjectRule:
    """What is asked of an object, with what follows from it for keys to come.

    Args:
        dfa: labels its keys; labels below ``n_names`` are names.
        n_names: so many names there are.
        options: of each label; without any the key is not allowed.
        required: names that must be there, as bits.
        low: the least number of members.
        high: the greatest; ``None``: any.
        lacked: of each existential constraint, the names one of which may be missing instead, as
            bits.
        ordered: whether names come in the order of their labels, other keys last.
    """

    def __init__(
        self,
        dfa: CharDfa,
        n_names: int,
        options: Sequence[Sequence[Option]],
        required: int,
        low: int,
        high: int | None,
        lacked: tuple[int, ...] = (),
        *,
        ordered: bool,
    ) -> None:
        self.dfa, self.n_names, self.options = dfa, n_names, options
        self.required, self.low, self.high = required, low, high
        self.lacked, self.n_constraints, self.ordered = lacked, len(lacked), ordered
        self.allowed = sum(1 << label for label, found in enumerate(options) if found)
        self.has_classes = bool(self.allowed >> n_names)
        self.start: Members = (0, NO_KEYS, 0, (1 << len(lacked)) - 1)
        self._names = (1 << n_names) - 1
        # What is made when it is first asked for: of most rules it never is.
        self._keys: Keys | None = None
        self._is_flat: bool | None = None
        self._measured: tuple[set[int], dict[int, int]] | None = None
        self._fulfilment: Fulfilment | None = None
        self._runs_out: bool | None = None
        self._unordered: ObjectRule | None = None
        self._used: UsedKeys | None = None
        self._known: dict[Summary, int] = {}

    def own_label(self, label: int) -> int:
        """Return the label that a key has here, of one that may be ``FREE_LABEL``."""
        return self.n_names if label == FREE_LABEL else label

    def dropped_state(self, labels: int) -> int:
        """Return the keys' sink if only other labels may come, given as bits, else ``DEAD``."""
        sink = self.dfa.sink
        return sink if sink >= 0 and not labels >> self.dfa.labels[sink] & 1 else DEAD

    @property
    def has_finite_keys(self) -> bool:
        """Whether some keys that have no name of their own can be used up."""
        return bool(self._finite)

    @property
    def _infinite(self) -> set[int]:
        """The classes whose keys no text uses up."""
        if self._measured is None:
            self._measured = self._measure()
        return self._measured[0]

    @property
    def _finite(self) -> dict[int, int]:
        """The other classes, with how many keys each has."""
        if self._measured is None:
            self._measured = self._measure()
        return self._measured[1]

    def _measure(self) -> tuple[set[int], dict[int, int]]:
        if not self.has_classes:
            return set(), {}
        if self.is_flat:
            return {self.n_names}, {}
        start = self.dfa.start
        classes = {n for n in range(self.n_names, len(self.options)) if self.options[n]}
        finite: dict[int, int] = {}
        for label in sorted(classes):
            if not self.keys.infinite[start] >> label & 1:
                size = self.dfa.count(start, label, _PLENTY)
                if size < _PLENTY:
                    finite[label] = size
        return classes.difference(finite), finite

    @property
    def tracks_used_keys(self) -> bool:
        """Whether which keys were there counts for what another one can still become."""
        if self._runs_out is None:
            self._runs_out = self.has_classes and not self.is_flat and self.keys.has_finite_prefix
        return self._runs_out

    @property
    def is_flat(self) -> bool:
        """Whether all keys without a name are one class, of whatever has no name.

        Then the automaton has the names, and words that are no keys; all else leads to its sink.
        """
        if self._is_flat is None:
            dfa = self.dfa
            sink = dfa.defaults[dfa.start]
            self._is_flat = (
                len(self.options) > self.n_names
                and not any(self.options[self.n_names + 1 :])
                and dfa.labels[sink] == self.n_names
                and max(dfa.labels) <= self.n_names
                and order_names(dfa) is not None
            )
        return self._is_flat

    @property
    def keys(self) -> Keys:
        """Which labels a prefix of a key can lead to."""
        if self._keys is None:
            self._keys = Keys(self.dfa, self.n_names, is_flat=self.is_flat)
        return self._keys

    @property
    def used(self) -> UsedKeys:
        """What keys without a name have used of classes that may be used up."""
        if self._used is None:
            self._used = UsedKeys(self.keys, tuple(self._finite))
        return self._used

    @property
    def is_plain(self) -> bool:
        """Whether only names that are required, or were there, count for what may come."""
        return (
            not (self.low or self.n_constraints or self.ordered or self._finite)
            and self.high is None
        )

    @property
    def is_open(self) -> bool:
        """Whether there is always one more key to add, of infinitely many."""
        return self.high is None and bool(self._infinite)

    @property
    def unordered(self) -> ObjectRule:
        """The same rule, with its keys in any order."""
        if not self.ordered:
            return self
        if self._unordered is None:
            counts = (self.required, self.low, self.high, self.lacked)
            self._unordered = ObjectRule(
                self.dfa, self.n_names, self.options, *counts, ordered=False
            )
        return self._unordered

    def loosen(self, members: Members) -> tuple[ObjectRule, Members]:
        """Return the rule with keys in any order, and what keeps it from those that are over."""
        if not self.ordered:
            return self, members
        over = self._names if members[OTHERS] else (1 << members[SEEN].bit_length()) - 1
        return self.unordered, (members[SEEN] | over, *members[OTHERS:])

    def has_infinite(self, labels: int) -> bool:
        """Return whether some of the labels have keys that no text uses up."""
        return any(labels >> label & 1 for label in self._infinite)

    def size_of(self, label: int) -> int:
        """Return how many keys a label without endlessly many has."""
        return 1 if label < self.n_names else self._finite[label]

    def label_of(self, key: str) -> int:
        """Return the label of a key, less than 0 if there is none."""
        state = self.dfa.read(key)
        return self.dfa.labels[state] if state > 0 else -1

    def summary(self, members: Members) -> Summary:
        """Return what counts for which keys may come, but for those that are none of few."""
        seen, others, n_members, constraints = members
        used: tuple[int, ...] = (self.ordered and bool(others),)
        if self._finite:
            used += self.used.of(others).counts
        return seen, used, n_members, constraints

    def held_without(self, labels: int) -> int:
        """Return the constraints that hold where some labels are missing, both as bits."""
        return sum(1 << n for n, names in enumerate(self.lacked) if names & labels)

    def _is_held(self, seen: int, constraints: int) -> bool:
        """Return whether constraints hold of an object that has some names and no more."""
        return not constraints or not constraints & ~self.held_without(~seen)

    def can_close(self, members: Members) -> bool:
        seen, _, n_members, constraints = members
        return (
            n_members >= self.low
            and not self.required & ~seen
            and self._is_held(seen, constraints)
            and (self.high is None or n_members <= self.high)
        )

    def open_labels(self, members: Members) -> int:
        """Return the labels of keys that may come next, as bits."""
        if self.high is None and not (members[CONSTRAINTS] or self.ordered or self._finite):
            return self.allowed & ~(members[SEEN] & self._names)
        key = self.summary(members)
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._find_open(key)
        return found

    def _find_open(self, here: Summary) -> int:
        seen, used, n_members, constraints = here
        rest = self._available(seen, used)
        found = 0
        for label in list_bits(rest):
            charge_steps(1)
            after_seen, after_used = seen, used
            if label < self.n_names:
                after_seen |= 1 << label
            else:
                counts = zip(self._finite, used[1:], strict=True)
                after_used = (self.ordered, *[n + (k == label) for k, n in counts])
            if any(
                self._is_feasible((after_seen, after_used, n_members + 1, constraints & ~d))
                for d in {d & constraints for d, _ in self.options[label]}
            ):
                found |= 1 << label
        return found

    def _available(self, seen: int, used: tuple[int, ...]) -> int:
        """Return the labels of keys that are not used up, as bits."""
        rest = self.allowed & ~(seen & self._names)
        for (label, size), n in zip(self._finite.items(), used[1:], strict=True):
            if n >= size:
                rest &= ~(1 << label)
        if self.ordered:
            rest &= ~((1 << seen.bit_length()) - 1)
            missing = self.required & ~seen
            if used[0]:
                rest &= ~self._names
            elif missing:
                first = missing & -missing
                rest &= (first << 1) - 1
        return rest

    def is_feasible(self) -> bool:
        """Return whether there is such an object."""
        if not self.low and self.high is None and not self.n_constraints:
            return not self.required & ~self.allowed  # nothing is counted
        return self._is_feasible(self.summary(self.start))

    def _is_feasible(self, here: Summary) -> bool:
        seen, used, n_members, constraints = here
        missing = self.required & ~seen
        if missing & ~self.allowed:
            return False
        if self.ordered and missing and (used[0] or missing & ((1 << seen.bit_length()) - 1)):
            return False
        low, n_needed = max(self.low - n_members, 0), missing.bit_count()
        high = None if self.high is None else self.high - n_members
        if high is not None and max(low, n_needed) > high:
            return False
        if low > n_needed and self._infinite:
            low = 0  # one more is always there to be added
        if low <= n_needed and self._is_held(seen | missing, constraints):
            return True
        rest = self.allowed & ~(seen & self._names)
        if self.ordered:
            rest &= ~self._names if used[0] else ~((1 << seen.bit_length()) - 1)
        if not constraints:
            n_others = sum(self._finite.values()) - sum(used[1:])
            return (rest & self._names).bit_count() + n_others >= low
        if self._fulfilment is None:
            self._fulfilment = Fulfilment(
                self.options, self.n_names, self.lacked, self._infinite, self._finite
            )
        constraints &= ~self.held_without(self._names & ~(seen | rest))
        n_used = dict(zip(self._finite, used[1:], strict=True))
        return self._fulfilment.is_feasible(constraints, rest, missing, n_used, low, high)

    def enter(self, members: Members, label: int, key: str) -> list[tuple[Members, int]]:
        """Return what there is after a key, with the position of its value, for each option."""
        seen, others, n_members, before = members
        if label < self.n_names:
            seen |= 1 << label
        elif self._finite or self.tracks_used_keys:
            others = self.used.add(others, key)
        else:
            others = add_key(others, key)
        options = self.options[label]
        found: list[tuple[Members, int]] = []
        done: set[tuple[int, int]] = set()
        for d, child in options:
            fulfilled = d & before
            # What was fulfilled before need not be again, if that asks for less.
            if fulfilled != d and any(other == fulfilled for other, _ in options):
                continue
            constraints = before ^ fulfilled
            # A position that fulfils more and asks for nothing else makes others needless.
            if any(child == c and not known & ~constraints for known, c in done):
                continue
            after: Members = (seen, others, n_members + 1, constraints)
            if self._is_feasible(self.summary(after)):
                done.add((constraints, child))
                found.append((after, child))
        return found


def list_bits(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set.

    >>> list(list_bits(5))
    [0, 2]
    """
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
