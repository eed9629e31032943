"""Which dialect a schema has."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import dialect_of
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
    with pytest.raises(SchemaError, match="names 'urn:a', which is not a dialect"):
        build_machine({"$schema": "urn:a"}, resources=metas)
