import pytest

from maskc.errors import SchemaError
from maskc.lint.schemas import lint_schema


def codes(schema, **resources):
    return [(found.code, found.place.name) for found in lint_schema(schema, resources)]


def test_a_clean_schema_has_no_findings():
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}
    assert codes(schema) == []


def test_an_unknown_keyword_is_named_with_the_one_that_is_near():
    (found,) = lint_schema({"propertys": {}})
    assert (found.code, found.remedy) == ("ML102", "write properties")


def test_a_keyword_of_another_dialect_is_unknown():
    assert codes({"dependencies": {}}) == [("ML102", "#")]
    assert codes({"dependencies": {}, "$schema": "http://json-schema.org/draft-07/schema#"}) == []


def test_an_extension_is_left_alone():
    assert codes({"x-order": 1}) == []


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
        ({"not": {"type": "string"}}, []),
    ],
)
def test_what_has_no_bound_is_noted(schema, found):
    assert [code for code, _ in codes(schema)] == found


def test_a_key_that_is_required_and_forbidden_is_an_error():
    schema = {"required": ["a", "b"], "properties": {"a": {}}, "additionalProperties": False}
    (found,) = lint_schema(schema)
    assert (found.code, "'b'" in found.fact) == ("ML105", True)


def test_other_documents_are_asked_too():
    schema = {"required": ["a"], "$ref": "urn:x"}
    resources = {"urn:x": {"properties": {"a": False}}}
    assert codes(schema, **resources) == [("ML105", "#")]


def test_what_is_no_schema_is_refused():
    with pytest.raises(SchemaError, match="type is 'nul'"):
        lint_schema({"type": "nul"})
