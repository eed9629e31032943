"""Decides what known atoms imply, and whether they contradict each other.

Both answers are sound and not complete: an atom that is said to be implied is, and so is a
contradiction. What is not found is found later, when what is asked is built.

Example: with ``a`` required and its value a string, that ``a`` is there is implied; that its value
is an integer contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula, Keys

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


class Entailment:
    """Answers about conjunctions of atoms of one type.

    Args:
        joins_existential: whether more is looked at, see :mod:`maskc.jsonschema.alternatives`.
    """

    def __init__(self, space: Space, type_: str, *, joins_existential: bool) -> None:
        self._space, self._type, self._joins_existential = space, type_, joins_existential
        # Many atoms are held against the same ones, one after the other.
        self._sorted: tuple[Atoms, MemberDemands] | None = None
        self._bases: dict[str, Formula] = {}
        self._implied: dict[tuple[Formula, Formula], bool] = {}

    def implies(self, atoms: Atoms, atom: Formula) -> bool:
        """Return whether an atom is implied; not complete."""
        if atom in atoms:
            return True
        if self._type == "object" and atom.kind == "any":
            pairs, lacked = atom.args
            options = [self._space.some(*pair) for pair in pairs]
            for name in sorted(lacked):
                own: Keys = ("names", frozenset([name]))
                fitting = self._space.either(fits for keys, fits in pairs if keys == own)
                options.append(self._space.all(own, fitting))
            return any(self.implies(atoms, option) for option in options)
        if self._type != "object" or atom.kind not in ("all", "some"):
            return False
        keys, fits = atom.args
        if keys[0] != "names":
            return False
        (name,) = keys[1]
        if self._sorted is None or self._sorted[0] is not atoms:
            self._sorted, self._bases = (atoms, MemberDemands(self._space, atoms)), {}
        members = self._sorted[1]
        if atom.kind == "some" and name not in members.required:
            return False
        base = self._bases.get(name)
        if base is None:
            base = self._bases[name] = self._space.both(members.fits(name))
        known = self._implied.get((base, fits))
        if known is None:
            known = self._space.implies(base, fits, by_strings=self._joins_existential)
            self._implied[base, fits] = known
        return known

    def is_consistent(self, atoms: Atoms) -> bool:
        """Return whether nothing simple contradicts itself; not complete."""
        space = self._space
        for atom in atoms:
            if space.is_negated_in(atom, atoms):
                return False
        if self._type == "object":
            members = MemberDemands(space, atoms)
            low, high = intersect_bounds(atoms, "count")
            if high is not None and high < max(low, len(members.required)):
                return False
            for name in members.required:
                base = space.both(members.fits(name))
                if base is space.false or self._joins_existential and space.is_refuted(base):
                    return False
            return all(
                not lacked <= members.required.keys()
                or any(self._may_fit(members, keys, fits) for keys, fits in pairs)
                for pairs, lacked in members.constraints
            )
        if self._type == "number":
            bounds = [atom.args for atom in atoms if atom.kind == "bounds"]
            lows = [b[0] for b in bounds if b[0] is not None]
            highs = [b[2] for b in bounds if b[2] is not None]
            return not lows or not highs or max(lows) <= min(highs)
        if {True, False} <= {atom.args[0] for atom in atoms if atom.kind == "unique"}:
            return False
        low, high = intersect_bounds(atoms, "size" if self._type == "array" else "length")
        return high is None or low <= high

    def _may_fit(self, members: MemberDemands, keys: Keys, fits: Formula) -> bool:
        """Return whether a member of some keys may fit; not complete."""
        if keys[0] != "names":
            return True
        (name,) = keys[1]
        return not self._space.is_refuted(self._space.both([*members.fits(name), fits]))
