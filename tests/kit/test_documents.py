"""Example documents of a schema: legal, the same every time, and soon written whatever it says."""

import json

import jsonschema
import pytest

import maskc
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.documents import FORMATS, write_documents
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab.vocabulary import Vocabulary

VOCABULARY = Vocabulary((*(bytes([b]) for b in range(256)), None), (256,), "bytes")
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}


def documents(schema, **settings):
    artifact = maskc.Artifact(compile_schema(schema, VOCABULARY, **settings))
    found = write_documents(schema, artifact.matcher)
    for text in found:
        assert artifact.matcher().accept_bytes(text)
    return [text.decode() for text in found]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "boolean"}, ["true"]),
        ({"properties": {"a": {"type": "integer"}}}, ['{"a": 12}', "{}"]),
        ({"properties": {"a": {"const": 1}, "b": {"enum": ["x", 2]}}, "required": ["b"]}, None),
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, ['"AA-1"']),
        ({"type": "string", "minLength": 30, "maxLength": 31}, None),
        ({"type": "integer", "minimum": 1_000}, ["1000"]),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, ["[12, 1]", "[]"]),
        ({"type": "object", "additionalProperties": {"type": "null"}}, ['{"name": null}', "{}"]),
        ({"prefixItems": [{"const": 1}, {"const": 2}], "minItems": 2, "items": False}, None),
        ({"anyOf": [{"type": "null", "const": 1}, {"type": "number"}]}, ["1"]),
        ({"allOf": [{"properties": {"a": {"const": 1}}}, {"required": ["a"]}]}, ['{"a": 1}']),
        ({"default": {"x": [1, {"y": 2.5}]}, "type": "object"}, ['{"x": [1, {"y": 2.5}]}']),
        ({"examples": ["no", 5], "type": "integer"}, ["5"]),
        ({"type": ["null", "string"]}, ["null"]),
        ({"not": {"type": "string"}, "type": ["string", "array"]}, None),
        (True, ['"Some text, 12 (\\"é\\")."']),
        (TREE, None),
    ],
)
def test_documents_are_valid(schema, expected):
    found = documents(schema)
    assert found
    assert expected is None or found == expected
    for text in found:
        jsonschema.Draft202012Validator(schema).validate(json.loads(text))


@pytest.mark.parametrize("blanks", ["compact", "bounded"])
def test_documents_are_written_as_the_layout_says(blanks):
    schema = {"properties": {"a": {"type": "null"}, "b": {"type": "null"}}}
    space = "" if blanks == "compact" else " "
    assert (
        documents(schema, layout=JsonLayout(blanks=blanks))[0]
        == f'{{"a":{space}null,{space}"b":{space}null}}'
    )


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_has_its_text(name):
    assert documents({"type": "string", "format": name}) == [f'"{FORMATS[name]}"']


def test_what_is_not_found_ends_a_document_that_is_kept():
    # No usual number is between these, nor one of the bounds.
    narrow = {"type": "number", "exclusiveMinimum": 7.1, "exclusiveMaximum": 7.2}
    properties = {"a": {"const": 1}, "b": narrow}
    schema = {"type": "object", "properties": properties, "required": ["a", "b"]}
    assert documents(schema) == ['{"a": 1, "b": 7.1']


@pytest.mark.parametrize(
    "schema",
    [
        {
            "allOf": [{"$ref": "#/$defs/a"}] * 30,
            "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}] * 9}, "b": {}},
        },
        {"type": "array", "minItems": 10**9, "items": {"type": "null"}},
        {"minItems": 1, "items": {"$ref": "#"}, "anyOf": [{}, {"type": "array"}]},
        {"properties": {f"p{n}": {"$ref": "#"} for n in range(200)}},
        {"type": "string", "pattern": "^(a|b)*c{900}$"},
        {"required": ["a"], "properties": {"a": {"type": "string", "minLength": 10**6}}},
    ],
)
def test_a_schema_that_asks_for_much_has_short_beginnings(schema):
    assert sum(map(len, documents(schema))) < 200_000
