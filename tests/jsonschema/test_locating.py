import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import DEFAULT
from maskc.jsonschema.locations import SchemaLocations
from tests.jsonschema.texts import build_machine

DOCUMENT = {"$defs": {"a": {"$anchor": "n"}, "b/c": [{"x": {}}, True], "p%q~": {}}}
LOCATIONS = SchemaLocations(DOCUMENT, DEFAULT, {}, lambda _: None)


@pytest.mark.parametrize(
    ("steps", "reference", "pointer"),
    [
        ([], "#", ""),
        (["$defs", "a"], "#/$defs/a", "/$defs/a"),
        (["$defs", "a"], "#n", "/$defs/a"),
        (["$defs", "p%q~"], "#/%24defs/p%25q~0", "/$defs/p%q~0"),
        (["$defs", "b/c", 0, "x"], "#/x", "/$defs/b~1c/0/x"),
        (["$defs", "b/c", 0], "http://x.y/z", "/$defs/b~1c/0"),
    ],
)
def test_what_a_reference_leads_to_is_in_the_document(steps, reference, pointer):
    schema = DOCUMENT
    for step in steps:
        schema = schema[step]
    assert LOCATIONS.pointer_of(schema, reference) == pointer


def test_what_is_in_another_document_is_named_by_the_reference():
    assert LOCATIONS.pointer_of({}, "http://x.y/z#/a") == "http://x.y/z#/a"


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$ref": "#n", "$defs": {"a": {"$anchor": "n", "type": "x"}}}, "/$defs/a"),
        ({"$ref": "#/$defs/p%25q", "$defs": {"p%q": {"minimum": "1"}}}, "/$defs/p%q"),
        (
            {"items": {"$id": "http://x.y/z", "$ref": "#/$defs/a", "$defs": {"a": {"type": "x"}}}},
            "/items/$defs/a",
        ),
        ({"properties": {"a": {"$id": "c", "$ref": "#"}}}, "/properties/a"),
        ({"$dynamicRef": "#n", "$dynamicAnchor": "n"}, ""),
    ],
)
def test_an_error_behind_a_reference_says_where_it_is(schema, pointer):
    with pytest.raises(SchemaError) as caught:
        build_machine(schema)
    assert caught.value.pointer == pointer
