"""Findings in JSON Schemas."""

import pytest

from maskc.errors import SchemaError
from maskc.lint import schemas
from maskc.lint.schemas import lint_schema


def codes(schema, **resources):
    return [(found.code, found.location.name) for found in lint_schema(schema, resources)]


def test_an_unknown_keyword_is_named_with_the_one_that_is_near():
    (found,) = lint_schema({"propertys": {}})
    assert (found.code, found.remedy) == ("ML102", "write properties")


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "string"}, ["ML103"]),
        ({"type": ["null", "string"], "minLength": 2}, ["ML103"]),
        ({"type": "string", "pattern": "^[a-z]{3}$"}, []),
        ({"type": "string", "pattern": "^[a-z]"}, ["ML103"]),
        ({"type": "string", "enum": ["a"]}, []),
        ({"type": "array"}, ["ML104"]),
        ({"type": "array", "prefixItems": [{}], "items": False}, []),
        ({"type": "integer", "minimum": 0}, ["ML106"]),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 9}, []),
        ({"not": {"type": "string"}}, []),
        ({"properties": {"a": {"type": "string", "maxLength": 3}}}, []),
        # A keyword of another dialect, and an extension.
        ({"dependencies": {}}, ["ML102"]),
        ({"dependencies": {}, "$schema": "http://json-schema.org/draft-07/schema#"}, []),
        ({"x-order": 1}, []),
    ],
)
def test_what_has_no_bound_or_is_unknown_is_noted(schema, found):
    assert [code for code, _ in codes(schema)] == found


def test_a_key_that_is_required_and_forbidden_is_an_error():
    schema = {"required": ["a", "b"], "properties": {"a": {}}, "additionalProperties": False}
    (found,) = lint_schema(schema)
    assert (found.code, "'b'" in found.fact) == ("ML105", True)


def test_no_value_is_valid_by_false():
    (found,) = lint_schema(False)
    assert (found.code, found.location.name) == ("ML101", "#")
    assert lint_schema(True) == ()


def test_other_documents_are_asked_too():
    schema = {"required": ["a"], "$ref": "urn:x"}
    resources = {"urn:x": {"properties": {"a": False}}}
    assert codes(schema, **resources) == [("ML105", "#")]


def test_what_is_no_schema_is_refused():
    with pytest.raises(SchemaError, match="type is 'nul'"):
        lint_schema({"type": "nul"})


def lost(schema):
    return [f.location.name for f in lint_schema(schema) if f.code == "ML101"]


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"properties": {"a": {"minimum": 5, "maximum": 3, "type": "number"}}}, ["/properties/a"]),
        # What would fit if an inner one did.
        ({"type": "array", "minItems": 1, "items": {"type": "null", "const": 1}}, ["/items"]),
        # A branch is asked with what stands beside it.
        (
            {"type": "string", "anyOf": [{"type": "number", "minimum": 1}, {"maxLength": 9}]},
            ["/anyOf/0"],
        ),
        (
            {
                "$defs": {"a": {"type": "null"}},
                "allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}],
            },
            ["#"],
        ),
        # A subschema that is false is meant so.
        ({"properties": {"a": False}, "anyOf": [False, {}]}, []),
        ({"properties": {"a/b %": {"type": "null", "const": 1}}}, ["/properties/a~1b %"]),
    ],
)
def test_keywords_that_contradict_each_other_are_found(schema, found):
    assert lost(schema) == found


def test_more_subschemas_than_are_asked_are_told(monkeypatch):
    monkeypatch.setattr(schemas, "MAX_ASKED", 1)
    (found,) = lint_schema({"items": {}})
    assert (found.code, found.severity.value) == ("ML101", "note")
    assert found.fact == "only 1 of 2 subschemas were checked"


def test_a_key_may_be_there_whatever_else_is_required():
    schema = {"required": ["b", "a"], "properties": {"b": False, "a": {}}}
    (found,) = [f for f in lint_schema(schema) if f.code == "ML105"]
    assert "'b'" in found.fact
