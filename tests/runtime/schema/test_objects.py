"""Constraints of an object: that some member fits, in many ways at once."""

import itertools
import json

import jsonschema
import pytest

from maskc.jsonschema.automata import of_texts
from maskc.runtime.schema.plan.objects import ObjectRule
from tests.jsonschema.texts import accepts, build_machine, read


def rule(*options, high=None, required=0):
    names = [chr(ord("a") + n) for n in range(len(options))]
    pairs = [[(d, 0) for d in found] for found in options]
    constraints = max((d.bit_length() for found in options for d in found), default=0)
    return ObjectRule(
        of_texts(names), len(names), pairs, required, 0, high, constraints, ordered=False
    )


@pytest.mark.parametrize(
    ("options", "high", "is_feasible"),
    [
        ([[1], [2], [4]], 3, True),
        ([[1], [2], [4]], 2, False),
        ([[3, 1], [4]], 2, True),
        ([[1, 2], [4]], None, False),  # a name is there once
        ([[1, 2], [1, 4], [2, 4]], 3, True),
        ([[1, 2], [1, 2], [1, 2]], 2, True),
    ],
)
def test_constraints_need_members_that_there_is_room_for(options, high, is_feasible):
    assert rule(*options, high=high).is_feasible() is is_feasible


def test_a_class_of_keys_fulfils_as_many_constraints_as_it_has_keys():
    lists = [["1", "3"], ["2", "7", "9"], ["2", "3", "11"], ["2", "4", "5"], ["1", "2", "5"]]
    schema = {
        "type": "object",
        "patternProperties": {"^[0-9]$": {"type": "null"}},
        "additionalProperties": False,
        "not": {"anyOf": [{"propertyNames": {"not": {"enum": keys}}} for keys in lists]},
        "maxProperties": 2,
    }
    machine, validator = build_machine(schema), jsonschema.Draft202012Validator(schema)
    for keys in itertools.combinations("1234569", 2):
        value = dict.fromkeys(keys)
        assert accepts(machine, json.dumps(value)) == validator.is_valid(value), keys
    assert read(machine, '{"4') is None
    assert read(machine, '{"2": null, "4') is None
    assert read(machine, '{"2": null, "3') is not None
