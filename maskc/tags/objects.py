"""What does a schema say of each parameter alone? Its properties, or why they cannot be told apart.

A style of parameters writes each in its turn, so whatever ties them together is refused by name.

Example: ``{"properties": {"n": {}}, "required": ["n"]}`` is one parameter, and it is required, as
it is where it stands in ``required`` alone;
``{"dependentRequired": {"a": ["b"]}}`` is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskc.errors import SchemaError

MAX_PARAMETERS = 1_000
NOTES = {"$comment", "$schema", "default", "deprecated", "description", "examples", "title"}
NOTES |= {"readOnly", "writeOnly", "$defs", "definitions", "strict"}
KNOWN = {"type", "properties", "required", "additionalProperties"}
KNOWN |= {"minProperties", "maxProperties"}
OF_ARRAYS = {"items", "maxItems", "minItems"}
_MOST_REFERENCES = 20


@dataclass(frozen=True, slots=True)
class Where:
    """Where a schema stands, and in which style, for what is said of it."""

    pointer: str
    style: str

    def refuse(self, place: str, keyword: str) -> SchemaError:
        return SchemaError(
            f"{self.pointer}{place}",
            keyword,
            f"cannot be written in the style {self.style}",
            "say of each property alone what it may be, or use a family with JSON arguments",
        )

    def wrong(self, keyword: str, reason: str) -> SchemaError:
        return SchemaError(self.pointer, keyword, reason, "correct it")


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """The properties of an object.

    Attributes:
        required: those that there must be, as bits.
        low, high: how many there must be, and may be; ``None``: any number.
        others: the schema of all other properties.
    """

    names: tuple[str, ...]
    schemas: tuple[Any, ...]
    required: int
    low: int
    high: int | None
    others: Any


def read_object(
    top: Mapping[str, Any], root: Mapping[str, Any], where: Where, *, is_nested: bool
) -> ObjectSchema:
    """Return the properties of an object whose parameters do not depend on each other.

    If it is nested, it is the schema of a value, which may be no object. Raises a SchemaError: the
    style cannot write what the schema asks for.
    """
    for keyword in top:
        if keyword not in KNOWN | NOTES and not (is_nested and keyword in OF_ARRAYS):
            raise where.refuse("", keyword)
    if top.get("type", "object") not in ("object", ["object"]) and not is_nested:
        raise where.wrong("type", "is not object")
    required, others = top.get("required", []), top.get("additionalProperties", True)
    if not isinstance(others, Mapping | bool):
        raise where.wrong("additionalProperties", "is no schema")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise where.wrong("required", "is no list of names")
    properties = dict(_read_properties(top, where))
    if others is False and not properties.keys() >= set(required):
        raise where.wrong("required", "names what may not be there")
    for name in required:
        # What has no schema of its own has that of all others.
        properties.setdefault(name, others)
    _check_names(properties, where)
    low, high = _read_bounds(top, properties, where)
    for name, inner in [*properties.items(), ("additionalProperties", others)]:
        _check_references(inner, name, root, where)
    names = tuple(properties)
    bits = sum(1 << names.index(name) for name in set(required))
    return ObjectSchema(names, tuple(properties.values()), bits, low, high, others)


def _read_properties(top: Mapping[str, Any], where: Where) -> Mapping[str, Any]:
    properties = top.get("properties", {})
    if not isinstance(properties, Mapping) or len(properties) > MAX_PARAMETERS:
        raise where.wrong("properties", f"is no object of at most {MAX_PARAMETERS:,} schemas")
    for name, inner in properties.items():
        if not isinstance(inner, Mapping | bool):
            raise where.wrong("properties", f"has no schema for {name!r}")
    return properties


def _check_names(properties: Mapping[str, Any], where: Where) -> None:
    if len(properties) > MAX_PARAMETERS:
        raise where.wrong("required", f"names more than {MAX_PARAMETERS:,} properties")
    for name in properties:
        if not is_name(name):
            raise where.wrong("properties", f"has the name {name!r}, which parsers cannot read")


def _read_bounds(
    top: Mapping[str, Any], properties: Mapping[str, Any], where: Where
) -> tuple[int, int | None]:
    for keyword in ("minProperties", "maxProperties"):
        count = top.get(keyword)
        if count is None:
            continue
        if type(count) is not int or count < 0:
            raise where.wrong(keyword, "is no number")
        if top.get("additionalProperties", True) is not False:
            raise where.wrong(keyword, "counts names that the schema does not give")
    high = top.get("maxProperties", len(properties))
    n_required = len(set(top.get("required", [])))
    if high < n_required or top.get("minProperties", 0) > min(high, len(properties)):
        raise where.wrong("required", "and the bounds allow no object")
    return top.get("minProperties", 0), top.get("maxProperties")


def _check_references(schema: Any, name: str, root: Mapping[str, Any], where: Where) -> None:
    """Refuse references that mean something else once a value's schema stands alone."""
    open_ = [schema, *(root.get(key) for key in ("$defs", "definitions"))]
    while open_:
        here = open_.pop()
        if isinstance(here, Mapping):
            for keyword in ("$id", "$anchor", "$dynamicRef", "$recursiveRef", "$dynamicAnchor"):
                if keyword in here:
                    raise where.refuse(f"/properties/{escape(name)}", keyword)
            target = here.get("$ref")
            if isinstance(target, str) and not target.startswith(("#/$defs/", "#/definitions/")):
                raise where.refuse(f"/properties/{escape(name)}", "$ref")
            for keyword, inner in here.items():
                is_named = keyword == "properties" and isinstance(inner, Mapping)
                open_ += inner.values() if is_named else [inner]
        elif isinstance(here, list):
            open_ += here


def resolve(top: Any, root: Mapping[str, Any], where: Where, place: str = "") -> Mapping[str, Any]:
    """Return what the top of a schema refers to; SchemaError if it is no schema of an object."""
    for _ in range(_MOST_REFERENCES):
        if not isinstance(top, Mapping):
            break
        if "$ref" not in top:
            return top
        others = set(top) - NOTES - {"$ref", "type"}
        parts = str(top["$ref"]).split("/")
        if others or len(parts) != 3 or parts[0] != "#":
            raise where.refuse(place, "$ref")
        found = root.get(parts[1])
        top = found.get(parts[2]) if isinstance(found, Mapping) else None
    raise SchemaError(f"{where.pointer}{place}", "", "is no schema of an object", "give an object")


def is_name(name: Any) -> bool:
    """Return whether a name of a property has no delimiters, and no blanks that parsers strip."""
    return (
        isinstance(name, str)
        and bool(name)
        and name == name.strip()
        and not any(character in '<>"|&=' or character < " " for character in name)
        and not any(0xD800 <= ord(character) <= 0xDFFF for character in name)
    )


def escape(name: str) -> str:
    """Return a name as a part of a JSON pointer.

    >>> escape("a/b")
    'a~1b'
    """
    return name.replace("~", "~0").replace("/", "~1")
