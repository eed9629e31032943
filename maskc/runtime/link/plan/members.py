"""Parameters in any order, each once: what may come next depends on which have come.

Which have come is a set of bits in the expression, so that n parameters are n + 1 expressions on
the way of one text, and never all of their orders.

Example: of ``a`` and ``b``, both required, after ``b`` only ``a`` may come, and then the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Entry, Expression, Rest
from maskc.runtime.link.plan.composing import Composer, Item, Late

# Alternatives of a parameter, each some items, of which the first is a constant.
Alternatives = list[list[Item]]


class Counts(NamedTuple):
    """Which parameters there must be, and may be."""

    n_names: int  # how many have a name that is known; each is a bit
    # required, possible: those that there must be, and may be, as bits
    required: int
    possible: int
    # low, high: how many there must be, and may be; None: any number
    low: int
    high: int | None
    is_ordered: bool  # whether they come in the order of their numbers, others last
    has_others: bool  # whether there may be others; these are not counted


class Parameters:
    """What parameters there are.

    Args:
        counts: which there must be, and may be.
        alternatives: number of a parameter → the ways to write it; ``None``: another one.
        blanks: what may stand before each, and at the end; if it ``separates``, what stands
            between them.
        composer: of the tokenizer.
    """

    def __init__(
        self,
        counts: Counts,
        alternatives: Callable[[int | None], Alternatives],
        blanks: Expression,
        composer: Composer,
        *,
        separates: bool = False,
    ) -> None:
        self.counts, self.alternatives, self.blanks = counts, alternatives, blanks
        self.separates = separates
        self._composer = composer
        self._following: dict[int, Expression | None] = {}

    def expression(self) -> Expression:
        first = self.after(0)
        return first if self.separates else self._composer.join([first, self.blanks])

    def after(self, seen: int) -> Expression:
        key = (Members, self, seen)
        return self._composer.boundaries.intern(key, lambda: Members(self, seen))

    def may_end(self, seen: int) -> bool:
        return not self.counts.required & ~seen and seen.bit_count() >= self.counts.low

    def next(self, seen: int) -> Expression | None:
        """Return a parameter that may come, and all after it; ``None``: there is none."""
        if seen not in self._following:
            self._following[seen] = self._find_next(seen)
        return self._following[seen]

    def one(self, number: int | None, *, is_first: bool = False) -> Expression:
        return self._separate(self._composer.either(self.alternatives(number)), is_first=is_first)

    def _separate(self, one: Expression, *, is_first: bool) -> Expression:
        return one if self.separates and is_first else self._composer.join([self.blanks, one])

    def _find_next(self, seen: int) -> Expression | None:
        options: Alternatives = []
        for number in self._list_allowed(seen):
            after = Late(partial(self.after, seen | 1 << number))
            options += [[*alternative, after] for alternative in self.alternatives(number)]
        counts = self.counts
        if counts.has_others and not (counts.is_ordered and counts.required & ~seen):
            # In order, other names come last; a bit of their own tells that some came.
            last = (1 << counts.n_names) - 1 if counts.is_ordered else seen
            last |= (1 << counts.n_names) * self.separates
            options += [
                [*alternative, Late(partial(self.after, last))]
                for alternative in self.alternatives(None)
            ]
        if not options:
            return None
        return self._separate(self._composer.either(options), is_first=not seen)

    def _list_allowed(self, seen: int) -> list[int]:
        """Return the parameters that may come after a set, so that the rest can be enough."""
        counts, found = self.counts, []
        n_seen, possible = seen.bit_count(), counts.possible
        for number in range(seen.bit_length() if counts.is_ordered else 0, counts.n_names):
            bit = 1 << number
            if seen & bit or not possible & bit:
                continue
            later = possible & ~(2 * bit - 1) if counts.is_ordered else possible & ~seen & ~bit
            missing = (counts.required & ~seen & ~bit).bit_count()
            if counts.high is not None and n_seen + 1 + missing > counts.high:
                continue
            if n_seen + 1 + later.bit_count() >= counts.low or counts.has_others:
                found.append(number)
            if counts.is_ordered and counts.required & bit:
                break
        return found


class Members(Expression):
    """What may come after some parameters: those that are ``seen``, as bits."""

    def __init__(self, parameters: Parameters, seen: int) -> None:
        super().__init__((), may_be_empty=parameters.may_end(seen))
        self.parameters, self.seen = parameters, seen

    def enter(self, after: Rest, boundaries: PieceBoundaries, /) -> list[Entry]:
        following = self.parameters.next(self.seen)
        return [] if following is None else following.enter(after, boundaries)
