"""An object is accepted iff it is valid, where its schema is kept as existential constraints.

They are only where there are many such ways, so here one is too many.
"""

import itertools
import json

import jsonschema
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from maskc.errors import SchemaError
from maskc.jsonschema import alternatives
from tests.jsonschema.texts import accepts, build_machine, count_legal, find_end, read

NAMES = st.sampled_from(["a", "b", "c"])
KEYS = st.sampled_from(["a", "b", "c", "d", "ab"])
LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"const": 1},
        {"enum": [1, "x"]},
        {"pattern": "^x", "type": "string"},
        {"pattern": "^y", "type": "string"},
        {"type": "string", "maxLength": 1},
        {"type": "array", "items": {"type": "integer"}},
        {"contains": {"const": 1}, "type": "array"},
        {},
        False,
    ]
)
VALUES = st.sampled_from([1, 2, "x", "y", "xy", [], [1], ["x", 1], None, {}, {"a": 1}])
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def branches(inner):
    return st.fixed_dictionaries(
        {"properties": st.dictionaries(NAMES, inner, max_size=3)},
        optional={
            "required": st.lists(NAMES, max_size=2, unique=True),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.just("b"), inner, max_size=1),
            "minProperties": st.integers(0, 2),
            "maxProperties": st.integers(1, 4),
        },
    )


BRANCH = branches(LEAVES) | branches(branches(LEAVES) | LEAVES)
SCHEMAS = st.one_of(
    st.fixed_dictionaries(
        {"oneOf": st.lists(BRANCH, min_size=2, max_size=4)},
        optional={"required": st.just(["a"]), "properties": st.just({"a": {"type": "string"}})},
    ),
    st.fixed_dictionaries({"allOf": st.lists(BRANCH.map(lambda b: {"not": b}), max_size=3)}),
    st.fixed_dictionaries(
        {
            "$defs": st.fixed_dictionaries({"base": BRANCH}),
            "oneOf": st.lists(
                BRANCH.map(lambda b: {"allOf": [{"$ref": "#/$defs/base"}, b]}),
                min_size=2,
                max_size=3,
            ),
        }
    ),
).map(lambda schema: {"type": "object", **schema})


# Of a, b and c alone, each 1 or "x", all objects can be looked at.
MEMBERS = {key: {"enum": [1, "x"]} for key in "abc"}
CLOSED = SCHEMAS.map(
    lambda schema: {**schema, "properties": MEMBERS, "additionalProperties": False}
)
EVERY = [
    dict(zip(keys, values, strict=True))
    for n in range(4)
    for keys in itertools.permutations("abc", n)
    for values in itertools.product([1, "x"], repeat=n)
]


@pytest.fixture(autouse=True)
def constraints(monkeypatch):
    monkeypatch.setattr(alternatives, "MAX_PLAIN", 0)


def build(schema):
    try:
        return build_machine(schema)
    except SchemaError as error:
        return error


LAW = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAW
@given(SCHEMAS, st.lists(OBJECTS, min_size=3, max_size=10))
def test_an_object_is_accepted_iff_it_is_valid(schema, values):
    machine = build(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if isinstance(machine, SchemaError):
        if machine.reason == "fits no value":
            assert not any(map(validator.is_valid, values)), schema
        return
    for value in values:
        assert accepts(machine, json.dumps(value)) == validator.is_valid(value), (schema, value)


@LAW
@given(SCHEMAS, OBJECTS, st.data())
def test_what_is_legal_can_be_finished(schema, value, data):
    machine = build(schema)
    assume(not isinstance(machine, SchemaError))
    text = json.dumps(value)
    prefix = text[: data.draw(st.integers(0, count_legal(machine, text)))]
    end = find_end(machine, read(machine, prefix))
    if end is not None:
        finished = json.loads(prefix + end.decode())
        assert jsonschema.Draft202012Validator(schema).is_valid(finished), (schema, prefix, end)


@LAW
@given(CLOSED)
def test_a_prefix_is_legal_iff_a_valid_object_begins_with_it(schema):
    validator = jsonschema.Draft202012Validator(schema)
    valid = list(filter(validator.is_valid, EVERY))
    check_prefixes(build(schema), valid, EVERY)


@LAW
@given(CLOSED, st.data())
def test_a_prefix_is_legal_iff_different_valid_objects_begin_with_it(schema, data):
    validator = jsonschema.Draft202012Validator(schema)
    valid = list(filter(validator.is_valid, EVERY))
    pairs = [[one, other] for one in valid for other in valid if one != other]
    machine = build({"type": "array", "items": schema, "minItems": 2, "uniqueItems": True})
    first = data.draw(st.sampled_from(valid or EVERY))
    check_prefixes(machine, pairs, [[first, other] for other in EVERY], is_whole=False)


@pytest.mark.parametrize(
    "asked",
    [
        {"not": {"required": ["a", "b"]}},
        {"not": {"required": ["a", "c"]}, "maxProperties": 1},
        {"not": {"required": ["a", "c"]}, "required": ["b"], "maxProperties": 1},
        {"not": {"required": ["a", "c"]}, "required": ["b"], "maxProperties": 2},
        {"not": {"required": ["a", "b"], "properties": {"b": {"const": 1}}}, "minProperties": 2},
    ],
)
def test_different_objects_lack_one_of_some_names(asked):
    schema = {"type": "object", "properties": MEMBERS, "additionalProperties": False, **asked}
    valid = list(filter(jsonschema.Draft202012Validator(schema).is_valid, EVERY))
    pairs = [[one, other] for one in valid for other in valid if one != other]
    machine = build({"type": "array", "items": schema, "minItems": 2, "uniqueItems": True})
    for first in valid[:4]:
        check_prefixes(machine, pairs, [[first, other] for other in EVERY], is_whole=False)


def test_an_object_that_can_only_become_one_that_was_there_is_illegal():
    codes = {"type": "string", "pattern": "^[0-9]{3}$"}  # too many to be listed
    schema = {"properties": dict.fromkeys("abc", codes), "additionalProperties": False}
    schema |= {"not": {"required": ["a", "c"]}, "required": ["b"], "maxProperties": 1}
    machine = build({"type": "array", "items": {"type": "object", **schema}, "uniqueItems": True})
    assert read(machine, '[{"b":"123"},{"b":"12') is not None
    assert read(machine, '[{"b":"123"},{"b":"123"') is None


def check_prefixes(machine, valid, asked, *, is_whole=True):
    """Check each prefix of the texts of some values against those of the valid ones."""
    if isinstance(machine, SchemaError):
        assert machine.reason != "fits no value" or not valid
        return
    texts = {write(value) for value in valid}
    legal = {text[:n] for text in texts for n in range(len(text) + 1)}
    reached = {"": machine.start()[0]}
    for text in map(write, asked):
        for n, character in enumerate(text):
            before, prefix = text[:n], text[: n + 1]
            if reached[before] is None:
                break
            if prefix not in reached:
                here = reached[prefix] = machine.read(reached[before], ord(character))
                assert (here is not None) == (prefix in legal), prefix
                if here is not None and is_whole:
                    assert machine.may_end(here) == (prefix in texts), prefix


def write(value):
    return json.dumps(value, separators=(",", ":"))
