"""Documents that hold a schema and are none: refused with a way out that works."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.sources import read_component
from maskc.runtime.schema.plan import JsonLayout

PET = {"type": "object", "properties": {"name": {"type": "string"}}}


def build(schema):
    return build_plan(schema, resources={}, layout=JsonLayout(), assert_formats=True)


@pytest.mark.parametrize(
    ("document", "reference"),
    [
        (
            {"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": {"Pet": PET}}},
            "#/components/schemas/Pet",
        ),
        ({"swagger": "2.0", "info": {}, "definitions": {"Pet": PET}}, "#/definitions/Pet"),
    ],
)
def test_a_description_of_an_interface_is_refused_and_the_way_out_works(document, reference):
    with pytest.raises(SchemaError) as refused:
        build(document)
    assert str(refused.value) == (
        f"schema at #: {next(iter(document))} makes it the description of an interface, not a "
        'schema; choose one of its schemas with component="NAME", or --component NAME'
    )
    assert build({**document, "$ref": reference}).data
    assert build(read_component(document, "Pet")).data


@pytest.mark.parametrize(
    ("document", "inner"),
    [
        ({"name": "order", "strict": True, "schema": PET}, "/schema"),
        ({"name": "order", "description": "…", "schema": PET}, "/schema"),
        ({"type": "json_schema", "json_schema": {"schema": PET}}, "/json_schema/schema"),
        ({"type": "json_schema", "name": "order", "schema": PET}, "/schema"),
        ({"type": "function", "function": {"parameters": PET}}, "/function/parameters"),
        ({"type": "function", "name": "f", "parameters": PET}, "/parameters"),
        ({"name": "f", "description": "…", "inputSchema": PET}, "/inputSchema"),
        ({"name": "f", "description": "…", "input_schema": PET}, "/input_schema"),
    ],
)
def test_what_stands_around_a_schema_is_refused_with_the_place_of_the_schema(document, inner):
    with pytest.raises(SchemaError) as refused:
        build(document)
    assert refused.value.remedy == f"give the schema at {inner}"


def test_a_root_without_a_keyword_of_any_dialect_is_refused():
    with pytest.raises(SchemaError) as refused:
        build({"propertys": {}, "hint": 1})
    assert str(refused.value) == (
        "schema at #: has no keyword of JSON Schema, only propertys, hint; "
        "give the schema itself, or {} for any JSON text"
    )


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"title": "anything", "hint": 1},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "hint": 1},
        {"$defs": {"a": {"hint": 1}}},
        {"x-order": 1},
        {"type": "object", "openapi": "3.1.0", "schema": {}},
        {"not": {"type": "null"}},
    ],
)
def test_a_root_with_a_keyword_or_nothing_but_extensions_is_a_schema(schema):
    assert build(schema).data
