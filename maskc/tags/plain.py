"""A quick check that a JSON Schema certainly compiles.

A schema of a tool is compiled when the tool is called, and that must not fail then. So a schema
that is written with the usual keywords only, with values of the right kinds, is left for later;
any other one is compiled with the request, and refused there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from maskc.tags.objects import is_name
from maskc.tags.styles import STYLES

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_NOTES = frozenset(("default", "deprecated", "description", "examples", "title"))
_OF_PARAMETERS = frozenset(
    ("type", "properties", "required", "additionalProperties", "description", "title")
)
_MAX_DEPTH = 20
_MOST_MEMBERS = 100
_MOST_SCHEMAS = 1_000
_MOST = 1_000_000
_MOST_CHARACTERS = 10_000  # of the names of properties, or of an enum


def is_plain(schema: Any) -> bool:
    """Return whether a schema is known to compile, and fast."""
    return _is_simple(schema) or _walk(schema, 0, _MOST_SCHEMAS) >= 0


def _walk(schema: Any, depth: int, left: int) -> int:
    """Return how many more schemas there may be after one, -1 if it is not plain."""
    if type(schema) is not dict or depth > _MAX_DEPTH or not left:
        return left if schema is True else -1
    left -= 1
    for keyword, value in schema.items():
        if keyword == "properties":
            if type(value) is not dict or len(value) > _MOST_MEMBERS or not _are_ascii(value):
                return -1
            left -= len(value)
            for inner in value.values():
                if left >= 0 and not _is_simple(inner):
                    left = _walk(inner, depth + 1, left)
        elif keyword == "items":
            left = _walk(value, depth + 1, left)
        elif not _is_usual(keyword, value, schema):
            return -1
        if left < 0:
            return -1
    return left


def _is_usual(keyword: str, value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a keyword without schemas in it is known to compile."""
    match keyword:
        case "type":
            return type(value) is str and value in _TYPES
        case "required":
            known = schema.get("properties")
            return _are_names(value) and type(known) is dict and known.keys() >= set(value)
        case "enum":
            return _are_names(value) and bool(value) and schema.get("type", "string") == "string"
        case "additionalProperties":
            return type(value) is bool
        case "description":
            return type(value) is str
        case "minLength" | "maxLength":
            return "enum" not in schema and _is_range(schema, "minLength", "maxLength", 0)
        case "minItems" | "maxItems":
            return _is_range(schema, "minItems", "maxItems", 0)
        case "minimum" | "maximum":
            return _is_range(schema, "minimum", "maximum", -_MOST)
    return keyword in _NOTES


def _is_range(schema: dict[str, Any], first: str, last: str, least: int) -> bool:
    low, high = schema.get(first, least), schema.get(last, _MOST)
    return type(low) is int and type(high) is int and least <= low <= high <= _MOST


def _is_simple(schema: Any) -> bool:
    if type(schema) is not dict or not 0 < len(schema) < 3:
        return False
    kind = schema.get("type")
    return (
        type(kind) is str
        and kind in _TYPES
        and (len(schema) == 1 or type(schema.get("description")) is str)
    )


def _are_names(value: Any) -> bool:
    if type(value) is not list or len(value) > _MOST_MEMBERS or not _are_ascii(value):
        return False
    return len(set(value)) == len(value)


def _are_ascii(texts: Collection[Any]) -> bool:
    try:
        return all(map(str.isascii, texts)) and sum(map(len, texts)) <= _MOST_CHARACTERS
    except TypeError:
        return False  # one of them is no text


def may_wait(schema: Any, style: str, excludes: tuple[str, ...]) -> bool:
    """Return whether a schema is known to be one that a style can write, without reading it all."""
    if STYLES[style].is_nested or type(schema) is not dict or schema.keys() - _OF_PARAMETERS:
        return False
    if schema.get("type") != "object" or not is_plain(schema):
        return False
    properties, forbidden = schema.get("properties", {}), list_forbidden(style, excludes)
    return all(
        is_name(name) and not names_forbidden(inner, forbidden)
        for name, inner in properties.items()
    )


def list_forbidden(style: str, excludes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts that no value which is written as it is may contain."""
    return tuple(dict.fromkeys((STYLES[style].forbidden or STYLES[style].close, *excludes)))


def names_forbidden(schema: Any, forbidden: tuple[str, ...]) -> bool:
    """Return whether one of the texts that a schema lists cannot be written as it is."""
    listed = schema.get("enum") if isinstance(schema, Mapping) else None
    return isinstance(listed, list) and any(
        isinstance(text, str) and word in text for text in listed for word in forbidden
    )
