"""A schema into a formula, keyword by keyword, as its dialect means them.

Keywords beside each other are a conjunction. What a subschema asks of the same value is lowered in
place; a reference becomes a closed formula, so that recursion ends. Keywords that are unknown are
annotations, as the standard says.

Example: ``{"properties": {"a": {"type": "null"}}}`` is ``all {a} types null``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from maskc.formats import Formats
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, TYPES, Formula, freeze, to_fraction
from maskc.jsonschema.keywords import SchemaDialect, pointer_to
from maskc.jsonschema.locations import SchemaLocation, SchemaLocations, name_draft
from maskc.jsonschema.scenarios import Scenarios
from maskc.jsonschema.strings import StringKeywords
from maskc.jsonschema.waiting import Waiting, is_type_only, key_of

_ONE: Final = Fraction(1)
# Keywords by what reads them.
_ABOUT_STRINGS: Final = frozenset(("minLength", "maxLength", "pattern", "format"))
_ABOUT_NUMBERS: Final = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
_ABOUT_OBJECTS: Final = frozenset(
    (
        *("required", "minProperties", "maxProperties", "dependentRequired", "dependencies"),
        *("propertyNames", "properties", "patternProperties", "additionalProperties"),
    )
)
_ABOUT_ARRAYS: Final = frozenset(
    (
        *("minItems", "maxItems", "prefixItems", "items", "additionalItems", "contains"),
        *("minContains", "maxContains", "uniqueItems"),
    )
)
# In-place applicators: what their subschemas ask is about the same value.
_ABOUT_SAME_VALUE: Final = frozenset(
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
        self.locations = SchemaLocations(root, dialect, documents, self._note_dialect)
        self._ordered = ordered
        self.strings = StringKeywords(space, assert_formats=assert_formats, formats=formats)
        self._scenarios = Scenarios(self)
        self._may_wait = waits  # of what is lowered now
        self._waiting = Waiting(
            lambda location: self.locations.target(location, "$ref"), self.strings.is_usual
        )
        self._later: dict[Formula, SchemaLocation] = {}  # what waits
        self._ahead: dict[Hashable, Formula] = {}  # by the keys of locations
        # Where formulas come from, for errors.
        self.pointers: dict[Formula, str] = {}

    def _note_dialect(self, dialect: SchemaDialect) -> None:
        if dialect.year == 4:
            self.space.lexical = True

    def lower(self, location: SchemaLocation) -> Formula:
        found = self._lower(location)
        self.pointers.setdefault(found, location.pointer)
        return found

    def _lower(self, location: SchemaLocation) -> Formula:
        given = location.schema
        if isinstance(given, bool):
            return self.space.true if given else self.space.false
        if not isinstance(given, dict):
            remedy = "write a schema"
            if isinstance(given, list) and location.pointer.endswith("/items"):
                remedy = f"write prefixItems, or {name_draft('draft-07')}"
            raise location.fault("", "is neither an object nor a Boolean", remedy)
        location = self.locations.enter(location)
        schema = location.schema
        if location.dialect.year < 2019 and "$ref" in schema:
            return self.reference(location, "$ref")
        if self._may_wait and self._waiting.compares(location):
            return self._as(waits=False, make=lambda: self._lower(location))
        if location.dialect.year >= 2019 and (
            "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        ):
            # Closed, as references may lead back to it from inside its values.
            key = ("unevaluated", id(given), location.resolver.key, id(location.dialect))
            return self.space.close(
                key,
                lambda: self._as(waits=False, make=lambda: self._by_scenario(location)),
                location.pointer,
            )
        parts = self.own(location)
        if not _ABOUT_SAME_VALUE.isdisjoint(schema):
            parts += self.about_same_value(location)
        return self.space.both(parts)

    def _as(self, *, waits: bool, make: Callable[[], Formula]) -> Formula:
        """Return what is lowered so that what is inside may wait, or not."""
        before, self._may_wait = self._may_wait, waits
        try:
            return make()
        finally:
            self._may_wait = before

    def inside(self, location: SchemaLocation) -> Formula:
        """Lower what is asked of a value inside: closed, if it can wait."""
        if self._may_wait:
            resolved = self._waiting.resolve(location)
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
        return self.lower(location)

    def list_ahead(self, formula: Formula) -> Iterator[tuple[Formula, str]] | None:
        """Return what has to be built ahead of a formula that waits, ``None`` if it does not."""
        location = self._later.get(formula)
        if location is None:
            return None
        return self._lower_ahead(self._waiting.list_ahead(location))

    def _lower_ahead(self, locations: list[SchemaLocation]) -> Iterator[tuple[Formula, str]]:
        for location in locations:
            # What is built ahead is what the schema around it asks for later.
            found = self._ahead[key_of(location)] = self.lower(location)
            yield found, location.pointer

    def _by_scenario(self, location: SchemaLocation) -> Formula:
        return self.space.either(scenario.formula for scenario in self._scenarios.find(location))

    def reference(self, location: SchemaLocation, keyword: str) -> Formula:
        """Return the closed formula of what a reference leads to."""
        waits, target = self._may_wait, self.locations.target(location, keyword)

        def make() -> Formula:
            return self._as(waits=waits, make=lambda: self.lower(target))

        return self.space.close((key_of(target), waits), make, target.pointer, keyword)

    def sub(self, location: SchemaLocation, keyword: str) -> Formula:
        return self.lower(location.below(location.schema[keyword], keyword))

    def about_same_value(self, location: SchemaLocation) -> Iterator[Formula]:
        """Yield what subschemas ask of the same value."""
        schema, space, year = location.schema, self.space, location.dialect.year
        for keyword in location.references():
            yield self.reference(location, keyword)
        if "allOf" in schema:
            yield space.both(self.branches(location, "allOf"))
        if "anyOf" in schema:
            yield space.either(self.branches(location, "anyOf"))
        if "oneOf" in schema:
            # Where branches may wait, none is negated.
            join = space.either if self._may_wait else space.exactly_one
            yield join(self.branches(location, "oneOf"))
        if "not" in schema:
            yield space.negate(self.sub(location, "not"))
        if "if" in schema and year >= 7 and ("then" in schema or "else" in schema):
            asked = self.sub(location, "if")
            then = self.sub(location, "then") if "then" in schema else space.true
            otherwise = self.sub(location, "else") if "else" in schema else space.true
            yield space.either(
                [space.both([asked, then]), space.both([space.negate(asked), otherwise])]
            )
        for name, below in self.dependents(location):
            yield space.either([self.lacks(name), self.lower(below)])

    def branches(self, location: SchemaLocation, keyword: str) -> list[Formula]:
        return [self.lower(below) for below in location.schemas(keyword)]

    def lacks(self, name: str) -> Formula:
        return self.space.all(("names", frozenset([name])), self.space.false)

    def has(self, name: str) -> Formula:
        return self.space.some(("names", frozenset([name])), self.space.true)

    def dependents(self, location: SchemaLocation) -> Iterator[tuple[str, SchemaLocation]]:
        """Yield keys with the location of the schema that applies if they are there."""
        keyword = "dependentSchemas" if location.dialect.year >= 2019 else "dependencies"
        if keyword in location.schema:
            for name, schema in location.map(keyword).items():
                if location.dialect.year >= 2019 or not isinstance(schema, list):
                    yield name, location.below(schema, keyword, name)

    def own(self, location: SchemaLocation) -> list[Formula]:
        """Return what the keywords without schemas for the same value ask."""
        schema, space = location.schema, self.space
        found = list[Formula]()
        if "type" in schema:
            found.append(self._type(location))
        if "enum" in schema:
            if not isinstance(schema["enum"], list):
                raise location.fault("enum", "is not a list", "write a list of values")
            values = [
                freeze(value, f"{location.pointer}/enum/{n}")
                for n, value in enumerate(schema["enum"])
            ]
            found.append(space.values(values))
        if "const" in schema and location.dialect.year >= 6:
            found.append(space.values([freeze(schema["const"], location.pointer, "const")]))
        # Most schemas have keywords about one type at most.
        if not _ABOUT_STRINGS.isdisjoint(schema):
            found += self._strings(location)
        if not _ABOUT_NUMBERS.isdisjoint(schema):
            found += self._numbers(location)
        if not _ABOUT_OBJECTS.isdisjoint(schema):
            found += self._members(location)
        if not _ABOUT_ARRAYS.isdisjoint(schema):
            found += self._items(location)
        return found

    def _type(self, location: SchemaLocation) -> Formula:
        names = location.schema["type"]
        if not isinstance(names, list):
            names = [names]
        return self.space.either([self._one_type(location, name) for name in names])

    def _one_type(self, location: SchemaLocation, name: Any) -> Formula:
        space = self.space
        if name == "integer":
            parts = [space.types(BIT["number"]), space.make("multiple", _ONE, True)]
            if location.dialect.year == 4:
                space.lexical = True
                parts.append(space.make("lexical_form", 1))
            return space.both(parts)
        if isinstance(name, str) and name in TYPES:
            return space.types(BIT[name])
        remedy = f"write one of {', '.join(TYPES)}, integer"
        fact = f"is {name!r}" if isinstance(name, str) else "is not a name"
        raise location.fault("type", fact, remedy)

    def _between(self, location: SchemaLocation, kind: str, low: str, high: str) -> list[Formula]:
        # More than high is also a list of nothing: refused as no value fits, not here.
        least, most = location.count(low), location.count(high)
        if least or most is not None:
            return [self._remember(location, self.space.make(kind, least or 0, most))]
        return []

    def _remember(self, location: SchemaLocation, atom: Formula) -> Formula:
        self.pointers.setdefault(atom, location.pointer)
        return atom

    def _strings(self, location: SchemaLocation) -> list[Formula]:
        found = self._between(location, "length", "minLength", "maxLength")
        return [*found, *self.strings.lower(location)]

    def _numbers(self, location: SchemaLocation) -> Iterator[Formula]:
        schema, make = location.schema, self.space.make
        for end in ("minimum", "maximum"):
            exclusive = f"exclusive{end.capitalize()}"
            named = [(end, False), (exclusive, True)]
            if location.dialect.year == 4:
                remedy = f"write it beside {end} as true, or {name_draft('draft-06')}"
                named = [(end, location.flag(exclusive, remedy))]
            for keyword, open_ in named:
                if keyword in schema:
                    if isinstance(schema[keyword], bool):
                        remedy = f"write the bound itself, or {name_draft('draft-04')}"
                        raise location.fault(keyword, "is a Boolean, as in draft 4", remedy)
                    bound = to_fraction(schema[keyword], location.pointer, keyword)
                    low = (bound, open_, None, False)
                    yield make(
                        "bounds", *(low if end == "minimum" else (None, False, bound, open_))
                    )
        if "multipleOf" in schema:
            factor = to_fraction(schema["multipleOf"], location.pointer, "multipleOf")
            if factor <= 0:
                raise location.fault("multipleOf", "is not positive", "write a positive number")
            yield make("multiple", factor, True)

    def _members(self, location: SchemaLocation) -> list[Formula]:
        schema, space = location.schema, self.space
        found = list[Formula]()
        required = location.names("required", schema.get("required", []))
        found += map(self.has, required)
        found += self._between(location, "count", "minProperties", "maxProperties")
        keyword = "dependentRequired" if location.dialect.year >= 2019 else "dependencies"
        if keyword in schema:
            for name, needed in location.map(keyword).items():
                if isinstance(needed, list) or location.dialect.year >= 2019:
                    needs = [self.has(n) for n in location.names(keyword, needed)]
                    found.append(space.either([self.lacks(name), space.both(needs)]))
        if "propertyNames" in schema and location.dialect.year >= 6:
            asked = self.sub(location, "propertyNames")
            if asked is not space.true:
                found.append(space.all(("unlike", asked), space.false))
        named = location.map("properties") if "properties" in schema else {}
        if self._ordered and (named or required):
            found.append(space.make("order", tuple(dict.fromkeys([*named, *required]))))
        for name, inner in named.items():
            if is_type_only(inner) and not location.dialect.left_out:
                fits = self._one_type(location, inner["type"])
                if fits not in self.pointers:
                    self.pointers[fits] = location.pointer + pointer_to(("properties", name))
            else:
                fits = self.inside(location.below(inner, "properties", name))
            found.append(space.all(("names", frozenset([name])), fits))
        dfas = []
        if "patternProperties" in schema:
            for pattern, inner in location.map("patternProperties").items():
                dfas.append(self.strings.pattern_dfa(location, pattern))
                fits = self.inside(location.below(inner, "patternProperties", pattern))
                found.append(space.all(("dfa", dfas[-1]), fits))
        if "additionalProperties" in schema:
            below = location.below(schema["additionalProperties"], "additionalProperties")
            fits = self.inside(below)
            found.append(space.all(("other", frozenset(named), tuple(dfas)), fits))
        return found

    def _items(self, location: SchemaLocation) -> list[Formula]:
        schema, space, year = location.schema, self.space, location.dialect.year
        found = self._between(location, "size", "minItems", "maxItems")
        prefix, rest = self.split_items(location)
        for n, fits in enumerate(prefix):
            if fits is not space.true:
                found.append(space.make("items", n, n + 1, fits))
        if rest is not None and rest is not space.true:
            found.append(space.make("items", len(prefix), None, rest))
        if "contains" in schema and year >= 6:
            least = location.count("minContains") if year >= 2019 else None
            most = location.count("maxContains") if year >= 2019 else None
            least = 1 if least is None else least
            if least or most is not None:
                fits = self.sub(location, "contains")
                atom = space.make("contains", 0, None, fits, least, most)
                found.append(self._remember(location, atom))
        if location.flag("uniqueItems", "write true or false"):
            found.append(space.make("unique", True))
        return found

    def split_items(self, location: SchemaLocation) -> tuple[list[Formula], Formula | None]:
        """Return what is asked of the first items, and of those after them."""
        schema = location.schema
        first, other = ("prefixItems", "items")
        if location.dialect.year < 2020:
            first, other = "items", "additionalItems"
            if not isinstance(schema.get("items"), list):
                below = location.below(schema.get("items"), "items")
                return [], self.inside(below) if "items" in schema else None
        prefix = self.branches(location, first) if schema.get(first, []) != [] else []
        below = location.below(schema.get(other), other)
        return prefix, self.inside(below) if other in schema else None
