"""Can it be told at a glance that a JSON Schema compiles?

A schema of a tool is compiled when the tool is called, and that must not fail then. So a schema
that is written with the usual keywords only, with values of the right kinds, is left for later;
any other one is compiled with the request, and refused there.

Example: ``{"type": "object", "properties": {"city": {"type": "string"}}}`` is plain;
``{"pattern": "("}`` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_NOTES = frozenset(("default", "deprecated", "description", "examples", "title"))
_MAX_DEPTH = 20
_MOST_MEMBERS = 100


def is_plain(schema: Any, depth: int = 0) -> bool:
    """Return whether a schema is known to compile, and fast."""
    if type(schema) is not dict or depth > _MAX_DEPTH:
        return schema is True
    if _is_simple(schema):
        return True
    for keyword, value in schema.items():
        if keyword == "type":
            if type(value) is not str or value not in _TYPES:
                return False
        elif keyword == "properties":
            if type(value) is not dict or len(value) > _MOST_MEMBERS or not _are_ascii(value):
                return False
            for inner in value.values():
                if not _is_simple(inner) and not is_plain(inner, depth + 1):
                    return False
        elif keyword == "items":
            if not is_plain(value, depth + 1):
                return False
        elif keyword == "required":
            if not _are_names(value) or not _are_known(value, schema.get("properties")):
                return False
        elif keyword == "enum":
            if not _are_names(value) or not value or schema.get("type") != "string":
                return False
        elif keyword == "additionalProperties":
            if type(value) is not bool:
                return False
        elif keyword == "description":
            if type(value) is not str:
                return False
        elif keyword not in _NOTES:
            return False
    return True


def _is_simple(schema: Any) -> bool:
    """Return whether it is a type, or a type and a description, as most are."""
    if type(schema) is not dict or not 0 < len(schema) < 3:
        return False
    kind = schema.get("type")
    return (
        type(kind) is str
        and kind in _TYPES
        and (len(schema) == 1 or type(schema.get("description")) is str)
    )


def _are_names(value: Any) -> bool:
    """Return whether it is a list of different texts."""
    if type(value) is not list or len(value) > _MOST_MEMBERS or not _are_ascii(value):
        return False
    return len(set(value)) == len(value)


def _are_ascii(texts: Iterable[Any]) -> bool:
    try:
        return all(map(str.isascii, texts))
    except TypeError:
        return False  # one of them is no text


def _are_known(names: list[str], properties: Any) -> bool:
    return type(properties) is dict and properties.keys() >= set(names)
