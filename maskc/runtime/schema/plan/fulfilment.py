"""Choices of an object's members that fulfil its existential constraints, and the fewest members.

An *existential constraint* is that some member with a key of an infinite set fits, which comes from
a negation. A value fulfils some of them by its position, so each label has ways to fulfil them, and
an object needs as many members as cover all that are left.

Example: with one position that fulfils two of three constraints and one that fulfils the third, two
members are enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

# Constraints that a value fulfils, and its position.
Option = tuple[int, int]
MAX_CONSTRAINTS = 32
MOST_WAYS = 50_000  # of members to fulfil constraints, see :func:`count_ways`


def count_ways(options: Sequence[Sequence[Option]], n_names: int, n_constraints: int) -> int:
    """Return in how many ways members are looked at to see which of them fulfil all constraints.

    Beyond ``MOST_WAYS`` it is no longer counted.
    """
    reached, n_ways = {(1 << n_constraints) - 1}, 0
    for label, found in enumerate(options):
        fulfilled = {bits for bits, _ in found if bits}
        for _ in range(1 if label < n_names else n_constraints):
            n_ways += len(reached) * len(fulfilled)
            if n_ways > MOST_WAYS or not fulfilled:
                break
            before = len(reached)
            reached |= {left & ~bits for left in reached for bits in fulfilled}
            if len(reached) == before:
                break
        if n_ways > MOST_WAYS:
            break
    return n_ways


class Fulfilment:
    """Which members fulfil constraints, by the options of each label.

    Labels from ``n_names`` on have more than one key: ``infinite`` ones any number of them, and
    others as many as ``sizes`` says.
    """

    def __init__(
        self,
        options: Sequence[Sequence[Option]],
        n_names: int,
        infinite: AbstractSet[int],
        sizes: Mapping[int, int],
    ) -> None:
        self._n_names, self._sizes = n_names, sizes
        # Each label of a member that fulfils any, with the constraints that it can fulfil at once.
        self._ways = [
            (label, sorted({d for d, _ in found if d}))
            for label, found in enumerate(options)
            if any(d for d, _ in found)
        ]
        # Constraints that there is always one more key for.
        self._always = 0
        # Labels of which one way fulfils all that others do, and these constraints.
        self._tops: list[tuple[int, int]] = []
        for label, found in self._ways:
            if label in infinite:
                self._always |= sum(d for d in found if d.bit_count() == 1)
            top = max(found, key=int.bit_count)
            if not any(d & ~top for d in found):
                self._tops.append((label, top))

    def can_fulfil(self, constraints: int, labels: int) -> bool:
        """Return whether members with some labels, at most one of a name, fulfil constraints.

        It looks at what one way each fulfils, so ``False`` says nothing.
        """
        left = constraints & ~self._always
        for label, top in self._tops:
            if labels >> label & 1:
                left &= ~top
        return not left

    def find_fewest(
        self,
        constraints: int,
        labels: int,
        needed: int,
        used: Mapping[int, int],
        *,
        any_number: bool,
    ) -> int | None:
        """Return the least number of keys, beside those that are needed, that fulfil constraints.

        ``None`` if no keys fulfil them. Constraints, labels and needed names are bits.

        Args:
            used: how many keys were there of each label that has a size.
            any_number: the number of members has no bound, so that it may be more than the least.
        """
        # Constraints that are left → the least number of keys, label by label.
        best = {constraints: 0}
        for label, found in self._ways:
            if not labels >> label & 1:
                continue
            n_times = 1
            if label >= self._n_names:
                n_times = constraints.bit_count()
                if label in self._sizes:
                    n_times = min(n_times, self._sizes[label] - used[label])
            cost = 0 if label < self._n_names and needed >> label & 1 else 1
            for _ in range(n_times):
                after = dict(best)
                for left, n in best.items():
                    for d in found:
                        if d & left and n + cost < after.get(left & ~d, n + cost + 1):
                            after[left & ~d] = n + cost
                if after == best:
                    break
                best = after
            if any_number and 0 in best:
                break  # how many they are does not count
        return best.get(0)
