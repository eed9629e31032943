import pytest

from maskc.errors import SchemaError
from maskc.jsonschema import scenarios
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


def test_a_key_of_a_nested_value_is_evaluated_by_the_same_schema():
    closed = {"$ref": "#/$defs/node", "unevaluatedProperties": False}
    schema = {"$defs": {"node": {"type": "object", "properties": {"child": closed}}}, **closed}
    machine = build_machine(schema)
    assert accepts(machine, '{"child":{"child":{}}}')
    assert not accepts(machine, '{"child":{"a":1}}')


def test_a_recursive_reference_goes_round_through_what_is_unevaluated():
    tree = {
        "$id": "./tree",
        "$recursiveAnchor": True,
        "type": "object",
        "properties": {"branches": {"unevaluatedProperties": False, "$recursiveRef": "#"}},
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "$id": "https://example.com/extended",
        "$recursiveAnchor": True,
        "$ref": "./tree",
        "properties": {"name": {"type": "string"}},
        "$defs": {"tree": tree},
    }
    machine = build_machine(schema)
    assert accepts(machine, '{"branches":{"name":"a"}}')
    assert not accepts(machine, '{"branches":{"a":1}}')


def test_a_document_of_draft_7_keeps_its_dependencies():
    other = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:other",
        "properties": {"a": True},
        "dependencies": {"a": {"properties": {"b": {"type": "null"}}, "required": ["b"]}},
    }
    schema = {"$ref": "urn:other", "unevaluatedProperties": False}
    machine = build_machine(schema, resources={"urn:other": other})
    assert accepts(machine, '{"a":1,"b":null}')
    assert not accepts(machine, '{"a":1}')
    assert not accepts(machine, '{"c":1}')


def test_a_circle_without_progress_is_refused_where_it_closes():
    schema = {
        "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, True]}, "b": {"$ref": "#/$defs/a"}},
        "$ref": "#/$defs/a",
        "unevaluatedItems": False,
    }
    with pytest.raises(SchemaError, match="leads back to itself") as caught:
        build_machine(schema)
    assert caught.value.pointer == "/$defs/b"


def test_what_is_referred_to_twice_is_looked_at_once():
    twice = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(40)
    }
    schema = {
        "$defs": {**twice, "d40": {"properties": {"a": True}}},
        "$ref": "#/$defs/d0",
        "unevaluatedProperties": False,
    }
    machine = build_machine(schema)  # in the age of the universe, if each were looked at anew
    assert accepts(machine, '{"a":1}')
    assert not accepts(machine, '{"b":1}')


def test_too_many_pairs_of_ways_are_refused(monkeypatch):
    monkeypatch.setattr(scenarios, "MAX_JOINED", 2_000)
    ways = [{"anyOf": [{"properties": {f"k{n}": {"type": "null"}}}, {}]} for n in range(8)]
    with pytest.raises(SchemaError, match="more than 2,000 pairs"):
        build_machine({"allOf": ways * 2, "unevaluatedProperties": False})


A, B = ({"properties": {name: {}}, "required": [name]} for name in "ab")


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"oneOf": [A, B]}, ['{"a":1}', '{"b":1}'], ['{"a":1,"b":1}', "{}", '{"a":1,"c":1}']),
        ({"if": A}, ['{"a":1}', "{}"], ['{"b":1}', '{"a":1,"b":1}']),
        (
            {"if": A, "then": B, "else": {"properties": {"c": {}}}},
            ['{"a":1,"b":1}', '{"c":1}'],
            ['{"a":1}', '{"b":1}', '{"a":1,"b":1,"c":1}'],
        ),
        ({"if": {"not": A}, "else": B}, ["{}"], ['{"a":1,"b":1}', '{"b":1}']),
    ],
)
def test_only_branches_that_hold_evaluate(schema, valid, invalid):
    machine = build_machine({"type": "object", **schema, "unevaluatedProperties": False})
    assert [text for text in valid if not accepts(machine, text)] == []
    assert [text for text in invalid if accepts(machine, text)] == []
