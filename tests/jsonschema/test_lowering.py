"""Keywords as formulas, as the dialect means them."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema import compiling
from maskc.jsonschema.formulas import freeze


def lower(schema):
    return compiling.lower(schema, {})


def holds(schema, value):
    lowering, formula = lower(schema)
    return lowering.space.holds(formula, freeze(value))


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"type": "integer"}, 2.0, 2.5),
        ({"exclusiveMinimum": 3}, 4, 3),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}, {"a": 1}),
        ({"dependentSchemas": {"a": {"maxProperties": 1}}}, {"a": 1}, {"a": 1, "b": 2}),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
        ({"prefixItems": [{"type": "null"}], "items": False}, [None], [None, None]),
        ({"contains": {"type": "null"}, "maxContains": 1}, [1, None], [None, None]),
        ({"if": {"type": "null"}, "then": False, "else": {"minimum": 3}}, 3, None),
        ({"not": {"required": ["a"]}}, {"b": 1}, {"a": 1}),
        ({"$defs": {"n": {"const": 3}}, "anyOf": [{"$ref": "#/$defs/n"}]}, 3, 4),
    ],
)
def test_a_keyword_holds_of_what_is_valid(schema, valid, invalid):
    assert holds(schema, valid)
    assert not holds(schema, invalid)


def test_keywords_beside_a_reference_count_since_2019():
    schema = {"$defs": {"n": {"type": "number"}}, "$ref": "#/$defs/n", "minimum": 3}
    assert not holds(schema, 2)
    old = {**schema, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert holds(old, 2)


def test_draft_4_writes_open_bounds_as_booleans():
    schema = {"minimum": 3, "exclusiveMinimum": True}
    assert not holds({**schema, "$schema": "http://json-schema.org/draft-04/schema#"}, 3)


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"properties": {"a": 3}}, "/properties/a", ""),
        ({"allOf": []}, "", "allOf"),
        ({"items": {"type": "nul"}}, "/items", "type"),
        ({"items": {"multipleOf": 0}}, "/items", "multipleOf"),
        ({"items": {"enum": 3}}, "/items", "enum"),
    ],
)
def test_what_is_no_schema_is_refused_where_it_stands(schema, pointer, keyword):
    with pytest.raises(SchemaError) as caught:
        lower(schema)
    assert (caught.value.pointer, caught.value.keyword) == (pointer, keyword)
