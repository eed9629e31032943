"""Which dialect a schema has, and what its references lead to."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.dialects import DEFAULT, build_registry, dialect_of, follow, open_root
from tests.jsonschema.texts import accepts, build_machine


@pytest.mark.parametrize(
    ("uri", "year"),
    [
        ("http://json-schema.org/draft-04/schema#", 4),
        ("https://json-schema.org/draft-07/schema", 7),
        ("https://json-schema.org/draft/2019-09/schema", 2019),
        ("http://json-schema.org/schema#", 2020),
    ],
)
def test_a_dialect_is_named_in_several_ways(uri, year):
    assert dialect_of(uri, "").year == year


@pytest.mark.parametrize("uri", ["https://example.org/schema", 7, None])
def test_another_dialect_is_refused(uri):
    with pytest.raises(SchemaError, match=r"\$schema names"):
        dialect_of(uri, "")


def test_a_reference_leads_to_a_document_that_is_given():
    registry = build_registry({"urn:other": {"$defs": {"n": {"type": "null"}}}}, DEFAULT)
    resolver = open_root({}, registry, DEFAULT)
    assert follow("urn:other#/$defs/n", resolver, "$ref", "")[0] == {"type": "null"}


@pytest.mark.parametrize("reference", ["urn:none", "#/nowhere", "#name", 3])
def test_a_reference_that_leads_nowhere_is_refused_where_it_stands(reference):
    resolver = open_root({}, build_registry({}, DEFAULT), DEFAULT)
    with pytest.raises(SchemaError) as caught:
        follow(reference, resolver, "$ref", "/a")
    assert (caught.value.pointer, caught.value.keyword) == ("/a", "$ref")


@pytest.mark.parametrize("year", ["draft-04", "draft-07"])
def test_an_identifier_that_is_no_text_is_none(year):
    schema = {
        "$schema": f"http://json-schema.org/{year}/schema#",
        "properties": {"a": {"id": {"type": "null"}, "$id": [], "type": "integer"}},
    }
    machine = build_machine(schema)
    assert accepts(machine, '{"a": 1}')
    assert not accepts(machine, '{"a": null}')


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$id": 5, "$ref": "#/$defs/a", "$defs": {"a": {}}}, ""),
        ({"$id": [], "properties": {"a": {"$id": "x", "$ref": "#"}}}, ""),
        ({"$id": "http://[", "items": {"$id": "y", "$ref": "#"}}, "/items"),
    ],
)
def test_an_identifier_that_is_no_uri_is_refused_where_a_reference_needs_it(schema, pointer):
    with pytest.raises(SchemaError, match="is no URI") as caught:
        build_machine(schema)
    assert (caught.value.pointer, caught.value.keyword) == (pointer, "$id")


VOCABULARY = "https://json-schema.org/draft/2020-12/vocab"


def build_with_meta(schema, *vocabularies, **more):
    """Return the machine of a schema whose meta-schema has some vocabularies."""
    meta = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:meta",
        "$vocabulary": dict.fromkeys(vocabularies, True) | more,
    }
    return build_machine({"$schema": "urn:meta", **schema}, resources={"urn:meta": meta})


def test_keywords_of_a_vocabulary_that_a_meta_schema_lacks_are_none():
    machine = build_with_meta(
        {"properties": {"a": {"minimum": 10}, "b": False}}, f"{VOCABULARY}/applicator"
    )
    assert accepts(machine, '{"a":1}')
    assert not accepts(machine, '{"b":1}')


def test_a_vocabulary_that_is_not_required_need_not_be_known():
    machine = build_with_meta({"type": "null"}, f"{VOCABULARY}/validation", **{"urn:v": False})
    assert not accepts(machine, "1")


def test_a_vocabulary_that_is_required_must_be_known():
    with pytest.raises(SchemaError, match="vocabulary 'urn:v', which is not the standard's"):
        build_with_meta({}, "urn:v")


def test_meta_schemas_that_name_each_other_are_refused():
    metas = {"urn:a": {"$schema": "urn:b"}, "urn:b": {"$schema": "urn:a"}}
    with pytest.raises(SchemaError, match="names 'urn:a', which is no dialect"):
        build_machine({"$schema": "urn:a"}, resources=metas)


@pytest.mark.parametrize("other", [{"not": 1}, {"properties": 1}, {"allOf": [1]}])
def test_a_reference_in_a_document_with_no_schema_somewhere_says_so(other):
    schema = {"$ref": "#n", "$defs": {"x": other, "y": {"$anchor": "n"}}}
    with pytest.raises(SchemaError, match="some keyword of the document holds no schema"):
        build_machine(schema)


def test_a_dialect_behind_a_reference_is_refused_where_it_stands():
    schema = {"$ref": "#n", "$defs": {"a": {"$anchor": "n", "$schema": "x"}}}
    with pytest.raises(SchemaError, match="names 'x'") as caught:
        build_machine(schema)
    assert caught.value.pointer == "/$defs/a"


def test_a_resource_whose_dialect_is_no_text_is_refused():
    with pytest.raises(SchemaError, match="is no string in the resource 'urn:a'"):
        build_machine({"$ref": "urn:a"}, resources={"urn:a": {"$schema": False}})
