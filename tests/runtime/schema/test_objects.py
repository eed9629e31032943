"""Constraints of an object: that some member fits, in many ways at once."""

import itertools
import json

import jsonschema
import pytest

from maskc.jsonschema.automata import of_texts
from maskc.runtime.schema.plan.objects import ObjectRule
from tests.jsonschema.texts import accepts, build_machine, read


def rule(*options, low=0, high=None, required=0, lacked=None):
    names = [chr(ord("a") + n) for n in range(len(options))]
    pairs = [[(d, 0) for d in found] for found in options]
    constraints = max((d.bit_length() for found in options for d in found), default=0)
    lacked = lacked or (0,) * constraints
    return ObjectRule(
        of_texts(names), len(names), pairs, required, low, high, lacked, ordered=False
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


@pytest.mark.parametrize(
    ("counts", "is_feasible"),
    [
        ({}, True),  # without any member all hold
        ({"required": 0b011}, True),  # c is missing
        ({"required": 0b111}, False),
        ({"low": 2}, True),
        ({"low": 3}, False),
        ({"required": 0b001, "high": 1}, True),
    ],
)
def test_a_constraint_may_hold_as_a_name_is_missing(counts, is_feasible):
    """One of a, b and c is missing; a is, or b fits or is missing."""
    assert rule([0], [2, 0], [0], lacked=(0b111, 0b011), **counts).is_feasible() is is_feasible


def test_a_required_name_takes_the_room_of_one_that_fulfils_a_constraint():
    assert rule([0], [1], required=0b01, high=2).is_feasible()
    assert not rule([0], [1], required=0b01, high=1).is_feasible()


def test_a_name_that_is_not_allowed_is_missing_however_many_members_there_are():
    assert rule([0], [0], [], low=2, lacked=(0b100,)).is_feasible()
    assert not rule([0], [0], [0], low=3, lacked=(0b100,)).is_feasible()


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
