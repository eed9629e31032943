"""What is asked of an object's keys and of the values under them."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.building import Builder
from maskc.jsonschema.compiling import lower
from maskc.runtime.schema.plan.plan import Layout

NEGATED = {"type": "object", "not": {"additionalProperties": {"type": "null"}}}


def draft(schema, **layout):
    lowering, formula = lower(schema, resources={}, ordered=bool(layout))
    builder = Builder(lowering.space, Layout(**layout), lowering.pointers)
    root = builder.add(formula, "")
    builder.finish()
    (found,) = builder.drafts[root].parts
    return found


def test_a_wish_is_refused_with_the_keys_in_the_schemas_order():
    with pytest.raises(SchemaError, match="not supported with the keys in the schema's order"):
        draft(NEGATED, key_order="schema")
