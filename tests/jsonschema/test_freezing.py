"""Positions as the plan that the machine follows."""

import json

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.runtime.schema.plan import Layout


def plan_of(schema):
    return json.loads(build_plan(schema, resources={}, layout=Layout(), assert_formats=True))


def test_equal_rules_are_written_once():
    plan = plan_of({"prefixItems": [{"minimum": 3}, {"minimum": 3, "title": "x"}]})
    assert plan["numbers"].count(plan["numbers"][0]) == 1


def test_only_what_the_root_leads_to_is_written():
    schema = {"$defs": {"unused": {"enum": list(range(50))}}, "type": "null"}
    plan = plan_of(schema)
    assert len(plan["positions"]) == 1
    assert plan["numbers"] == []


def test_what_no_value_fits_is_left_out():
    members = {"a": False, "b": {"type": "null"}}
    plan = plan_of({"type": "object", "properties": members, "additionalProperties": False})
    ((_, _, options, *_),) = plan["objects"]
    assert [len(option) for option in options] == [0, 2, 0]  # of a, of b, of other keys


def test_items_that_must_differ_are_told_apart_by_value():
    plan = plan_of({"type": "array", "uniqueItems": True, "items": {"enum": [1, "a"]}})
    ((_, _, _, _, splits),) = plan["arrays"]
    ((_, endless, values),) = splits
    assert endless == -1
    assert [json.loads(value) for value, _ in values] == [1, "a"]


@pytest.mark.parametrize(
    ("schema", "fact"),
    [
        ({"type": "null", "enum": [1]}, "fits no value at all"),
        (
            {"type": "array", "uniqueItems": True, "items": {"type": "array", "maxItems": 2}},
            "neither few nor can always have another",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(schema, fact):
    with pytest.raises(SchemaError, match=fact):
        plan_of(schema)
