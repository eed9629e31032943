"""Positions as the plan that the machine follows."""

import json
from itertools import product

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout, Plan


def plan_of(schema):
    return json.loads(
        build_plan(schema, resources={}, layout=JsonLayout(), assert_formats=True).data
    )


def test_equal_rules_are_written_once():
    plan = plan_of({"prefixItems": [{"minimum": 3}, {"minimum": 3, "title": "x"}]})
    assert plan["numbers"].count(plan["numbers"][0]) == 1


def test_only_what_the_root_leads_to_is_written():
    schema = {"$defs": {"unused": {"enum": list(range(50))}}, "type": "null"}
    plan = plan_of(schema)
    assert len(plan["positions"]) == 1
    assert plan["numbers"] == []


@pytest.mark.parametrize(
    ("schema", "fact"),
    [
        ({"type": "null", "enum": [1]}, "fits no value"),
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
                "uniqueItems": True,
                "minItems": 40,
                "items": {"enum": list(range(60))},
                "allOf": [{"contains": {"multipleOf": n}, "minContains": 2} for n in (2, 3, 5)],
            },
            "more than 262,144 states",
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
            "fits no value",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(schema, fact):
    with pytest.raises(SchemaError, match=fact):
        plan_of(schema)


WORDS = [f"{n:b}".replace("0", "é").replace("1", "a") for n in range(200)]


def test_the_plan_of_a_large_enum_reads_its_texts():
    data = build_plan({"enum": WORDS}, resources={}, layout=JsonLayout(), assert_formats=True).data
    (dfa,) = Plan(FrozenPlan(data), JsonLayout(), Budget(1 << 20)).dfas
    texts = ["".join(letters) for n in range(9) for letters in product("aé", repeat=n)]
    assert [t for t in texts if dfa.labels[dfa.read(t)] == 0] == sorted(
        WORDS, key=lambda word: (len(word), word)
    )


@pytest.mark.parametrize(
    ("entry", "fact"),
    [
        ([[], [], -1], "has no texts"),
        ([["a"], [], -1], "0 entries instead of 1"),
        ([["b", "a"], [0, 0], -1], "do not ascend"),
        ([["a", 1], [0, 0], -1], "a text that is none"),
        ([["a"], [-1], -1], "outside 0"),
        ([["a" * 900_000], [0], -1], "are too many"),
    ],
)
def test_a_damaged_list_of_texts_is_refused(entry, fact):
    plan = {**plan_of({"enum": WORDS}), "dfas": [entry]}
    with pytest.raises(PlanError, match=fact):
        Plan(FrozenPlan(json.dumps(plan).encode()), JsonLayout(), Budget(1 << 20))


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": "^b+$"}, "c": {"format": "date"}}, "minProperties": 2},
        {"format": "idn-hostname"},
        {"enum": WORDS},
        {"properties": {word: {"maxLength": 3} for word in WORDS}, "additionalProperties": False},
    ],
)
def test_automata_that_were_made_here_are_those_that_are_read(schema):
    frozen = build_plan(schema, resources={}, layout=JsonLayout(), assert_formats=True)
    made = Plan(frozen, JsonLayout(), Budget(0)).dfas
    read = Plan(FrozenPlan(frozen.data), JsonLayout(), Budget(0)).dfas
    assert len(made) == len(read) > 0
    assert list(map(describe, made)) == list(map(describe, read))


MANY = {
    "properties": {
        "a": {"type": "integer", "minimum": 3, "multipleOf": 0.5},
        "b": {"type": "array", "items": {"enum": ["x", "y"]}, "uniqueItems": True, "minItems": 2},
        "c": {"type": "string", "minLength": 2},
        "d": {"contains": {"type": "null"}, "maxContains": 2},
    },
    "patternProperties": {"^x": {"$ref": "#"}},
    "not": {"additionalProperties": {"type": "null"}},
    "required": ["a"],
    "maxProperties": 9,
}


@pytest.mark.parametrize("key_order", ["any", "schema"])
def test_a_plan_that_was_made_here_is_the_one_that_is_read(key_order):
    layout = JsonLayout(key_order=key_order)
    schema = MANY if key_order == "any" else {**MANY, "not": {"required": ["z"]}}
    frozen = build_plan(schema, resources={}, layout=layout, assert_formats=True)
    made = Plan(frozen, layout, Budget(0))
    read = Plan(FrozenPlan(frozen.data), layout, Budget(0))
    assert frozen.records is not None
    assert made.positions == read.positions
    assert made.root == read.root
    assert [rule.identity for rule in made.numbers] == [rule.identity for rule in read.numbers]
    assert list(map(describe_string, made.strings)) == list(map(describe_string, read.strings))
    assert list(map(describe_object, made.objects)) == list(map(describe_object, read.objects))
    assert list(map(describe_array, made.arrays)) == list(map(describe_array, read.arrays))


def describe_string(rule):
    return describe(rule.body.dfa), rule.low, rule.high


def describe_object(rule):
    counts = (rule.required, rule.low, rule.high, rule.lacked, rule.ordered)
    return describe(rule.dfa), rule.n_names, list(map(list, rule.options)), *counts


def describe_array(entry):
    rule = entry.rule
    pieces = [(start, list(options)) for start, options in rule.pieces]
    return pieces, rule.low, rule.high, rule.counters, entry.unique, entry.repeats


def describe(dfa):
    """Return what tells an automaton from others, whatever numbers the states of texts have."""
    rows = [sorted(row.items()) for row in dfa.rows]
    states = (dfa.starts, dfa.classes, dfa.defaults, rows, dfa.labels)
    return dfa.texts or (*map(list, states), dfa.start, dfa.reader)
