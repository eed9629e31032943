"""What is legal with a whole stack below."""

import pytest

from maskc.runtime.schema.masks.stacks import Stacks
from maskc.runtime.schema.masks.walking import Walk, make_parts
from maskc.runtime.schema.tries.trie import ROOT
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX

PAIR = {"properties": {"a": {"type": "integer"}, "b": True}, "additionalProperties": False}


def tokens_of(parts):
    found = set()
    for part in parts:
        found.update(part.few)
        for row in part.rows:
            found.update(t for t in INDEX.ids if row[t // 32] >> t % 32 & 1)
    return found


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
def test_it_finds_what_a_walk_finds(schema, text):
    machine = build_machine(schema)
    here = read(machine, text)
    for node in here.nodes:
        found = Stacks(make_parts(INDEX, machine)).above(INDEX.tokens, node, here.gap, (ROOT,))
        walk = Walk(make_parts(INDEX, machine), INDEX.tokens, None)
        assert tokens_of(found) == tokens_of(walk.collect(node, here.gap))


@pytest.mark.parametrize("text", ['{"x":{"a":1}', '[{"b":1', '[["x"', '{"":{}', '[{"a":[],"b":3'])
def test_it_finds_the_rests_that_a_walk_finds(text):
    machine = build_machine(True)
    nodes = read(machine, text).nodes
    walk = Walk(make_parts(INDEX, machine), INDEX.rests, None)
    walk.begin(nodes)
    wanted = walk.part()
    bits, unsure = Stacks(make_parts(INDEX, machine)).rests(nodes)
    assert (bits, bits & unsure) == (wanted.bits, wanted.bits & wanted.unsure)


def test_what_stays_below_is_asked_once():
    machine = build_machine(True)
    stacks = Stacks(make_parts(INDEX, machine))
    texts = ['{"a":[1', '{"a":[1,"b"', '{"a":[true']
    for text in texts:
        (node,) = read(machine, text + " ").nodes
        assert (
            stacks.above(INDEX.tokens, node, 1, (ROOT,))[1:]
            == stacks.above(INDEX.tokens, read(machine, texts[0] + " ").nodes[0], 1, (ROOT,))[1:]
        )
