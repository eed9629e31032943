"""Positions as the plan that the machine follows."""

import json
from itertools import product

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.plan.entries import PlanError
from maskc.runtime.schema.plan.plan import Layout, Plan


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
            {
                "type": "array",
                "uniqueItems": True,
                "minItems": 2_000,
                "items": {"type": "integer", "minimum": 1, "maximum": 3_000},
            },
            "more than 1,000 different items",
        ),
        (
            {
                "properties": {
                    "a": {"minItems": 3, "uniqueItems": True, "items": {"enum": [1, 2]}}
                },
                "required": ["a"],
                "type": "object",
                "not": {
                    "properties": {"a": {"type": ["null", "boolean", "number", "string", "object"]}}
                },
            },
            "fits no value at all",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(schema, fact):
    with pytest.raises(SchemaError, match=fact):
        plan_of(schema)


WORDS = [f"{n:b}".replace("0", "é").replace("1", "a") for n in range(200)]


def test_a_large_enum_is_written_as_its_texts():
    plan = plan_of({"enum": WORDS})
    assert plan["dfas"] == [[sorted(WORDS), [0] * 200, -1]]


def test_the_plan_of_a_large_enum_reads_its_texts():
    data = build_plan({"enum": WORDS}, resources={}, layout=Layout(), assert_formats=True)
    (dfa,) = Plan(data, Layout(), Budget(1 << 20)).dfas
    texts = ["".join(letters) for n in range(9) for letters in product("aé", repeat=n)]
    assert [t for t in texts if dfa.labels[dfa.read(t)] == 0] == sorted(
        WORDS, key=lambda word: (len(word), word)
    )


def test_many_names_of_an_object_are_written_as_texts_with_labels():
    plan = plan_of({"properties": {word: {"type": "null"} for word in WORDS}})
    ((texts, labels, other),) = (entry for entry in plan["dfas"] if len(entry) == 3)
    assert [texts[labels.index(n)] for n in range(200)] == WORDS
    assert other == 200


@pytest.mark.parametrize(
    ("entry", "fact"),
    [
        ([[], [], -1], "has no texts"),
        ([["a"], [], -1], "too few labels"),
        ([["b", "a"], [0, 0], -1], "do not ascend"),
        ([["a", 1], [0, 0], -1], "a text that is none"),
        ([["a"], [-1], -1], "outside 0"),
        ([["a" * 900_000], [0], -1], "are too many"),
    ],
)
def test_a_damaged_list_of_texts_is_refused(entry, fact):
    plan = {**plan_of({"enum": WORDS}), "dfas": [entry]}
    with pytest.raises(PlanError, match=fact):
        Plan(json.dumps(plan).encode(), Layout(), Budget(1 << 20))
