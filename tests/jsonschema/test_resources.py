"""What a reference leads to, by identifiers and anchors, and where a dynamic one looks first."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import DEFAULT
from maskc.jsonschema.resources import Documents, Resolver
from tests.jsonschema.texts import accepts, accepts_value, build_machine


def open_root(schema, **given):
    return Resolver(
        Documents(schema, {f"urn:{name}": other for name, other in given.items()}, DEFAULT)
    )


def test_a_reference_leads_to_a_document_that_is_given():
    resolver = open_root({}, other={"$defs": {"n": {"type": "null"}}})
    assert resolver.follow("urn:other#/$defs/n", "$ref", "")[0] == {"type": "null"}


@pytest.mark.parametrize(
    "reference",
    ["urn:none", "#/nowhere", "#name", 3, "http://[", "#/a/01", "#/a/-1", "#/a/\u0660", "#/b"],
)
def test_a_reference_that_leads_nowhere_is_refused_where_it_stands(reference):
    resolver = open_root({"a": [True, True]})
    with pytest.raises(SchemaError) as caught:
        resolver.follow(reference, "$ref", "/a")
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
        ({"$id": "http://[", "items": {"$id": "y", "$ref": "#"}}, ""),
        ({"items": {"$id": "http://[", "$ref": "#"}}, "/items"),
    ],
)
def test_an_identifier_that_is_no_uri_is_refused_where_a_reference_needs_it(schema, pointer):
    with pytest.raises(SchemaError, match="is not a URI") as caught:
        build_machine(schema)
    assert (caught.value.pointer, caught.value.keyword) == (pointer, "$id")


def test_a_dialect_behind_a_reference_is_refused_where_it_stands():
    schema = {"$ref": "#n", "$defs": {"a": {"$anchor": "n", "$schema": "x"}}}
    with pytest.raises(SchemaError, match="names 'x'") as caught:
        build_machine(schema)
    assert caught.value.pointer == "/$defs/a"


def test_a_resource_whose_dialect_is_no_text_is_refused():
    with pytest.raises(SchemaError, match="is not a string in the resource 'urn:a'"):
        build_machine({"$ref": "urn:a"}, resources={"urn:a": {"$schema": False}})


@pytest.mark.parametrize("other", [{"not": 1}, {"properties": 1}, {"allOf": [1]}])
def test_a_keyword_that_holds_no_schema_hides_no_anchor(other):
    schema = {"$ref": "#n", "$defs": {"x": other, "y": {"$anchor": "n", "type": "null"}}}
    assert not accepts_value(build_machine(schema), 1)


NULL, NUMBER, STRING = {"type": "null"}, {"type": "number"}, {"type": "string"}


def anchored(schema, name="n"):
    return {"$dynamicAnchor": name, **schema}


@pytest.mark.parametrize(
    ("schema", "resources"),
    [
        # The root counts without an identifier, too.
        (
            {"$ref": "urn:a", "$defs": {"n": anchored(NULL)}},
            {"urn:a": {"$dynamicRef": "#n", "$defs": {"n": anchored(NUMBER)}}},
        ),
        # So does what a text got into without a reference.
        (
            {
                "$id": "urn:a",
                "$defs": {"n": anchored(NULL)},
                "allOf": [{"$id": "urn:b", "$dynamicRef": "#n", "$defs": {"n": anchored(NUMBER)}}],
            },
            {},
        ),
        # The outermost one is the first, though it is come back to.
        (
            {
                "$id": "urn:a",
                "$ref": "urn:b",
                "$defs": {"n": anchored(NULL), "m": {"$dynamicRef": "#n"}},
            },
            {"urn:b": {"$ref": "urn:a#/$defs/m", "$defs": {"n": anchored(NUMBER)}}},
        ),
        # A reference that is not dynamic takes what it names.
        (
            {"$id": "urn:a", "$ref": "urn:b", "$defs": {"n": anchored(NUMBER)}},
            {"urn:b": {"$ref": "#n", "$defs": {"n": anchored(NULL)}}},
        ),
        # What it leads to is relative to its own resource.
        (
            {
                "$id": "urn:a",
                "$ref": "urn:b",
                "$defs": {"n": anchored({"$ref": "#/$defs/null"}), "null": NULL},
            },
            {"urn:b": {"$dynamicRef": "#n", "$defs": {"n": anchored(NUMBER), "null": NUMBER}}},
        ),
        # A pointer into an identified schema enters that alone.
        (
            {"$id": "urn:a", "$ref": "urn:b#/$defs/c"},
            {
                "urn:b": {
                    "$defs": {
                        "n": anchored(NUMBER),
                        "c": {"$id": "urn:c", "$dynamicRef": "#n", "$defs": {"n": anchored(NULL)}},
                    }
                }
            },
        ),
        # One that begins at no dynamic anchor is as any other.
        (
            {"$id": "urn:a", "$ref": "urn:b", "$defs": {"n": anchored(NUMBER)}},
            {"urn:b": {"$dynamicRef": "#n", "$defs": {"n": {"$anchor": "n", **NULL}}}},
        ),
    ],
)
def test_a_dynamic_reference_takes_the_outermost_anchor(schema, resources):
    machine = build_machine(schema, resources=resources)
    assert [accepts_value(machine, value) for value in (None, 1)] == [True, False]


@pytest.mark.parametrize("between", [True, False])
def test_a_recursive_reference_takes_the_outermost_anchor(between):
    """Resources between that have none do not end the search."""
    draft = "https://json-schema.org/draft/2019-09/schema"
    schema = {
        "$schema": draft,
        "$recursiveAnchor": True,
        "anyOf": [{"type": "null"}, {"$ref": "urn:b"}],
    }
    resources = {
        "urn:b": {"$schema": draft, "$recursiveAnchor": between, "items": {"$ref": "urn:c"}},
        "urn:c": {
            "$schema": draft,
            "$recursiveAnchor": True,
            "type": "array",
            "items": {"$recursiveRef": "#"},
        },
    }
    machine = build_machine(schema, resources=resources)
    assert accepts(machine, "[[null]]")


@pytest.mark.parametrize(
    "resource",
    [
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$id": "urn:x", "$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)
def test_what_a_reference_leads_to_has_the_dialect_of_its_resource(resource):
    pair = {"items": [{"type": "null"}], "prefixItems": [{"type": "string"}]}
    schema = {"$ref": "urn:b#/definitions/pair"}
    machine = build_machine(
        schema, resources={"urn:b": {**resource, "definitions": {"pair": pair}}}
    )
    assert accepts(machine, "[null, 1]")


def test_a_reference_back_has_the_dialect_of_the_root():
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": {"$ref": "urn:a#/$defs/p"},
    }
    schema = {"$id": "urn:a", "$ref": "urn:b", "$defs": {"p": {"prefixItems": [{"type": "null"}]}}}
    machine = build_machine(schema, resources={"urn:b": old})
    assert accepts(machine, "[[null]]")
    assert not accepts(machine, "[[1]]")


def test_a_document_is_relative_to_its_identifier_and_not_to_where_it_was_found():
    resources = {
        "http://x.y/found": {"$id": "http://x.y/z/a", "$ref": "b"},
        "http://x.y/z/b": {"type": "null"},
    }
    machine = build_machine({"$ref": "http://x.y/found"}, resources=resources)
    assert not accepts(machine, "1")


def test_an_identifier_where_no_schema_is_known_counts_below():
    """What a pointer leads to is a schema, whatever it stands in."""
    inner = {"$id": "urn:c", "$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}}
    machine = build_machine({"$ref": "#/x/y", "x": {"y": {"items": inner}}})
    assert accepts(machine, "[null]")
    assert not accepts(machine, "[1]")


def test_a_percent_sign_in_a_fragment_is_decoded():
    schema = {"$ref": "#%6e", "$defs": {"a": {"$anchor": "n", "type": "null"}}}
    assert not accepts(build_machine(schema), "1")


def test_what_has_an_identifier_is_said_by_the_dialect_around_it():
    """As for ``jsonschema``: with 2020-12 around it ``id`` begins no resource."""
    old = {
        "$schema": "http://json-schema.org/draft-04/schema",
        "id": "schema/old",
        "definitions": {"word": {"type": "string"}},
        "properties": {"a": {"$ref": "#/definitions/old/definitions/word"}},
    }
    schema = {"definitions": {"old": old}, "properties": {"old": {"$ref": "#/definitions/old"}}}
    machine = build_machine(schema)
    assert accepts(machine, '{"old": {"a": "b"}}')
    assert not accepts(machine, '{"old": {"a": 1}}')
