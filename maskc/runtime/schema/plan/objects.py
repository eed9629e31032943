"""Which keys may an object still have, and can it be finished?

A rule names keys, and has classes of other keys by automaton; each is a *label*, and has options:
the position of its value, and which *wishes* a value there fulfils
(:mod:`maskc.runtime.schema.plan.fulfilment`). What has been seen is a bit set of names, the other
keys themselves, and their number.

Example: with ``required`` a and b, ``maxProperties`` 2 and a seen, only b may come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maskc.runtime.effort import spend
from maskc.runtime.schema.plan.fulfilment import Fulfilment, Option
from maskc.runtime.schema.plan.used import UsedKeys
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.keys import Keys, order_names
from maskc.runtime.schema.strings.other_keys import (
    NO_KEYS,
    OtherKeys,
    add_key,
)

_MOST_REMEMBERED = 50_000
_PLENTY = 1 << 40  # keys that no text has


# What has been read of an object: names as bits, other keys, how many members, wishes left. It is a
# part of a state, and a plain tuple for the reason that nodes are.
Members = tuple[int, OtherKeys, int, int]
SEEN: Final = 0
OTHERS: Final = 1
N_MEMBERS: Final = 2
WISHES: Final = 3


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
        self.has_classes = bool(self.allowed >> n_names)
        # What is made when it is first asked for: of most rules it never is.
        self._measured: tuple[set[int], dict[int, int]] | None = None
        self._fulfilment: Fulfilment | None = None
        self._runs_out: bool | None = None
        self._known: dict[tuple[int, tuple[int, ...], int, int], int] = {}
        self._unordered: ObjectRule | None = None
        self._used: UsedKeys | None = None

    @property
    def is_scarce(self) -> bool:
        """Whether some keys that have no name of their own can be used up."""
        return bool(self._finite)

    @property
    def _endless(self) -> set[int]:
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
        classes = [n for n in range(self.n_names, len(self.options)) if self.options[n]]
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
    def used(self) -> UsedKeys:
        """What keys without a name have used of classes that may be used up."""
        if self._used is None:
            self._used = UsedKeys(self.keys, tuple(self._finite))
        return self._used

    @property
    def is_plain(self) -> bool:
        """Whether only names that are required, or were there, count for what may come."""
        return not (self.low or self.n_wishes or self.ordered or self._finite) and self.high is None

    @property
    def start(self) -> Members:
        """What has been read after the opening brace."""
        return (0, NO_KEYS, 0, (1 << self.n_wishes) - 1)

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
        over = self._names if members[OTHERS] else (1 << members[SEEN].bit_length()) - 1
        return self.unordered, (members[SEEN] | over, *members[OTHERS:])

    def has_endless(self, labels: int) -> bool:
        """Return whether some of the labels have keys that no text uses up."""
        return any(labels >> label & 1 for label in self._endless)

    def size_of(self, label: int) -> int:
        """Return how many keys a label without endlessly many has."""
        return 1 if label < self.n_names else self._finite[label]

    def summary(self, members: Members) -> tuple[int, tuple[int, ...], int, int]:
        """Return what counts for which keys may come, but for those that are none of few."""
        return members[SEEN], self._use(members[OTHERS]), members[N_MEMBERS], members[WISHES]

    def can_close(self, members: Members) -> bool:
        """Return whether the object may end."""
        return (
            members[N_MEMBERS] >= self.low
            and not self.required & ~members[SEEN]
            and not members[WISHES]
            and (self.high is None or members[N_MEMBERS] <= self.high)
        )

    def open_labels(self, members: Members) -> int:
        """Return the labels of keys that may come next, as bits."""
        used = self._use(members[OTHERS])
        key = (members[SEEN], used, members[N_MEMBERS], members[WISHES])
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._find_open(*key, others=bool(members[OTHERS]))
        return found

    def _use(self, others: OtherKeys) -> tuple[int, ...]:
        """Return how many keys of each finite class were there, and whether of any other."""
        if not self._finite:
            return (bool(others),) if self.ordered else ()
        return (bool(others), *self.used.of(others).counts)

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
            spend(1)
            label = low.bit_length() - 1
            is_name = label < self.n_names
            after_seen = seen | low if is_name else seen
            after_used = used if is_name else self._use_more(used, label)
            if any(
                self._is_feasible(
                    after_seen, after_used, count + 1, wishes & ~d, others=others or not is_name
                )
                for d in {d & wishes for d, _ in self.options[label]}
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
        if not self.low and self.high is None and not self.n_wishes:
            return not self.required & ~self.allowed  # nothing is counted
        return self._is_feasible(0, self._use(NO_KEYS), 0, (1 << self.n_wishes) - 1, others=False)

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
        return count >= self.low or count + self._remaining(seen, used, others=others) >= self.low

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
        if self._fulfilment is None:
            self._fulfilment = Fulfilment(self.options, self.n_names, self._endless, self._finite)
        if self.high is None and self._fulfilment.can_fulfil(wishes, rest):
            return wishes.bit_count()
        n_used = dict(zip(self._finite, used[1:], strict=False))
        return self._fulfilment.find_fewest(
            wishes, rest, missing, n_used, any_number=self.high is None
        )

    def enter(self, members: Members, label: int, key: str) -> list[tuple[Members, int]]:
        """Return what there is after a key, with the position of its value, way by way."""
        bit = 1 << label
        if label < self.n_names:
            seen, others = members[SEEN] | bit, members[OTHERS]
        else:
            seen, others = members[SEEN], members[OTHERS]
            if self._finite or self.may_run_out:
                others = self.used.add(others, key)
            else:
                others = add_key(others, key)
        used = self._use(others)
        options = self.options[label]
        found: list[tuple[Members, int]] = []
        done: set[tuple[int, int]] = set()
        for d, child in options:
            fulfilled = d & members[WISHES]
            # What was fulfilled before need not be again, if that asks for less.
            if fulfilled != d and any(other == fulfilled for other, _ in options):
                continue
            wishes = members[WISHES] ^ fulfilled
            # A position that fulfils more and asks for nothing else makes others needless.
            if any(child == c and not known & ~wishes for known, c in done):
                continue
            if self._is_feasible(seen, used, members[N_MEMBERS] + 1, wishes, others=bool(others)):
                done.add((wishes, child))
                found.append(((seen, others, members[N_MEMBERS] + 1, wishes), child))
        return found
