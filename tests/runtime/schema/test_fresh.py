from maskc.runtime.schema.machine.fresh import freshen, renew
from maskc.runtime.schema.machine.nodes import CAPTURES
from tests.jsonschema.texts import build_machine, read

SCHEMA = {"type": "array", "items": {"type": "object"}, "uniqueItems": True}


def top_after(text, schema=SCHEMA):
    machine = build_machine(schema)
    here = read(machine, text)
    return machine, here.nodes[0], here.text


def test_an_item_that_differs_already_is_new():
    machine, node, text = top_after('[{"a": 1}, {"a": 2 ')
    assert not renew(machine, node, text)[CAPTURES]


def test_an_item_that_may_become_one_that_was_there_is_not_new():
    for rest in ('{"a": 1 ', "{"):
        machine, node, text = top_after('[{"a": 1}, ' + rest)
        assert renew(machine, node, text) is node


def test_an_item_that_must_be_one_that_was_there_is_not_fresh():
    schema = {"type": "array", "maxItems": 2, "not": {"uniqueItems": True}}
    machine, node, _ = top_after('["a", "', schema)
    assert freshen(machine, node) is None
