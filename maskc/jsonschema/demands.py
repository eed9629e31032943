"""What a conjunction of atoms asks of members and items, and which constraints on some are kept.

That so many items of a stretch fit something needs no counter where all of them do, or none can;
where the stretch is one item; where none may fit; and where another counter says more.

An *existential constraint* is that one of several members of an object fits something, or that one
of some names is missing: a mapping from the label of each key whose member can fulfil it to what
its value must fit for that, and the labels that may be missing instead. A constraint that one name
alone can fulfil is asked of that name, and one that is fulfilled whenever another is says nothing.

Example: where all items are strings, *some item is not a number* is that there is an item at all;
of the keys ``a`` and ``b``, where any other is not allowed, *some key but a* is ``b``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula, Keys, Value, in_order, sort_key

Atoms = frozenset[Formula]
# Sets of keys, and what the values of members with them fit.
Pairs = list[tuple[Keys, Formula]]


class MemberDemand(NamedTuple):
    """Some member fits, as one of some pairs says, or one of some names is missing."""

    pairs: Pairs
    lacked: frozenset[str]


def intersect_bounds(atoms: Iterable[Formula], kind: str) -> tuple[int, int | None]:
    """Return the least and the greatest number that the atoms of a kind leave; ``None``: any."""
    bounds = [atom.args for atom in atoms if atom.kind == kind]
    if not bounds:
        return 0, None
    highs = [high for _, high in bounds if high is not None]
    return max([low for low, _ in bounds]), min(highs, default=None)


class MemberDemands:
    """What atoms ask of an object's members."""

    def __init__(self, space: Space, atoms: Iterable[Formula]) -> None:
        self._space = space
        self.required: dict[str, None] = {}  # names that must be there
        self.named: dict[str, list[Formula]] = {}  # name → what its value fits
        self.general: Pairs = []  # what the values of other keys fit
        self.constraints: list[MemberDemand] = []  # what some member fits
        for atom in atoms:
            if atom.kind == "any":
                self.constraints.append(MemberDemand(list(atom.args[0]), atom.args[1]))
            if atom.kind not in ("all", "some"):
                continue
            keys, fits = atom.args
            if keys[0] == "names":
                (name,) = keys[1]
                self.named.setdefault(name, []).append(fits)
                if atom.kind == "some":
                    self.required[name] = None
            elif atom.kind == "all":
                self.general.append((keys, fits))
            else:
                self.constraints.append(MemberDemand([(keys, fits)], frozenset()))

    def fits(self, name: str) -> list[Formula]:
        """Return what is asked of the value of a name."""
        contains = self._space.contains_key
        general = (fits for keys, fits in self.general if contains(keys, name))
        return [*self.named.get(name, ()), *general]


def sort_values(atoms: Iterable[Formula]) -> tuple[list[Value] | None, list[Value], list[Formula]]:
    """Return the values that atoms list, those that they exclude, and the other atoms.

    The first are ``None`` where no atom lists any.
    """
    ordered = in_order(atoms)
    lists = [atom.args[0] for atom in ordered if atom.kind == "values"]
    values = sorted(frozenset.intersection(*lists), key=sort_key) if lists else None
    excluded = {value for atom in ordered if atom.kind == "novalues" for value in atom.args[0]}
    others = [atom for atom in ordered if atom.kind not in ("values", "novalues")]
    return values, sorted(excluded, key=sort_key), others


class Counted(NamedTuple):
    """So many items from ``start`` to ``stop`` fit: from ``least`` to ``most``; ``None``: any."""

    start: int
    stop: int | None
    fits: Formula
    least: int
    most: int | None


class Stretch(NamedTuple):
    """All items from ``start`` to ``stop`` fit; ``None``: to the last."""

    start: int
    stop: int | None
    fits: Formula


class ItemDemands:
    """What is asked of an array's items and of their number.

    Args:
        count: is called for each comparison of counters, and raises where there are too many.

    Attributes:
        stretches, low, high: with what counters have come to.
    """

    def __init__(
        self,
        space: Space,
        stretches: Sequence[Stretch],
        low: int,
        high: int | None,
        count: Callable[[], None],
    ) -> None:
        self._space, self._count = space, count
        self.stretches, self.low, self.high = list(stretches), low, high

    def reduce(self, counters: Sequence[Counted]) -> list[Counted] | None:
        """Return the counters that are left, ``None`` if one of them never holds."""
        left = list[Counted]()
        for counter in counters:
            known = self._known(counter)
            asked = self._space.both([known, counter.fits])
            if self._space.is_refuted(asked) or counter.most == 0:
                if counter.least:
                    return None
                if not self._space.is_refuted(asked):
                    fits = self._space.negate(counter.fits)
                    self.stretches.append(Stretch(counter.start, counter.stop, fits))
            elif counter.stop == counter.start + 1 and counter.least == 1:
                self.stretches.append(Stretch(counter.start, counter.stop, counter.fits))
                self.low = max(self.low, counter.stop)
            elif self._space.implies(known, counter.fits, by_strings=True):
                if not self._bound(counter):
                    return None
            else:
                left.append(counter)
        return [c for n, c in enumerate(left) if not self._is_needless(c, left[n + 1 :], left[:n])]

    def _known(self, counter: Counted) -> Formula:
        """Return what all items that are counted fit in any case."""
        return self._space.both(
            fits
            for start, stop, fits in self.stretches
            if start <= counter.start
            and (stop is None or counter.stop is not None and counter.stop <= stop)
        )

    def _bound(self, counter: Counted) -> bool:
        """Take a counter that all items of its stretch add to as bounds on how many there are."""
        start, stop, _, least, most = counter
        n_items = None if stop is None else stop - start
        if n_items is not None and least > n_items:
            return False
        if least:
            self.low = max(self.low, start + least)
        if most is not None and (n_items is None or most < n_items):
            self.high = start + most if self.high is None else min(self.high, start + most)
        return True

    def _is_needless(
        self, counter: Counted, later: Sequence[Counted], earlier: Sequence[Counted]
    ) -> bool:
        """Return whether another counter holds only where this one does."""
        return counter.most is None and any(
            other[:2] == counter[:2]
            and other.least >= counter.least
            and self._says(other, counter)
            and (other in later or not self._says(counter, other) or other.least > counter.least)
            for other in (*later, *earlier)
        )

    def _says(self, counter: Counted, other: Counted) -> bool:
        """Return whether an item that adds to a counter adds to another one."""
        self._count()
        known = self._space.both([self._known(counter), counter.fits])
        return self._space.implies(known, other.fits, by_strings=True)


class Existential(NamedTuple):
    """A member with one of some labels fits, or one of the ``lacked`` labels is missing."""

    fits: dict[int, Formula]
    lacked: frozenset[int]


class MemberConstraints:
    """The constraints of one object.

    Args:
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
        self, constraints: Sequence[MemberDemand], classes: Sequence[frozenset[Keys]]
    ) -> list[Existential] | None:
        """Return what is left to constraint for, ``None`` if one is fulfilled by no member.

        Args:
            constraints: what some member fits.
            classes: of each label that is not a name, the sets of keys that it is in.
        """
        open_ = [self._label(demand, classes) for demand in constraints]
        n_before = -1
        while len(open_) != n_before:
            n_before = len(open_)
            left = list[Existential]()
            for fits, lacked in open_:
                able = Existential(
                    {label: f for label, f in fits.items() if self._may_fit(label, f)},
                    frozenset(n for n in lacked if self._names[n] not in self._required),
                )
                if not able.fits and not able.lacked:
                    return None
                if not self._settle(able):
                    left.append(able)
            open_ = left
        return self._drop_implied(open_)

    def _label(self, demand: MemberDemand, classes: Sequence[frozenset[Keys]]) -> Existential:
        space, found, (parts, lacked) = self._space, dict[int, Formula](), demand
        for label, name in enumerate(self._names):
            asked = [fits for keys, fits in parts if space.contains_key(keys, name)]
            if asked:
                found[label] = space.either(asked)
        for label, sets in enumerate(classes, len(self._names)):
            asked = [fits for keys, fits in parts if keys in sets]
            if asked:
                found[label] = space.either(asked)
        return Existential(found, frozenset(self._names.index(name) for name in lacked))

    def _may_fit(self, label: int, asked: Formula) -> bool:
        self._count()
        return not self._space.is_refuted(self._space.both([*self._fits[label], asked]))

    def _settle(self, constraint: Existential) -> bool:
        """Return whether what is asked of names fulfils a constraint, or can be made to."""
        able, lacked = constraint
        labels = sorted(label for label in able.keys() | lacked if label < len(self._names))
        for label in labels:
            asked, name = able.get(label, self._space.false), self._names[label]
            if len(labels) == len(able.keys() | lacked) == 1:
                if label not in lacked:
                    self._required[name] = None
                self._fits[label].append(asked)
                return True
            is_always = name in self._required or label in lacked
            if is_always and self._implies(self._fits[label], asked):
                return True
        return False

    def _implies(self, parts: list[Formula], asked: Formula) -> bool:
        self._count()
        return self._space.implies(self._space.both(parts), asked, by_strings=True)

    def _drop_implied(self, constraints: list[Existential]) -> list[Existential]:
        """Return the constraints without those that are fulfilled whenever another one is."""
        kept = list[Existential]()
        for n, constraint in enumerate(constraints):
            others = (*kept, *constraints[n + 1 :])
            if not any(self._covers(constraint, other) for other in others):
                kept.append(constraint)
        return kept

    def _covers(self, constraint: Existential, other: Existential) -> bool:
        """Return whether each member that fulfils another constraint fulfils this one, too."""
        return (
            other.lacked <= constraint.lacked
            and other.fits.keys() <= constraint.fits.keys()
            and all(
                self._implies([*self._fits[label], asked], constraint.fits[label])
                for label, asked in other.fits.items()
            )
        )
