"""What is left for later compiles for sure: a schema that fails is never plain."""

import random

import pytest

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.schema.plan import JsonLayout
from maskc.tags.styles import is_plain

_CITY = {"type": "string", "description": "where"}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        _CITY,
        {"type": "object", "properties": {"a": _CITY, "b": {"type": "array", "items": _CITY}}},
        {"type": "string", "enum": ["a", "b"]},
        {"enum": ["a"]},
        {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False},
        {"type": "string", "minLength": 1, "maxLength": 65_536},
        {"type": "integer", "minimum": -5},
        {"type": "number", "minimum": 1, "maximum": 1, "maxLength": 3},
        {"type": "array", "items": {"maximum": 9}, "minItems": 2, "maxItems": 2},
    ],
)
def test_usual_schemas_are_plain(schema):
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
        {"type": "integer", "enum": ["a"]},
        {"type": "string", "enum": []},
        {"type": "string", "enum": ["a", "a"]},
        {"additionalProperties": {}},
        {"$ref": "#/$defs/a"},
        {"allOf": [{}]},
        {"type": "string", "minLength": 2, "maxLength": 1},
        {"type": "string", "maxLength": -1},
        {"type": "string", "maxLength": 1.5},
        {"type": "string", "enum": ["a"], "minLength": 2},
        {"type": "integer", "minimum": 1, "maximum": 0},
        {"type": "integer", "minimum": True},
        {"type": "number", "maximum": 1e9},
        {"type": "array", "minItems": 10_000_000},
    ],
)
def test_what_might_fail_is_not_plain(schema):
    assert not is_plain(schema)


def _draw(draw, depth):
    schema = {}
    numbers = [0, 1, 2, 7, 1_000_000, -1, -1_000_000, 2.5, True, "1"]
    for keyword in ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"):
        if draw.random() < 0.2:
            schema[keyword] = draw.choice(numbers)
    if draw.random() < 0.8:
        kinds = ["string", "integer", "number", "array", "object", "null", "text"]
        schema["type"] = draw.choice(kinds)
    if draw.random() < 0.2:
        schema["enum"] = draw.sample(["a", "bb", "ccc"], draw.randint(0, 3))
    if depth and draw.random() < 0.4:
        schema["items"] = _draw(draw, depth - 1)
    if depth and draw.random() < 0.4:
        names = ["a", "b"]
        schema["properties"] = {name: _draw(draw, depth - 1) for name in names}
        schema["required"] = draw.sample(names, draw.randint(0, 2))
    return schema


def test_what_is_plain_compiles():
    draw, n_plain = random.Random(0), 0
    for _ in range(400):
        schema = _draw(draw, 2)
        if is_plain(schema):
            n_plain += 1
            build_plan(schema, resources={}, layout=JsonLayout(), assert_formats=True)
    assert n_plain > 40


def test_a_deep_schema_is_not_plain():
    schema = {}
    for _ in range(30):
        schema = {"items": schema}
    assert not is_plain(schema)


def test_very_many_schemas_are_not_plain():
    schema = {"type": "string"}
    for _ in range(3):
        schema = {"type": "object", "properties": {f"p{n}": schema for n in range(20)}}
    assert not is_plain(schema)
