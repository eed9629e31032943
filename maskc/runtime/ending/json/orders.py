"""In which order do an object's members cost least?

Members whose prices differ by a number only are of one kind, and of a kind it is counted how many
are left. Where there are too many ways to count, kinds are taken for one that costs what any of
them costs at least.

Example: with llama3 a member after a string costs one token less than after a number, as ``","`` is
a token and ``0,"`` is none. So an object of strings and one number has the number at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import prod

import numpy as np

from maskc.runtime.ending.json.joints import Prices, times

_MOST_ORDERS = 300  # ways in which kinds of members may be left


class Orders:
    """What ends an object that must still have some members.

    Args:
        members: label → int32[n_after, n_after], the prices of a member, with its comma.
        others: the prices of another member, and how many of these must come.
        end: of the object's end.
        is_ordered: whether they come in the order of their labels, others last.
    """

    def __init__(
        self,
        members: Mapping[int, Prices],
        others: tuple[Prices, int],
        end: Prices,
        *,
        is_ordered: bool,
    ) -> None:
        self._labels = sorted(members)
        self._is_ordered = is_ordered
        self._end = end
        other, n_others = others
        self._in_order = [members[label] for label in self._labels]
        if is_ordered:
            for _ in range(n_others):
                self._end = times(other, self._end)
        self._kinds: list[Prices] = []
        self._kind_of: dict[int, int] = {}
        self._own: dict[int, int] = {}
        counts: list[int] = []
        known: dict[bytes, int] = {}
        listed = [] if is_ordered else [*members.items(), *[(-1, other)] * bool(n_others)]
        for label, prices in listed:
            own = int(prices.min())
            kind = known.setdefault((prices - own).tobytes(), len(counts))
            if kind == len(counts):
                self._kinds.append(prices - own)
                counts.append(0)
            counts[kind] += 1 if label >= 0 else n_others
            self._kind_of[label], self._own[label] = kind, own
        self._total = sum(self._own.values())
        if n_others and not is_ordered:
            self._total += (n_others - 1) * self._own[-1]
        if prod(n + 1 for n in counts) > _MOST_ORDERS:
            self._kinds = [reduce(np.minimum, self._kinds)]
            self._kind_of = dict.fromkeys(self._kind_of, 0)
            counts = [sum(counts)]
        self._counts = tuple(counts)
        self._known: dict[tuple[int, ...], Prices] = {(0,) * len(counts): self._end}

    def may_be_first(self, label: int) -> bool:
        """Return whether a member may come before all others that must come."""
        return not self._is_ordered or label == self._labels[0]

    def end(self, without: int | None) -> Prices:
        """Return the prices of what ends the object.

        Args:
            without: the label of a member that has come; ``None``: none of them.
        """
        if self._is_ordered:
            in_order = self._in_order[without is not None :]
            return reduce(lambda end, member: times(member, end), reversed(in_order), self._end)
        counts, total = list(self._counts), self._total
        if without is not None:
            counts[self._kind_of[without]] -= 1
            total -= self._own[without]
        return self._find(tuple(counts)) + total

    def _find(self, counts: tuple[int, ...]) -> Prices:
        # What is left may be much: it is found from the end on.
        todo = [counts]
        while todo:
            here = todo[-1]
            parts = []
            for kind, n_left in enumerate(here):
                if n_left:
                    after = (*here[:kind], n_left - 1, *here[kind + 1 :])
                    if after not in self._known:
                        todo.append(after)
                    else:
                        parts.append((kind, after))
            if todo[-1] is not here:
                continue
            todo.pop()
            if here not in self._known:
                found = (times(self._kinds[kind], self._known[after]) for kind, after in parts)
                self._known[here] = reduce(np.minimum, found)
        return self._known[counts]
