"""What is left for later compiles for sure: a schema that fails is never plain."""

from typing import Any

import pytest

from maskc.tags.plain import is_plain

_CITY = {"type": "string", "description": "where"}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        _CITY,
        {"type": "object", "properties": {"a": _CITY, "b": {"type": "array", "items": _CITY}}},
        {"type": "string", "enum": ["a", "b"]},
        {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False},
    ],
)
def test_usual_schemas_are_plain(schema: Any) -> None:
    assert is_plain(schema)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        None,
        {"type": "text"},
        {"type": ["string"]},
        {"description": 1},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {1: {}}},
        {"properties": []},
        {"required": ["a"]},
        {"required": [1], "properties": {"a": {}}},
        {"enum": ["a"]},
        {"type": "string", "enum": []},
        {"type": "string", "enum": ["a", "a"]},
        {"additionalProperties": {}},
        {"$ref": "#/$defs/a"},
        {"allOf": [{}]},
    ],
)
def test_what_might_fail_is_not_plain(schema: Any) -> None:
    assert not is_plain(schema)


def test_a_deep_schema_is_not_plain() -> None:
    schema: Any = {}
    for _ in range(30):
        schema = {"items": schema}
    assert not is_plain(schema)


def test_very_many_schemas_are_not_plain() -> None:
    schema: Any = {"type": "string"}
    for _ in range(3):
        schema = {"type": "object", "properties": {f"p{n}": schema for n in range(20)}}
    assert not is_plain(schema)
