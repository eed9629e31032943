"""An object is accepted iff it is valid, where its schema is kept as existential constraints.

They are only where there are many such ways, so here one is too many.
"""

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
