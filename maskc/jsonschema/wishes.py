"""Which members of an object can fulfil what is wished of some member?

A *wish* is that one of several members fits something. Here it is a mapping: the label of each key
whose member can fulfil it, to what its value must fit for that. A wish that one name alone can
fulfil is a required name, and one that is fulfilled whenever another is says nothing.

Example: of the keys ``a`` and ``b``, where any other is not allowed, *some key but a* is ``b``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula, Keys

Members = list[tuple[Keys, Formula]]
Wish = dict[int, Formula]


class Wishes:
    """The wishes of one object.

    Args:
        space: where formulas live.
        names: labels below their number are these keys.
        fits: label → what is asked of its member in any case; written to.
        required: names that must be there; written to.
        count: is called for each comparison, and raises where there are too many.
    """

    def __init__(
        self,
        space: Space,
        names: Sequence[str],
        fits: list[list[Formula]],
        required: dict[str, None],
        count: Callable[[], None],
    ) -> None:
        self._space, self._names = space, names
        self._fits, self._required, self._count = fits, required, count

    def find(
        self, wishes: Sequence[Members], classes: Sequence[frozenset[Keys]]
    ) -> list[Wish] | None:
        """Return what is left to wish for, ``None`` if one is fulfilled by no member.

        Args:
            wishes: sets of keys, of which one has a member that fits.
            classes: of each label that is no name, the sets of keys that it is in.
        """
        open_ = [self._label(parts, classes) for parts in wishes]
        n_before = -1
        while len(open_) != n_before:
            n_before = len(open_)
            left = list[Wish]()
            for wish in open_:
                able = {label: f for label, f in wish.items() if self._may_fit(label, f)}
                if not able:
                    return None
                if not self._settle(able):
                    left.append(able)
            open_ = left
        return self._drop_implied(open_)

    def _label(self, parts: Members, classes: Sequence[frozenset[Keys]]) -> Wish:
        space, found = self._space, dict[int, Formula]()
        for label, name in enumerate(self._names):
            asked = [fits for keys, fits in parts if space.contains_key(keys, name)]
            if asked:
                found[label] = space.either(asked)
        for label, sets in enumerate(classes, len(self._names)):
            asked = [fits for keys, fits in parts if keys in sets]
            if asked:
                found[label] = space.either(asked)
        return found

    def _may_fit(self, label: int, asked: Formula) -> bool:
        self._count()
        return not self._space.is_refuted(self._space.both([*self._fits[label], asked]))

    def _settle(self, wish: Wish) -> bool:
        """Return whether what is required fulfils a wish, or can be made to."""
        for label, asked in wish.items():
            if label >= len(self._names):
                continue
            name = self._names[label]
            if len(wish) == 1:
                self._required[name] = None
                self._fits[label].append(asked)
                return True
            if name in self._required and self._implies(self._fits[label], asked):
                return True
        return False

    def _implies(self, parts: list[Formula], asked: Formula) -> bool:
        self._count()
        return self._space.implies(self._space.both(parts), asked, by_strings=True)

    def _drop_implied(self, wishes: list[Wish]) -> list[Wish]:
        """Return the wishes without those that are fulfilled whenever another one is."""
        kept = list[Wish]()
        for n, wish in enumerate(wishes):
            others = (*kept, *wishes[n + 1 :])
            if not any(self._covers(wish, other) for other in others):
                kept.append(wish)
        return kept

    def _covers(self, wish: Wish, other: Wish) -> bool:
        """Return whether each member that fulfils another wish fulfils this one, too."""
        return other.keys() <= wish.keys() and all(
            self._implies([*self._fits[label], asked], wish[label])
            for label, asked in other.items()
        )
