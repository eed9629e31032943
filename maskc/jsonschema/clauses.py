"""Clauses about values of one type: what is known of an option, and which options are one.

What known atoms imply, and whether they contradict each other, are sound answers and not complete:
an atom that is said to be implied is, and so is a contradiction. What is not found is found later,
when what is asked is built. So with ``a`` required and its value a string, that ``a`` is there is
implied; that its value is an integer contradicts it.

That an object lacks a key, or has it with a value that fits, is one option and not two: whatever
value the key has fits. So the negation of *has a, and it fits A* needs no branching.

Where each of several clauses can hold because a key has none of some values, taking the clauses one
after the other makes the product of their options. Whether the key is there, and which value it
has, decides them all. One of the cases always holds, so nothing is lost.

In draft 4 the spelling of a number counts: ``[1]`` and ``[1.0]`` are the same value of an ``enum``,
and only the first has integers as items. So whether a listed array fits what else is asked of it is
not known from its value; what it asks item by item is used instead of the value.

Example: for the clauses *t is not 1, or a is missing* and *t is not 2, or b is missing* the cases
are: no ``t``, ``t`` is 1, ``t`` is 2, ``t`` is something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from maskc.jsonschema.demands import Atoms, MemberDemands, intersect_bounds
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, Formula, Keys, Value, sort_key

_LEAST_CLAUSES: Final = 3
_MOST_CASES: Final = 200


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


def join_members(space: Space, options: list[Formula]) -> list[Formula]:
    """Return the options of a clause about objects, those about the same key as one."""
    groups: list[list[Formula]] = []
    of_name: dict[str, list[Formula]] = {}
    for option in options:
        atom = _member_of(option)
        if atom is None:
            groups.append([option])
            continue
        (name,) = atom.args[0][1]
        if name not in of_name:
            of_name[name] = []
            groups.append(of_name[name])
        of_name[name].append(atom)
    return [group[0] if len(group) == 1 else _join(space, group) for group in groups]


def join_existential(space: Space, options: list[Formula]) -> list[Formula]:
    """Return the options of a clause about objects, those about some member or one name as one."""
    constraints, others = list[Formula](), list[Formula]()
    for option in options:
        atoms = [option]
        if option.kind == "and":
            atoms = [part for part in option.args[0] if part.kind != "types"]
        atom = atoms[0] if len(atoms) == 1 else option
        is_one = atom.kind == "some" or atom.kind == "all" and _is_name(atom.args[0])
        (constraints if is_one else others).append(atom if is_one else option)
    return options if len(constraints) < 2 else [*others, space.any(constraints)]


def _join(space: Space, atoms: list[Formula]) -> Formula:
    fits = space.either(atom.args[1] for atom in atoms)
    keys = atoms[0].args[0]
    may_lack = any(atom.kind == "all" for atom in atoms)
    return space.all(keys, fits) if may_lack else space.some(keys, fits)


def _member_of(option: Formula) -> Formula | None:
    """Return the atom about one key that an option asks of objects, and nothing else."""
    atoms = [option]
    if option.kind == "and":
        atoms = [part for part in option.args[0] if part.kind != "types"]
        if any(p.kind == "types" and not p.args[0] & BIT["object"] for p in option.args[0]):
            return None
    if len(atoms) != 1 or atoms[0].kind not in ("all", "some"):
        return None
    return atoms[0] if _is_name(atoms[0].args[0]) else None


def _is_name(keys: Keys) -> bool:
    return keys[0] == "names" and len(keys[1]) == 1


def find_cases(space: Space, asked: list[list[Formula]]) -> list[Formula] | None:
    """Return cases of a key's value of which one holds.

    Returns:
        ``None`` if there is no key of which enough clauses ask for values.
    """
    lists: dict[str, dict[frozenset[Value], None]] = {}
    n_clauses: dict[str, int] = {}
    for atoms in asked:
        found = dict.fromkeys(_find_lists(atoms))
        for name, values in found:
            lists.setdefault(name, {})[values] = None
        for name in dict.fromkeys(name for name, _ in found):
            n_clauses[name] = n_clauses.get(name, 0) + 1
    if max(n_clauses.values(), default=0) < _LEAST_CLAUSES:
        return None
    name = max(lists, key=n_clauses.__getitem__)
    return _split(space, name, list(lists[name]))


def _find_lists(atoms: Iterable[Formula]) -> Iterator[tuple[str, frozenset[Value]]]:
    """Yield the keys that atoms ask to have some values, or none of them."""
    for atom in atoms:
        if atom.kind not in ("all", "some", "any"):
            continue
        for keys, fits in atom.args[0] if atom.kind == "any" else [atom.args]:
            if _is_name(keys):
                (name,) = keys[1]
                for part in fits.args[0] if fits.kind in ("and", "or") else [fits]:
                    if part.kind in ("values", "novalues"):
                        yield name, part.args[0]


def _split(space: Space, name: str, lists: list[frozenset[Value]]) -> list[Formula] | None:
    """Return the cases of a key: it is missing, or its value is of a class, or of none."""
    every: frozenset[Value] = frozenset[Value]().union(*lists)
    classes: dict[tuple[bool, ...], list[Value]] = {}
    for value in sorted(every, key=sort_key):
        classes.setdefault(tuple(value in listed for listed in lists), []).append(value)
    if len(classes) > _MOST_CASES:
        return None
    keys: Keys = ("names", frozenset([name]))
    fits = [*map(space.values, classes.values()), space.make("novalues", every)]
    return [space.all(keys, space.false), *(space.some(keys, one) for one in fits)]


def list_constants(atoms: Iterable[Formula]) -> dict[str, frozenset[Value]]:
    """Return the names that must be there with one of some values, and these."""
    required, found = set[str](), dict[str, frozenset[Value]]()
    for atom in atoms:
        if atom.kind not in ("all", "some") or atom.args[0][0] != "names":
            continue
        (_, names), fits = atom.args
        (name,) = names
        if atom.kind == "some":
            required.add(name)
        for part in fits.args[0] if fits.kind == "and" else [fits]:
            if part.kind == "values":
                found[name] = found.get(name, part.args[0]) & part.args[0]
    return {name: values for name, values in found.items() if name in required}


def spell_out(space: Space, value: Value) -> Formula:
    """Return what a value that is an array or an object asks of its items or members."""
    kind, held = value
    parts = [space.types(BIT[kind])]
    if kind == "array":
        parts.append(space.make("size", len(held), len(held)))
        for n, item in enumerate(held):
            parts.append(space.make("items", n, n + 1, space.values([item])))
        return space.both(parts)
    parts.append(space.make("count", len(held), len(held)))
    for name, inner in held:
        keys: Keys = ("names", frozenset([name]))
        parts.append(space.some(keys, space.values([inner])))
    return space.both(parts)
