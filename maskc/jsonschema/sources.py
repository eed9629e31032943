"""Schemas in other forms: Python types, and schemas of an OpenAPI or Swagger document.

A class with ``model_json_schema()``, such as Pydantic's, tells its own schema. Any other type, a
dataclass, ``TypedDict``, ``Enum``, ``Literal``, ``list[…]`` or a union, is described by Pydantic's
``TypeAdapter``, if Pydantic is installed.

Schemas of OpenAPI 3.0 and Swagger 2.0 are read as draft 4, which has their Boolean
``exclusiveMinimum`` and the siblings of ``$ref`` that say nothing. ``nullable`` adds null to the
``type`` beside it, and says nothing without one. Those of 3.1 and later are JSON Schema 2020-12. In
all of them a ``discriminator`` beside ``oneOf`` or ``anyOf`` asks its property to name the schema
that a reference leads to: by the names of its ``mapping``, or else by the schema's own.

Example: ``describe_type(Literal["a", "b"])`` is ``{"enum": ["a", "b"], "type": "string"}``. With
the component ``Pet``, a document becomes ``{"$ref": "#/components/schemas/Pet", …}``.

Source: the OpenAPI Specification 3.0.4 and 3.1.1, Schema Object and Discriminator Object.
"""

from __future__ import annotations

import json
import sys
import types
import typing
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import pointer_to, subschemas_of


def is_type(given: Any) -> bool:
    """Return whether something is a Python type, or Pydantic's adapter of one."""
    return type(given) not in (dict, str, bool) and (
        isinstance(given, type | types.UnionType | typing.NewType)
        or typing.get_origin(given) is not None
        or type(given).__name__ == "TypeAliasType"
        or _is_adapter(given)
    )


def adapt_type(given: Any) -> Any:
    """Return what the functions below ask of a type: a class, or Pydantic's adapter, made once.

    Raises:
        SchemaError: as :func:`describe_type`.
    """
    is_class = hasattr(given, "model_json_schema")
    return given if is_class else _ask_pydantic(given, lambda adapter: adapter)


def describe_type(given: Any) -> Any:
    """Return the schema of a type, as parsed JSON.

    Raises:
        SchemaError: Pydantic is not installed, or has no JSON Schema of the type.
    """
    if not hasattr(given, "model_json_schema"):
        return _ask_pydantic(
            given, lambda adapter: adapter.json_schema(schema_generator=_generator())
        )
    pydantic = sys.modules.get("pydantic")
    usual = getattr(pydantic, "BaseModel", None)
    asked = getattr(given.model_json_schema, "__func__", None)
    if usual is not None and asked is usual.model_json_schema.__func__:
        return given.model_json_schema(schema_generator=_generator())
    return given.model_json_schema()


def _generator() -> Any:
    """Return the generator of schemas that Pydantic is given, once it is installed."""
    from maskc.jsonschema.pydantic_schemas import NarrowJsonSchema

    return NarrowJsonSchema


def read_as(given: Any) -> Callable[[str], Any]:
    """Return what makes a value of a type from a JSON text.

    What it raises for a text that is not valid is Pydantic's ``ValidationError``. A class that only
    has ``model_json_schema()`` gets parsed JSON.

    Raises:
        SchemaError: as :func:`describe_type`.
    """
    if hasattr(given, "model_json_schema"):
        return getattr(given, "model_validate_json", json.loads)
    read: Callable[[str], Any] = _ask_pydantic(given, lambda adapter: adapter.validate_json)
    return read


def _is_adapter(given: Any) -> bool:
    return hasattr(given, "validate_json") and hasattr(given, "json_schema")


def _ask_pydantic(given: Any, ask: Callable[[Any], Any]) -> Any:
    name = getattr(given, "__name__", None) or f"{given!r:.60}"
    try:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
    except ImportError:
        fact = f"is the Python type {name}, which Pydantic describes, and that is not installed"
        raise SchemaError("", "", fact, "pip install pydantic, or give a JSON Schema") from None
    try:
        return ask(given if _is_adapter(given) else TypeAdapter(given))
    except (PydanticUserError, PydanticUndefinedAnnotation) as error:
        told = error.message.splitlines()[0].rstrip(".")
        fact = f"is the Python type {name}, which Pydantic does not describe ({told})"
        raise SchemaError("", "", fact, "give a type whose values are JSON") from None


_DRAFT_4 = "http://json-schema.org/draft-04/schema#"
_BASE = "https://spec.openapis.org/oas/"  # how the dialects of OpenAPI itself begin


def read_component(parsed: Any, component: str) -> dict[str, Any]:
    """Return the schema of a component, with all others that it refers to.

    Args:
        parsed: the document, as parsed JSON.
        component: its name in ``components/schemas``, or in ``definitions``.

    Raises:
        SchemaError: it is no such document, there is no such component, or a discriminator cannot
            be read.
    """
    version = parsed.get("openapi") if isinstance(parsed, dict) else None
    if isinstance(version, str):
        pointer, holder = "/components/schemas", parsed.get("components")
        named = holder.get("schemas") if isinstance(holder, dict) else None
    elif isinstance(parsed, dict) and isinstance(parsed.get("swagger"), str):
        pointer, named = "/definitions", parsed.get("definitions")
    else:
        fact = "is no OpenAPI document, so it has no component"
        raise SchemaError("", "", fact, "leave out the component")
    if not isinstance(named, dict) or component not in named:
        near = get_close_matches(component, map(str, named or ()), 3) or list(named or ())[:3]
        remedy = f"give one of {', '.join(near)}" if near else "give a document with schemas"
        raise SchemaError(pointer, "", f"there is no component {component!r}", remedy)
    is_old = pointer == "/definitions" or str(version).startswith("3.0")
    schemas = {
        name: _convert(named[name], f"{pointer}/{name}", is_old=is_old)
        for name in _list_needed(named, component, f"#{pointer}/")
    }
    escaped = component.replace("~", "~0").replace("/", "~1")
    found = {"$ref": f"#{pointer}/{escaped}"}
    dialect = _DRAFT_4 if is_old else parsed.get("jsonSchemaDialect", _BASE)
    if not (isinstance(dialect, str) and dialect.startswith(_BASE)):
        found["$schema"] = dialect
    if pointer == "/definitions":
        return {**found, "definitions": schemas}
    return {**found, "components": {"schemas": schemas}}


def read_schema_object(parsed: Any) -> dict[str, Any]:
    """Return a schema as OpenAPI 3.0 writes it, outside of a document, as a JSON Schema.

    Raises:
        SchemaError: it is not an object, or a discriminator cannot be read.
    """
    if not isinstance(parsed, dict):
        raise SchemaError("", "", "is not a schema of OpenAPI", "give an object")
    found = {**_convert(parsed, "", is_old=True), "$schema": _DRAFT_4}
    holder = found.get("components")
    named = holder.get("schemas") if isinstance(holder, dict) else None
    if isinstance(named, dict):
        pointer = "/components/schemas"
        schemas = {
            name: _convert(one, f"{pointer}/{name}", is_old=True) for name, one in named.items()
        }
        found["components"] = {"schemas": schemas}
    return found


def _list_needed(named: Mapping[str, Any], component: str, prefix: str) -> list[str]:
    """Return the names of schemas that a component needs, in the document's order."""
    needed, todo = {component}, [named[component]]
    while todo:
        here = todo.pop()
        if isinstance(here, dict | list):
            todo += here.values() if isinstance(here, dict) else here
        if isinstance(here, str) and here.startswith(prefix):  # a reference, or in a mapping
            name = here.removeprefix(prefix).partition("/")[0]
            name = name.replace("~1", "/").replace("~0", "~")
            if name in named and name not in needed:
                needed.add(name)
                todo.append(named[name])
    return [name for name in named if name in needed]


def _convert(schema: Any, pointer: str, *, is_old: bool) -> Any:
    """Return a schema with its ``nullable`` and discriminators in JSON Schema's words."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for (keyword, *steps), inner in subschemas_of(schema, None):
        path = (keyword, *steps)
        made = _convert(inner, f"{pointer}{pointer_to(path)}", is_old=is_old)
        if not steps:
            found[keyword] = made
            continue
        if found[keyword] is schema[keyword]:
            found[keyword] = schema[keyword].copy()
        found[keyword][steps[0]] = made
    if is_old and (found.get("nullable") is True or found.get("x-nullable") is True):
        kind = found.get("type")
        if isinstance(kind, str):
            found["type"] = [kind, "null"]
    told = found.get("discriminator")
    for name in ("oneOf", "anyOf"):
        if isinstance(told, dict) and isinstance(found.get(name), list):
            found[name] = [
                _tell(one, told, f"{pointer}/{name}/{n}") for n, one in enumerate(found[name])
            ]
    return found


def _tell(alternative: Any, told: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """Return an alternative with the names of its schema as values of the discriminator."""
    reference = alternative.get("$ref") if isinstance(alternative, dict) else None
    name, mapping = told.get("propertyName"), told.get("mapping", {})
    if not isinstance(name, str) or not isinstance(mapping, dict):
        fact = "has no propertyName, or a mapping that is not an object"
        raise SchemaError(pointer, "discriminator", fact, "give both as OpenAPI has them")
    if not isinstance(reference, str):
        fact = "names schemas that are referred to, and this one is written in its place"
        raise SchemaError(pointer, "discriminator", fact, "give it a name, and refer to it")
    own = reference.rpartition("/")[2]
    values = [value for value, target in mapping.items() if target in (reference, own)] or [own]
    asked = {"type": "object", "properties": {name: {"enum": values}}, "required": [name]}
    return {"allOf": [alternative, asked]}
