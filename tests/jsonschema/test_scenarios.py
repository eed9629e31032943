import pytest

from maskc.errors import SchemaError
from tests.jsonschema.texts import accepts, build_machine

EITHER = {
    "type": "object",
    "anyOf": [
        {"required": ["a"], "properties": {"a": {}}},
        {"properties": {"b": {"type": "null"}}},
    ],
    "unevaluatedProperties": False,
}


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [('{"a":1}', True), ('{"b":null}', True), ('{"a":1,"b":1}', False), ('{"c":1}', False)],
)
def test_a_key_is_evaluated_by_the_branches_that_hold(text, is_valid):
    assert accepts(build_machine(EITHER), text) is is_valid


def test_items_that_contains_looked_at_are_evaluated():
    machine = build_machine({"contains": {"type": "null"}, "unevaluatedItems": {"type": "string"}})
    assert accepts(machine, '["a",null]')
    assert not accepts(machine, "[1,null]")


def test_too_many_ways_are_refused():
    schema = {
        "allOf": [
            {"anyOf": [{"properties": {f"{n}{k}": {"type": "null"}}} for k in "ab"]}
            for n in range(9)
        ],
        "unevaluatedProperties": False,
    }
    with pytest.raises(SchemaError, match="more than 256 combinations"):
        build_machine(schema)
