"""What is asked of an object's keys and of the values under them."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.building import Builder
from maskc.jsonschema.compiling import lower_schema
from maskc.runtime.schema.plan.plan import Layout

NEGATED = {"type": "object", "not": {"additionalProperties": {"type": "null"}}}


def draft(schema, **layout):
    lowering, formula = lower_schema(
        schema, resources={}, assert_formats=True, ordered=bool(layout)
    )
    builder = Builder(lowering.space, Layout(**layout), lowering.pointers)
    root = builder.add(formula, "")
    builder.finish()
    (found,) = builder.drafts[root].objects
    return found


def test_keys_that_nothing_tells_apart_are_one_class():
    found = draft({"properties": {"a": {}, "b": {"type": "null"}}, "required": ["a"]})
    assert found.n_names == 2
    assert found.names == ("a", "b")
    assert found.required == 0b01
    assert len(found.options) == 3  # those of a, of b, and of any other key


def test_keys_that_a_pattern_tells_apart_are_classes_of_their_own():
    found = draft({"patternProperties": {"^x": {"type": "null"}, "y$": {"type": "string"}}})
    assert found.names is None
    assert len(found.options) == 4  # in both, in one or the other, in none


def test_a_negated_schema_for_all_members_is_a_wish():
    assert draft(NEGATED).n_wishes == 1


def test_a_wish_is_refused_with_the_keys_in_the_schemas_order():
    with pytest.raises(SchemaError, match="not supported with the keys in the schema's order"):
        draft(NEGATED, key_order="schema")
