"""What is legal with a whole stack below."""

import pytest

from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.masks.walking import SchemaWalk, make_parts
from maskc.runtime.schema.tries import ROOT
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX, texts_of

PAIR = {"properties": {"a": {"type": "integer"}, "b": True}, "additionalProperties": False}


def walk_above(parts, node, gap):
    walk = SchemaWalk(parts, INDEX.tokens, None)
    walk.enter(node, gap, (ROOT,))
    return walk.parts()


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, '[[{"x":1'),
        (True, '{"":{"a":[1 '),
        (PAIR, '{"a":1'),
        (PAIR, '{"a":1,'),
        (PAIR, '{"b":{"b":1},'),
        ({"items": PAIR}, '[{"b":[],'),
        ({"additionalProperties": PAIR}, '{"x":{"a":1}'),
        ({"additionalProperties": PAIR}, '{"x":{"a":1},'),
        ({"propertyNames": {"maxLength": 1}, "maxProperties": 2}, '{"a":1,'),
    ],
)
def test_parts_of_a_stack_have_what_the_machine_reads(schema, text):
    machine = build_machine(schema)
    here = read(machine, text)
    parts = make_parts(INDEX, machine)
    found = set()
    for node in here.nodes:
        found |= texts_of(walk_above(parts, node, here.gap))
    assert found == {t for t in INDEX.texts if read(machine, t, here) is not None}


@pytest.mark.parametrize("text", ['{"x":{"a":1}', '[{"b":1', '[["x"', '{"":{}', '[{"a":[],"b":3'])
def test_rests_are_those_that_the_machine_reads(text):
    machine = build_machine(True)
    nodes = read(machine, text + " ").nodes
    walk = SchemaWalk(make_parts(INDEX, machine), INDEX.suffixes, None)
    walk.begin(nodes)
    part, here = walk.part(), Configuration(nodes, 0, b"")
    for n, rest in enumerate(INDEX.suffixes.texts):
        is_legal = not rest or bool(machine.step((here,), rest))
        assert part.to_verify >> n & 1 or part.bits >> n & 1 == is_legal, rest


def test_what_stays_below_is_asked_once():
    machine = build_machine(True)
    parts = make_parts(INDEX, machine)
    texts = ['{"a":[1', '{"a":[1,"b"', '{"a":[true']
    first = walk_above(parts, read(machine, texts[0] + " ").nodes[0], 1)
    for text in texts:
        (node,) = read(machine, text + " ").nodes
        assert walk_above(parts, node, 1)[1:] == first[1:]
