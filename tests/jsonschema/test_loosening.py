"""A schema that cannot be compiled becomes the nearest larger one that can, with notes."""

import copy
import json

import hypothesis.strategies as st
import jsonschema
import pytest
from hypothesis import assume, given

from maskc.errors import LimitError, SchemaError, UnsatisfiableError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.loosening import apply_all, compile_loosely, loosen
from maskc.jsonschema.uses import SchemaUses
from maskc.runtime.schema.plan import JsonLayout

BAD = {"type": "string", "pattern": "(a)\\1"}
SINCE = "since pattern '(a)\\\\1' has a back-reference, which is not supported"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def compile_it(schema):
    build_plan(schema, resources={}, layout=JsonLayout(key_order="any"), assert_formats=True)
    return schema


def make_larger(schema):
    return compile_loosely(schema, compile_it, seconds=60)


@pytest.mark.parametrize(
    ("schema", "larger", "notes"),
    [
        (
            {"properties": {"a": {**BAD, "maxLength": 9}, "b": {"type": "null"}}},
            {"properties": {"a": {"type": "string", "maxLength": 9}, "b": {"type": "null"}}},
            [f"schema at /properties/a: read without pattern, {SINCE}"],
        ),
        (
            {"properties": {"a": {"not": BAD}}},
            {"properties": {"a": {}}},
            [f"schema at /properties/a: read without not, {SINCE} (at /properties/a/not)"],
        ),
        (
            {"oneOf": [BAD, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            [
                f"schema at #: read with anyOf for oneOf, {SINCE} (at /oneOf/0)",
                f"schema at /anyOf/0: read without pattern, {SINCE}",
            ],
        ),
        (
            {"$defs": {"x": BAD}, "items": {"$ref": "#/$defs/x"}, "not": {"$ref": "#/$defs/x"}},
            {"$defs": {"x": {"type": "string"}}, "items": {"$ref": "#/$defs/x"}},
            [
                f"schema at #: read without not, {SINCE} (at /$defs/x)",
                f"schema at /$defs/x: read without pattern, {SINCE}",
            ],
        ),
    ],
)
def test_what_is_refused_is_left_out_and_noted(schema, larger, notes):
    given_before = copy.deepcopy(schema)
    assert make_larger(schema) == (larger, tuple(notes))
    assert schema == given_before


@pytest.mark.parametrize(
    ("schema", "larger"),
    [
        ({"if": BAD, "then": {"maxLength": 1}, "minLength": 1}, {"minLength": 1}),
        ({"type": "strnig", "enum": [1]}, {"enum": [1]}),
        ({"properties": {"a": "string"}}, {"properties": {"a": True}}),
        ({"properties": {"a": {"not": 3}}}, {"properties": {"a": {}}}),
        ({"contains": 3, "maxContains": 1}, {}),
        ({"properties": {"a": {"$ref": "#/b"}}}, {"properties": {"a": {}}}),
        ({"$ref": "other.json"}, {}),
        ({"$ref": "#", "type": "object"}, {"type": "object"}),
        ({"$schema": DRAFT_7, "$ref": "#/b", "type": "null"}, {"$schema": DRAFT_7}),
        ({"$schema": "urn:mine", "type": "object", "properties": {}}, {"type": "object"}),
        ({"$id": 3, "type": "object", "$ref": "a.json"}, {"type": "object"}),
        ({"patternProperties": {"(a)\\1": {}}, "additionalProperties": False}, {}),
        (
            {"properties": 3, "additionalProperties": False, "minProperties": 1},
            {"minProperties": 1},
        ),
        ({"prefixItems": {"a": 1}, "items": False, "maxItems": 2}, {"maxItems": 2}),
        ({"enum": {"a": 1}, "type": "null"}, {"type": "null"}),
        ({"multipleOf": 0}, {}),
        ({"minLength": -1}, {}),
        ({"maximum": "3"}, {}),
        ({"required": "a"}, {}),
        ({"dependentRequired": {"a": [1]}, "required": ["a"]}, {"required": ["a"]}),
        ({"dependentSchemas": {"a": 3}}, {"dependentSchemas": {"a": True}}),
        ({"allOf": []}, {}),
        ({"anyOf": {}}, {}),
        ({"oneOf": [{"multipleOf": 0}]}, {"anyOf": [{}]}),
        (
            {"contains": BAD, "minContains": 2, "maxContains": 3},
            {"contains": {"type": "string"}, "minContains": 2},
        ),
        ({"contains": {}, "minContains": -1, "maxContains": 3}, {}),
        ({"minContains": 1, "contains": {}, "maxContains": -1}, {"minContains": 1, "contains": {}}),
        ({"unevaluatedProperties": False, "patternProperties": {"(a)\\1": {}}}, {}),
        (
            {"unevaluatedProperties": False, "properties": {"a": BAD}},
            {"unevaluatedProperties": False, "properties": {"a": {"type": "string"}}},
        ),
        (
            {
                "uniqueItems": True,
                "minItems": 3000,
                "items": {"maximum": 4000, "minimum": 1, "type": "integer"},
            },
            {"minItems": 3000, "items": {"maximum": 4000, "minimum": 1, "type": "integer"}},
        ),
        (
            {"type": "string", "format": "idn-hostname-exact", "maxLength": 5},
            {"type": "string", "maxLength": 5},
        ),
        (
            {"allOf": [{"contains": {"const": n}} for n in range(5)], "type": "array"},
            {"allOf": [{}, *({"contains": {"const": n}} for n in range(1, 5))], "type": "array"},
        ),
    ],
)
def test_each_kind_of_refusal_has_a_larger_schema(schema, larger):
    with pytest.raises(SchemaError):
        compile_it(schema)
    assert make_larger(schema)[0] == larger


def test_what_takes_too_long_or_too_much_is_read_by_its_type():
    def refuse(schema):
        if "maxLength" in schema:
            raise LimitError("states", 5, "write less")
        return schema

    made, notes = compile_loosely({"type": "string", "maxLength": 3}, refuse, seconds=60)
    assert made == {"type": "string"}
    assert notes == ("schema at #: read by its type alone, since it takes more than 5 states",)
    schema = {"type": "object", "properties": {str(n): {"multipleOf": 0} for n in range(90)}}
    assert make_larger(schema)[0] == {"type": "object"}
    assert compile_loosely(schema, compile_it, seconds=-1)[0] == {"type": "object"}


def test_what_never_compiles_is_refused_as_it_was_at_first():
    def refuse(schema):
        raise SchemaError("", "pattern", f"of {len(schema) if schema is not True else 0}", "stop")

    with pytest.raises(SchemaError, match="pattern of 2"):
        compile_loosely({"type": "string", "pattern": "a"}, refuse, seconds=60)


def test_a_schema_that_fits_nothing_is_not_made_larger():
    with pytest.raises(UnsatisfiableError):
        make_larger({"type": "string", "minLength": 2, "maxLength": 1})


_LEAVES = st.sampled_from(
    [
        {}, True, False, {"type": "integer"}, {"type": ["string", "null"]}, {"minLength": 2},
        {"const": 1}, {"enum": ["a", [1], {"a": 1}]}, {"maximum": 1}, {"pattern": "^a"},
        {"required": ["a"]}, {"maxProperties": 1}, {"minItems": 1}, {"uniqueItems": True},
        {"$ref": "#/$defs/x"}, {"$ref": "#"}, {"dependentRequired": {"a": ["b"]}},
    ]
)  # fmt: skip


def _above(inner):
    one, few = inner, st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), few),
            **dict.fromkeys(("properties", "dependentSchemas"), named),
            **dict.fromkeys(("not", "if", "then", "else", "items", "contains"), one),
            **dict.fromkeys(("additionalProperties", "propertyNames"), one),
            **{k: st.just(False) for k in ("unevaluatedProperties", "unevaluatedItems")},
            "patternProperties": st.dictionaries(st.sampled_from(["a", "[bc]"]), one, max_size=2),
            "maxContains": st.integers(0, 2),
            "minContains": st.integers(0, 2),
            "type": st.sampled_from(["object", "array"]),
        },
    ).map(lambda drawn: dict(sorted(drawn.items())[:4]))


_SCHEMAS = st.recursive(_LEAVES, _above, max_leaves=8)
_VALUES = st.recursive(
    st.sampled_from([None, 1, 2, "a", "ab", "b"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    ),
    max_leaves=5,
)


def is_valid(schema, value):
    return jsonschema.Draft202012Validator(schema).is_valid(value)


def list_references(schema):
    """Return what a schema refers to about the same value."""
    found = {schema["$ref"]} if isinstance(schema, dict) and "$ref" in schema else set()
    for keyword in ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"):
        inner = schema.get(keyword, []) if isinstance(schema, dict) else []
        parts = inner.values() if keyword == "dependentSchemas" and inner else inner
        for part in [parts] if isinstance(parts, bool | dict) else parts:
            found |= list_references(part)
    return found


def leads_to_itself(schema):
    """Return whether a reference leads to itself before a value is entered: judges have no end."""
    whole, x = list_references(schema), list_references(schema["$defs"]["x"])
    return "#" in whole or "#/$defs/x" in x or ("#/$defs/x" in whole and "#" in x)


@given(st.data())
def test_what_a_schema_fits_the_larger_one_fits(data):
    """Wherever something is left out, for whichever keyword."""
    schema = data.draw(_above(_SCHEMAS))
    schema["$defs"] = {"x": data.draw(_SCHEMAS)}
    assume(not leads_to_itself(schema))
    values = data.draw(st.lists(_VALUES, min_size=3, max_size=6))
    for _ in range(3):
        paths = sorted(SchemaUses(schema).schemas, key=str)
        path = data.draw(st.sampled_from(paths))
        here = SchemaUses(schema).schemas[path]
        keywords = ["", "$schema", *(here if isinstance(here, dict) else ())]
        pointer = "".join(f"/{step}" for step in path)
        changes = loosen(schema, pointer, data.draw(st.sampled_from(keywords)))
        larger = apply_all(schema, changes)
        assert (larger != schema) == bool(changes)
        for value in values:
            assert not is_valid(schema, value) or is_valid(larger, value), json.dumps(
                [schema, larger, value]
            )
        if not isinstance(larger, dict):
            return
        schema = larger
