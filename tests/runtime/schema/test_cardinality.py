import pytest

from maskc.native import is_compiled
from maskc.runtime.schema.machine import cardinality
from maskc.runtime.schema.machine.cardinality import Cardinality
from maskc.runtime.schema.machine.nodes import STATE
from tests.jsonschema.texts import build_machine, read

PAIR = {"properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}, "type": "object"}


def root_is_endless(schema):
    plan = build_machine(schema).plan
    return Cardinality(plan).of_position(plan.root)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "maxLength": 10},
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "array", "items": {"type": "null"}},
        {"type": "object"},
        {**PAIR, "additionalProperties": False},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": False},
    ],
)
def test_what_no_text_uses_up_is_endless(schema):
    assert root_is_endless(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["boolean", "null"]},
        {"type": "string", "pattern": "^[ab]{1,9}$"},
        {"type": "integer", "minimum": 0, "maximum": 10**9},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
        {"type": "array", "items": {"type": "boolean"}, "maxItems": 9},
        {**PAIR, "additionalProperties": False, "maxProperties": 0},
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
    ],
)
def test_what_could_be_used_up_is_not(schema):
    assert not root_is_endless(schema)


@pytest.mark.parametrize(("text", "is_infinite"), [('{"a": true ', True), ('{"b": "x" ', False)])
def test_an_object_is_endless_until_the_last_member_that_is(text, is_infinite):
    machine = build_machine({**PAIR, "additionalProperties": False})
    (node,) = read(machine, text).nodes
    assert Cardinality(machine.plan).of_open(node[STATE]) is is_infinite


COUNTED = {"type": "array", "contains": {"enum": [1, 2, 3]}, "uniqueItems": True}


@pytest.mark.parametrize("second", [1, 2, 3])
def test_items_after_counted_ones_are_found_whichever_values_come_before(second):
    """The second item is only there where the first is another one, and strings come after it."""
    prefix = [{"enum": [1, 2, 3]}, {"const": second}]
    counted = {**COUNTED, "maxContains": 3, "prefixItems": prefix}
    assert root_is_endless({**counted, "items": {"type": "string"}})


def test_items_that_use_up_the_values_that_are_counted_have_none_after_them():
    prefix = [{"enum": [1, 2]}] * 3
    assert not root_is_endless({**COUNTED, "prefixItems": prefix, "items": {"type": "string"}})


def test_an_object_that_has_had_all_arrays_of_few_counted_values_is_illegal():
    few = {**COUNTED, "prefixItems": [{"enum": [1, 2]}] * 3, "minItems": 2}
    codes = {"type": "string", "pattern": "^[0-9]{3}$"}  # too many to be listed
    pairs = {"type": "object", "properties": {"c": codes, "k": few}, "required": ["c", "k"]}
    schema = {"type": "array", "items": {**pairs, "additionalProperties": False}}
    machine = build_machine({**schema, "uniqueItems": True})
    before = '[{"c":"123","k":[1,2]},{"c":"123","k":[2,1]},{"c":'
    assert read(machine, before + '"12') is not None
    assert read(machine, before + '"123') is None
    assert read(machine, before + '"124","k":[1') is not None


PAIRS = {
    "$defs": {
        "few": {"enum": [1, 2]},
        "loop": {"properties": {"a": {"$ref": "#/$defs/loop"}}, "additionalProperties": False},
        "two": {"items": {"$ref": "#/$defs/few"}, "maxItems": 2},
        "dead": {"properties": {"a": {"$ref": "#/$defs/two"}}, "additionalProperties": False},
    },
    "properties": {
        name: {"$ref": f"#/$defs/{name}", "type": kind}
        for name, kind in [("few", "number"), ("loop", "object"), ("two", "array")]
    }
    | {"dead": {"$ref": "#/$defs/dead", "type": "object"}, "any": {}},
    "type": "object",
    "additionalProperties": False,
}


def test_it_makes_no_difference_what_is_asked_first():
    plan = build_machine(PAIRS).plan
    positions = range(len(plan.positions))
    alone = [Cardinality(plan).of_position(position) for position in positions]
    assert {True, False} == set(alone)
    for order in (positions, reversed(positions)):
        asked = Cardinality(plan)
        found = {position: asked.of_position(position) for position in order}
        assert [found[position] for position in positions] == alone


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
def test_only_what_is_inside_a_value_is_looked_at(monkeypatch):
    looked_at = []
    count = cardinality._has_many_strings
    monkeypatch.setattr(
        cardinality, "_has_many_strings", lambda *a: looked_at.append(a[0]) or count(*a)
    )
    tags = {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2}
    more = {name: {"pattern": f"^{name}[ab]$", "type": "string"} for name in "cdef"}
    schema = {"properties": {"tags": tags, **more}, "additionalProperties": False}
    plan = build_machine({"type": "object", **schema}).plan
    (array,) = (n for n, position in enumerate(plan.positions) if position.arrays)
    assert not Cardinality(plan).of_position(array)
    assert len(looked_at) == 1
