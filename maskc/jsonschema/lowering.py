"""A schema into a formula, keyword by keyword, as its dialect means them.

Keywords beside each other are a conjunction. What a subschema asks of the same value is lowered in
place; a reference becomes a closed formula, so that recursion ends. Keywords that are unknown are
annotations, as the standard says.

Example: ``{"properties": {"a": {"type": "null"}}}`` is ``all {a} types null``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.automata import TooLargeError
from maskc.jsonschema.dialects import Dialect, dialect_of, enter, follow, scope_of
from maskc.jsonschema.expressions import BIT, TYPES, Formula, Keys, Space
from maskc.jsonschema.formats import LENGTHS, build_format
from maskc.jsonschema.patterns import build_pattern, split_simple
from maskc.jsonschema.scenarios import Scenarios, is_known_reference
from maskc.jsonschema.syntax import PatternError
from maskc.jsonschema.values import freeze, to_fraction
from maskc.runtime.schema.characters import CharDfa

# Of characters, items or members; one more is still a number that a plan may hold.
MAX_COUNT = 1_000_000_000_000
_EVERY: Keys = ("other", frozenset(), ())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a schema stands.

    Attributes:
        schema: parsed.
        resolver: of its references.
        pointer: JSON pointer.
        dialect: of its document.
        is_entered: whether ``resolver`` knows the schema's own identifier.
    """

    schema: Any
    resolver: Any
    pointer: str
    dialect: Dialect
    is_entered: bool = False

    def below(self, schema: Any, *steps: str | int) -> Place:
        """Return a subschema's place."""
        names = "".join(f"/{str(s).replace('~', '~0').replace('/', '~1')}" for s in steps)
        return Place(schema, self.resolver, self.pointer + names, self.dialect)


class Lowering:
    """Lowers the schemas of one compilation.

    Args:
        space: where formulas live.
        assert_formats: whether ``format`` is asserted.
        ordered: whether keys come in the order in which the schema names them.
    """

    def __init__(self, space: Space, *, assert_formats: bool, ordered: bool) -> None:
        self.space = space
        self._ordered = ordered
        self._assert_formats = assert_formats
        self._patterns: dict[str, Formula] = {}
        self._pattern_dfas: dict[str, int] = {}
        self._formats: dict[str, Formula] = {}
        # Where formulas come from, for errors.
        self.pointers: dict[Formula, str] = {}

    def lower(self, place: Place) -> Formula:
        """Return what a schema asks.

        Raises:
            SchemaError: it is no schema, or asks for what is not supported.
        """
        found = self._lower(place)
        self.pointers.setdefault(found, place.pointer)
        return found

    def _lower(self, place: Place) -> Formula:
        schema = place.schema
        if isinstance(schema, bool):
            return self.space.true if schema else self.space.false
        if not isinstance(schema, dict):
            raise self.fault(place, "", "is neither an object nor a Boolean", "write a schema")
        place = self.enter(place)
        if place.dialect.year < 2019 and "$ref" in schema:
            return self.reference(place, "$ref")
        if place.dialect.year >= 2019 and (
            "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        ):
            return self.space.either(scenario.formula for scenario in Scenarios(self).find(place))
        return self.space.both([*self.own(place), *self.in_place(place)])

    def fault(self, place: Place, keyword: str, reason: str, remedy: str) -> SchemaError:
        """Return an error at a place."""
        return SchemaError(place.pointer, keyword, reason, remedy)

    def enter(self, place: Place) -> Place:
        """Return a schema's place with its own identifier and dialect."""
        schema, dialect = place.schema, place.dialect
        if "$schema" in schema and ("$id" in schema or "id" in schema or not place.pointer):
            dialect = dialect_of(schema["$schema"], place.pointer)
            if dialect.year == 4:
                self.space.lexical = True
        if place.is_entered or "$id" not in schema and "id" not in schema:
            return Place(schema, place.resolver, place.pointer, dialect)
        return Place(schema, enter(schema, place.resolver, dialect), place.pointer, dialect)

    def reference(self, place: Place, keyword: str) -> Formula:
        """Return the closed formula of what a reference leads to."""
        target = self.target(place, keyword)
        key = (id(target.schema), scope_of(target.resolver), target.dialect.year)
        # The schema is kept alive by the place, so that its identity stays its own.
        return self.space.close(key, lambda: self.lower(target), target.pointer)

    def target(self, place: Place, keyword: str) -> Place:
        """Return the place that a reference leads to."""
        reference = place.schema[keyword]
        contents, resolver = follow(reference, place.resolver, keyword, place.pointer)
        dialect = place.dialect
        if isinstance(contents, dict) and "$schema" in contents:
            dialect = dialect_of(contents["$schema"], reference)
            if dialect.year == 4:
                self.space.lexical = True
        if not isinstance(contents, dict | bool):
            raise self.fault(place, keyword, f"{reference!r} leads to no schema", "correct it")
        return Place(contents, resolver, str(reference).removeprefix("#"), dialect, is_entered=True)

    def sub(self, place: Place, keyword: str) -> Formula:
        """Return what a keyword's schema asks."""
        return self.lower(place.below(place.schema[keyword], keyword))

    def in_place(self, place: Place) -> Iterator[Formula]:
        """Yield what subschemas ask of the same value."""
        schema, space, year = place.schema, self.space, place.dialect.year
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema and is_known_reference(keyword, year):
                yield self.reference(place, keyword)
        if "allOf" in schema:
            yield space.both(self.branches(place, "allOf"))
        if "anyOf" in schema:
            yield space.either(self.branches(place, "anyOf"))
        if "oneOf" in schema:
            yield space.exactly_one(self.branches(place, "oneOf"))
        if "not" in schema:
            yield space.negate(self.sub(place, "not"))
        if "if" in schema and year >= 7 and ("then" in schema or "else" in schema):
            asked = self.sub(place, "if")
            then = self.sub(place, "then") if "then" in schema else space.true
            otherwise = self.sub(place, "else") if "else" in schema else space.true
            yield space.either(
                [space.both([asked, then]), space.both([space.negate(asked), otherwise])]
            )
        for name, formula in self.dependents(place):
            yield space.either([self.lacks(name), formula])

    def branches(self, place: Place, keyword: str) -> list[Formula]:
        """Return what the schemas of a list ask."""
        schemas = place.schema[keyword]
        if not isinstance(schemas, list) or not schemas:
            raise self.fault(place, keyword, "is no list of schemas", "write at least one schema")
        return [self.lower(place.below(s, keyword, n)) for n, s in enumerate(schemas)]

    def lacks(self, name: str) -> Formula:
        """Return that an object lacks a key."""
        return self.space.all(("names", frozenset([name])), self.space.false)

    def has(self, name: str) -> Formula:
        """Return that an object has a key."""
        return self.space.some(("names", frozenset([name])), self.space.true)

    def dependents(self, place: Place) -> Iterator[tuple[str, Formula]]:
        """Yield keys with the schema that applies if they are there."""
        year = place.dialect.year
        if "dependentSchemas" in place.schema and year >= 2019:
            for name, schema in self._map(place, "dependentSchemas").items():
                yield name, self.lower(place.below(schema, "dependentSchemas", name))
        if "dependencies" in place.schema and year < 2019:
            for name, schema in self._map(place, "dependencies").items():
                if not isinstance(schema, list):
                    yield name, self.lower(place.below(schema, "dependencies", name))

    def _map(self, place: Place, keyword: str) -> dict[str, Any]:
        found = place.schema[keyword]
        if not isinstance(found, dict):
            raise self.fault(place, keyword, "is no object", "write names and schemas")
        return found

    def own(self, place: Place) -> Iterator[Formula]:
        """Yield what the keywords without schemas for the same value ask."""
        schema, space = place.schema, self.space
        if "type" in schema:
            yield self._type(place)
        if "enum" in schema:
            if not isinstance(schema["enum"], list):
                raise self.fault(place, "enum", "is no list", "write a list of values")
            yield space.values(
                freeze(value, f"{place.pointer}/enum/{n}") for n, value in enumerate(schema["enum"])
            )
        if "const" in schema and place.dialect.year >= 6:
            yield space.values([freeze(schema["const"], place.pointer, "const")])
        yield from self._strings(place)
        yield from self._numbers(place)
        yield from self._members(place)
        yield from self._items(place)

    def _type(self, place: Place) -> Formula:
        names = place.schema["type"]
        found = []
        for name in (
            [names] if isinstance(names, str) else names if isinstance(names, list) else [0]
        ):
            if name == "integer":
                whole = self.space.make("multiple", Fraction(1), True)
                parts = [self.space.types(BIT["number"]), whole]
                if place.dialect.year == 4:
                    self.space.lexical = True
                    parts.append(self.space.make("spelled", 1))
                found.append(self.space.both(parts))
            elif isinstance(name, str) and name in TYPES:
                found.append(self.space.types(BIT[name]))
            else:
                raise self.fault(
                    place, "type", f"is {name!r}", f"write one of {', '.join(TYPES)}, integer"
                )
        return self.space.either(found)

    def count(self, place: Place, keyword: str) -> int | None:
        """Return a keyword's number of things, ``None`` if it is not there."""
        if keyword not in place.schema:
            return None
        value = place.schema[keyword]
        number = to_fraction(value, place.pointer, keyword)
        if number.denominator != 1 or number < 0:
            raise self.fault(place, keyword, f"is {value}", "write a non-negative integer")
        if number > MAX_COUNT:
            raise self.fault(
                place,
                keyword,
                f"is more than {MAX_COUNT:,}",
                "leave out a maximum that large; no text reaches such a minimum",
            )
        return int(number)

    def _between(self, place: Place, kind: str, low: str, high: str) -> Iterator[Formula]:
        # More than high is also a list of nothing: refused as no value fits, not here.
        least, most = self.count(place, low), self.count(place, high)
        if least or most is not None:
            yield self.space.make(kind, least or 0, most)

    def _strings(self, place: Place) -> Iterator[Formula]:
        schema = place.schema
        yield from self._between(place, "length", "minLength", "maxLength")
        if "pattern" in schema:
            yield self._pattern(place, schema["pattern"])
        if "format" in schema and self._assert_formats:
            yield self._format(place, schema["format"])

    def _pattern(self, place: Place, pattern: Any) -> Formula:
        if not isinstance(pattern, str):
            raise self.fault(place, "pattern", "is no string", "write a regular expression")
        found = self._patterns.get(pattern)
        if found is None:
            found = self._patterns[pattern] = self._read_pattern(place, pattern)
        return found

    def _read_pattern(self, place: Place, pattern: str) -> Formula:
        try:
            simple = split_simple(pattern)
        except TooLargeError:
            simple = None
        if simple is None:
            return self.space.make("string", self.pattern_dfa(place, "pattern", pattern), True)
        dfa, least, most = simple
        return self.space.both(
            [
                self.space.make("string", self.space.add_dfa(dfa), True),
                self.space.make("length", least, most),
            ]
        )

    def pattern_dfa(self, place: Place, keyword: str, pattern: str) -> int:
        """Return the number of a pattern's automaton."""
        found = self._pattern_dfas.get(pattern)
        if found is None:
            dfa = self.guard(place, keyword, lambda: build_pattern(pattern), f"{pattern!r} ")
            found = self._pattern_dfas[pattern] = self.space.add_dfa(dfa)
        return found

    def guard(
        self, place: Place, keyword: str, build: Callable[[], CharDfa], subject: str = ""
    ) -> CharDfa:
        """Return an automaton; what makes that impossible is said by place and keyword."""
        try:
            return build()
        except PatternError as error:
            raise self.fault(place, keyword, f"{subject}{error}", "write another one") from None
        except (TooLargeError, RecursionError):
            raise self.fault(
                place, keyword, f"{subject}makes too large an automaton", "write a simpler one"
            ) from None

    def _format(self, place: Place, name: Any) -> Formula:
        if not isinstance(name, str):
            raise self.fault(place, "format", "is no string", "write a name")
        if name not in self._formats:
            found = self.space.true
            dfa = build_format(name)
            if isinstance(dfa, str):
                raise self.fault(place, "format", f"{name!r} {dfa}", "leave it out")
            if dfa is not None:
                found = self.space.make("string", self.space.add_dfa(dfa), True)
                if name in LENGTHS:
                    bounds = self.space.make("length", *LENGTHS[name])
                    found = self.space.both([found, bounds])
            self._formats[name] = found
        return self._formats[name]

    def _numbers(self, place: Place) -> Iterator[Formula]:
        schema, make = place.schema, self.space.make
        for keyword, exclusive in (
            ("minimum", "exclusiveMinimum"),
            ("maximum", "exclusiveMaximum"),
        ):
            is_low = keyword == "minimum"
            if place.dialect.year == 4:
                if keyword in schema:
                    bound = to_fraction(schema[keyword], place.pointer, keyword)
                    open_ = schema.get(exclusive) is True
                    yield make("bounds", *_half(bound, open_=open_, is_low=is_low))
                continue
            for name, open_ in ((keyword, False), (exclusive, True)):
                if name in schema:
                    bound = to_fraction(schema[name], place.pointer, name)
                    yield make("bounds", *_half(bound, open_=open_, is_low=is_low))
        if "multipleOf" in schema:
            factor = to_fraction(schema["multipleOf"], place.pointer, "multipleOf")
            if factor <= 0:
                raise self.fault(place, "multipleOf", "is not positive", "write a positive number")
            yield make("multiple", factor, True)

    def _members(self, place: Place) -> Iterator[Formula]:
        schema, space = place.schema, self.space
        for name in self._names(place, "required", schema.get("required", [])):
            yield self.has(name)
        yield from self._between(place, "count", "minProperties", "maxProperties")
        keyword = "dependentRequired" if place.dialect.year >= 2019 else "dependencies"
        if keyword in schema:
            for name, needed in self._map(place, keyword).items():
                if isinstance(needed, list):
                    needs = [self.has(n) for n in self._names(place, keyword, needed)]
                    yield space.either([self.lacks(name), space.both(needs)])
        if "propertyNames" in schema and place.dialect.year >= 6:
            asked = self.sub(place, "propertyNames")
            if asked is not space.true:
                yield space.all(("strings", space.negate(asked)), space.false)
        named = self._map(place, "properties") if "properties" in schema else {}
        if named and self._ordered:
            yield space.make("order", tuple(named))
        for name, inner in named.items():
            fits = self.lower(place.below(inner, "properties", name))
            yield space.all(("names", frozenset([name])), fits)
        dfas = []
        if "patternProperties" in schema:
            for pattern, inner in self._map(place, "patternProperties").items():
                dfas.append(self.pattern_dfa(place, "patternProperties", pattern))
                fits = self.lower(place.below(inner, "patternProperties", pattern))
                yield space.all(("dfa", dfas[-1]), fits)
        if "additionalProperties" in schema:
            fits = self.sub(place, "additionalProperties")
            yield space.all(("other", frozenset(named), tuple(dfas)), fits)

    def _names(self, place: Place, keyword: str, names: Any) -> list[str]:
        if place.dialect.year == 4 and isinstance(names, bool) and keyword == "required":
            return []  # draft 3 wrote it so; in draft 4 it means nothing
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self.fault(place, keyword, "is no list of names", "write a list of strings")
        return names

    def _items(self, place: Place) -> Iterator[Formula]:
        schema, space, year = place.schema, self.space, place.dialect.year
        yield from self._between(place, "size", "minItems", "maxItems")
        prefix, rest = self.split_items(place)
        for n, fits in enumerate(prefix):
            if fits is not space.true:
                yield space.make("items", n, n + 1, fits)
        if rest is not None and rest is not space.true:
            yield space.make("items", len(prefix), None, rest)
        if "contains" in schema and year >= 6:
            least = self.count(place, "minContains") if year >= 2019 else None
            most = self.count(place, "maxContains") if year >= 2019 else None
            least = 1 if least is None else least
            if least or most is not None:
                fits = self.sub(place, "contains")
                yield space.make("contains", 0, None, fits, least, most)
        if schema.get("uniqueItems") is True:
            yield space.make("unique", True)

    def split_items(self, place: Place) -> tuple[list[Formula], Formula | None]:
        """Return what is asked of the first items, and of those after them."""
        schema = place.schema
        first, other = ("prefixItems", "items")
        if place.dialect.year < 2020:
            first, other = "items", "additionalItems"
            if not isinstance(schema.get("items"), list):
                return [], self.sub(place, "items") if "items" in schema else None
        prefix = self.branches(place, first) if schema.get(first) else []
        return prefix, self.sub(place, other) if other in schema else None


def _half(
    bound: Fraction, *, open_: bool, is_low: bool
) -> tuple[Fraction | None, bool, Fraction | None, bool]:
    return (bound, open_, None, False) if is_low else (None, False, bound, open_)
