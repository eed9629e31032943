"""Which positions wait, and that nothing else tells them from positions that are built at once."""

import json

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.waiting import MOST_WAITING, is_simple_pattern
from maskc.runtime.cache import Budget
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import JsonLayout, Plan

INNER = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
NOTHING = {"allOf": [{"type": "string"}, {"type": "integer"}]}


def make(schema):
    settings = {"resources": {}, "layout": JsonLayout(), "assert_formats": True}
    return Plan(build_plan(schema, waits=True, **settings), JsonLayout(), Budget(1 << 20))


def n_waiting(schema):
    return make(schema).positions.count(None)


def open_machine(plan):
    return SchemaMachine(plan, lambda _: None, Budget(1 << 20))


def reads(schema, text):
    """Return whether a text is the beginning of one that fits."""
    machine = open_machine(make(schema))
    return bool(machine.step(machine.start(), text))


@pytest.mark.parametrize(
    "schema",
    [
        INNER,
        {"items": INNER},
        {"additionalProperties": {"type": "string"}},
        {"patternProperties": {"^x-": True}},
        {"$ref": "#/$defs/inner"},
        {"allOf": [{"$ref": "#/$defs/inner"}]},
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/inner"}]},
        {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/inner"}]},
        {"properties": {"a": {"pattern": "^(a|b)*c$"}}},
        {"pattern": "^a"},
        {"enum": ["a", "b", "c", "d"], "type": "string"},
        {"properties": {"a": {"format": "date"}}, "required": ["a"]},
    ],
)
def test_what_is_known_to_compile_and_to_have_values_waits(schema):
    assert n_waiting({"properties": {"a": schema}, "$defs": {"inner": INNER}}) == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"pattern": "^(a|b)*c$"},
        {"enum": ["a", "b", "c"]},
        {"enum": ["a", "b", "c", 1]},
        {"minProperties": 2, "properties": {}},
        {"properties": {"a": {"pattern": "^(a|b)*c$"}}, "required": ["a"]},
        {"properties": {"a": False}, "required": ["a"]},
        {"oneOf": [{"type": "integer"}, {"type": "number"}], "properties": {}},
        {"$id": "x", "properties": {}},
        {"items": {"type": "string"}, "minItems": 3, "maxItems": 2},
        {"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]},
    ],
)
def test_what_is_not_known_to_have_values_is_built_at_once(schema):
    assert n_waiting({"properties": {"a": schema}}) == 0


def test_what_is_compared_is_built_at_once():
    both = [{"properties": {"a": INNER}}, {"properties": {"b": INNER}}]
    assert n_waiting({"oneOf": both, "properties": {"c": INNER}}) == 0


def test_a_schema_is_refused_for_what_is_inside_a_position_that_waits():
    deep = {"properties": {"b": {"properties": {"c": {"pattern": "(a)\\1"}}}}}
    with pytest.raises(SchemaError, match=r"at /properties/a/properties/b/properties/c: pattern"):
        make({"properties": {"a": deep}})


@pytest.mark.parametrize("inner", [NOTHING, {"$ref": "#/$defs/nothing"}])
def test_a_member_that_nothing_fits_is_left_out_of_a_position_that_has_waited(inner):
    schema = {"properties": {"a": {"properties": {"b": inner}}}, "$defs": {"nothing": NOTHING}}
    assert reads(schema, b'{"a":{"bb":1}}')
    assert not reads(schema, b'{"a":{"b"')


def test_equal_patterns_and_lists_of_texts_wait_as_one_position():
    texts = ["a", "b", "c", "d"]
    members = [
        {"pattern": "^a", "title": "one"},
        {"pattern": "^a", "title": "other"},
        {"pattern": "^a", "type": "string"},
        {"enum": texts},
        {"enum": texts, "description": ""},
        {"enum": [*texts, "e"]},
    ]
    assert n_waiting({"properties": {f"m{n}": each for n, each in enumerate(members)}}) == 4


def test_a_reference_that_is_no_text_is_refused():
    with pytest.raises(SchemaError, match="is not a string"):
        make({"$defs": {"5": INNER}, "properties": {"a": {"$ref": "#/$defs/5"}, "b": {"$ref": 5}}})


def test_a_position_is_built_when_its_value_begins():
    plan = make({"type": "object", "properties": {"a": INNER, "b": INNER}})
    machine = open_machine(plan)
    here = machine.step(machine.start(), b'{"a":')
    assert plan.positions.count(None) == 2
    machine.step(here, b"{")
    assert plan.positions.count(None) == 1


def test_the_json_of_a_plan_has_all_positions():
    plan = make({"properties": {"a": {"properties": {"b": INNER}}}})
    whole = make({"properties": {"a": {"properties": {"b": INNER}}}})
    assert None not in json.loads(plan.data)["positions"]
    assert plan.positions.count(None) == 0
    assert plan.data == whole.data


def test_what_has_very_many_places_is_built_at_once():
    layer = {"type": "object", "properties": {f"n{n}": INNER for n in range(90)}}
    schema = {"properties": {"a": {"properties": {f"m{n}": layer for n in range(60)}}}}
    assert MOST_WAITING < 60 * 90
    assert n_waiting(schema) == 0


def test_a_schema_that_is_changed_afterwards_is_read_as_it_was():
    inner = {"type": "object", "properties": {"x": {"type": "integer"}}}
    plan = make({"properties": {"a": inner}})
    inner["properties"].clear()
    inner["additionalProperties"] = False
    machine = open_machine(plan)
    assert machine.step(machine.start(), b'{"a":{"x":1}}')


@pytest.mark.parametrize(
    ("pattern", "is_simple"),
    [
        ("^x-", True),
        ("^[a-zA-Z0-9_-]+$", True),
        ("^.*$", True),
        ("^\\d\\d$", True),
        ("x-", True),
        ("^.*a........$", False),
        ("^[a-z]+[0-9]*$", False),
        ("^(a|b)$", False),
        ("^[z-a]$", False),
        ("^[]$", False),
        ("^a$b", False),
        ("[", False),
    ],
)
def test_a_simple_pattern_makes_a_small_automaton(pattern, is_simple):
    assert is_simple_pattern(pattern) is is_simple
