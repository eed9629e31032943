"""A schema as OpenAI's strict mode reads it: every object is closed, every property is required.

The mode has no keyword that asks something of one object in several subschemas (``allOf``, ``if``,
``patternProperties``, …), since each of them would close it against the others; they are refused.

Example: ``close({"type": "object", "properties": {"a": {}}}, "")`` is ``{"type": "object",
"properties": {"a": {}}, "additionalProperties": False, "required": ["a"]}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.errors import SchemaError
from maskc.tags.objects import escape

_MAX_DEPTH = 100
_REFUSED = (
    *("allOf", "not", "if", "then", "else", "patternProperties", "dependencies"),
    *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
)
_OF_NAMES = ("properties", "$defs", "definitions")
_OF_SCHEMAS = ("items", "prefixItems", "anyOf", "oneOf")


def close(schema: Any, pointer: str, depth: int = 0) -> Any:
    """Return a schema with its objects closed.

    Raises:
        SchemaError: it has a keyword that the strict mode has not, or opens an object.
    """
    if not isinstance(schema, Mapping):
        return schema
    if depth > _MAX_DEPTH:
        raise SchemaError(pointer, "", "is nested too deep", "write it with fewer levels")
    for keyword in _REFUSED:
        if keyword in schema:
            raise _refuse(pointer, keyword, "cannot be combined with strict: true")
    found = dict(schema)
    for keyword in _OF_NAMES:
        if isinstance(schema.get(keyword), Mapping):
            found[keyword] = {
                name: close(inner, f"{pointer}/{keyword}/{escape(str(name))}", depth + 1)
                for name, inner in schema[keyword].items()
            }
    for keyword in _OF_SCHEMAS:
        inner, inside = schema.get(keyword), f"{pointer}/{keyword}"
        if isinstance(inner, list | tuple):
            found[keyword] = [close(s, f"{inside}/{n}", depth + 1) for n, s in enumerate(inner)]
        elif inner is not None:
            found[keyword] = close(inner, inside, depth + 1)
    kind = schema.get("type")
    if "properties" in schema or kind == "object" or (isinstance(kind, list) and "object" in kind):
        if schema.get("additionalProperties", False) is not False:
            raise _refuse(pointer, "additionalProperties", "opens what strict: true closes")
        required = schema.get("required", [])
        names = found.get("properties", {})
        if isinstance(required, list) and isinstance(names, Mapping):
            found["required"] = list(dict.fromkeys((*names, *required)))
        found["additionalProperties"] = False
    return found


def _refuse(pointer: str, keyword: str, reason: str) -> SchemaError:
    return SchemaError(pointer, keyword, reason, "remove it, or remove strict from the tool")
