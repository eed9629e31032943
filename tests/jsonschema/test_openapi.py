"""Schemas of OpenAPI documents."""

import json

import pytest

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.reader import read_schema
from maskc.jsonschema.sources import read_component

SCHEMAS = {
    "Pet": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "nullable": True, "minLength": 1},
            "age": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            "kind": {"type": "string", "nullable": True, "enum": ["a", "b"]},
            "any": {"nullable": True, "enum": [1]},
            "owner": {"$ref": "#/components/schemas/Owner", "nullable": True},
        },
        "additionalProperties": False,
    },
    "Owner": {"type": "string", "format": "uuid"},
    "Other": {"oneOf": [{"type": "string"}], "discriminator": {"propertyName": "k"}},
}
DOCUMENT = {"openapi": "3.0.3", "info": {}, "components": {"schemas": SCHEMAS}}
SHAPES = {
    "Shape": {
        "oneOf": [{"$ref": "#/components/schemas/Round"}, {"$ref": "#/components/schemas/Flat"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"circle": "#/components/schemas/Round", "ball": "Round"},
        },
    },
    "Round": {"type": "object", "properties": {"kind": {"type": "string"}}},
    "Flat": {"type": "object", "properties": {"kind": {"type": "string"}}},
}


def takes(document, component, text):
    artifact = maskc.compile_json_schema(document, tokenizer="bytes", component=component)
    matcher = artifact.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


@pytest.mark.parametrize(
    ("text", "is_legal"),
    [
        ('{"name": null, "age": 1}', True),
        ('{"name": ""}', False),
        ('{"age": 0}', False),
        ('{"kind": "a"}', True),
        ('{"kind": null}', False),
        ('{"any": 1}', True),
        ('{"any": null}', False),
        ('{"owner": null}', False),
        ('{"owner": "123e4567-e89b-12d3-a456-426614174000"}', True),
        ('{"owner": "a"}', False),
        ('{"x": 1}', False),
    ],
)
def test_a_schema_of_3_0_is_read_as_its_specification_has_it(text, is_legal):
    assert takes(DOCUMENT, "Pet", text) is is_legal


@pytest.mark.parametrize(
    ("document", "text", "is_legal"),
    [
        (
            {"swagger": "2.0", "definitions": {"A": {"type": "string", "x-nullable": True}}},
            "null",
            True,
        ),
        ({"openapi": "3.1.0", "components": {"schemas": {"A": {"type": ["null"]}}}}, "null", True),
        ({"openapi": "3.1.0", "components": {"schemas": {"A": {"const": 1}}}}, "1", True),
        ({"openapi": "3.1.0", "components": {"schemas": {"A": {"const": 1}}}}, "2", False),
        ({"openapi": "3.0.0", "components": {"schemas": {"A": {"const": 1}}}}, "2", True),
    ],
)
def test_other_versions_have_their_own_dialect(document, text, is_legal):
    assert takes(document, "A", text) is is_legal


@pytest.mark.parametrize(
    ("text", "is_legal"),
    [
        ('{"kind": "circle"}', True),
        ('{"kind": "ball"}', True),
        ('{"kind": "Flat"}', True),
        ('{"kind": "Round"}', False),
        ("{}", False),
    ],
)
def test_a_discriminator_names_the_alternative(text, is_legal):
    document = {"openapi": "3.1.0", "components": {"schemas": SHAPES}}
    assert takes(document, "Shape", text) is is_legal


def test_only_what_a_component_needs_is_kept():
    assert list(read_component(DOCUMENT, "Pet")["components"]["schemas"]) == ["Pet", "Owner"]


@pytest.mark.parametrize(
    ("document", "component", "message"),
    [
        ({"type": "object"}, "Pet", "is no OpenAPI document, so it has no component"),
        (True, "Pet", "is no OpenAPI document"),
        (DOCUMENT, "Pett", "there is no component 'Pett'; give one of Pet"),
        (DOCUMENT, "x", "there is no component 'x'; give one of Pet, Owner, Other"),
        ({"openapi": "3.0.0"}, "x", "there is no component 'x'; give a document with schemas"),
        ({"openapi": "3.0.0", "components": []}, "x", "there is no component 'x'"),
        (DOCUMENT, "Other", "discriminator names schemas that are referred to"),
        ("{", "Pet", "is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused(document, component, message):
    with pytest.raises(SchemaError, match=message):
        read_component(read_schema(document), component)


def test_a_component_is_compiled_from_the_command_line(tmp_path, monkeypatch):
    from maskc.cli.main import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.json").write_text(json.dumps(DOCUMENT))
    assert run(["compile", "openapi.json", "--component", "Owner", "-t", "bytes", "-q"]) == 0
    assert not maskc.load("Owner.bytes.maskc").matcher().accept_bytes(b'"x')


def test_a_schema_without_its_document_is_compiled_from_the_command_line(tmp_path, monkeypatch):
    from maskc.cli.main import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.schema.json").write_text('{"type": "string", "nullable": true}')
    for options, is_legal in ((["--dialect", "openapi"], True), ([], False)):
        assert run(["compile", "a.schema.json", *options, "-t", "bytes", "-q"]) == 0
        assert maskc.load("a.bytes.maskc").matcher().accept_bytes(b"null") is is_legal
