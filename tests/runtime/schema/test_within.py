"""Bytes that are read at once inside strings lead where they lead one by one."""

import random

import pytest

from maskc.runtime.schema.machine.nodes import KEY, STATE, STRING
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
