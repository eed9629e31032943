"""Definitions of functions as Gemini's interface writes them, as other protocols would.

``{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", …}}]}`` holds several
functions, whose schemas are of OpenAPI 3.0: types in capital letters, ``nullable``, and counts that
may be texts, as JSON of 64-bit integers has them.

Example: ``read_schema({"type": "STRING", "nullable": True})`` is
``{"anyOf": [{"type": "string"}, {"type": "null"}]}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.errors import TagError

# Deeper schemas are refused by their reader.
MAX_DEPTH = 100
LISTS = frozenset({"functionDeclarations", "function_declarations"})
_DECLARATIONS = {
    *("name", "description", "behavior", "response", "responseJsonSchema", "response_json_schema"),
    *("parameters", "parametersJsonSchema", "parameters_json_schema"),
}
_TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_COUNTS = {*("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")}
_RENAMED = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
}
# What says nothing about which values are valid. `format` of a string is `enum` or `date-time`.
_NOTES = {"propertyOrdering", "property_ordering", "example", "title", "description", "default"}


def read_declarations(entry: Mapping[str, Any], pointer: str) -> list[tuple[dict[str, Any], str]]:
    """Return the definitions of an entry as MCP has them, each with its pointer.

    Raises:
        TagError: the entry, or a declaration, has a field that is not read.
    """
    (name, *more) = entry
    declared = entry[name]
    if more:
        raise TagError(f"{pointer}/{more[0]}", "is not a function", "remove it")
    if not isinstance(declared, list | tuple):
        raise TagError(f"{pointer}/{name}", "it is not a list", "give a list of functions")
    return [
        (_read(one, f"{pointer}/{name}/{n}"), f"{pointer}/{name}/{n}")
        for n, one in enumerate(declared)
    ]


def _read(declaration: Any, pointer: str) -> dict[str, Any]:
    if not isinstance(declaration, Mapping):
        raise TagError(pointer, "it is not a function", "give an object with name and parameters")
    for field, value in declaration.items():
        if field not in _DECLARATIONS and value is not None:
            raise TagError(f"{pointer}/{field}", "a function has no such field", "remove it")
    found = {"name": declaration.get("name")}
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        if declaration.get(key) is not None:
            found["parameters"] = declaration[key]
    if declaration.get("parameters") is not None:
        if "parameters" in found:
            fact = "the schema of the arguments is given twice"
            raise TagError(pointer, fact, "give parameters or parametersJsonSchema")
        found["parameters"] = read_schema(declaration["parameters"])
    return found


def read_schema(given: Any, depth: int = 0) -> Any:
    """Return a schema of Gemini's as a JSON Schema; what is none stays as it is."""
    if not isinstance(given, Mapping) or depth > MAX_DEPTH:
        return given
    found: dict[str, Any] = {}
    for given_name, value in given.items():
        name = _RENAMED.get(given_name) or str(given_name)
        if value is None or name in _NOTES or name == "nullable":
            continue
        if name == "type":
            found[name] = value.lower() if value in _TYPES else value
        elif name in _COUNTS and isinstance(value, str) and value.isdecimal():
            found[name] = int(value)
        elif name == "format" and value == "enum":
            continue
        elif name == "properties" and isinstance(value, Mapping):
            found[name] = {key: read_schema(inner, depth + 1) for key, inner in value.items()}
        elif name == "anyOf" and isinstance(value, list | tuple):
            found[name] = [read_schema(inner, depth + 1) for inner in value]
        else:
            found[name] = read_schema(value, depth + 1) if name == "items" else value
    if given.get("nullable") is True:
        return {"anyOf": [found, {"type": "null"}]}
    return found
