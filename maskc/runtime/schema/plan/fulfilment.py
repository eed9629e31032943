"""Choices of an object's members that fulfil its existential constraints, and how many they are.

An *existential constraint* is that some member with a key of a set fits, or that one of some names
is missing, which comes from a negation. A value fulfils some of them by its position, so each label
has ways to fulfil them, and that a name is missing is one more.

Example: with one position that fulfils two of three constraints and one that fulfils the third, two
members are enough; none is needed for *a is missing, or b is a number*, but with a and b required
it has to be a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

# Constraints that a value fulfils, and its position.
Option = tuple[int, int]
MAX_CONSTRAINTS: Final = 32
MOST_COMBINATIONS: Final = 50_000  # of members, see :func:`count_combinations`


def count_combinations(
    options: Sequence[Sequence[Option]], n_names: int, lacked: Sequence[int]
) -> int:
    """Return how many combinations are looked at to see which members fulfil all constraints.

    Beyond ``MOST_COMBINATIONS`` it is no longer counted.

    Args:
        lacked: of each constraint, the names one of which may be missing instead, as bits.
    """
    reached, n_combinations = {(1 << len(lacked)) - 1}, 0
    for label, found in enumerate(options):
        fulfilled = {bits for bits, _ in found} | {_list_held(lacked, label)}
        fulfilled.discard(0)
        for _ in range(1 if label < n_names else len(lacked)):
            n_combinations += len(reached) * len(fulfilled)
            if n_combinations > MOST_COMBINATIONS or not fulfilled:
                break
            before = len(reached)
            reached |= {left & ~bits for left in reached for bits in fulfilled}
            if len(reached) == before:
                break
        if n_combinations > MOST_COMBINATIONS:
            break
    return n_combinations


def _list_held(lacked: Sequence[int], label: int) -> int:
    """Return the constraints that hold where a name is missing, as bits."""
    return sum(1 << n for n, names in enumerate(lacked) if names >> label & 1)


class Fulfilment:
    """Which members fulfil constraints, by the options of each label.

    Labels from ``n_names`` on have more than one key: ``infinite`` ones any number of them, and
    others as many as ``sizes`` says. Of each constraint, one of the ``lacked`` names, as bits, may
    be missing instead.
    """

    def __init__(
        self,
        options: Sequence[Sequence[Option]],
        n_names: int,
        lacked: Sequence[int],
        infinite: AbstractSet[int],
        sizes: Mapping[int, int],
    ) -> None:
        self._n_names, self._sizes = n_names, sizes
        # Each label that matters: the constraints that a member can fulfil at once, and those that
        # hold without one.
        self._relevant: list[tuple[int, list[int], int]] = []
        # Constraints that there is always one more key for.
        self._always = 0
        # Labels of which one way fulfils all that others do, and these constraints.
        self._tops: list[tuple[int, int]] = []
        for label, found in enumerate(options):
            every = {d for d, _ in found}
            best = sorted(d for d in every if not any(d != e and not d & ~e for e in every))
            held = _list_held(lacked, label)
            if held or any(best):
                self._relevant.append((label, best, held))
            if label in infinite:
                for d in best:
                    self._always |= d
            if len(best) == 1:
                self._tops.append((label, best[0]))
        self._labels = sum(1 << label for label, _, _ in self._relevant)

    def is_feasible(
        self,
        constraints: int,
        labels: int,
        needed: int,
        used: Mapping[int, int],
        low: int,
        high: int | None,
    ) -> bool:
        """Return whether from ``low`` to ``high`` more members can fulfil constraints.

        Constraints, labels and needed names are bits.

        Args:
            labels: those that members may have; names that are not there yet, others until they
                are used up.
            needed: names that must come.
            used: how many keys were there of each label that has a size.
        """
        any_number = high is None and low <= needed.bit_count()
        if any_number and self._can_fulfil(constraints, labels):
            return True
        names = (1 << self._n_names) - 1
        others = labels & names & ~self._labels
        n_free = (others & ~needed).bit_count()
        # Constraints that are left → how many members there may be then, as bits; where only
        # whether there are any matters, none is counted.
        shift = 0 if any_number else 1
        reached = {constraints: 1 << shift * (others & needed).bit_count()}
        for label, size in self._sizes.items():
            n_free += size - used[label]
        for label, found, held in self._relevant:
            if not labels >> label & 1:
                continue
            n_times = 1
            if label >= self._n_names:
                n_times = constraints.bit_count()
                if label in self._sizes:
                    n_times = min(n_times, self._sizes[label] - used[label])
                    n_free -= n_times
            for _ in range(n_times):
                after = dict[int, int]()
                for left, counts in reached.items():
                    if not needed >> label & 1:
                        rest = left & ~held
                        after[rest] = after.get(rest, 0) | counts
                    for d in found:
                        rest = left & ~d
                        after[rest] = after.get(rest, 0) | counts << shift
                if after == reached:
                    break
                reached = after
            if any_number and 0 in reached:
                return True
        least = max(low - n_free, 0)
        counts = reached.get(0, 0) >> least
        return counts > 0 and (high is None or least + (counts & -counts).bit_length() - 1 <= high)

    def _can_fulfil(self, constraints: int, labels: int) -> bool:
        """Return whether members with some labels, at most one of a name, fulfil constraints.

        It looks at what one way each fulfils, so ``False`` says nothing.
        """
        left = constraints & ~self._always
        for label, top in self._tops:
            if labels >> label & 1:
                left &= ~top
        return not left
