"""What a schema's keywords hold, and how a fault is told."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import DEFAULT
from maskc.jsonschema.locations import MAX_COUNT, SchemaLocation


def locate(schema):
    return SchemaLocation(schema, None, "/a", DEFAULT)


def test_a_pointer_escapes_what_it_is_made_of():
    assert locate({}).below({}, "properties", "b/c~", 2).pointer == "/a/properties/b~1c~0/2"


@pytest.mark.parametrize(("number", "found"), [(3, 3), (3.0, 3), (MAX_COUNT, MAX_COUNT)])
def test_a_count_is_a_whole_number(number, found):
    assert locate({"minItems": number}).count("minItems") == found
    assert locate({"minItems": number}).count("maxItems") is None


@pytest.mark.parametrize("number", [-1, 1.5, MAX_COUNT + 1])
def test_what_is_no_count_is_refused_by_its_keyword(number):
    with pytest.raises(SchemaError) as caught:
        locate({"minItems": number}).count("minItems")
    assert (caught.value.pointer, caught.value.keyword) == ("/a", "minItems")


def test_names_are_strings():
    assert locate({}).names("required", ["b"]) == ["b"]
    with pytest.raises(SchemaError, match="required is not a list of names"):
        locate({}).names("required", ["b", 1])


def test_a_map_of_schemas_is_an_object():
    assert locate({"properties": {"b": True}}).map("properties") == {"b": True}
    with pytest.raises(SchemaError, match="properties is not an object"):
        locate({"properties": []}).map("properties")


@pytest.mark.parametrize("schemas", [{"not": {}}, [], "#/", None])
def test_a_list_of_schemas_is_a_list_with_one(schemas):
    with pytest.raises(SchemaError, match="allOf is not a list of schemas"):
        locate({"allOf": schemas}).schemas("allOf")
