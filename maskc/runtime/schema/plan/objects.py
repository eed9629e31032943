"""Which keys may an object still have, and can it be finished?

A rule names keys, and has classes of other keys by automaton; each is a *label*, and has options:
the position of its value, and which *wishes* a value there fulfils (a wish is that some member with
a key of an infinite set fits, which comes from a negation). What has been seen is a bit set of
names, the other keys themselves, and their number.

Example: with ``required`` a and b, ``maxProperties`` 2 and a seen, only b may come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.keys import Keys, order_names

# Wishes that a value fulfils, and its position.
Option = tuple[int, int]
# Half of a surrogate pair: a key that is not known, and none that can be read.
UNREAD = chr(0xDFFF)
MAX_WISHES = 6
_MOST_REMEMBERED = 50_000
_PLENTY = 1 << 40  # keys that no text has


def unread_key(label: int) -> str:
    """Return a key of a label that is none that can be read.

    It is as good as any other that was not there before: which key of a label was read counts
    only for whether another is the same.
    """
    return UNREAD + chr(label)


class Members(NamedTuple):
    """What has been read of an object: names as bits, other keys, how many, wishes left."""

    seen: int
    others: frozenset[str]
    n_members: int
    wishes: int


class ObjectRule:
    """What is asked of an object.

    Args:
        dfa: labels its keys.
        n_names: labels below it are names.
        options: of each label; without any the key is not allowed.
        required: names that must be there, as bits.
        low: the least number of members.
        high: the greatest; ``None``: any.
        n_wishes: so many wishes must be fulfilled.
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
        n_wishes: int,
        *,
        ordered: bool,
    ) -> None:
        self.dfa, self.n_names, self.options = dfa, n_names, options
        self.required, self.low, self.high = required, low, high
        self.n_wishes, self.ordered = n_wishes, ordered
        self.allowed = sum(1 << label for label, found in enumerate(options) if found)
        self._names = (1 << n_names) - 1
        self._keys: Keys | None = None
        self._is_flat: bool | None = None
        classes = [label for label in range(n_names, len(options)) if options[label]]
        self.has_classes = bool(classes)
        self._endless, self._finite = self._measure(classes)
        # The wishes that each label can fulfil, and those that there is always one more key for.
        self._fulfilling = [
            (label, sorted({d for d, _ in found if d}))
            for label, found in enumerate(options)
            if any(d for d, _ in found)
        ]
        self._always_fulfilled = 0
        for label, pairs in self._fulfilling:
            if label in self._endless:
                self._always_fulfilled |= sum(d for d in pairs if d.bit_count() == 1)
        # Whether some keys that have no name of their own can be used up.
        self.is_scarce = bool(self._finite)
        self._runs_out: bool | None = None
        self._known: dict[tuple[int, tuple[int, ...], int, int], int] = {}
        self._unordered: ObjectRule | None = None

    def _measure(self, classes: list[int]) -> tuple[set[int], dict[int, int]]:
        """Return the classes whose keys no text uses up, and the sizes of the others."""
        if not classes:
            return set(), {}
        if self.is_flat:
            return {self.n_names}, {}
        endless = self.keys.endless[self.dfa.start]
        sizes = {
            label: self.dfa.count(self.dfa.start, label, _PLENTY)
            for label in classes
            if not endless >> label & 1
        }
        finite = {label: size for label, size in sizes.items() if size < _PLENTY}
        return set(classes) - set(finite), finite

    @property
    def may_run_out(self) -> bool:
        """Whether which keys were there counts for what another one can still become."""
        if self._runs_out is None:
            self._runs_out = self.has_classes and not self.is_flat and self.keys.may_run_out
        return self._runs_out

    @property
    def is_flat(self) -> bool:
        """Whether all keys without a name are one class, of whatever has no name.

        Then the automaton has the names, and words that are no keys; all else leads to its sink.
        """
        if self._is_flat is None:
            self._is_flat = self._find_flat()
        return self._is_flat

    def _find_flat(self) -> bool:
        dfa = self.dfa
        sink = dfa.defaults[dfa.start]
        return (
            len(self.options) > self.n_names
            and not any(self.options[self.n_names + 1 :])
            and dfa.labels[sink] == self.n_names
            and max(dfa.labels) <= self.n_names
            and order_names(dfa) is not None
        )

    @property
    def keys(self) -> Keys:
        """Which labels a prefix of a key can lead to."""
        if self._keys is None:
            self._keys = Keys(self.dfa, self.n_names, is_flat=self.is_flat)
        return self._keys

    @property
    def is_plain(self) -> bool:
        """Whether only names that are required, or were there, count for what may come."""
        return not (self.low or self.n_wishes or self.ordered or self._finite) and self.high is None

    @property
    def start(self) -> Members:
        """What has been read after the opening brace."""
        return Members(0, frozenset(), 0, (1 << self.n_wishes) - 1)

    @property
    def is_open(self) -> bool:
        """Whether there is always one more key to add, of infinitely many."""
        return self.high is None and bool(self._endless)

    @property
    def unordered(self) -> ObjectRule:
        """The same rule, with its keys in any order."""
        if not self.ordered:
            return self
        if self._unordered is None:
            self._unordered = ObjectRule(
                self.dfa,
                self.n_names,
                self.options,
                self.required,
                self.low,
                self.high,
                self.n_wishes,
                ordered=False,
            )
        return self._unordered

    def loosen(self, members: Members) -> tuple[ObjectRule, Members]:
        """Return the rule with its keys in any order, and what keeps it from those that are over.

        Values are the same whatever the order of their keys, so the keys that may still come are.
        """
        if not self.ordered:
            return self, members
        over = self._names if members.others else (1 << members.seen.bit_length()) - 1
        return self.unordered, members._replace(seen=members.seen | over)

    def has_endless(self, labels: int) -> bool:
        """Return whether some of the labels have keys that no text uses up."""
        return any(labels >> label & 1 for label in self._endless)

    def size_of(self, label: int) -> int:
        """Return how many keys a label without endlessly many has."""
        return 1 if label < self.n_names else self._finite[label]

    def summary(self, members: Members) -> tuple[int, tuple[int, ...], int, int]:
        """Return what counts for which keys may come, but for those that are none of few."""
        return members.seen, self._use(members.others), members.n_members, members.wishes

    def can_close(self, members: Members) -> bool:
        """Return whether the object may end."""
        return (
            members.n_members >= self.low
            and not self.required & ~members.seen
            and not members.wishes
            and (self.high is None or members.n_members <= self.high)
        )

    def open_labels(self, members: Members) -> int:
        """Return the labels of keys that may come next, as bits."""
        used = self._use(members.others)
        key = (members.seen, used, members.n_members, members.wishes)
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._find_open(*key, others=bool(members.others))
        return found

    def _use(self, others: frozenset[str]) -> tuple[int, ...]:
        """Return how many keys of each finite class were there, and whether of any other."""
        if not self._finite:
            return (bool(others),) if self.ordered else ()
        labels = [self._label_of(other) for other in others]
        return (bool(others), *(labels.count(label) for label in self._finite))

    def _label_of(self, key: str) -> int:
        """Return the label of a key without a name."""
        if len(key) == 2 and key[0] == UNREAD:
            return ord(key[1])
        return self.dfa.labels[self.dfa.read(key)]

    def _find_open(
        self, seen: int, used: tuple[int, ...], count: int, wishes: int, *, others: bool
    ) -> int:
        found = 0
        rest = self._available(seen, used, others=others)
        simple = self.high is None and not wishes and not self.ordered and not self._finite
        if simple:
            return rest
        bits = rest
        while bits:
            low = bits & -bits
            bits ^= low
            label = low.bit_length() - 1
            is_name = label < self.n_names
            after_seen = seen | low if is_name else seen
            after_used = used if is_name else self._use_more(used, label)
            if any(
                self._is_feasible(
                    after_seen, after_used, count + 1, wishes & ~d, others=others or not is_name
                )
                for d, _ in self.options[label]
                if not d & ~wishes
            ):
                found |= low
        return found

    def _use_more(self, used: tuple[int, ...], label: int) -> tuple[int, ...]:
        if not self._finite:
            return (True,) if self.ordered else ()
        return (True, *(n + (k == label) for k, n in zip(self._finite, used[1:], strict=True)))

    def _available(self, seen: int, used: tuple[int, ...], *, others: bool) -> int:
        """Return the labels of keys that are not used up, as bits."""
        rest = self.allowed & ~(seen & self._names)
        for (label, size), n in zip(self._finite.items(), used[1:], strict=False):
            if n >= size:
                rest &= ~(1 << label)
        if self.ordered:
            rest &= ~((1 << seen.bit_length()) - 1)
            missing = self.required & ~seen
            if others:
                rest &= ~self._names
            elif missing:
                first = missing & -missing
                rest &= (first << 1) - 1
        return rest

    def is_feasible(self) -> bool:
        """Return whether there is such an object."""
        return self._is_feasible(
            0, self._use(frozenset()), 0, (1 << self.n_wishes) - 1, others=False
        )

    def _is_feasible(
        self, seen: int, used: tuple[int, ...], count: int, wishes: int, *, others: bool
    ) -> bool:
        missing = self.required & ~seen
        if missing & ~self.allowed:
            return False
        if self.ordered and missing and (others or missing & ((1 << seen.bit_length()) - 1)):
            return False
        n_needed = missing.bit_count()
        if wishes:
            more = self._fewest(seen, used, missing, wishes)
            if more is None:
                return False
            n_needed += more
        if self.high is not None and count + n_needed > self.high:
            return False
        if self.high is not None and self.low > self.high:
            return False
        return count + self._remaining(seen, used, others=others) >= self.low

    def _remaining(self, seen: int, used: tuple[int, ...], *, others: bool) -> int:
        """Return how many more keys there can be."""
        if self._endless:
            return self.low
        rest = self.allowed & ~seen & self._names
        if self.ordered:
            rest &= 0 if others else ~((1 << seen.bit_length()) - 1)
        classes = sum(size - n for (size, n) in zip(self._finite.values(), used[1:], strict=False))
        return rest.bit_count() + classes

    def _fewest(self, seen: int, used: tuple[int, ...], missing: int, wishes: int) -> int | None:
        """Return the least number of keys, beside the missing ones, that fulfil all wishes.

        ``None`` if no keys do. Where the number of members has no bound, it may be more.
        """
        rest = self.allowed & ~(seen & self._names)
        if self.ordered:
            rest &= ~((1 << seen.bit_length()) - 1)
        if self.high is None and not wishes & ~self._always_fulfilled:
            return wishes.bit_count()
        # Wishes that are left → the least number of keys, label by label.
        best = {wishes: 0}
        for label, pairs in self._fulfilling:
            if not rest >> label & 1:
                continue
            n_times = 1
            if label >= self.n_names:
                n_times = wishes.bit_count()
                if label in self._finite:
                    place = 1 + list(self._finite).index(label)
                    n_times = min(n_times, self._finite[label] - used[place])
            cost = 0 if label < self.n_names and missing >> label & 1 else 1
            for _ in range(n_times):
                after = dict(best)
                for left, n in best.items():
                    for d in pairs:
                        if not d & ~left and n + cost < after.get(left & ~d, n + cost + 1):
                            after[left & ~d] = n + cost
                if after == best:
                    break
                best = after
        return best.get(0)

    def enter(self, members: Members, label: int, key: str) -> Iterable[tuple[Members, int]]:
        """Yield what there is after a key, with the position of its value, way by way."""
        bit = 1 << label
        if label < self.n_names:
            seen, others = members.seen | bit, members.others
        else:
            seen, others = members.seen, members.others | {key}
        used = self._use(others)
        done: dict[int, int] = {}
        for d, child in self.options[label]:
            if d & ~members.wishes:
                continue
            wishes = members.wishes & ~d
            # A position that fulfils more and asks for nothing else makes others needless.
            if any(child == c and known & ~wishes == 0 for known, c in done.items()):
                continue
            if self._is_feasible(seen, used, members.n_members + 1, wishes, others=bool(others)):
                done[wishes] = child
                yield Members(seen, others, members.n_members + 1, wishes), child
