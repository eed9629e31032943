"""A formula about values of one type as alternatives, each a conjunction of atoms.

Conjunctions are taken apart at once; a disjunction waits as a clause. A clause of which one option
already holds is dropped, options that contradict what is known are dropped, and one option that is
left is taken (Davis, Logemann and Loveland, 1962). Only then do we branch: on which of some values
a key has, where that decides many clauses at once (:mod:`maskc.jsonschema.splitting`), otherwise on
the shortest clause.

So ``oneOf`` over objects that differ in a constant stays as many alternatives as it has branches:
that the others do not hold is implied.

Limits: more than ``MAX_ALTERNATIVES`` of one position, or ``MAX_STEPS`` in all, are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from maskc.errors import SchemaError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import ABOUT, BIT, Formula, in_order
from maskc.jsonschema.splitting import find_cases, join_members

_MANY = 100  # ways in which clauses combine, from which on a split is looked for
MAX_ALTERNATIVES = 1_000
MAX_STEPS = 100_000

Atoms = frozenset[Formula]
# Required names, what is asked of each name, and the atoms about more keys.
_Members = tuple[dict[str, None], dict[str, list[Formula]], list[Formula]]


def intersect_bounds(atoms: Atoms, kind: str) -> tuple[int, int | None]:
    """Return the least and the greatest number that the atoms of a kind leave; ``None``: any."""
    bounds = [atom.args for atom in atoms if atom.kind == kind]
    highs = [high for _, high in bounds if high is not None]
    return max((low for low, _ in bounds), default=0), min(highs, default=None)


class Alternatives:
    """Finds the alternatives of formulas.

    Args:
        space: where they live.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._n_steps = 0

    def find(self, formula: Formula, type_: str, pointer: str) -> list[Atoms]:
        """Return conjunctions of atoms about a type, one of which must hold.

        Args:
            formula: what is asked.
            type_: one of ``TYPES``.
            pointer: where it is asked, for an error.

        Raises:
            SchemaError: there are too many.
        """
        search = _Search(self._space, type_, pointer, self)
        search.run([formula], frozenset(), [])
        found = list(dict.fromkeys(search.found))
        if 1 < len(found) <= 64:
            # What asks for more than another alternative adds nothing.
            found = [a for a in found if not any(b < a for b in found)]
        return found

    def count_step(self, pointer: str, n_atoms: int) -> None:
        """Count one step of a search, the more the more atoms it looks at.

        Raises:
            SchemaError: there were too many.
        """
        self._n_steps += 1 + n_atoms // 8
        if self._n_steps > MAX_STEPS:
            raise _too_many(pointer, MAX_STEPS, "steps")


def _too_many(pointer: str, limit: int, what: str) -> SchemaError:
    return SchemaError(
        pointer,
        "",
        f"combines allOf, anyOf, oneOf, not or if in more than {limit:,} {what}",
        "make the branches differ in a required constant, or write fewer",
    )


class _Search:
    def __init__(self, space: Space, type_: str, pointer: str, counter: Alternatives) -> None:
        self._space, self._type, self._bit = space, type_, BIT[type_]
        self._pointer, self._counter = pointer, counter
        self.found: list[Atoms] = []
        # Many options are held against the same atoms, one after the other.
        self._sorted: tuple[Atoms, _Members] | None = None
        self._bases: dict[str, Formula] = {}
        self._implied: dict[tuple[Formula, Formula], bool] = {}
        self._joined: dict[Formula, list[Formula]] = {}

    def run(self, parts: list[Formula], atoms: Atoms, clauses: list[Formula]) -> None:
        """Add the alternatives of a conjunction to those that were found."""
        open_ = [(parts, atoms, clauses)]
        while open_:
            self._counter.count_step(self._pointer, 0)
            parts, atoms, clauses = open_.pop()
            known = self._take(parts, atoms, clauses)
            if known is None:
                continue
            atoms, clauses = known
            options = self._propagate(atoms, clauses)
            if options is None:
                continue
            if not options:
                final = self._filter(atoms, [])
                if final is not None:
                    self.found.append(final)
                if len(self.found) > MAX_ALTERNATIVES:
                    raise _too_many(self._pointer, MAX_ALTERNATIVES, "ways")
                continue
            cases = self._find_cases(options)
            if cases is not None:
                options.append(cases)
                place = len(options) - 1
            else:
                place = min(range(len(options)), key=lambda n: len(options[n]))
            others = [self._space.either(rest) for n, rest in enumerate(options) if n != place]
            open_ += [([option], atoms, others) for option in reversed(options[place])]

    def _find_cases(self, options: list[list[Formula]]) -> list[Formula] | None:
        """Return cases of which one holds, if branching on them is better than on a clause."""
        if self._type != "object" or prod(map(len, options)) < _MANY:
            return None
        asked = []
        for clause in options:
            opened = [units for option in clause if (units := self._open([option])) is not None]
            asked.append([atom for atoms, _ in opened for atom in in_order(atoms)])
        return find_cases(self._space, asked)

    def _take(
        self, parts: list[Formula], atoms: Atoms, clauses: list[Formula]
    ) -> tuple[Atoms, list[Formula]] | None:
        """Return what is known with some more parts, ``None`` if they contradict it."""
        units = self._open(parts)
        if units is None:
            return None
        more, waiting = units
        atoms = atoms | more
        clauses = list(dict.fromkeys([*clauses, *waiting]))
        if any(atom.kind == "values" for atom in atoms):
            filtered = self._filter(atoms, clauses)
            if filtered is None:
                return None
            if not (self._space.lexical and self._type == "number"):
                clauses = []
            atoms = filtered
        return (atoms, clauses) if self._is_consistent(atoms) else None

    def _open(self, parts: Iterable[Formula]) -> tuple[Atoms, list[Formula]] | None:
        """Return atoms and clauses of a conjunction, ``None`` if it is false."""
        space, open_, seen = self._space, list(parts), set[Formula]()
        atoms, clauses = set[Formula](), list[Formula]()
        while open_:
            part = open_.pop()
            if part in seen:
                continue
            seen.add(part)
            kind = part.kind
            if kind == "false" or kind == "types" and not part.args[0] & self._bit:
                return None
            if kind == "and":
                open_ += part.args[0]
            elif kind in ("ref", "noref"):
                inner = space.expand(space.make("ref", part.args[0]))
                open_.append(inner if kind == "ref" else space.negate(inner))
            elif kind in ("or", "one", "noone"):
                clauses.append(part)
            elif kind == "values":
                kept = frozenset(v for v in part.args[0] if v[0] == self._type)
                if not kept:
                    return None
                atoms.add(space.values(kept))
            elif kind == "novalues":
                gone = frozenset(v for v in part.args[0] if v[0] == self._type)
                if gone:
                    atoms.add(space.make("novalues", gone))
            elif ABOUT.get(kind) == self._type:
                atoms.add(part)
        return frozenset(atoms), in_order(clauses)

    def _filter(self, atoms: Atoms, clauses: list[Formula]) -> Atoms | None:
        """Return atoms with a list of values reduced to those that fit the others."""
        lists = [atom.args[0] for atom in atoms if atom.kind == "values"]
        if not lists:
            return atoms
        others = [atom for atom in atoms if atom.kind not in ("values", "spelled")]
        if not (self._space.lexical and self._type == "number"):
            others += clauses
        values = frozenset.intersection(*lists)
        kept = [v for v in values if all(self._space.holds(other, v) for other in others)]
        if not kept:
            return None
        spelled = [atom for atom in atoms if atom.kind == "spelled"]
        return frozenset([self._space.values(kept), *spelled])

    def _propagate(self, atoms: Atoms, clauses: list[Formula]) -> list[list[Formula]] | None:
        """Return the options of the clauses that are left, ``None`` if one has none."""
        left = []
        for clause in clauses:
            options = []
            for option in self._options(clause):
                self._counter.count_step(self._pointer, len(atoms))
                status = self._status(option, atoms)
                if status is True:
                    break
                if status is None:
                    options.append(option)
            else:
                if not options:
                    return None
                left.append(options)
        return left

    def _options(self, clause: Formula) -> list[Formula]:
        if clause.kind not in ("or", "one", "noone"):
            return [clause]
        space, parts = self._space, clause.args[0]
        if clause.kind == "or":
            if self._type != "object":
                return in_order(parts)
            found = self._joined.get(clause)
            if found is None:
                found = self._joined[clause] = join_members(space, in_order(parts))
            return found
        none = [space.negate(part) for part in parts]
        if clause.kind == "one":
            return [space.both([part, *none[:n], *none[n + 1 :]]) for n, part in enumerate(parts)]
        pairs = [
            space.both([left, right]) for n, left in enumerate(parts) for right in parts[n + 1 :]
        ]
        return [space.both(none), *pairs]

    def _status(self, option: Formula, atoms: Atoms) -> bool | None:
        """Return whether an option holds, if what is known decides it."""
        units = self._open([option])
        if units is None:
            return False
        more, clauses = units
        new = frozenset(atom for atom in more if not self._is_implied(atom, atoms))
        if not new and not clauses:
            return True
        together = atoms | new
        if any(atom.kind == "values" for atom in together):
            filtered = self._filter(together, clauses)
            if filtered is None:
                return False
            together = filtered
        return None if self._is_consistent(together) else False

    def _is_implied(self, atom: Formula, atoms: Atoms) -> bool:
        if atom in atoms:
            return True
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
            is_false = base is self._space.false
            known = is_false or self._space.both([base, fits]) is base
            self._implied[base, fits] = known
        return known

    def _base(self, name: str, named: dict[str, list[Formula]], general: list[Formula]) -> Formula:
        """Return what the value of a key must fit."""
        fits = list(named.get(name, ()))
        fits += [a.args[1] for a in general if self._space.contains_key(a.args[0], name)]
        return self._space.both(fits)

    def _is_consistent(self, atoms: Atoms) -> bool:
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
            return all(self._base(name, named, general) is not space.false for name in required)
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
