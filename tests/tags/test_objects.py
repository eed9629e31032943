"""What a schema says of each parameter alone, and what it must not say."""

import pytest

from maskc.errors import SchemaError
from maskc.tags.objects import MAX_PARAMETERS, Where, read_object, resolve

WHERE = Where("/tools/0", "qwen_xml")


def read(schema, *, is_nested=False, root=None):
    return read_object(schema, root or schema, WHERE, is_nested=is_nested)


def test_properties_are_read_in_order_with_those_that_are_required():
    found = read({"properties": {"b": {}, "a": True}, "required": ["a"]})
    assert found.names == ("b", "a")
    assert found.schemas == ({}, True)
    assert found.required == 0b10
    assert (found.low, found.high, found.others) == (0, None, True)


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"anyOf": []}, "anyOf"),
        ({"dependentRequired": {}}, "dependentRequired"),
        ({"properties": {"a": {"$ref": "other.json"}}}, "$ref"),
        ({"properties": {"a": {"$id": "x"}}}, "$id"),
        ({"items": {}}, "items"),
    ],
)
def test_what_ties_parameters_together_is_refused_by_name(schema, keyword):
    with pytest.raises(SchemaError) as refused:
        read(schema)
    assert refused.value.keyword == keyword
    assert refused.value.pointer.startswith("/tools/0")


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "array"}, "type"),
        ({"properties": []}, "properties"),
        ({"properties": {"a": 1}}, "properties"),
        ({"properties": {"a<b": {}}}, "properties"),
        ({"properties": {"": {}}}, "properties"),
        ({"properties": {f"p{n}": {} for n in range(MAX_PARAMETERS + 1)}}, "properties"),
        ({"required": ["a"], "additionalProperties": False}, "required"),
        ({"properties": {"1": {}}, "required": [1]}, "required"),
        ({"properties": {"a": {}}, "required": [["a"]]}, "required"),
        ({"additionalProperties": 1}, "additionalProperties"),
        ({"maxProperties": 2}, "maxProperties"),
        ({"additionalProperties": False, "minProperties": -1}, "minProperties"),
        ({"additionalProperties": False, "minProperties": 1}, "required"),
    ],
)
def test_what_is_not_as_it_must_be_is_said(schema, keyword):
    with pytest.raises(SchemaError) as refused:
        read(schema)
    assert refused.value.keyword == keyword


def test_what_is_required_alone_has_the_schema_of_all_others():
    found = read({"properties": {"b": {}}, "required": ["a"], "additionalProperties": {"x": 1}})
    assert (found.names, found.schemas, found.required) == (("b", "a"), ({}, {"x": 1}), 0b10)


def test_the_schema_of_a_value_may_be_one_of_an_array_too():
    assert read({"type": ["array", "object"], "items": {}}, is_nested=True).names == ()


def test_a_reference_is_followed_to_a_definition():
    root = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}}
    assert resolve(root, root, WHERE) == {"type": "object"}


@pytest.mark.parametrize(
    "top",
    [
        {"$ref": "#/$defs/a"},
        {"$ref": "#/$defs/loop"},
        {"$ref": "#"},
        {"$ref": "#/$defs/b", "minProperties": 1},
        3,
    ],
)
def test_what_leads_to_no_object_is_refused(top):
    root = {"$defs": {"a": 1, "b": {}, "loop": {"$ref": "#/$defs/loop"}}}
    with pytest.raises(SchemaError):
        resolve(top, root, WHERE)
