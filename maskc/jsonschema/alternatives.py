"""A formula about values of one type as alternatives, each a conjunction of atoms.

Conjunctions are taken apart at once; a disjunction waits as a clause. A clause of which one option
already holds is dropped, options that contradict what is known are dropped, and one option that is
left is taken (Davis, Logemann and Loveland, 1962). Only then do we branch: on which of some values
a key has, where that decides many clauses at once (:mod:`maskc.jsonschema.clauses`), otherwise on
the shortest clause.

Where that makes more than ``MAX_PLAIN`` alternatives of an object, we begin anew, and the options
of a clause that ask for some member, or about one name, become one, which an object's rule has as
an *existential constraint*: that one of several members fits, or one of some names is missing. What
is multiplied then is what one member can do for several clauses, and not what each of them can fail
of. More is looked at there: what references say in a clause, and which strings patterns exclude.

So ``oneOf`` over objects that differ in a constant stays as many alternatives as it has branches:
that the others do not hold is implied. Where a key that all of them require tells them apart, it is
not even asked.

Limits: more than ``MAX_ALTERNATIVES`` of one position, or ``MAX_STEPS`` in all, are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final

from maskc.errors import SchemaError
from maskc.jsonschema.clauses import (
    Entailment,
    find_cases,
    join_existential,
    join_members,
    list_constants,
    spell_out,
)
from maskc.jsonschema.demands import Atoms
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import (
    ABOUT,
    BIT,
    Formula,
    Value,
    holds_number,
    in_order,
    sort_key,
    types_of,
)

_MANY: Final = 100  # ways in which clauses combine, from which on a split is looked for
MAX_PLAIN = 1_000
MAX_ALTERNATIVES = 1_000
MAX_STEPS: Final = 100_000


class Alternatives:
    """Finds the alternatives of formulas."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._n_steps = 0

    def find(self, formula: Formula, type_: str, pointer: str) -> list[Atoms]:
        """Return conjunctions of atoms about a type, one of which must hold."""
        if formula.kind == "types" or formula is self._space.true:
            return [frozenset()] if types_of(formula) & BIT[type_] else []
        atoms = _list_atoms(formula, type_)
        if atoms is not None:
            entailment = Entailment(self._space, type_, joins_existential=False)
            return [atoms] if entailment.is_consistent(atoms) else []
        search = _Search(self._space, type_, pointer, self)
        is_object = type_ == "object"
        if not search.run(formula, MAX_PLAIN if is_object else MAX_ALTERNATIVES):
            search = _Search(self._space, type_, pointer, self, joins_existential=True)
            if not is_object or not search.run(formula, MAX_ALTERNATIVES):
                raise _too_many(pointer, MAX_ALTERNATIVES, "ways")
        found = list(dict.fromkeys(search.found))
        if 1 < len(found) <= 64:
            # What asks for more than another alternative adds nothing.
            found = [a for a in found if not any(b < a for b in found)]
        return found

    def count_step(self, pointer: str, n_atoms: int) -> None:
        """Count one step of a search, the more the more atoms it looks at."""
        self._n_steps += 1 + n_atoms // 8
        if self._n_steps > MAX_STEPS:
            raise _too_many(pointer, MAX_STEPS, "steps")


def _list_atoms(formula: Formula, type_: str) -> Atoms | None:
    """Return the atoms about a type, ``None`` if a formula is not a conjunction of atoms alone."""
    found = list[Formula]()
    for part in formula.args[0] if formula.kind == "and" else [formula]:
        about = ABOUT.get(part.kind)
        if about == type_:
            found.append(part)
        elif about is None and (part.kind != "types" or not part.args[0] & BIT[type_]):
            return None
    return frozenset(found)


def _too_many(pointer: str, limit: int, what: str) -> SchemaError:
    return SchemaError(
        pointer,
        "",
        f"combines allOf, anyOf, oneOf, not or if in more than {limit:,} {what}",
        "make the branches differ in a required constant, or write fewer",
    )


class _Search:
    """Finds the alternatives of one formula.

    Args:
        joins_existential: whether options that ask for some member become one.
    """

    def __init__(
        self,
        space: Space,
        type_: str,
        pointer: str,
        counter: Alternatives,
        *,
        joins_existential: bool = False,
    ) -> None:
        self._space, self._type, self._bit = space, type_, BIT[type_]
        self._pointer, self._counter, self._joins_existential = pointer, counter, joins_existential
        self.found: list[Atoms] = []
        self._entailment = Entailment(space, type_, joins_existential=joins_existential)
        self._required: Atoms | None = None  # atoms of all alternatives that ask for a member
        self._joined: dict[Formula, list[Formula]] = {}
        self._opened: dict[Formula, tuple[Atoms, list[Formula]] | None] = {}

    def run(self, formula: Formula, most: int) -> bool:
        """Find the alternatives of a formula; return whether they are no more than so many."""
        open_: list[tuple[list[Formula], Atoms, list[Formula]]] = [([formula], frozenset(), [])]
        while open_:
            self._counter.count_step(self._pointer, 0)
            parts, atoms, clauses = open_.pop()
            known = self._take(parts, atoms, clauses)
            if known is None:
                continue
            atoms, clauses = known
            if self._required is None:  # what holds now holds of all alternatives
                self._required = frozenset([atom for atom in atoms if atom.kind == "some"])
            options = self._propagate(atoms, clauses)
            if options is None:
                continue
            if not options:
                final = self._filter(atoms, [])
                if final is not None:
                    self.found.append(final)
                if len(self.found) > most:
                    return False
                continue
            if self._joins_existential:
                options = [join_existential(self._space, clause) for clause in options]
            cases = self._find_cases(options)
            if cases is not None:
                options.append(cases)
                index = len(options) - 1
            else:
                index = min(range(len(options)), key=lambda n: len(options[n]))
            others = [self._space.either(rest) for n, rest in enumerate(options) if n != index]
            open_ += [([option], atoms, others) for option in reversed(options[index])]
        return True

    def _find_cases(self, options: list[list[Formula]]) -> list[Formula] | None:
        if self._type != "object" or prod(map(len, options)) < _MANY:
            return None
        asked = []
        for clause in options:
            opened = [units for option in clause if (units := self._open_one(option)) is not None]
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
            if self._has_spellings(atoms):
                return self._spell_out(atoms, clauses)
            filtered = self._filter(atoms, clauses)
            if filtered is None:
                return None
            if not (self._space.lexical and self._type == "number"):
                clauses = []
            atoms = filtered
        return (atoms, clauses) if self._entailment.is_consistent(atoms) else None

    def _open_one(self, option: Formula) -> tuple[Atoms, list[Formula]] | None:
        """Return the same of an option, which is opened once for all that it is held against."""
        if option not in self._opened:
            self._opened[option] = self._open([option])
        return self._opened[option]

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
                excluded = frozenset(v for v in part.args[0] if v[0] == self._type)
                if excluded:
                    atoms.add(space.make("novalues", excluded))
            elif ABOUT.get(kind) == self._type:
                atoms.add(part)
        return frozenset(atoms), in_order(clauses)

    def _has_spellings(self, atoms: Atoms) -> bool:
        """Return whether spellings tell whether listed arrays or objects fit, as in draft 4."""
        return (
            self._space.lexical
            and self._type in ("array", "object")
            and any(a.kind == "values" and any(map(holds_number, a.args[0])) for a in atoms)
        )

    def _spell_out(
        self, atoms: Atoms, clauses: list[Formula]
    ) -> tuple[Atoms, list[Formula]] | None:
        """Return the same with a clause of what listed values ask, if anything else is asked."""
        others = frozenset(atom for atom in atoms if atom.kind != "values")
        values = frozenset.intersection(*(a.args[0] for a in atoms - others))
        if not values or not self._entailment.is_consistent(others):
            return None
        if not others and not clauses:
            return frozenset([self._space.values(values)]), clauses
        formulas = [spell_out(self._space, value) for value in sorted(values, key=sort_key)]
        return others, [*clauses, self._space.either(formulas)]

    def _filter(self, atoms: Atoms, clauses: list[Formula]) -> Atoms | None:
        """Return atoms with a list of values reduced to those that fit the others."""
        lists = [atom.args[0] for atom in atoms if atom.kind == "values"]
        if not lists or self._has_spellings(atoms):
            return atoms
        others = [atom for atom in atoms if atom.kind not in ("values", "lexical_form")]
        if not (self._space.lexical and self._type == "number"):
            others += clauses
        values = frozenset.intersection(*lists)
        kept = [v for v in values if all(self._space.holds(other, v) for other in others)]
        if not kept:
            return None
        lexical_form = [atom for atom in atoms if atom.kind == "lexical_form"]
        return frozenset([self._space.values(kept), *lexical_form])

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
                found = self._spread(parts) if self._joins_existential else in_order(parts)
                found = self._joined[clause] = join_members(space, found)
            return found
        if clause.kind == "one":
            if clause not in self._joined:
                self._joined[clause] = self._list_exclusive(parts)
            return self._joined[clause]
        none = [space.negate(part) for part in parts]
        pairs = [
            space.both([left, right]) for n, left in enumerate(parts) for right in parts[n + 1 :]
        ]
        return [space.both(none), *pairs]

    def _list_exclusive(self, parts: Iterable[Formula]) -> list[Formula]:
        """Return options of which one holds iff exactly one of some parts does."""
        required = self._required or frozenset()
        found, used, are_apart = list[Formula](), dict[str, frozenset[Value]](), True
        for part in parts:
            units = self._open_one(part)
            if units is None:
                continue
            constants = list_constants(units[0] | required)
            if found:
                used = {
                    name: values | constants[name]
                    for name, values in used.items()
                    if name in constants and values.isdisjoint(constants[name])
                }
            else:
                used = constants
            are_apart = are_apart and bool(used)
            found.append(part)
        if are_apart or len(found) < 2:
            return found
        both, none = self._space.both, [self._space.negate(part) for part in found]
        return [both([part, *none[:n], *none[n + 1 :]]) for n, part in enumerate(found)]

    def _spread(self, parts: Iterable[Formula]) -> list[Formula]:
        """Return the parts of a disjunction, those of references in the place of these."""
        found, open_ = list[Formula](), in_order(parts)[::-1]
        while open_:
            part = open_.pop()
            if part.kind in ("ref", "noref"):
                inner = self._space.expand(part)
                open_.append(inner if part.kind == "ref" else self._space.negate(inner))
            elif part.kind == "or":
                open_ += in_order(part.args[0])[::-1]
            else:
                found.append(part)
        return found

    def _status(self, option: Formula, atoms: Atoms) -> bool | None:
        """Return whether an option holds, if what is known decides it."""
        units = self._open_one(option)
        if units is None:
            return False
        more, clauses = units
        new = frozenset(atom for atom in more if not self._entailment.implies(atoms, atom))
        if not new and not clauses:
            return True
        together = atoms | new
        if any(atom.kind == "values" for atom in together):
            filtered = self._filter(together, clauses)
            if filtered is None:
                return False
            together = filtered
        return None if self._entailment.is_consistent(together) else False
