import numpy as np
import pytest

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary
from tests.jsonschema.texts import accepts, build_machine, read

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


def test_minus_zero_is_an_integer_that_is_not_negative():
    assert accepts(build_machine({"minimum": 0}), "-0")


def test_a_key_that_was_there_may_not_be_written_with_an_escape():
    machine = build_machine({})
    assert read(machine, '{"ab": 1, "\\u0061b') is not None
    assert read(machine, '{"ab": 1, "\\u0061b"') is None


def test_a_length_of_65536_is_no_states():
    machine = build_machine({"type": "string", "maxLength": 65536})
    assert len(machine.plan.dfas) == 1
    assert machine.plan.dfas[0].n_states == 2


def test_recursion_goes_as_deep_as_the_text():
    machine = build_machine(
        {"properties": {"next": {"$ref": "#"}}, "additionalProperties": False, "type": "object"}
    )
    assert accepts(machine, '{"next":' * 300 + "{}" + "}" * 300)


def test_keys_that_are_only_required_come_after_those_with_a_schema():
    inner = {"type": "object", "properties": {"c": {}}, "required": ["a", "b"]}
    schema = {**inner, "required": ["b", "a"], "properties": {"c": inner}}
    machine = build_machine(schema, layout=JsonLayout(key_order="schema"))
    right = '{"c":{"c":1,"a":1,"b":1,"x":1},"b":1,"a":1,"x":1}'
    assert accepts(machine, right)
    assert not accepts(machine, right.replace('"a":1,"b":1', '"b":1,"a":1'))
    assert not accepts(machine, right.replace('"a":1,"x":1}', '"x":1,"a":1}'))
    assert not accepts(machine, '{"b":1,"a":1,"c":{"a":1,"b":1}}')


def test_minimal_escapes_are_those_that_must_be():
    machine = build_machine({}, layout=JsonLayout(escapes="minimal"))
    assert accepts(machine, r'"\"\\\n\u001f"')
    assert not accepts(machine, r'"\u0061"')
    assert not accepts(machine, r'"\/"')


def test_plain_numbers_have_no_exponent():
    assert not accepts(build_machine({}, layout=JsonLayout(numbers="plain")), "1e2")


def test_half_of_a_surrogate_pair_is_no_character():
    assert accepts(build_machine({}), r'"\ud83d\ude00"')
    assert not accepts(build_machine({}), r'"\ud83d"')
    assert not accepts(build_machine({}), r'"\ude00"')


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"properties": {"a": {"type": "strin"}}}, "/properties/a", "type"),
        ({"items": {"$ref": "#/nowhere"}}, "/items", "$ref"),
        ({"$ref": "#"}, "", "$ref"),
        ({"$dynamicRef": "#n", "$dynamicAnchor": "n"}, "", "$dynamicRef"),
        (
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}},
            "/$defs/a",
            "$ref",
        ),
        ({"properties": {"a": {"pattern": "(a)\\1"}}}, "/properties/a", "pattern"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a", "pattern"),
        ({"items": {"not": {"format": "regex"}}}, "/items", "format"),
        ({"$schema": "https://example.com/mine"}, "", "$schema"),
        ({"minLength": -1}, "", "minLength"),
        ({"multipleOf": 0}, "", "multipleOf"),
        ({"not": {"uniqueItems": True}, "prefixItems": [{"type": "null"}]}, "", "uniqueItems"),
    ],
)
def test_what_is_not_supported_is_refused_by_place_and_keyword(schema, pointer, keyword):
    with pytest.raises(SchemaError) as caught:
        build_machine(schema)
    assert (caught.value.pointer, caught.value.keyword) == (pointer, keyword)


def test_a_negated_class_of_keys_is_refused_with_the_keys_in_the_schemas_order():
    negated = {"type": "object", "not": {"additionalProperties": {"type": "null"}}}
    with pytest.raises(SchemaError, match="not supported with the keys in the schema's order"):
        build_machine(negated, layout=JsonLayout(key_order="schema"))


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "object", "minProperties": 3, "maxProperties": 2},
        {"type": "object", "required": ["a"], "properties": {"a": False}},
        {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "boolean"}},
        {"allOf": [{"type": "string"}, {"type": "null"}]},
        {"type": "string", "pattern": "^(ab)*$", "minLength": 3, "maxLength": 3},
        {"enum": []},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    ],
)
def test_a_schema_that_nothing_fits_is_refused(schema):
    with pytest.raises(SchemaError, match="fits no value"):
        build_machine(schema)


def test_contents_that_are_opened_again_are_read_from_their_arrays():
    vocabulary = build_vocabulary("bytes", build_byte_table())
    contents = compile_schema(PERSON, vocabulary)
    matchers = [maskc.Artifact(contents).matcher() for _ in range(2)]
    assert contents.made == []
    bitmask = maskc.allocate_bitmask(2, vocabulary.vocab_size)
    for byte in b'{"age": 3, "name": "x"}':
        for row, matcher in enumerate(matchers):
            matcher.fill_bitmask(bitmask, row)
            assert matcher.accept_bytes(bytes([byte]))
        assert np.array_equal(bitmask[0], bitmask[1])


@pytest.mark.parametrize(
    ("schema", "remedy"),
    [
        ({"$ref": "#/$defs/a"}, "write the pointer of a subschema of the same document"),
        ({"$ref": "#/$defs/a", "definitions": {"a": {}}}, "write #/definitions/a, which is there"),
        ({"$ref": "#/components/schemas/a"}, "give the whole OpenAPI document"),
        ({"$ref": "urn:x"}, "give the document it names as a resource"),
        ({"pattern": "(?i)a"}, "write both cases as a set"),
        ({"pattern": r"\Aa"}, "write \\^, which is the start"),
        ({"pattern": r"a\Z"}, "write \\$, which is the end"),
        ({"pattern": "(?P<a>b)"}, "name a group as ECMA-262 does"),
        ({"items": [{}]}, "write prefixItems, or give .*draft-07"),
        ({"exclusiveMinimum": True, "minimum": 3}, "write the bound itself, or give .*draft-04"),
        ({"required": True, "type": "string"}, "name the key in the required of the object"),
        ({"exclusiveMinimum": 3, "$schema": DRAFT_4}, "write it beside minimum as true, or give"),
        ({"uniqueItems": "true"}, "write true or false"),
        ({"dependentRequired": {"a": "b"}}, "write a list of strings"),
        ({"prefixItems": None}, "write at least one schema"),
        ({"type": None}, "is not a name; write one of null"),
    ],
)
def test_what_is_refused_has_a_way_out_that_works(schema, remedy):
    with pytest.raises(SchemaError, match=remedy):
        build_machine(schema)
