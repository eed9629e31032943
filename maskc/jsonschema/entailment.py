"""What do atoms that are known imply, and do they contradict each other?

Both answers are sound and not complete: an atom that is said to be implied is, and so is a
contradiction. What is not found is found later, when what is asked is built.

Example: with ``a`` required and its value a string, that ``a`` is there is implied; that its value
is an integer contradicts it.
"""

from __future__ import annotations

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula, Keys

Atoms = frozenset[Formula]
# Required names, what is asked of each name, and the atoms about more keys.
_Members = tuple[dict[str, None], dict[str, list[Formula]], list[Formula]]


class Entailment:
    """Answers about conjunctions of atoms of one type.

    Args:
        wishing: whether more is looked at, see :mod:`maskc.jsonschema.alternatives`.
    """

    def __init__(self, space: Space, type_: str, *, wishing: bool) -> None:
        self._space, self._type, self._wishing = space, type_, wishing
        # Many atoms are held against the same ones, one after the other.
        self._sorted: tuple[Atoms, _Members] | None = None
        self._bases: dict[str, Formula] = {}
        self._implied: dict[tuple[Formula, Formula], bool] = {}

    def implies(self, atoms: Atoms, atom: Formula) -> bool:
        """Return whether an atom is implied; not complete."""
        if atom in atoms:
            return True
        if self._type == "object" and atom.kind == "any":
            return any(self.implies(atoms, self._space.some(*pair)) for pair in atom.args[0])
        if self._type != "object" or atom.kind not in ("all", "some"):
            return False
        keys, fits = atom.args
        if keys[0] != "names" or len(keys[1]) != 1:
            return False
        (name,) = keys[1]
        if self._sorted is None or self._sorted[0] is not atoms:
            self._sorted, self._bases = (atoms, _sort_members(atoms)), {}
        required, named, general = self._sorted[1]
        if atom.kind == "some" and name not in required:
            return False
        base = self._bases.get(name)
        if base is None:
            base = self._bases[name] = self._base(name, named, general)
        known = self._implied.get((base, fits))
        if known is None:
            known = self._space.implies(base, fits, by_strings=self._wishing)
            self._implied[base, fits] = known
        return known

    def is_consistent(self, atoms: Atoms) -> bool:
        """Return whether nothing simple contradicts itself; not complete."""
        space = self._space
        for atom in atoms:
            if atom.negated is not None and atom.negated in atoms:
                return False
        if self._type == "object":
            required, named, general = _sort_members(atoms)
            counts = [atom.args for atom in atoms if atom.kind == "count"]
            low = max([len(required), *(c[0] for c in counts)])
            if any(high is not None and high < low for _, high in counts):
                return False
            for name in required:
                base = self._base(name, named, general)
                if base is space.false or self._wishing and space.is_refuted(base):
                    return False
            return all(
                any(self._may_fit(keys, fits, named, general) for keys, fits in atom.args[0])
                for atom in atoms
                if atom.kind == "any"
            )
        if self._type == "array" and {True, False} <= {
            atom.args[0] for atom in atoms if atom.kind == "unique"
        }:
            return False
        low_high = {"array": "size", "string": "length"}.get(self._type)
        if low_high is not None:
            bounds = [atom.args for atom in atoms if atom.kind == low_high]
            low = max((b[0] for b in bounds), default=0)
            return not any(high is not None and high < low for _, high in bounds)
        bounds = [atom.args for atom in atoms if atom.kind == "bounds"]
        lows = [b[0] for b in bounds if b[0] is not None]
        highs = [b[2] for b in bounds if b[2] is not None]
        return not lows or not highs or max(lows) <= min(highs)

    def _base(self, name: str, named: dict[str, list[Formula]], general: list[Formula]) -> Formula:
        """Return what the value of a key must fit."""
        fits = list(named.get(name, ()))
        fits += [a.args[1] for a in general if self._space.contains_key(a.args[0], name)]
        return self._space.both(fits)

    def _may_fit(
        self, keys: Keys, fits: Formula, named: dict[str, list[Formula]], general: list[Formula]
    ) -> bool:
        """Return whether a member of some keys may fit; not complete."""
        if keys[0] != "names" or len(keys[1]) != 1:
            return True
        (name,) = keys[1]
        return not self._space.is_refuted(
            self._space.both([self._base(name, named, general), fits])
        )


def _sort_members(atoms: Atoms) -> _Members:
    """Return required names, what is asked of each name, and the atoms about more keys."""
    required: dict[str, None] = {}
    named: dict[str, list[Formula]] = {}
    general = []
    for atom in atoms:
        if atom.kind not in ("all", "some"):
            continue
        keys, fits = atom.args
        if keys[0] == "names" and len(keys[1]) == 1:
            (name,) = keys[1]
            named.setdefault(name, []).append(fits)
            if atom.kind == "some":
                required[name] = None
        elif atom.kind == "all":
            general.append(atom)
    return required, named, general
