"""What clauses about objects ask of a key: fewer options, or cases that decide many at once.

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

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, Formula, Keys, in_order
from maskc.jsonschema.values import Value, sort_key

_LEAST_CLAUSES: Final = 3
_MOST_CASES: Final = 200


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


def holds_number(value: Value) -> bool:
    """Return whether a value is a number, or has one inside."""
    kind, *held = value
    if kind == "array":
        return any(map(holds_number, held[0]))
    if kind == "object":
        return any(holds_number(inner) for _, inner in held[0])
    return bool(kind == "number")


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


def exclude(space: Space, value: Value) -> Formula:
    """Return that an array is another one than a value."""
    _, items = value
    differences = [space.negate(space.make("size", len(items), len(items)))]
    for n, item in enumerate(items):
        differences.append(space.make("items", n, n + 1, space.negate(space.values([item]))))
    return space.either(differences)


def sort_values(
    atoms: Iterable[Formula],
) -> tuple[list[Value] | None, list[Value], list[Formula]]:
    """Return the values that atoms list, those that they exclude, and the other atoms.

    The first are ``None`` where no atom lists any.
    """
    ordered = in_order(atoms)
    lists = [atom.args[0] for atom in ordered if atom.kind == "values"]
    values = sorted(frozenset.intersection(*lists), key=sort_key) if lists else None
    excluded = {value for atom in ordered if atom.kind == "novalues" for value in atom.args[0]}
    others = [atom for atom in ordered if atom.kind not in ("values", "novalues")]
    return values, sorted(excluded, key=sort_key), others
