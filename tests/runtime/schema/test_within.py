"""Bytes that are read at once inside strings lead where they lead one by one."""

import random

import pytest

from maskc.runtime.schema.machine.nodes import KEY, STATE, STRING, describe_nodes
from maskc.runtime.schema.machine.within import read_within
from tests.jsonschema.texts import build_machine, read

SCHEMAS = [
    {},
    {"type": "string", "pattern": "^(ab|a\\\\u0062c|é)*$"},
    {"type": "string", "minLength": 2, "maxLength": 4},
    {"anyOf": [{"pattern": "^a.*b$"}, {"maxLength": 3}, {"const": 'x"y'}], "type": "string"},
    {"type": "object", "properties": {"ab": {}, "b": {"const": 1}}, "additionalProperties": False},
    {"type": "object", "patternProperties": {"^[ab]{1,2}$": {}}, "additionalProperties": False},
    {"anyOf": [{"required": ["ab"]}, {"properties": {"a": False}}], "type": "object"},
]
PIECES = ["a", "b", "c", '"', "\\u0061", "\\", 'x\\"', "é", "\x00", " ", '":1,"a']


def step_by_byte(machine, here, text):
    for byte in text:
        here = machine.read(here, byte)
        if here is None:
            return None
    return here


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_is_read_at_once_leads_where_it_leads_byte_by_byte(schema):
    draw = random.Random(1)
    start = '"' if schema.get("type") == "string" else '{"'
    n_live = 0
    for _ in range(200):
        machine = build_machine(schema)
        here = read(machine, start)
        while True:
            text = "".join(draw.choices(PIECES, k=draw.randint(1, 4))).encode()
            cut = draw.randint(0, len(text))
            wanted = step_by_byte(machine, here, text[:cut])
            (found,) = machine.step((here,), text[:cut]) or (None,)
            assert (found is None) == (wanted is None), (here.nodes, text[:cut])
            if found is None or wanted is None:
                break
            assert machine.describe(found) == machine.describe(wanted)
            here, n_live = found, n_live + 1
            if here.nodes[0][STATE][0] not in (STRING, KEY):
                break
    assert n_live > 40


def test_bytes_are_read_up_to_the_quote_that_ends_the_string():
    machine = build_machine({"type": "object", "properties": {"name": {}}})
    here = read(machine, '{"na')
    found, n_read = read_within(machine.plan, here.nodes, b'me":')
    assert n_read == 2
    after = read(machine, '{"name')
    nodes = tuple(machine.node(state, tuple(parents.values())) for state, parents in found.items())
    assert describe_nodes(nodes) == describe_nodes(after.nodes)


def test_a_string_that_dies_leaves_nothing():
    machine = build_machine({"type": "string", "pattern": "^a+$"})
    assert read_within(machine.plan, read(machine, '"a').nodes, b"ab") == ({}, 0)
