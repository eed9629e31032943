"""Scenarios: the ways in which a schema can hold, and the keys and items evaluated in each.

``unevaluatedProperties`` and ``unevaluatedItems`` are about what no other keyword looked at, which
depends on the branches that hold. So a schema with one of them is lowered way by way: a *scenario*
says which subschemas hold, as a formula, and what they have then evaluated.

Example: ``anyOf`` over ``a`` and ``b`` has three ways: both hold, or one of the two and not the
other.

Limits: ``MAX_SCENARIOS`` ways of a schema, and ``MAX_JOINED`` pairs of ways in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, NO_PROGRESS, Formula, Keys
from maskc.jsonschema.waiting import key_of


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What has been evaluated."""

    names: frozenset[str] = frozenset()
    dfas: frozenset[int] = frozenset()
    all_names: bool = False
    n_items: int = 0  # so many of the first items
    all_items: bool = False
    fits: tuple[Formula, ...] = ()  # and items of which one of these holds

    def __or__(self, other: Evaluated) -> Evaluated:
        return Evaluated(
            self.names | other.names,
            self.dfas | other.dfas,
            self.all_names or other.all_names,
            max(self.n_items, other.n_items),
            self.all_items or other.all_items,
            tuple(dict.fromkeys((*self.fits, *other.fits))),
        )


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way in which a schema holds."""

    formula: Formula
    evaluated: Evaluated


def join(space: Space, left: list[Scenario], right: list[Scenario]) -> list[Scenario]:
    found: dict[Evaluated, list[Formula]] = {}
    for one in left:
        for other in right:
            formula = space.both([one.formula, other.formula])
            if formula is not space.false:
                found.setdefault(one.evaluated | other.evaluated, []).append(formula)
    return [Scenario(space.either(each), evaluated) for evaluated, each in found.items()]


if TYPE_CHECKING:
    from maskc.jsonschema.locations import SchemaLocation
    from maskc.jsonschema.lowering import Lowering

MAX_SCENARIOS = 256
MAX_JOINED = 200_000


class Scenarios:
    """Finds the ways in which schemas can hold."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering, self._space = lowering, lowering.space
        self._entered: list[Any] = []  # what references lead to, on the way to here
        self._followed: dict[Any, list[Scenario]] = {}
        self._n_joined = 0

    def find(self, location: SchemaLocation) -> list[Scenario]:
        """Return the ways in which a schema can hold, with what is then evaluated.

        Each excludes the others as far as what they evaluate differs.
        """
        schema = location.schema
        if isinstance(schema, bool):
            return [Scenario(self._lowering.lower(location), Evaluated())]
        if not isinstance(schema, dict):
            raise location.fault("", "is neither an object nor a Boolean", "write a schema")
        location = self._lowering.locations.enter(location)
        if location.dialect.year < 2019 and "$ref" in location.schema:
            return self._follow(location, "$ref")  # nothing counts beside it
        found = [
            Scenario(self._space.both(self._lowering.own(location)), self._evaluated(location))
        ]
        for scenarios in self._list_applicators(location):
            found = self._join(location, found, scenarios)
            if len(found) > MAX_SCENARIOS:
                raise location.fault(
                    "unevaluatedProperties",
                    f"(or unevaluatedItems) depends on more than {MAX_SCENARIOS} combinations "
                    "of subschemas",
                    "write additionalProperties or items in each branch",
                )
        return [self._leave_none(location, scenario) for scenario in found]

    def _evaluated(self, location: SchemaLocation) -> Evaluated:
        schema = location.schema
        dfas = frozenset(
            self._lowering.strings.pattern_dfa(location, pattern)
            for pattern in schema.get("patternProperties", {})
        )
        prefix, rest = self._lowering.split_items(location)
        fits: tuple[Formula, ...] = ()
        if "contains" in schema and location.dialect.year >= 2020:
            fits = (self._lowering.sub(location, "contains"),)
        return Evaluated(
            names=frozenset(schema.get("properties", {})),
            dfas=dfas,
            all_names="additionalProperties" in schema,
            n_items=len(prefix),
            all_items=rest is not None,
            fits=fits,
        )

    def _list_applicators(self, location: SchemaLocation) -> Iterator[list[Scenario]]:
        """Yield for each applicator the scenarios in which it can hold."""
        schema, space, year = location.schema, self._space, location.dialect.year
        for keyword in location.references():
            yield self._follow(location, keyword)
        if "allOf" in schema:
            yield from map(self.find, location.schemas("allOf"))
        if "anyOf" in schema:
            yield self._any(location)
        if "oneOf" in schema:
            yield self._one(location)
        if "not" in schema:
            yield [Scenario(space.negate(self._lowering.sub(location, "not")), Evaluated())]
        if "if" in schema and year >= 7:
            yield self._conditional(location)
        for name, below in self._lowering.dependents(location):
            there = [
                Scenario(space.both([self._lowering.has(name), s.formula]), s.evaluated)
                for s in self.find(below)
            ]
            away = space.either([self._lowering.lacks(name), space.types(~BIT["object"] & 63)])
            yield [*there, Scenario(away, Evaluated())]

    def _follow(self, location: SchemaLocation, keyword: str) -> list[Scenario]:
        target = self._lowering.locations.target(location, keyword)
        key = key_of(target)
        if key in self._entered:
            raise location.fault(keyword, *NO_PROGRESS)
        found = self._followed.get(key)
        if found is None:
            self._entered.append(key)
            found = self._followed[key] = self.find(target)
            self._entered.pop()
        return found

    def _join(
        self, location: SchemaLocation, left: list[Scenario], right: list[Scenario]
    ) -> list[Scenario]:
        self._n_joined += len(left) * len(right)
        if self._n_joined > MAX_JOINED:
            raise location.fault(
                "unevaluatedProperties",
                f"(or unevaluatedItems) combines more than {MAX_JOINED:,} pairs of subschemas",
                "write additionalProperties or items in each branch",
            )
        return join(self._space, left, right)

    def _any(self, location: SchemaLocation) -> list[Scenario]:
        found = [Scenario(self._space.true, Evaluated())]
        whole = self._space.either(self._lowering.branches(location, "anyOf"))
        for n, inner in enumerate(location.schema["anyOf"]):
            below = location.below(inner, "anyOf", n)
            scenarios = self.find(below)
            if any(each.evaluated != Evaluated() for each in scenarios):
                scenarios = [
                    *scenarios,
                    Scenario(self._space.negate(self._lowering.lower(below)), Evaluated()),
                ]
                found = self._join(location, found, scenarios)
            if len(found) > MAX_SCENARIOS:
                break  # said by the caller
        return [Scenario(self._space.both([whole, f.formula]), f.evaluated) for f in found]

    def _one(self, location: SchemaLocation) -> list[Scenario]:
        formulas = self._lowering.branches(location, "oneOf")
        found = []
        for n, inner in enumerate(location.schema["oneOf"]):
            others = [self._space.negate(f) for k, f in enumerate(formulas) if k != n]
            found += [
                Scenario(self._space.both([s.formula, *others]), s.evaluated)
                for s in self.find(location.below(inner, "oneOf", n))
            ]
        return found

    def _conditional(self, location: SchemaLocation) -> list[Scenario]:
        schema, space = location.schema, self._space
        held = self.find(location.below(schema["if"], "if"))
        failed = [Scenario(space.negate(self._lowering.sub(location, "if")), Evaluated())]
        if "then" in schema:
            held = self._join(location, held, self.find(location.below(schema["then"], "then")))
        if "else" in schema:
            otherwise = self.find(location.below(schema["else"], "else"))
            failed = self._join(location, failed, otherwise)
        return [*held, *failed]

    def _leave_none(self, location: SchemaLocation, scenario: Scenario) -> Scenario:
        """Return a scenario with what the schema's own ``unevaluated…`` ask."""
        schema, space, evaluated = location.schema, self._space, scenario.evaluated
        formulas = [scenario.formula]
        if "unevaluatedProperties" in schema:
            fits = self._lowering.sub(location, "unevaluatedProperties")
            if not evaluated.all_names:
                keys: Keys = ("other", evaluated.names, tuple(sorted(evaluated.dfas)))
                formulas.append(space.all(keys, fits))
            evaluated = replace(evaluated, all_names=True)
        if "unevaluatedItems" in schema:
            fits = self._lowering.sub(location, "unevaluatedItems")
            if not evaluated.all_items:
                allowed = space.either([fits, *evaluated.fits])
                if allowed is not space.true:
                    formulas.append(space.make("items", evaluated.n_items, None, allowed))
            evaluated = replace(evaluated, all_items=True)
        return Scenario(space.both(formulas), evaluated)
