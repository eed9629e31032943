"""Can it be told at a glance that a JSON Schema compiles?

A schema of a tool is compiled when the tool is called, and that must not fail then. So a schema
that is written with the usual keywords only, with values of the right kinds, is left for later;
any other one is compiled with the request, and refused there.

Example: ``{"type": "object", "properties": {"city": {"type": "string"}}}`` is plain;
``{"pattern": "("}`` is not.
"""

from __future__ import annotations

from typing import Any

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_NOTES = frozenset(("default", "deprecated", "description", "examples", "title"))
_MAX_DEPTH = 20
_MOST_MEMBERS = 100


def is_plain(schema: Any, depth: int = 0) -> bool:
    """Return whether a schema is known to compile, and fast."""
    if schema is True:
        return True
    if type(schema) is not dict or depth > _MAX_DEPTH:
        return False
    for keyword, value in schema.items():
        if keyword == "type":
            if type(value) is not str or value not in _TYPES:
                return False
        elif keyword == "properties":
            if type(value) is not dict or len(value) > _MOST_MEMBERS:
                return False
            for name, inner in value.items():
                if type(name) is not str or not name.isascii() or not is_plain(inner, depth + 1):
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


def _are_names(value: Any) -> bool:
    if type(value) is not list or len(value) > _MOST_MEMBERS:
        return False
    are_texts = all(type(name) is str and name.isascii() for name in value)
    return are_texts and len(set(value)) == len(value)


def _are_known(names: list[str], properties: Any) -> bool:
    return type(properties) is dict and all(name in properties for name in names)
