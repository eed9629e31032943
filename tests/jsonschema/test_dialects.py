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
