"""A schema into a formula, keyword by keyword, as its dialect means them.

Keywords beside each other are a conjunction. What a subschema asks of the same value is lowered in
place; a reference becomes a closed formula, so that recursion ends. Keywords that are unknown are
annotations, as the standard says.

Example: ``{"properties": {"a": {"type": "null"}}}`` is ``all {a} types null``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from maskc.formats.registry import Formats
from maskc.jsonschema.dialects import SchemaDialect
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, TYPES, Formula
from maskc.jsonschema.locations import SchemaLocation, SchemaLocations, name_draft
from maskc.jsonschema.scenarios import Scenarios, is_known_reference
from maskc.jsonschema.string_keywords import StringKeywords
from maskc.jsonschema.values import freeze, to_fraction
from maskc.jsonschema.waiting import Waiting, key_of

_ONE = Fraction(1)
# Keywords by what reads them.
_ABOUT_STRINGS = frozenset(("minLength", "maxLength", "pattern", "format"))
_ABOUT_NUMBERS = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
_ABOUT_OBJECTS = frozenset(
    (
        *("required", "minProperties", "maxProperties", "dependentRequired", "dependencies"),
        *("propertyNames", "properties", "patternProperties", "additionalProperties"),
    )
)
_ABOUT_ARRAYS = frozenset(
    (
        *("minItems", "maxItems", "prefixItems", "items", "additionalItems", "contains"),
        *("minContains", "maxContains", "uniqueItems"),
    )
)
_IN_PLACE = frozenset(
    (
        *("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if"),
        *("dependentSchemas", "dependencies"),
    )
)


class Lowering:
    """Lowers the schemas of one compilation.

    Args:
        ordered: whether keys come in the order in which the schema names them.
        dialect: of the root, and of documents that do not name theirs.
        documents: URI → parsed schema, as the caller gave them.
        waits: whether subschemas wait that can, see :mod:`maskc.jsonschema.waiting`.
    """

    def __init__(
        self,
        space: Space,
        *,
        assert_formats: bool,
        formats: Formats,
        ordered: bool,
        root: Any,
        dialect: SchemaDialect,
        documents: Mapping[str, Any],
        waits: bool = False,
    ) -> None:
        self.space = space
        self.places = SchemaLocations(root, dialect, documents, self._note_dialect)
        self._ordered = ordered
        self.strings = StringKeywords(space, assert_formats=assert_formats, formats=formats)
        self._scenarios = Scenarios(self)
        # What references say: many schemas have one of them in many places.
        self._closed: dict[Any, Formula] = {}
        self._may_wait = waits  # of what is lowered now
        self._waiting = Waiting(
            lambda place: self.places.target(place, "$ref"), self.strings.is_usual
        )
        self._later: dict[Formula, SchemaLocation] = {}  # what waits
        self._ahead: dict[Hashable, Formula] = {}  # by the keys of places
        # Where formulas come from, for errors.
        self.pointers: dict[Formula, str] = {}

    def _note_dialect(self, dialect: SchemaDialect) -> None:
        if dialect.year == 4:
            self.space.lexical = True

    def lower(self, place: SchemaLocation) -> Formula:
        found = self._lower(place)
        self.pointers.setdefault(found, place.pointer)
        return found

    def _lower(self, place: SchemaLocation) -> Formula:
        given = place.schema
        if isinstance(given, bool):
            return self.space.true if given else self.space.false
        if not isinstance(given, dict):
            remedy = "write a schema"
            if isinstance(given, list) and place.pointer.endswith("/items"):
                remedy = f"write prefixItems, or {name_draft('draft-07')}"
            raise place.fault("", "is neither an object nor a Boolean", remedy)
        place = self.places.enter(place)
        schema = place.schema
        if place.dialect.year < 2019 and "$ref" in schema:
            return self.reference(place, "$ref")
        if self._may_wait and self._waiting.compares(place):
            return self._as(waits=False, make=lambda: self._lower(place))
        if place.dialect.year >= 2019 and (
            "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        ):
            # Closed, as references may lead back to it from inside its values.
            key = ("unevaluated", id(given), place.resolver.key, place.dialect)
            return self.space.close(
                key,
                lambda: self._as(waits=False, make=lambda: self._by_scenario(place)),
                place.pointer,
            )
        parts = self.own(place)
        if not _IN_PLACE.isdisjoint(schema):
            parts += self.in_place(place)
        return self.space.both(parts)

    def _as(self, *, waits: bool, make: Callable[[], Formula]) -> Formula:
        """Return what is lowered so that what is inside may wait, or not."""
        before, self._may_wait = self._may_wait, waits
        try:
            return make()
        finally:
            self._may_wait = before

    def inside(self, place: SchemaLocation) -> Formula:
        """Lower what is asked of a value inside: closed, if it can wait."""
        if self._may_wait:
            resolved = self._waiting.resolve(place)
            is_known = resolved.dialect.year > 4 or self.space.lexical
            name = self._waiting.name(resolved) if is_known else None
            if name is not None:
                key = ("waiting", name)
                found = self.space.close(key, lambda: self.lower(resolved), resolved.pointer)
                self._later.setdefault(found, resolved)
                self.pointers.setdefault(found, resolved.pointer)
                return found
            found_ahead = self._ahead.get(key_of(resolved))
            if found_ahead is not None:
                return found_ahead
        return self.lower(place)

    def list_ahead(self, formula: Formula) -> Iterator[tuple[Formula, str]] | None:
        """Return what has to be built ahead of a formula that waits, ``None`` if it does not."""
        place = self._later.get(formula)
        if place is None:
            return None
        return self._lower_ahead(self._waiting.list_ahead(place))

    def _lower_ahead(self, places: list[SchemaLocation]) -> Iterator[tuple[Formula, str]]:
        for place in places:
            # What is built ahead is what the schema around it asks for later.
            found = self._ahead[key_of(place)] = self.lower(place)
            yield found, place.pointer

    def _by_scenario(self, place: SchemaLocation) -> Formula:
        return self.space.either(scenario.formula for scenario in self._scenarios.find(place))

    def reference(self, place: SchemaLocation, keyword: str) -> Formula:
        """Return the closed formula of what a reference leads to."""
        waits = self._may_wait
        asked = (keyword, str(place.schema[keyword]), place.resolver.key, place.dialect, waits)
        found = self._closed.get(asked)
        if found is None:
            target = self.places.target(place, keyword)

            def make() -> Formula:
                return self._as(waits=waits, make=lambda: self.lower(target))

            key = (key_of(target), waits)
            found = self.space.close(key, make, target.pointer, keyword)
            self._closed[asked] = found
        return found

    def sub(self, place: SchemaLocation, keyword: str) -> Formula:
        return self.lower(place.below(place.schema[keyword], keyword))

    def in_place(self, place: SchemaLocation) -> Iterator[Formula]:
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
            # Where branches may wait, none is negated.
            join = space.either if self._may_wait else space.exactly_one
            yield join(self.branches(place, "oneOf"))
        if "not" in schema:
            yield space.negate(self.sub(place, "not"))
        if "if" in schema and year >= 7 and ("then" in schema or "else" in schema):
            asked = self.sub(place, "if")
            then = self.sub(place, "then") if "then" in schema else space.true
            otherwise = self.sub(place, "else") if "else" in schema else space.true
            yield space.either(
                [space.both([asked, then]), space.both([space.negate(asked), otherwise])]
            )
        for name, below in self.dependents(place):
            yield space.either([self.lacks(name), self.lower(below)])

    def branches(self, place: SchemaLocation, keyword: str) -> list[Formula]:
        return [self.lower(below) for below in place.schemas(keyword)]

    def lacks(self, name: str) -> Formula:
        return self.space.all(("names", frozenset([name])), self.space.false)

    def has(self, name: str) -> Formula:
        return self.space.some(("names", frozenset([name])), self.space.true)

    def dependents(self, place: SchemaLocation) -> Iterator[tuple[str, SchemaLocation]]:
        """Yield keys with the place of the schema that applies if they are there."""
        keyword = "dependentSchemas" if place.dialect.year >= 2019 else "dependencies"
        if keyword in place.schema:
            for name, schema in place.map(keyword).items():
                if place.dialect.year >= 2019 or not isinstance(schema, list):
                    yield name, place.below(schema, keyword, name)

    def own(self, place: SchemaLocation) -> list[Formula]:
        """Return what the keywords without schemas for the same value ask."""
        schema, space = place.schema, self.space
        found = list[Formula]()
        if "type" in schema:
            found.append(self._type(place))
        if "enum" in schema:
            if not isinstance(schema["enum"], list):
                raise place.fault("enum", "is not a list", "write a list of values")
            values = [
                freeze(value, f"{place.pointer}/enum/{n}") for n, value in enumerate(schema["enum"])
            ]
            found.append(space.values(values))
        if "const" in schema and place.dialect.year >= 6:
            found.append(space.values([freeze(schema["const"], place.pointer, "const")]))
        # Most schemas have keywords about one type at most.
        if not _ABOUT_STRINGS.isdisjoint(schema):
            found += self._strings(place)
        if not _ABOUT_NUMBERS.isdisjoint(schema):
            found += self._numbers(place)
        if not _ABOUT_OBJECTS.isdisjoint(schema):
            found += self._members(place)
        if not _ABOUT_ARRAYS.isdisjoint(schema):
            found += self._items(place)
        return found

    def _type(self, place: SchemaLocation) -> Formula:
        names = place.schema["type"]
        if not isinstance(names, list):
            names = [names if isinstance(names, str) else 0]
        return self.space.either([self._one_type(place, name) for name in names])

    def _one_type(self, place: SchemaLocation, name: Any) -> Formula:
        space = self.space
        if name == "integer":
            parts = [space.types(BIT["number"]), space.make("multiple", _ONE, True)]
            if place.dialect.year == 4:
                space.lexical = True
                parts.append(space.make("spelled", 1))
            return space.both(parts)
        if isinstance(name, str) and name in TYPES:
            return space.types(BIT[name])
        remedy = f"write one of {', '.join(TYPES)}, integer"
        raise place.fault("type", f"is {name!r}", remedy)

    def _between(self, place: SchemaLocation, kind: str, low: str, high: str) -> list[Formula]:
        # More than high is also a list of nothing: refused as no value fits, not here.
        least, most = place.count(low), place.count(high)
        if least or most is not None:
            return [self._remember(place, self.space.make(kind, least or 0, most))]
        return []

    def _remember(self, place: SchemaLocation, atom: Formula) -> Formula:
        self.pointers.setdefault(atom, place.pointer)
        return atom

    def _strings(self, place: SchemaLocation) -> list[Formula]:
        found = self._between(place, "length", "minLength", "maxLength")
        return [*found, *self.strings.lower(place)]

    def _numbers(self, place: SchemaLocation) -> Iterator[Formula]:
        schema, make = place.schema, self.space.make
        for end in ("minimum", "maximum"):
            exclusive = f"exclusive{end.capitalize()}"
            named = [(end, False), (exclusive, True)]
            if place.dialect.year == 4:
                named = [(end, schema.get(exclusive) is True)]
            for keyword, open_ in named:
                if keyword in schema:
                    if isinstance(schema[keyword], bool):
                        remedy = f"write the bound itself, or {name_draft('draft-04')}"
                        raise place.fault(keyword, "is a Boolean, as in draft 4", remedy)
                    bound = to_fraction(schema[keyword], place.pointer, keyword)
                    low = (bound, open_, None, False)
                    yield make(
                        "bounds", *(low if end == "minimum" else (None, False, bound, open_))
                    )
        if "multipleOf" in schema:
            factor = to_fraction(schema["multipleOf"], place.pointer, "multipleOf")
            if factor <= 0:
                raise place.fault("multipleOf", "is not positive", "write a positive number")
            yield make("multiple", factor, True)

    def _members(self, place: SchemaLocation) -> list[Formula]:
        schema, space = place.schema, self.space
        found = list[Formula]()
        required = place.names("required", schema.get("required", []))
        found += map(self.has, required)
        found += self._between(place, "count", "minProperties", "maxProperties")
        keyword = "dependentRequired" if place.dialect.year >= 2019 else "dependencies"
        if keyword in schema:
            for name, needed in place.map(keyword).items():
                if isinstance(needed, list):
                    needs = [self.has(n) for n in place.names(keyword, needed)]
                    found.append(space.either([self.lacks(name), space.both(needs)]))
        if "propertyNames" in schema and place.dialect.year >= 6:
            asked = self.sub(place, "propertyNames")
            if asked is not space.true:
                found.append(space.all(("unlike", asked), space.false))
        named = place.map("properties") if "properties" in schema else {}
        if self._ordered and (named or required):
            found.append(space.make("order", tuple(dict.fromkeys([*named, *required]))))
        for name, inner in named.items():
            fits = self.inside(place.below(inner, "properties", name))
            found.append(space.all(("names", frozenset([name])), fits))
        dfas = []
        if "patternProperties" in schema:
            for pattern, inner in place.map("patternProperties").items():
                dfas.append(self.strings.pattern_dfa(place, "patternProperties", pattern))
                fits = self.inside(place.below(inner, "patternProperties", pattern))
                found.append(space.all(("dfa", dfas[-1]), fits))
        if "additionalProperties" in schema:
            below = place.below(schema["additionalProperties"], "additionalProperties")
            fits = self.inside(below)
            found.append(space.all(("other", frozenset(named), tuple(dfas)), fits))
        return found

    def _items(self, place: SchemaLocation) -> list[Formula]:
        schema, space, year = place.schema, self.space, place.dialect.year
        found = self._between(place, "size", "minItems", "maxItems")
        prefix, rest = self.split_items(place)
        for n, fits in enumerate(prefix):
            if fits is not space.true:
                found.append(space.make("items", n, n + 1, fits))
        if rest is not None and rest is not space.true:
            found.append(space.make("items", len(prefix), None, rest))
        if "contains" in schema and year >= 6:
            least = place.count("minContains") if year >= 2019 else None
            most = place.count("maxContains") if year >= 2019 else None
            least = 1 if least is None else least
            if least or most is not None:
                fits = self.sub(place, "contains")
                atom = space.make("contains", 0, None, fits, least, most)
                found.append(self._remember(place, atom))
        if schema.get("uniqueItems") is True:
            found.append(space.make("unique", True))
        return found

    def split_items(self, place: SchemaLocation) -> tuple[list[Formula], Formula | None]:
        """Return what is asked of the first items, and of those after them."""
        schema = place.schema
        first, other = ("prefixItems", "items")
        if place.dialect.year < 2020:
            first, other = "items", "additionalItems"
            if not isinstance(schema.get("items"), list):
                below = place.below(schema.get("items"), "items")
                return [], self.inside(below) if "items" in schema else None
        prefix = self.branches(place, first) if schema.get(first) else []
        below = place.below(schema.get(other), other)
        return prefix, self.inside(below) if other in schema else None
