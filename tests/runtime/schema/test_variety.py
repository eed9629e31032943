import pytest

from maskc.runtime.schema.variety import Variety
from tests.jsonschema.texts import build_machine, read

PAIR = {"properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}, "type": "object"}


def root_is_endless(schema):
    plan = build_machine(schema).plan
    return Variety(plan).of_position(plan.root)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "maxLength": 10},
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "array", "items": {"type": "null"}},
        {"type": "object"},
        {**PAIR, "additionalProperties": False},
        {
            "type": "object",
            "properties": {"a": {"$ref": "#"}},
            "additionalProperties": False,
        },
    ],
)
def test_what_no_text_uses_up_is_endless(schema):
    assert root_is_endless(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["boolean", "null"]},
        {"type": "string", "pattern": "^[ab]{1,9}$"},
        {"type": "integer", "minimum": 0, "maximum": 10**9},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
        {"type": "array", "items": {"type": "boolean"}, "maxItems": 9},
        {**PAIR, "additionalProperties": False, "maxProperties": 0},
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
    ],
)
def test_what_could_be_used_up_is_not(schema):
    assert not root_is_endless(schema)


@pytest.mark.parametrize(("text", "is_endless"), [('{"a": true ', True), ('{"b": "x" ', False)])
def test_an_object_is_endless_until_the_last_member_that_is(text, is_endless):
    machine = build_machine({**PAIR, "additionalProperties": False})
    (node,) = read(machine, text).nodes
    assert Variety(machine.plan).of_open(node.state) is is_endless
