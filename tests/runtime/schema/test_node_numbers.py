"""Nodes by number: configurations have one key iff their descriptions are equal."""

import random

import pytest

from tests.jsonschema.texts import build_machine, read

SCHEMAS = [
    {},
    {"items": {"type": "array", "items": {"enum": [1, "a"]}}},
    {"anyOf": [{"items": {"items": {"type": "null"}}}, {"items": {"maxItems": 2}}]},
    {"properties": {"a": {"type": "array"}, "b": {"properties": {"a": {}}}}, "required": ["a"]},
    {"uniqueItems": True, "maxItems": 3},
]
PIECES = ["[", "]", "{", "}", '"a"', '"b"', ":", ",", "1", "null", " ", '"', "a"]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_keys_are_equal_iff_descriptions_are(schema):
    draw, machine = random.Random(2), build_machine(schema)
    keys, n_equal = {}, 0
    for _ in range(1_500):
        here = machine.start()
        while True:
            described, key = machine.describe(here[0]), machine.identify(here[0])
            n_equal += described in keys
            assert keys.setdefault(described, key) == key
            after = machine.step(here, draw.choice(PIECES).encode())
            if not after or draw.random() < 0.02:
                break
            here = after
    assert len(set(keys.values())) == len(keys) > 30
    assert n_equal > 500


def test_of_a_text_that_grew_only_what_is_new_is_looked_at():
    machine = build_machine({})
    here = read(machine, "[" * 20_000)
    machine.identify(here)
    known = machine._numbers.generations.current
    n_known = len(known)
    (after,) = machine.step((here,), b"[")
    machine.identify(after)
    assert n_known <= len(known) <= n_known + 2
