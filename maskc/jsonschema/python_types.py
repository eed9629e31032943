"""The JSON Schema of a Python type, and what reads a JSON text as its value.

A class with ``model_json_schema()``, such as Pydantic's, tells its own schema. Any other type, a
dataclass, ``TypedDict``, ``Enum``, ``Literal``, ``list[…]`` or a union, is described by Pydantic's
``TypeAdapter``, if Pydantic is installed.

Example: ``describe_type(Literal["a", "b"])`` is ``{"enum": ["a", "b"], "type": "string"}``.
"""

from __future__ import annotations

import json
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from maskc.errors import SchemaError


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
        return _ask_pydantic(given, lambda adapter: adapter.json_schema(schema_generator=_naming()))
    pydantic = sys.modules.get("pydantic")
    usual = getattr(pydantic, "BaseModel", None)
    asked = getattr(given.model_json_schema, "__func__", None)
    if usual is not None and asked is usual.model_json_schema.__func__:
        return given.model_json_schema(schema_generator=_naming())
    return given.model_json_schema()


def _naming() -> Any:
    """Return Pydantic's generator of schemas, with a format for date-times without an offset."""
    from pydantic.json_schema import GenerateJsonSchema

    class Naming(GenerateJsonSchema):
        def datetime_schema(self, schema: Any) -> Any:
            found = super().datetime_schema(schema)
            is_naive = schema.get("tz_constraint") == "naive"
            return {**found, "format": "date-time-local"} if is_naive else found

    return Naming


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
