"""Finds subschemas that can wait until a text reaches their value.

Of a *plain* schema it is told by its own keywords that it compiles and that some value fits it, if
what it requires of its members and items does. A plain schema with members or items waits, and so
does a pattern and a long ``enum``; what stands inside, but is not plain, is compiled ahead, so that
a schema is refused when it is compiled.

Example: ``{"properties": {"a": {"type": "string"}}}`` waits. ``{"properties": {"a": {"pattern":
"^a"}}}`` does, too, and its pattern is compiled ahead.

Limits: a schema with more than ``MOST_WAITING`` such subschemas is compiled whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.jsonschema.formulas import TYPES
from maskc.jsonschema.keywords import ASKING
from maskc.jsonschema.locations import SchemaLocation

MOST_WAITING: Final = 5_000
_MOST_NAMES: Final = 100  # of one object, or of a list of texts
_MOST: Final = 1_000_000
_MAX_DEPTH: Final = 50
_TYPES: Final = frozenset((*TYPES, "integer"))
# What says what a schema is called, or how it is meant.
_NAMING: Final = frozenset(
    ("$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor")
)
_INSIDE: Final = frozenset(
    ("properties", "items", "additionalProperties", "patternProperties", "anyOf", "oneOf")
)
_MANY_TEXTS: Final = 4  # of an enum, whose automaton takes longer to make than to wait for
_MOST_BRANCHES: Final = 8
_COMPARING: Final = frozenset(
    (
        *("not", "if", "propertyNames", "contains", "uniqueItems"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)


# Characters, sets of them, and what repeats one.
_CHARACTER = r"(?:[\w /:,@#=-]|\\[-.dws/$+*?(){}\[\]|^])"
_SET = r"(?:\[\^?(?:a-z|A-Z|0-9|a-f|A-F|[\w .,:/@+*#_]|\\[-.dws/])+-?\])"
_PART: Final = re.compile(rf"({_CHARACTER}|{_SET}|\.)([*+]?)", re.ASCII)
_SIMPLE: Final = re.compile(rf"\^?(?:(?:{_CHARACTER}|{_SET}|\.)[*+]?)*\$?", re.ASCII)
_MOST_PATTERN, _FEW_PARTS = 60, 8


class TooManyWaitingError(Exception):
    """More subschemas would wait than may."""


def is_simple_pattern(text: Any) -> bool:
    """Return whether a pattern makes a small automaton, which some string fits.

    One part of it may be repeated, before few characters; without ``^`` the start counts for one.
    """
    if type(text) is not str or len(text) > _MOST_PATTERN or not _SIMPLE.fullmatch(text):
        return False
    parts = _PART.findall(text)
    varying = [n for n, (_, loop) in enumerate(parts) if loop]
    first = -1 if not text.startswith("^") else varying[0] if varying else len(parts)
    is_one = len(varying) + (not text.startswith("^")) < 2
    return is_one and len(parts) - first <= _FEW_PARTS


class Waiting:
    """Says what can wait, for one compilation.

    Args:
        follow: returns the location that a reference leads to.
        is_usual: whether a format, at some location, is an annotation or a known automaton.
    """

    def __init__(
        self,
        follow: Callable[[SchemaLocation], SchemaLocation],
        is_usual: Callable[[SchemaLocation, Any], bool],
    ) -> None:
        self._follow, self._is_usual = follow, is_usual
        self._plain: dict[Hashable, bool] = {}
        self._seen = set[Hashable]()

    def resolve(self, location: SchemaLocation) -> SchemaLocation:
        """Return the location that a chain of references leads to; a reference if it has no end."""
        for _ in range(_MAX_DEPTH):
            after = self._step(location)
            if after is None:
                break
            location = after
        return location

    def _step(self, location: SchemaLocation) -> SchemaLocation | None:
        """Return the location of all that a schema asks, if that is one other schema."""
        schema = location.schema
        if type(schema) is not dict or has_name(schema) or location.dialect.left_out:
            return None
        if ("$ref" in schema or "allOf" in schema) and len(ASKING.intersection(schema)) == 1:
            if "$ref" in schema:
                return self._follow(location)
            whole = schema["allOf"]
            if type(whole) is list and len(whole) == 1:
                return location.below(whole[0], "allOf", 0)
        return None

    def name(self, location: SchemaLocation) -> Hashable:
        """Return what tells a schema that waits, which is no reference; ``None`` if it does not."""
        schema = location.schema
        if type(schema) is not dict:
            return None
        if not _INSIDE.isdisjoint(schema):
            return key_of(location) if self._is_plain(location, 0) else None
        texts = schema.get("enum", ())
        is_long = "pattern" in schema or type(texts) is list and len(texts) >= _MANY_TEXTS
        if not is_long or not self._is_plain(location, 0):
            return None
        # Equal patterns or texts are one position, whatever stands around them.
        return schema.get("pattern"), tuple(texts), "type" in schema

    def compares(self, location: SchemaLocation) -> bool:
        """Return whether a schema asks what fails a subschema, or which values fit it.

        What is asked of members and items is then compared, so nothing inside waits.
        """
        schema = location.schema
        # The branches of ``oneOf`` may be told apart by their types.
        return not _COMPARING.isdisjoint(schema) or (
            "oneOf" in schema and not self._are_plain(location, "oneOf", 0)
        )

    def list_ahead(self, location: SchemaLocation) -> list[SchemaLocation]:
        """Return what is not plain in a schema that waits, or in what waits inside it, each once.

        Raises:
            TooManyWaitingError: there are more subschemas than ``MOST_WAITING``.
        """
        found, open_ = list[SchemaLocation](), [location]
        while open_:
            here = open_.pop()
            for inner in _list_inside(here):
                inner = self.resolve(inner)
                key = key_of(inner)
                if isinstance(inner.schema, bool) or key in self._seen:
                    continue
                self._seen.add(key)
                if len(self._seen) > MOST_WAITING:
                    raise TooManyWaitingError
                (open_ if self._is_plain(inner, 0) else found).append(inner)
        return found

    def _is_plain(self, location: SchemaLocation, depth: int) -> bool:
        schema = location.schema
        if type(schema) is not dict:
            return schema is True
        key = key_of(location)
        found = self._plain.get(key)
        if found is None:
            self._plain[key] = False  # of what requires itself
            try:
                found = depth < _MAX_DEPTH and self._look(location, depth)
            except SchemaError:  # a reference leads nowhere
                found = False
            self._plain[key] = found
        return found

    def _look(self, location: SchemaLocation, depth: int) -> bool:
        schema: dict[str, Any] = location.schema
        after = self._step(location)
        if after is not None:
            return self._is_plain(after, depth + 1)
        if has_name(schema) or location.dialect.left_out:
            return False
        asked = ASKING.intersection(schema)
        for keyword in ("anyOf", "oneOf"):
            if keyword in asked:
                return len(asked) == 1 and self._are_plain(location, keyword, depth)
        for keyword in asked:
            if not self._is_plain_keyword(location, keyword):
                return False
        needed = [
            location.below(schema["properties"][name], "properties", name)
            if name in schema.get("properties", ())
            else location.below(schema.get("additionalProperties", True), "additionalProperties")
            for name in schema.get("required", ())
        ]
        if schema.get("minItems"):
            needed.append(location.below(schema.get("items", True), "items"))
        return all(self._is_plain(inner, depth + 1) for inner in needed)

    def _are_plain(self, location: SchemaLocation, keyword: str, depth: int) -> bool:
        """Return whether all branches are plain, and no value fits two of ``oneOf``."""
        branches = location.schema[keyword]
        if type(branches) is not list or not 0 < len(branches) <= _MOST_BRANCHES:
            return False
        types = set[str]()
        for n, branch in enumerate(branches):
            inner = self.resolve(location.below(branch, keyword, n))
            if type(inner.schema) is not dict or not self._is_plain(inner, depth + 1):
                return False
            if "anyOf" in inner.schema or "oneOf" in inner.schema:
                return False
            if keyword == "oneOf":
                own = inner.schema.get("type")
                if type(own) is not str or own in types:
                    return False
                types |= {"number", "integer"} if own in ("number", "integer") else {own}
        return True

    def _is_plain_keyword(self, location: SchemaLocation, keyword: str) -> bool:
        schema: dict[str, Any] = location.schema
        value = schema[keyword]
        match keyword:
            case "type":
                names = value if type(value) is list else [value]
                return bool(names) and all(type(n) is str and n in _TYPES for n in names)
            case "properties":
                return type(value) is dict and len(value) <= _MOST_NAMES
            case "items" | "additionalProperties":
                return type(value) is dict or type(value) is bool
            case "required":
                return _are_texts(value)
            case "enum":
                return bool(value) and _are_texts(value) and _is_alone(schema, keyword)
            case "const":
                return (
                    location.dialect.year >= 6
                    and _are_texts([value])
                    and _is_alone(schema, keyword)
                )
            case "minLength" | "maxLength":
                return _is_range(schema, "minLength", "maxLength", 0)
            case "minItems" | "maxItems":
                return _is_range(schema, "minItems", "maxItems", 0)
            case "minimum" | "maximum":
                return _is_range(schema, "minimum", "maximum", -_MOST)
            case "pattern":
                return _is_alone(schema, keyword) and is_simple_pattern(value)
            case "patternProperties":
                return (
                    type(value) is dict
                    and len(value) == 1
                    and "properties" not in schema
                    and "required" not in schema
                    and not isinstance(schema.get("additionalProperties"), dict)
                    and is_simple_pattern(*value)
                )
            case "uniqueItems":
                return type(value) is bool and "minItems" not in schema and _is_infinite(schema)
            case "format":
                has_length = "minLength" in schema or "maxLength" in schema
                return not has_length and self._is_usual(location, value)
        return False


def has_name(schema: dict[str, Any]) -> bool:
    return not _NAMING.isdisjoint(schema)


def key_of(location: SchemaLocation) -> Hashable:
    return id(location.schema), location.resolver.key, id(location.dialect)


def _list_inside(location: SchemaLocation) -> Iterator[SchemaLocation]:
    """Yield the schemas inside a plain one, except members that only have a type."""
    schema = location.schema
    for name, inner in schema.get("properties", {}).items():
        if not is_type_only(inner):
            yield location.below(inner, "properties", name)
    for pattern, inner in schema.get("patternProperties", {}).items():
        yield location.below(inner, "patternProperties", pattern)
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield location.below(schema[keyword], keyword)
    for keyword in ("anyOf", "oneOf"):
        for n, inner in enumerate(schema.get(keyword, ())):
            yield location.below(inner, keyword, n)


def is_type_only(schema: Any) -> bool:
    """Return whether a schema asks for one type, and nothing else."""
    return (
        type(schema) is dict
        and type(schema.get("type")) is str
        and schema["type"] in _TYPES
        and len(ASKING.intersection(schema)) == 1
        and not has_name(schema)
    )


def _are_texts(values: Any) -> bool:
    return (
        type(values) is list
        and len(values) <= _MOST_NAMES
        and all(type(value) is str for value in values)
    )


def _is_alone(schema: dict[str, Any], keyword: str) -> bool:
    """Return whether nothing else is asked of some texts, but that they are strings."""
    asked = ASKING.intersection(schema) - {keyword}
    return not asked or (asked == {"type"} and schema["type"] == "string")


def _is_infinite(schema: dict[str, Any]) -> bool:
    """Return whether an array's items are any strings, or any numbers."""
    items = schema.get("items")
    if type(items) is not dict or len(ASKING.intersection(items)) != 1:
        return False
    return items.get("type") in ("string", "number", "integer")


def _is_range(schema: dict[str, Any], first: str, last: str, least: int) -> bool:
    low, high = schema.get(first, least), schema.get(last, _MOST)
    return type(low) is int and type(high) is int and least <= low <= high <= _MOST
